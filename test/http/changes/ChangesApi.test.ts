/** The routes of previous_config, apply_config, reverting and drift, and the rollout keys of device_syncto. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { PgClient } from "@effect/sql-pg"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { ApiClient, ApiServer } from "../../support/ApiServer.ts"

const task = (task_name: string, result: unknown, failed = false) => ({ task_name, result, diff: "", failed })

/** A live sync of `sw1` that has ended; config null when it rendered none. */
const finishedSync = Effect.fnUntraced(function* (config: string | null, at: string, failed = false) {
  const jobs = yield* JobStore
  const sql = yield* PgClient.PgClient
  const id = yield* jobs.insert({
    function_name: "sync_devices",
    scheduled_by: "admin",
    comment: null,
    ticket_ref: null,
    start_arguments: { dry_run: false },
    delaySeconds: 0
  })
  const tasks = [
    task("push_sync_device", null, failed),
    ...(config === null ? [] : [task("Generate device config", config)])
  ]
  const result = { failed, job_tasks: tasks }
  yield* jobs.addDevice(id, { hostname: "sw1", result, reachedEnd: true, changed: true, score: 1 })
  yield* sql`update job set status = 'FINISHED', finish_time = ${at}::timestamptz where id = ${id}`
  return id
})

const managed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  for (const hostname of ["sw1", "sw2"]) {
    yield* devices.insert({ hostname, state: "MANAGED", device_type: "ACCESS", platform: "eos" })
  }
})

const jobIdOf = (body: unknown): number => Schema.decodeUnknownSync(Schema.Struct({ job_id: Schema.Int }))(body).job_id

const error = (message: string) => ({ status: "error", message })

layer(ApiServer())("Previous and given configurations", (it) => {
  it.effect("are found by job, by number and by time, and restored from there", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const path = "/device/sw1/previous_config"
      assert.deepInclude(yield* api.get(path), { status: 404, body: error("No matching job found") })
      const oldest = yield* finishedSync("hostname sw1\n", "2026-01-01T10:00:00.5Z")
      const failed = yield* finishedSync(null, "2026-01-02T10:00:00Z", true)
      const newest = yield* finishedSync("hostname sw1\nvlan 9\n", "2026-01-03T10:00:00Z")
      const first = { job_id: oldest, finish_time: "2026-01-01T10:00:00", config: "hostname sw1\n", failed: false }
      const success = (data: unknown) => ({ status: 200, body: { status: "success", data } })
      assert.deepInclude(yield* api.get(`${path}?job_id=${oldest}`), success(first))
      assert.deepInclude(yield* api.get(`${path}?previous=2&before=2001-01-01`), success(first))
      assert.deepInclude(yield* api.get(`${path}?before=2026-01-02`), success(first))
      const bare = { job_id: failed, finish_time: "2026-01-02T10:00:00", failed: true }
      assert.deepInclude(yield* api.get(`${path}?previous=1`), success(bare))
      for (const query of ["", "?job_id=0", "?previous=0"]) {
        assert.nestedInclude(yield* api.get(path + query), { "body.data.job_id": newest })
      }
      const wrong = {
        "job_id=x": "job_id must be an integer",
        "previous=-1": "previous must be an integer",
        "before=soon": "before must be a valid ISO format date time string",
        "before=2026-13-45": "before must be a valid ISO format date time string"
      }
      for (const [query, message] of Object.entries(wrong)) {
        assert.deepInclude(yield* api.get(`${path}?${query}`), { status: 400, body: error(message) })
      }
      assert.deepInclude(yield* api.get("/device/-x/previous_config"), {
        status: 400,
        body: error("Invalid hostname specified")
      })
      const restored = yield* api.post(path, { job_id: String(oldest), dry_run: false })
      assert.nestedInclude(restored, { status: 200, "body.data": "Scheduled job to restore sw1" })
      const jobs = yield* JobStore
      const started = yield* jobs.get(jobIdOf(restored.body))
      assert.deepInclude(started, {
        function_name: "apply_config",
        start_arguments: { hostname: "sw1", dry_run: false, config: "hostname sw1\n" }
      })
      const refused: ReadonlyArray<readonly [unknown, number, string]> = [
        [{}, 400, "job_id must be specified"],
        [{ job_id: "x" }, 400, "job_id must be an integer"],
        [{ job_id: failed }, 400, "The specified job_id has a failed status"],
        [{ job_id: 99_999 }, 404, "No matching job found"]
      ]
      for (const [body, status, message] of refused) {
        assert.deepInclude(yield* api.post(path, body), { status, body: error(message) })
      }
    })
  )

  it.effect("are applied as dry runs only, unless the server permits more", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const path = "/device/sw1/apply_config"
      const message = "full_config must be specified"
      for (const body of [{}, { full_config: "" }, { full_config: 5 }]) {
        assert.deepInclude(yield* api.post(path, body), { status: 400, body: error(message) })
      }
      const live = yield* api.post(path, { full_config: "hostname sw1\n", dry_run: false })
      assert.deepInclude(live, { status: 400, body: error("Apply config live_run is not allowed") })
      yield* managed
      const reload = yield* api.post(path, { full_config: "hostname sw1\nusername eve secret 0 x\nrel now\n" })
      const sentence = 'full_config: line 3 ("rel now") is no configuration: "rel" is short for the command "reload"'
      assert.deepInclude(reload, { status: 400, body: error(sentence) })
      const hidden = yield* api.post(path, { full_config: "username eve secret 0 Winter7x | tee flash:x\n" })
      assert.strictEqual(hidden.status, 400)
      assert.notInclude(JSON.stringify(hidden.body), "Winter7x")
      const unwanted = yield* finishedSync("hostname sw1\nabort\n", "2026-01-04T10:00:00Z")
      assert.deepInclude(yield* api.post("/device/sw1/previous_config", { job_id: unwanted, dry_run: true }), {
        status: 400,
        body: error(
          `The configuration of job ${unwanted}: line 2 ("abort") is no configuration: "abort" leaves, commits, abandons or opens a configuration session`
        )
      })
      const dry = yield* api.post(path, { full_config: "hostname sw1\n" })
      assert.nestedInclude(dry, { status: 200, "body.data": "Scheduled job to apply config sw1" })
    })
  )
})

layer(ApiServer({ ALLOW_APPLY_CONFIG_LIVERUN: "true" }))("Undo and drift", (it) => {
  it.effect("starts the jobs that it names, or gives the reason of a refusal", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* managed
      const live = yield* api.post("/device/sw1/apply_config", { full_config: "hostname sw1\n", dry_run: false })
      assert.strictEqual(live.status, 200)
      const id = yield* finishedSync("hostname sw1\n", "2026-01-01T10:00:00Z")
      assert.deepInclude(yield* api.post(`/job/${id}/revert`, {}), {
        status: 400,
        body: error(`Job ${id} has changed no device, so there is nothing to revert`)
      })
      assert.deepInclude(yield* api.post("/job/99999/revert"), {
        status: 404,
        body: error("No job with id 99999 found")
      })
      const sql = yield* PgClient.PgClient
      yield* sql`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
        select ${id}, id, 'confirmed', 1, '{}', '' from device where hostname = 'sw1'`
      const reverted = yield* api.post(`/job/${id}/revert`, { comment: "wrong VLAN" })
      assert.nestedInclude(reverted, { status: 200, "body.data": `Scheduled job to revert job ${id}` })
      assert.strictEqual(reverted.headers.get("x-total-count"), "1")
      yield* sql`update job set status = 'RUNNING' where id = ${id}`
      assert.deepInclude(yield* api.post(`/job/${id}/revert`, {}), {
        status: 409,
        body: error(`Job ${id} is RUNNING: only a job that has ended can be reverted`)
      })
      const drift = yield* api.post("/device_drift", {})
      assert.nestedInclude(drift, { status: 200, "body.data": "Scheduled job to look for drift on all devices" })
      assert.strictEqual(drift.headers.get("x-total-count"), "2")
      assert.strictEqual((yield* api.post("/device_drift", { hostname: "nobody" })).status, 400)
    })
  )

  it.effect("accepts the keys of a rollout, and refuses invalid ones in words", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const jobs = yield* JobStore
      const rollout = { batch_size: 2, canary: ["sw1"], max_failures: 1, revert_on_failure: true }
      const good = yield* api.post("/device_syncto", { all: true, ...rollout })
      assert.strictEqual(good.status, 200)
      const { start_arguments } = yield* jobs.get(jobIdOf(good.body))
      assert.deepInclude(start_arguments, rollout)
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ batch_size: 0 }, "batch_size must be an integer of 1 or more"],
        [{ max_failures: "3" }, "max_failures must be an integer of 1 or more"],
        [{ canary: [] }, "canary must be an integer of 1 or more, or a list of 1 to 1000 hostnames"],
        [{ canary: ["-x"] }, "canary: '-x' is not a valid hostname"],
        [{ revert_on_failure: "yes" }, "revert_on_failure must be a boolean"],
        [{ confirm_older: "yes" }, "confirm_older must be a boolean"]
      ]
      for (const [keys, message] of wrong) {
        const answer = yield* api.post("/device_syncto", { all: true, ...keys })
        assert.deepInclude(answer, { status: 400, body: error(message) })
      }
    })
  )
})

layer(ApiServer())("Commits of a restored backup", (it) => {
  it.effect("are not pushed with force before a user confirms that they are older", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const sql = yield* PgClient.PgClient
      yield* managed
      yield* sql`insert into repository (name, url, commit, description, files, applied_at)
        values ('settings', '/nowhere', '0123456789abcdef', 'before', '{}', now() - interval '1 hour')
        on conflict (name, ref) do update set commit = excluded.commit, applied_at = excluded.applied_at`
      yield* sql`insert into restore (backup_of, release) values ('2026-11-24 01:00:00+00', '0.2.0')`
      const sync = (options: object) => api.post("/device_syncto", { hostname: "sw1", ...options })
      for (const options of [
        { dry_run: false, force: true },
        { dry_run: false, force: true, confirm_older: false },
        { auto_push: true, force: true }
      ]) {
        const { body, status } = yield* sync(options)
        assert.strictEqual(status, 409, JSON.stringify(options))
        assert.include(JSON.stringify(body), "settings 0123456789ab")
        assert.include(JSON.stringify(body), "confirm_older: true")
      }
      const { body } = yield* api.get("/system/findings")
      assert.include(JSON.stringify(body), "The commits in force are those of the backup of 2026-11-24T01:00:00")
      for (const options of [{ force: true }, { dry_run: false }, { dry_run: false, force: true, confirm_older: true }])
        assert.strictEqual((yield* sync(options)).status, 200, JSON.stringify(options))
      yield* sql`update repository set applied_at = now() + interval '1 second'`
      assert.strictEqual((yield* sync({ dry_run: false, force: true })).status, 200)
      assert.notInclude(JSON.stringify((yield* api.get("/system/findings")).body), "those of the backup")
    })
  )
})
