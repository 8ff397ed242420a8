/** What a person sees who decides over a job: its scope, who may approve it, and their own marks of viewed differences. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { JobApproval, JobScope } from "../../src/domain/JobScope.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const FILE = `roles:
  junior: { extends: operator, approval: true }
  east: { extends: operator, groups: [EAST_WING] }
  closet: { extends: port-editor, groups: [EAST_WING] }
`

/** A preview of two devices whose differences touch an uplink of one of them; both have machines. */
const GIVEN = [
  `update job set status = 'FINISHED', finish_time = now(), start_time = now(), function_name = 'sync_devices (dry_run)',
    start_arguments = '{"dry_run": true, "hostnames": ["east-a1", "dist1"]}',
    memo = '{"hostnames": ["east-a1", "dist1"], "eventsSeen": 0, "changesSeen": 0}', pinned = '{"branches": {}, "eventsSeen": 1000000}'
    where id = 1`,
  `insert into job_device (job_id, hostname, failed, changed, score, reached_end, job_tasks) values
    (1, 'east-a1', false, true, 1, true, '[{"task_name": "Sync device config", "result": null, "failed": false, "diff": "@@ -1,1 +1,2 @@\\n hostname x\\n+ntp server 10.0.0.1"}]'),
    (1, 'dist1', false, true, 60, true, '[{"task_name": "Sync device config", "result": null, "failed": false, "diff": "@@ -1,2 +1,3 @@\\n interface Ethernet1\\n+   mtu 9214\\n-spanning-tree mode mstp"}]')`,
  `insert into interface (device_id, name, configtype, data) select id, 'Ethernet1', 'ACCESS_DOWNLINK', null from device where hostname = 'dist1'
    on conflict (device_id, name) do update set configtype = 'ACCESS_DOWNLINK'`,
  `insert into tables_read (device_id, macs, arps) select id, 2, 0 from device where hostname = 'east-a1'`,
  `insert into mac_entry (device_id, port, vlan, mac) select id, 'Ethernet2', 10, '0200000000' || n from device, generate_series(10, 12) n
    where hostname = 'east-a1'`
]

const sync = {
  hostnames: ["east-a1", "dist1"],
  dry_run: false,
  dry_run_job: 1,
  canary: 1,
  max_failures: 3,
  comment: "New clock"
}

/** Requests of a person with this role. */
const person = (role: string, sub: string) =>
  Effect.map(
    caller({ sub, roles: [role] }),
    (send) => (method: string, path: string, json?: unknown) => send(method, path, json === undefined ? {} : { json })
  )

const Started = Schema.Struct({ job_id: Schema.Int })
const Scoped = Schema.Struct({ data: JobScope })
const Listed = Schema.Struct({ data: Schema.Struct({ approvals: Schema.Array(JobApproval) }) })
const Diffs = Schema.Struct({
  data: Schema.Struct({ groups: Schema.Array(Schema.Struct({ key: Schema.String, viewed: Schema.Boolean })) })
})

const given = Effect.gen(function* () {
  yield* setScene()
  const sql = yield* SqlClient.SqlClient
  for (const statement of GIVEN) yield* sql.unsafe(statement)
  const indy = yield* person("junior", "indy")
  const kim = yield* person("operator", "kim")
  // people are known after their first request
  yield* kim("GET", "/jobs")
  const { job_id } = Schema.decodeUnknownSync(Started)((yield* indy("POST", "/device_syncto", sync)).body)
  return { indy, kim, job_id }
})

const groupsOf = (body: unknown) => Schema.decodeUnknownSync(Diffs)(body).data.groups

layer(SiteWithRoles(FILE), { excludeTestServices: true })("The review of a job", (it) => {
  it.effect("says what it is about, what it touches, how it rolls out, and who may approve it", () =>
    Effect.gen(function* () {
      const { indy, job_id, kim } = yield* given
      const { data: scope } = Schema.decodeUnknownSync(Scoped)((yield* kim("GET", `/job/${job_id}/scope`)).body)
      assert.deepInclude(scope, {
        devices: 2,
        hostnames: ["dist1", "east-a1"],
        would_change: 2,
        not_compared: 0,
        outdated: [],
        machines: 3,
        uplinks: [{ hostname: "dist1", ports: ["Ethernet1"] }]
      })
      assert.sameDeepMembers(
        [...scope.device_types],
        [
          { name: "ACCESS", count: 1 },
          { name: "DIST", count: 1 }
        ]
      )
      assert.include(scope.groups.map(({ name }) => name).join(" "), "EAST_WING")
      assert.deepEqual(
        scope.rollout?.stages.map(({ count, is_canary }) => [is_canary, count]),
        [
          [true, 1],
          [false, 1]
        ]
      )
      assert.strictEqual(scope.rollout?.stops_at, 3)
      assert.deepInclude(scope.approval, {
        asked_by: "indy",
        title: "New clock",
        may_decide: true,
        is_yours: false,
        approvers: ["kim"],
        devices: 2,
        risk: { level: "high", reason: "-spanning-tree mode mstp", devices: 1 }
      })
      const own = Schema.decodeUnknownSync(Scoped)((yield* indy("GET", `/job/${job_id}/scope`)).body).data.approval
      assert.deepInclude(own, { may_decide: false, is_yours: true, approvers: ["kim"] })
      assert.include(own?.why_not ?? "", "somebody else has to decide")
    })
  )

  it.effect("names devices that have changed since the preview", () =>
    Effect.gen(function* () {
      const { job_id, kim } = yield* given
      const sql = yield* SqlClient.SqlClient
      yield* sql`update job set pinned = jsonb_set(pinned, '{eventsSeen}', (select to_jsonb(coalesce(max(id), 0)) from sync_event)) where id = 1`
      yield* sql`insert into sync_event (hostname, cause, happened_at, by) values ('east-a1', 'interface_updated', 0, 'somebody')`
      const { data } = Schema.decodeUnknownSync(Scoped)((yield* kim("GET", `/job/${job_id}/scope`)).body)
      assert.deepEqual(data.outdated, ["east-a1"])
    })
  )

  it.effect("is in the list of approvals of who may decide, of who has asked, and of nobody without the right", () =>
    Effect.gen(function* () {
      const { indy, job_id, kim } = yield* given
      const listed = (who: typeof kim) =>
        Effect.map(who("GET", "/approvals/jobs"), ({ body }) =>
          Schema.decodeUnknownSync(Listed)(body).data.approvals.filter((one) => one.job_id === job_id)
        )
      const lee = yield* person("closet", "lee")
      assert.deepInclude((yield* listed(kim))[0], { may_decide: true, is_yours: false, decision: null })
      assert.deepInclude((yield* listed(indy))[0], { may_decide: false, is_yours: true, decision: null })
      assert.deepEqual(yield* listed(lee), [])
      assert.strictEqual((yield* lee("GET", `/job/${job_id}/scope`)).status, 403)
      yield* kim("POST", `/job/${job_id}/reject`, { comment: "not before the exams" })
      assert.deepInclude((yield* listed(kim))[0], {
        decision: "rejected",
        decided_by: "kim",
        comment: "not before the exams",
        may_decide: false,
        approvers: []
      })
    })
  )

  it.effect("keeps the marks of each person apart, for everybody who may read the differences", () =>
    Effect.gen(function* () {
      const { indy, kim } = yield* given
      const reader = yield* person("reader", "rob")
      const [first] = groupsOf((yield* reader("GET", "/job/1/diffs")).body)
      const mark = { groups: [first?.key ?? ""] }
      assert.strictEqual((yield* reader("POST", "/job/1/viewed", mark)).status, 200)
      const marksOf = (who: typeof kim) =>
        Effect.map(who("GET", "/job/1/diffs"), ({ body }) => groupsOf(body).map(({ viewed }) => viewed))
      assert.deepEqual(yield* marksOf(reader), [true, false])
      assert.deepEqual(yield* marksOf(kim), [false, false])
      assert.strictEqual((yield* reader("POST", "/job/1/viewed", { ...mark, viewed: false })).status, 200)
      assert.deepEqual(yield* marksOf(reader), [false, false])
      assert.strictEqual((yield* indy("POST", "/job/1/viewed", { groups: ["first"] })).status, 400)
      assert.strictEqual((yield* indy("POST", "/job/99999/viewed", mark)).status, 404)
    })
  )
})
