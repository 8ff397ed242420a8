/** Alerts of ready rules end when their cause has ended, which the server sees in its own records; not before. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { listen } from "../support/AlertReceiver.ts"
import { AlertDatabase, happened, jobEnded, serveAlerts, until, verified } from "../support/AlertSite.ts"

const rules = (url: string, rule: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
  ${rule}: { to: noc, wait: 0s }
`

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(statements, (text) => sql.unsafe(text)))

const job = (id: number, name: string, outcome: string, memo = "null") =>
  `insert into job (id, status, outcome, function_name, scheduled_by, scheduled_time, start_time, finish_time, memo)
    overriding system value values (${id}, 'FINISHED', '${outcome}', '${name}', 'otto', now(), now(), now(), '${memo}')`
const device = (jobId: number, hostname: string, failed: boolean, result = "CommitError: refused") =>
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (${jobId}, '${hostname}', ${failed},
    '[{"task_name": "push_sync_device", "failed": ${failed}, "diff": "", "result": "${result}"}]', true)`

const SWITCHES = ["a1", "a2"].map(
  (name) => `insert into device (hostname, state, device_type, platform, synchronized, last_seen)
    values ('${name}', 'MANAGED', 'ACCESS', 'eos', false, now() - interval '1 hour')`
)

interface Cause {
  readonly what: string
  readonly rule: string
  readonly begins: ReadonlyArray<string>
  readonly event: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
  /** What happens meanwhile and ends nothing. */
  readonly meanwhile: ReadonlyArray<string>
  readonly ends: ReadonlyArray<string>
}

const ROLLOUT = [
  ...SWITCHES,
  job(7, "sync_devices", "partial"),
  device(7, "a1", true),
  device(7, "a2", true, "This device was not started and runs what it ran before.")
]
const HAND = `insert into sync_event (hostname, cause, happened_at, by) values ('a1', 'drift', 1772442000, 'scheduler')`

const causes: ReadonlyArray<Cause> = [
  {
    what: "a switch that was changed by hand, once it is in sync",
    rule: "drift",
    begins: [...SWITCHES, HAND],
    event: happened("drift", "found", "a1", {}, 3),
    meanwhile: [`update device set last_seen = now()`],
    ends: [`delete from sync_event where hostname = 'a1'`]
  },
  {
    what: "a rollout, once its failed switch is in sync; a switch that was not begun has not failed",
    rule: "job_not_success",
    begins: ROLLOUT,
    event: jobEnded(7),
    meanwhile: [`update device set synchronized = true where hostname = 'a2'`],
    ends: [`update device set synchronized = true where hostname = 'a1'`]
  },
  {
    what: "a rollout, once a later one was done with its switch",
    rule: "job_not_success",
    begins: ROLLOUT,
    event: jobEnded(7),
    meanwhile: [job(8, "sync_devices", "partial"), device(8, "a1", true), device(8, "a2", false)],
    ends: [job(9, "sync_devices", "success"), device(9, "a1", false)]
  },
  {
    what: "a check that failed, once a later rollout was done with its switch",
    rule: "check_failed",
    begins: SWITCHES,
    event: happened("change", "reverted", "a1", { failed_checks: ["bgp-sessions"] }, 7),
    meanwhile: [
      job(8, "sync_devices", "failed"),
      device(8, "a1", true),
      job(9, "device_drift", "success"),
      device(9, "a1", false)
    ],
    ends: [job(10, "sync_devices", "success"), device(10, "a1", false)]
  },
  {
    what: "a job that is about no switch, once one of its kind has succeeded",
    rule: "job_not_success",
    begins: [job(7, "refresh_repo", "failed", `{"repository": "settings"}`)],
    event: jobEnded(7),
    meanwhile: [
      job(8, "get_firmware", "success"),
      job(9, "refresh_repo", "success", `{"repository": "templates"}`),
      job(10, "refresh_repo", "failed", `{"repository": "settings"}`)
    ],
    ends: [job(11, "refresh_repo", "success", `{"repository": "settings"}`)]
  },
  {
    what: "a refused commit, once a refresh has brought the newest into force",
    rule: "refused_commit",
    begins: [],
    event: run([
      `insert into event (kind, action, job_id, is_audit, data) values ('repository', 'refused', 7, true, '{"repository": "settings"}')`
    ]),
    meanwhile: [job(8, "refresh_repo", "success", `{"repository": "templates"}`)],
    ends: [job(9, "refresh_repo", "success", `{"repository": "settings"}`)]
  },
  {
    what: "an unsigned commit, once a signed one of the same branch is in force",
    rule: "unsigned_commit",
    begins: [
      `insert into repository (name, ref, url, commit, description, files) values
        ('templates', '', 'x', 'a1', 'x', '{}'), ('templates', 'next', 'x', 'b1', 'x', '{}')`,
      `insert into commit_signature (repository, commit, state) values ('templates', 'a1', 'signed'), ('templates', 'b1', 'unsigned')`
    ],
    event: run([
      `insert into event (kind, action, job_id, is_audit, data) values
        ('repository', 'unsigned', 7, true, '{"repository": "templates", "ref": "next", "commit": "b1", "phrase": "is not signed"}')`
    ]),
    meanwhile: [
      `update repository set applied_at = clock_timestamp()`,
      `update repository set commit = 'b2', applied_at = clock_timestamp() where ref = 'next'`
    ],
    ends: [`insert into commit_signature (repository, commit, state) values ('templates', 'b2', 'signed')`]
  },
  {
    what: "another host key, once somebody has decided about it",
    rule: "host_key_changed",
    begins: [
      ...SWITCHES,
      `insert into host_key (device_id, fingerprint, refused_fingerprint, refused_at) values (1, 'SHA256:a', 'SHA256:b', now())`
    ],
    event: happened("host_key", "updated", "a1", { after: { refused_fingerprint: "SHA256:b" } }),
    meanwhile: [`update device set last_seen = now()`],
    ends: [`update host_key set refused_fingerprint = null`]
  },
  {
    what: "another switch than recorded, once the right one was seen",
    rule: "wrong_device",
    begins: SWITCHES,
    event: happened("identity", "wrong", "a1", { address: "192.0.2.1", fact: "serial number", shown: "X" }),
    meanwhile: [`update device set last_seen = now() where hostname = 'a2'`],
    ends: [`update device set last_seen = now() where hostname = 'a1'`]
  },
  {
    what: "a certificate that ends, once there is a new one",
    rule: "certificate_ends",
    begins: SWITCHES,
    event: happened("certificate", "ending", "a1", { serial: "01" }),
    meanwhile: [`update device set last_seen = now()`],
    ends: [
      `insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
        values ('02', 1, 1, 'a1', '192.0.2.1', now(), now() + interval '90 days')`
    ]
  }
]

/** The server has looked for ended causes again since now. */
const lookedAgain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // an alert whose cause has ended for certain: it ends with the next look
  yield* sql`delete from sync_event where hostname = 'marker'`
  yield* sql`insert into device (hostname, state, device_type, platform) values ('marker', 'MANAGED', 'ACCESS', 'eos') on conflict do nothing`
  yield* sql`insert into alert (rule, key, level, receivers, events, count, subjects, send_at, sent_at)
    values ('drift', 'marker', 'info', '{}', '[{"kind": "drift", "action": "found", "hostname": "marker"}]', 1, '{marker}', now(), now())`
  const open = sql`select from alert where key = 'marker' and resolved_at is null`
  yield* until(Effect.map(open, (rows) => rows.length === 0))
})

for (const { begins, ends, event, meanwhile, rule, what } of causes)
  it.live(`An alert ends by itself: ${what}`, () =>
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      yield* serveAlerts(rules(url, rule))
      yield* run(begins)
      yield* event
      yield* until(Effect.sync(() => received.length === 1))
      yield* run(meanwhile)
      yield* lookedAgain
      assert.strictEqual(verified(received).length, 1)
      yield* run(ends)
      yield* until(Effect.sync(() => received.length === 2))
      assert.deepStrictEqual(
        verified(received).map(({ body }) => String(JSON.parse(body).type)),
        ["alert.triggered", "alert.resolved"]
      )
    }).pipe(Effect.scoped, Effect.provide(AlertDatabase))
  )
