/** The progress of a job through the API: failures in groups, totals, and switches that do not answer after their commit. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { JobCounts } from "../../../src/domain/Job.ts"
import { JobProgress } from "../../../src/domain/JobFailures.ts"
import { ApiClient, ApiServer } from "../../support/ApiServer.ts"
import { setScene } from "../../scenarios/conformance/Scene.ts"

const Counted = Schema.Struct({ counts: JobCounts })

const task = (text: string) => JSON.stringify([{ task_name: "push_sync_device", failed: true, diff: "", result: text }])
const silent = (name: string, ip: string) =>
  task(`no connection to ${name} at ${ip}, step: connect\nConnectionException: no answer from ${ip} port 22\n`)
const NOT_STARTED = task("This device was not started and runs what it ran before.\nJobAborted: The job was aborted\n")
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** An aborted job: two switches behind dist1 were silent, one commit is not proved, and one device was not begun. */
const JOB = [
  `insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port) values (8, 'Ethernet48', 2, 'Ethernet2')`,
  `insert into job (status, function_name, scheduled_by, scheduled_time, start_time, start_arguments, memo) values
    ('ABORTING', 'sync_devices', 'otto', now(), now(), '{"dry_run": false}', '{"hostnames": ["core1", "dist1", "east-a1", "special-a8", "broken-a9"]}')`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values
    (4, 'dist1', false, '[]', true),
    (4, 'east-a1', true, ${quoted(silent("east-a1", "10.0.6.6"))}, false),
    (4, 'special-a8', true, ${quoted(silent("special-a8", "10.0.6.9"))}, false),
    (4, 'broken-a9', true, ${quoted(NOT_STARTED)}, false)`,
  `insert into config_change (job_id, device_id, phase, epoch, protocol, candidate, updated_at)
    select 4, 1, 'looking', 1, jsonb_build_object('committedAt', (extract(epoch from now()) - 60) * 1000, 'timerSeconds', 300), 'x', now() - interval '60 seconds'`
]

layer(ApiServer(), { excludeTestServices: true })("The progress of a job", (it) => {
  it.effect("has its failures in groups with what they have in common, and what was not begun apart", () =>
    Effect.gen(function* () {
      yield* setScene(JOB)
      const api = yield* ApiClient
      const { body } = yield* api.get("/job/4/progress")
      const { devices, failures, seconds_left, totals, undoable, undone_by } = Schema.decodeUnknownSync(
        Schema.Struct({ data: JobProgress })
      )(body).data
      assert.deepEqual(
        failures.map(({ did, sentence }) => [sentence, did]),
        [["2 switches did not answer SSH: all on dist1", "Nothing was changed on them."]]
      )
      assert.deepInclude(failures[0], {
        class: "ConnectionException",
        devices: ["east-a1", "special-a8"],
        uplinks: ["dist1"]
      })
      assert.deepEqual(totals, { devices: 5, done: 1, failed: 2, working: 1, waiting: 0, not_begun: 1 })
      assert.isNull(seconds_left)
      assert.deepEqual({ undoable, undone_by }, { undoable: 0, undone_by: [] })
      const named = (name: string) => devices.find(({ hostname }) => hostname === name)
      assert.deepInclude(named("broken-a9"), { failed: true, not_begun: true })
      assert.deepInclude(named("east-a1"), { failed: true, not_begun: false, silent_since: null })
      const core = named("core1")
      const seconds = (text: string | null | undefined) => Date.parse(`${text}Z`) / 1000
      // 45 seconds for a late timer and 10 for the look
      assert.closeTo(seconds(core?.certain_until) - seconds(core?.timer_until), 55, 0.1)
      assert.closeTo(seconds(core?.timer_until) - seconds(core?.silent_since), 300, 1)
    })
  )

  it.effect("counts in the job's record what was not begun, which is no failure", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const counts = (id: number) =>
        Effect.map(api.get(`/job/${id}`), ({ body }) =>
          Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ jobs: Schema.Array(Counted) }) }))(
            body
          ).data.jobs.map((job) => job.counts)
        )
      assert.deepEqual(yield* counts(4), [{ devices: 4, succeeded: 1, failed: 3, changed: 0, not_begun: 1 }])
    })
  )
})
