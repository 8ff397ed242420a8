/** What needs a person now, through the API: each kind from its own records, and only what the caller may read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Attention } from "../../src/domain/Attention.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const ROLES = `roles:
  junior: { extends: operator, approval: true }
  east: { extends: operator, groups: [EAST_WING] }
  attention: { permissions: [{ methods: [GET], endpoints: [/attention] }] }
`

/** Two switches behind dist1 do not answer, a rollout fails, and so on; special-a8 and broken-a9 are not in EAST_WING. */
const TROUBLE = [
  `insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port) values (8, 'Ethernet48', 2, 'Ethernet2')`,
  `insert into device_unreachable (device_id, since) values (4, '2026-03-02T09:00:00Z'), (8, '2026-03-02T08:00:00Z')`,
  `insert into job (status, function_name, scheduled_by, comment, scheduled_time, start_time, start_arguments, memo) values
    ('RUNNING', 'sync_devices', 'otto', 'guest network', now(), now(), '{"dry_run": false}', '{"hostnames": ["dist1", "dist2", "east-a1", "broken-a9"]}')`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values
    (4, 'dist1', false, '[]', true),
    (4, 'east-a1', true, '[{"task_name": "push_sync_device", "failed": true, "diff": "", "result": "CommandTimeout: no answer"}]', false),
    (4, 'broken-a9', true, '[{"task_name": "push_sync_device", "failed": true, "diff": "", "result": "This device was not started and runs what it ran before.\\nJobAborted: The job was aborted\\n"}]', false)`,
  `insert into sync_event (hostname, cause, happened_at, by) values ('dist2', 'drift', 1772442000, 'scheduler')`,
  `insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after) values
    ('0a', 1, 2, 'dist1', '10.100.3.1', now(), now() + interval '2 days')`,
  `insert into alert (rule, key, level, receivers, events, count, subjects, send_at, sent_at) values
    ('disk_low', 'a', 'critical', '{noc}', '[{"kind": "disk", "text": "disk is low"}]', 1, '{server1}', now(), now()),
    ('device_unreachable', 'b', 'error', '{noc}', '[{"kind": "reachability", "text": "silent"}]', 1, '{east-a1}', now(), now())`
]

const attention = Effect.fnUntraced(function* (role: string, sub = "kim") {
  const { body, status } = yield* (yield* caller({ sub, roles: [role] }))("GET", "/attention")
  assert.strictEqual(status, 200, JSON.stringify(body))
  return Schema.decodeUnknownSync(Schema.Struct({ data: Attention }))(body).data.items
})

layer(SiteWithRoles(ROLES), { excludeTestServices: true })("What needs attention", (it) => {
  it.effect("is every kind of trouble, the most urgent first", () =>
    Effect.gen(function* () {
      yield* setScene(TROUBLE)
      const items = yield* attention("operator")
      assert.deepEqual(
        items.map(({ count, devices, kind }) => [kind, count, devices.join(" ")]),
        [
          ["silent", 2, "east-a1 special-a8"],
          ["rollout", 1, "east-a1"],
          ["changed_by_hand", 1, "dist2"],
          ["alert", 1, ""],
          ["new_device", 1, "mac-080027000006"],
          ["certificate", 1, "dist1"]
        ]
      )
      const [silent, rollout] = items
      assert.deepInclude(silent, { uplinks: ["dist1"], detail: "All on dist1. Look there first." })
      assert.match(silent?.since ?? "", /^2026-03-02T08:00/)
      assert.deepInclude(rollout, { total: 4, detail: "guest network", place: { screen: "job", of: "4" } })
    })
  )

  it.effect("is about the caller's own devices, and about what they may read", () =>
    Effect.gen(function* () {
      yield* setScene(TROUBLE)
      const own = yield* attention("east")
      assert.deepEqual(
        own.map(({ devices, kind, uplinks }) => [kind, devices.join(" "), uplinks.join(" ")]),
        [["silent", "east-a1", ""]]
      )
      assert.deepEqual(yield* attention("attention"), [])
      const refused = yield* (yield* caller({ sub: "kim", roles: ["port-editor"] }))("GET", "/attention")
      assert.strictEqual(refused.status, 403)
    })
  )

  it.effect("is an approval only for those who may give it", () =>
    Effect.gen(function* () {
      yield* setScene()
      const indy = yield* caller({ sub: "indy", roles: ["junior"] })
      const sync = { hostname: "dist1", dry_run: false, dry_run_job: 1, comment: "voice VLAN" }
      assert.strictEqual((yield* indy("POST", "/device_syncto", { json: sync })).status, 200)
      const approvals = (role: string, sub: string) =>
        Effect.map(attention(role, sub), (items) => items.filter(({ kind }) => kind === "approval"))
      assert.deepEqual(yield* approvals("junior", "indy"), [])
      assert.deepEqual(yield* approvals("reader", "kim"), [])
      const [found] = yield* approvals("operator", "kim")
      assert.deepInclude(found, { count: 1, action: "decide", detail: "“voice VLAN”, asked for by indy" })
      assert.isNotNull(found?.until)
    })
  )

  it.effect("is a rollout that has ended, until a later one tries its devices again", () =>
    Effect.gen(function* () {
      const task = (text: string) =>
        `[{"task_name": "push_sync_device", "failed": true, "diff": "", "result": "${text}"}]`
      const ended = [
        `insert into job (status, outcome, function_name, scheduled_by, scheduled_time, start_time, finish_time) values
          ('FINISHED', 'partial', 'sync_devices', 'otto', now(), now(), now())`,
        `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values
          (4, 'special-a8', true, '${task("CommitError: refused")}', false), (4, 'dist1', true, '${task("CommitError: refused")}', false)`
      ]
      yield* setScene(ended)
      const rollouts = Effect.map(attention("operator"), (items) => items.filter(({ kind }) => kind === "rollout"))
      // dist1 is in sync again
      assert.deepEqual(
        (yield* rollouts).map(({ devices }) => devices),
        [["special-a8"]]
      )
      yield* setScene([
        ...ended,
        `insert into job (status, outcome, function_name, scheduled_by, scheduled_time, start_time, finish_time) values
          ('FINISHED', 'success', 'sync_devices', 'otto', now(), now(), now())`,
        `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (5, 'special-a8', false, '[]', true)`
      ])
      assert.deepEqual(yield* rollouts, [])
    })
  )
})
