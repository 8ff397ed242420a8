/** Windows through the API: what is refused outside of them, what waits for them, and what an emergency may. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const HOUR = 3_600_000
const now = Date.now()
/** A time so many hours from now, as windows.yml and start_at have it; the minutes are whole. */
const inHours = (hours: number) => new Date(now + hours * HOUR).toISOString().slice(0, 16).replace("T", " ")
const date = (from: number, to: number) => `{ from: "${inHours(from)}", to: "${inHours(to)}" }`

const WINDOWS = `
windows:
  closets: { groups: [EAST_WING], timezone: UTC, dates: [${date(2, 4)}] }
  fabric: { device_types: [DIST], timezone: UTC, dates: [${date(-12, 24)}] }
freezes:
  rebuild: { groups: [EAST_WING], timezone: UTC, reason: the east wing is rebuilt, dates: [${date(3, 30)}] }
`
const ROLES = `
roles:
  writer: { permissions: [{ methods: [GET, POST, PUT, DELETE], endpoints: ["*"], rights: [read, write] }] }
  east-writer: { extends: operator, groups: [EAST_WING] }
`

const Message = Schema.Struct({ message: Schema.String })
const Started = Schema.Struct({ job_id: Schema.Int })
const Jobs = Schema.Struct({
  data: Schema.Struct({ jobs: Schema.Tuple([Schema.Record(Schema.String, Schema.Unknown)]) })
})

/** Posts in the name of a user with a role. Returns the status, and the sentence of a refusal. */
const post = Effect.fnUntraced(function* (path: string, json: unknown, role = "operator", method = "POST") {
  const send = yield* caller({ sub: role, roles: [role] })
  const { body, status } = yield* send(method, path, { json })
  const message = Schema.is(Message)(body) ? body.message : ""
  const job = Schema.is(Started)(body) ? body.job_id : 0
  return { status, message, job }
})

const recordOf = Effect.fnUntraced(function* (id: number) {
  const send = yield* caller({ sub: "ann", roles: ["administrator"] })
  return Schema.decodeUnknownSync(Jobs)((yield* send("GET", `/job/${id}`)).body).data.jobs[0]
})

const live = { hostname: "east-a1", dry_run: false }
const CLOSED = `east-a1 must not be changed: window closets is closed. The next opening is ${inHours(2)} UTC`

/** Job 10 has changed `east-a1`. */
const CHANGED = [
  `insert into job (id, status, function_name, finish_time) values (10, 'FINISHED', 'sync_devices', now())`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (10, 'east-a1', false,
    '[{"task_name": "Generate device config", "result": "hostname x", "diff": "", "failed": false}]', true)`,
  `insert into config_change (job_id, device_id, phase, epoch, protocol, candidate) values (10, 4, 'confirmed', 1, '{}', '')`
]

layer(SiteWithRoles(ROLES, { ALLOW_APPLY_CONFIG_LIVERUN: "true" }, WINDOWS), { excludeTestServices: true })(
  "A device outside of its windows",
  (it) => {
    it.effect("is not synchronized, with the window and its next opening as the reason, and others are", () =>
      Effect.gen(function* () {
        yield* setScene()
        assert.deepInclude(yield* post("/device_syncto", live), {
          status: 400,
          message: `${CLOSED}. Send wait_for_window: true to wait for it, or emergency with a reason`
        })
        for (const body of [
          { hostname: "east-a1", dry_run: true, auto_push: true },
          { hostnames: ["dist1", "east-a1"], dry_run: false },
          { group: "EAST_WING", dry_run: false, resync: true }
        ]) {
          assert.include((yield* post("/device_syncto", body)).message, "window closets is closed")
        }
        assert.strictEqual((yield* post("/device_syncto", { hostname: "east-a1" })).status, 200)
        assert.strictEqual((yield* post("/device_syncto", { hostname: "dist1", dry_run: false })).status, 200)
      })
    )

    it.effect("accepts a start within them, and no other", () =>
      Effect.gen(function* () {
        yield* setScene()
        const at = (hours: number) => post("/device_syncto", { ...live, start_at: `${inHours(hours)}:00` })
        const inside = yield* at(2.5)
        assert.strictEqual(inside.status, 200)
        const sql = yield* SqlClient.SqlClient
        const { job: now } = yield* post("/device_syncto", { hostname: "dist1" })
        assert.deepStrictEqual(
          yield* sql`select service_class from job where id in (${inside.job}, ${now}) order by id`,
          [{ service_class: "schedule" }, { service_class: "person" }]
        )
        const frozen = yield* at(3.5)
        assert.strictEqual(frozen.status, 400)
        assert.include(frozen.message, `freeze rebuild (the east wing is rebuilt) is in force until ${inHours(30)} UTC`)
        assert.include(frozen.message, "There is no opening within 400 days")
        assert.strictEqual((yield* at(2)).status, 200)
        assert.strictEqual((yield* at(3)).status, 400)
      })
    )

    it.effect("makes a job wait for them on request, and its record names the window", () =>
      Effect.gen(function* () {
        yield* setScene()
        const { job } = yield* post("/device_syncto", { ...live, wait_for_window: true })
        const record = yield* recordOf(job)
        assert.deepInclude(record, { status: "SCHEDULED" })
        assert.include(String(record["scheduled_time"]), inHours(2).replace(" ", "T"))
        assert.deepStrictEqual(record["waiting_for"], {
          reason: "window",
          why: CLOSED,
          until: `${inHours(2).replace(" ", "T")}:00`,
          message: `Waits for a window: ${CLOSED}`
        })
        const open = yield* post("/device_syncto", { hostname: "dist1", dry_run: false, wait_for_window: true })
        assert.isNull((yield* recordOf(open.job))["waiting_for"])
        const never = { ...live, wait_for_window: true, start_at: `${inHours(3)}:00` }
        assert.include((yield* post("/device_syncto", never)).message, "There is no opening within 400 days")
      })
    )

    it.effect("can be changed in an emergency by callers with the right, with a reason in the audit and the job", () =>
      Effect.gen(function* () {
        yield* setScene()
        const emergency = "the wing has no light"
        for (const role of ["writer", "port-editor"]) {
          const refused = yield* post("/device_syncto", { ...live, emergency }, role)
          assert.strictEqual(refused.status, 403, role)
          assert.include(refused.message, "emergency is not among them")
          assert.include(refused.message, "Allowed by: operator, administrator, east-writer")
        }
        for (const role of ["operator", "administrator", "east-writer"]) {
          const { job, status } = yield* post("/device_syncto", { ...live, emergency }, role)
          assert.strictEqual(status, 200, role)
          assert.deepInclude((yield* recordOf(job))["start_arguments"], { emergency })
          const sql = yield* SqlClient.SqlClient
          const events = yield* sql`select actor, job_id, data from event
            where kind = 'window' and action = 'emergency' order by id desc limit 1`
          assert.deepStrictEqual(events, [{ actor: role, job_id: job, data: { reason: emergency, overrides: CLOSED } }])
        }
        assert.strictEqual((yield* post("/device_syncto", { ...live, emergency }, "reader")).status, 403)
        assert.strictEqual((yield* post("/device_syncto", { hostname: "dist1", emergency }, "writer")).status, 200)
      })
    )

    it.effect("is protected from every other job that changes it, and from none that only reads", () =>
      Effect.gen(function* () {
        const refused = Effect.fnUntraced(function* (path: string, json: unknown, method?: string) {
          yield* setScene(CHANGED)
          const answer = yield* post(path, json, "administrator", method)
          assert.strictEqual(answer.status, 400, path)
          assert.include(answer.message, CLOSED, path)
        })
        yield* refused("/device/east-a1/apply_config", { full_config: "hostname x", dry_run: false })
        yield* refused("/device/east-a1/previous_config", { job_id: 10, dry_run: false })
        yield* refused("/job/10/revert", {})
        yield* refused("/device_cert", { hostname: "east-a1", action: "RENEW" })
        yield* refused("/firmware/upgrade", { hostname: "east-a1", filename: "EOS.swi", activate: true })
        yield* refused("/firmware/upgrade", { group: "EAST_WING", reboot: true })
        yield* refused("/device/4", { factory_default: true }, "DELETE")
        for (const [path, json] of [
          ["/device/east-a1/apply_config", { full_config: "hostname x" }],
          ["/job/10/revert", { dry_run: true }],
          ["/firmware/upgrade", { hostname: "east-a1", filename: "EOS.swi", download: true }],
          ["/device_drift", { hostname: "east-a1" }],
          ["/device_update_facts", { hostname: "east-a1" }],
          ["/device_syncto/hostname/east-a1", {}]
        ] as const) {
          yield* setScene(CHANGED)
          assert.strictEqual((yield* post(path, json, "administrator")).status, 200, path)
        }
      })
    )

    it.effect("is shown with its windows, to permitted callers", () =>
      Effect.gen(function* () {
        yield* setScene()
        const get = Effect.fnUntraced(function* (query: string, role: string) {
          const send = yield* caller({ sub: role, roles: [role] })
          return yield* send("GET", `/windows${query}`)
        })
        const { body } = yield* get("?device=east-a1", "reader")
        const time = (hours: number) => `${inHours(hours).replace(" ", "T")}:00`
        const spans = (from: number, to: number) => [{ from: time(from), to: time(to) }]
        const all = { groups: null, device_types: null, timezone: "UTC" }
        assert.deepStrictEqual(body, {
          status: "success",
          data: {
            in_force: true,
            problem: null,
            windows: [
              {
                ...all,
                name: "closets",
                groups: ["EAST_WING"],
                is_open: false,
                opens_at: time(2),
                closes_at: null,
                spans: spans(2, 4)
              },
              {
                ...all,
                name: "fabric",
                device_types: ["DIST"],
                is_open: true,
                opens_at: null,
                closes_at: time(24),
                spans: spans(-12, 24)
              }
            ],
            freezes: [
              {
                ...all,
                name: "rebuild",
                groups: ["EAST_WING"],
                reason: "the east wing is rebuilt",
                is_in_force: false,
                begins_at: time(3),
                ends_at: time(30),
                spans: spans(3, 30)
              }
            ],
            asked: { devices: 1, may_be_changed: false, why_not: CLOSED, opens_at: time(2), closes_at: null }
          }
        })
        assert.strictEqual((yield* get("?device=east-a1", "east-writer")).status, 200)
        assert.strictEqual((yield* get("?device=dist1", "east-writer")).status, 403)
      })
    )
  }
)
