/** A change as one file for auditors: who did what and why, sealed by the audit, so that a kept file can be verified. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { ChangeReport } from "../../../src/domain/jobs/ChangeReport.ts"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../../support/RolesSite.ts"

const FILE = `roles:
  junior: { extends: operator, approval: true }
  west: { extends: operator, groups: [WEST_WING] }
`

const DIFF = "@@ -1,1 +1,2 @@\\n hostname x\\n+ntp server 10.0.0.1"

/** A preview of one device, and the rollout of it that indy asked for and kim approved. */
const GIVEN = [
  `update job set status = 'FINISHED', outcome = 'success', finish_time = now(), start_time = now(),
    function_name = 'sync_devices (dry_run)', start_arguments = '{"dry_run": true, "hostnames": ["east-a1"]}',
    scheduled_by = 'indy' where id = 1`,
  `insert into job_device (job_id, hostname, failed, changed, score, reached_end, job_tasks) values
    (1, 'east-a1', false, true, 1, true, '[{"task_name": "Sync device config", "result": null, "failed": false, "diff": "${DIFF}",
      "planned_checks": [{"name": "clock", "sentence": "reads sources of time: none may be gone"}]}]')`,
  `update job set status = 'FINISHED', outcome = 'failed', finish_time = now(), start_time = now(), function_name = 'sync_devices',
    start_arguments = '{"dry_run": false, "hostnames": ["east-a1"], "dry_run_job": 1, "canary": 1, "emergency": "the clock is wrong"}',
    scheduled_by = 'indy', comment = 'New <clock>', ticket_ref = 'NET-7', settings_commit = '8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f'
    where id = 2`,
  `insert into job_device (job_id, hostname, failed, changed, score, reached_end, job_tasks) values
    (2, 'east-a1', true, false, 1, true, '[{"task_name": "push", "failed": true, "diff": "", "proof": "lines",
      "result": "CommandError: username admin secret 0 hunter2hunter2",
      "checks": [{"name": "clock", "held": false, "before": "2 sources of time", "now": "0 sources of time (gone: <ntp1>; ntp2)",
        "sentence": "before 2 sources of time, now 0 sources of time, but none may be gone", "tried": 3, "seconds": 12},
        {"name": "of another release"}]}]')`,
  `insert into job_approval (job_id, reason, asked, asked_by, expires_at, decision, decided_by, decided_at, comment)
    values (2, 'role junior', '{"method": "POST", "path": "/device_syncto"}', 'indy', now() + interval '1 hour', 'approved', 'kim', now(), 'looks right')`
]

const person = (role: string, sub: string) => caller({ sub, roles: [role] })

const Answered = Schema.Struct({ data: Schema.Struct({ report: ChangeReport }) })
const Verified = Schema.Struct({
  data: Schema.Struct({
    verified_report: Schema.Struct({ change: Schema.Int, format: Schema.String, by: Schema.String })
  })
})

const given = Effect.gen(function* () {
  yield* setScene()
  const sql = yield* SqlClient.SqlClient
  for (const statement of GIVEN) yield* sql.unsafe(statement)
  return { indy: yield* person("junior", "indy"), kim: yield* person("operator", "kim") }
})

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

layer(SiteWithRoles(FILE), { excludeTestServices: true })("The report of a change", (it) => {
  it.effect("has everything by the number of the preview, also if it is asked for by that of the rollout", () =>
    Effect.gen(function* () {
      const { kim } = yield* given
      const { body } = yield* kim("GET", "/changes/2/report")
      const { report } = Schema.decodeUnknownSync(Answered)(body).data
      assert.deepInclude(report, {
        change: 1,
        title: "New <clock>",
        ticket_ref: "NET-7",
        state: "failed",
        approved_by: ["kim"]
      })
      assert.deepEqual(
        report.jobs.map(({ by, id, part }) => [id, part, by]),
        [
          [1, "preview", "indy"],
          [2, "rollout", "indy"]
        ]
      )
      assert.deepInclude(report.jobs[1], { emergency: "the clock is wrong", canary: 1 })
      assert.deepInclude(report.approvals[0], {
        job_id: 2,
        asked_by: "indy",
        decided_by: "kim",
        comment: "looks right"
      })
      assert.deepEqual(report.groups[0]?.hostnames, ["east-a1"])
      assert.deepInclude(report.devices[0], { hostname: "east-a1", failed: true, proof: "lines" })
      assert.deepEqual(
        report.checks.map(({ checks, job_id, skipped }) => [job_id, checks.map(({ sentence }) => sentence), skipped]),
        [
          [1, ["would be made on 1 switch"], null],
          [2, ["failed on 1 switch"], null]
        ]
      )
      assert.deepInclude(report.checks[1]?.checks[0]?.results[0], { hostname: "east-a1", before: "2 sources of time" })
      const text = JSON.stringify(body)
      assert.notInclude(text, "hunter2hunter2")
      assert.include(text, "CommandError")
    })
  )

  it.effect("is a page to keep, whose every letter the audit proves", () =>
    Effect.gen(function* () {
      const { indy, kim } = yield* given
      const { headers, text } = yield* kim("GET", "/changes/1/report?format=html")
      assert.match(headers.get("content-disposition") ?? "", /attachment; filename=change-1\.html/)
      assert.include(text, "New &lt;clock&gt;")
      assert.notInclude(text, "<script")
      assert.include(text, "<td>0 sources of time (gone: &lt;ntp1&gt;; ntp2)</td>")
      const sha256 = digestOf(text)
      assert.strictEqual(headers.get("x-report-sha256"), sha256)
      const verified = yield* indy("GET", `/changes/reports/${sha256}`)
      assert.deepInclude(Schema.decodeUnknownSync(Verified)(verified.body).data.verified_report, {
        change: 1,
        format: "html",
        by: "kim"
      })
      const altered = yield* indy("GET", `/changes/reports/${digestOf(text.replace("kim", "tim"))}`)
      assert.strictEqual(altered.status, 404)
      // the same file again is the same entry
      assert.strictEqual((yield* indy("GET", "/changes/1/report?format=html")).text, text)
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql`select id from event where kind = 'report' and data ->> 'sha256' = ${sha256}`
      assert.lengthOf(entries, 1)
    })
  )

  it.effect("is for whoever may see its job", () =>
    Effect.gen(function* () {
      yield* given
      const lee = yield* person("west", "lee")
      assert.strictEqual((yield* lee("GET", "/changes/1/report")).status, 403)
      const kim = yield* person("operator", "kim")
      assert.strictEqual((yield* kim("GET", "/changes/99999/report")).status, 404)
      assert.strictEqual((yield* kim("GET", "/changes/1/report?format=pdf")).status, 400)
    })
  )
})
