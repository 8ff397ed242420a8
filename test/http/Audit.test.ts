/** The audit through the API: authors of changes, users who aborted jobs, and omitted data. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"

/** Events since the scene was set. */
const eventsOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [{ last } = { last: "0" }] = yield* sql<{ last: string }>`select coalesce(max(id), 0)::text as last from event`
  yield* work
  return yield* sql<{ kind: string; action: string; actor: string; way: string; hostname: string; data: unknown }>`
    select kind, action, actor, way, hostname, data from event where id > ${last}::bigint and is_audit order by id`
})

const writing: ReadonlyArray<readonly [method: "post" | "put" | "delete", path: string, body: unknown, event: string]> =
  [
    [
      "post",
      "/device",
      { hostname: "new-1", state: "UNMANAGED", device_type: "ACCESS", platform: "eos" },
      "device created"
    ],
    ["put", "/device/5", { description: "room 7" }, "device updated"],
    ["delete", "/device/5", undefined, "device deleted"],
    [
      "put",
      "/device/east-a1/interfaces",
      { interfaces: { Ethernet2: { data: { description: "desk" } } } },
      "interface updated"
    ],
    [
      "put",
      "/device/east-a1/stackmember",
      { stackmembers: [{ hardware_id: "A", member_no: 0 }] },
      "stackmember created"
    ],
    ["delete", "/linknet/1", undefined, "linknet deleted"],
    ["put", "/mgmtdomain/1", { description: "east" }, "mgmtdomain updated"],
    ["delete", "/mgmtdomain/1", undefined, "mgmtdomain deleted"],
    ["post", "/device_synchistory", { hostname: "east-a1", cause: "oob", by: "indy" }, "sync needed"],
    ["post", "/device_syncto", { hostname: "east-a1", dry_run: true }, "job started"],
    ["put", "/job/3", { action: "ABORT", abort_reason: "wrong image" }, "job aborted"]
  ]

layer(SiteServer(), { excludeTestServices: true })("The audit", (it) => {
  for (const [method, path, body, event] of writing) {
    it.effect(`names the caller of ${method} ${path}`, () =>
      Effect.gen(function* () {
        yield* setScene()
        const api = yield* ApiClient
        const events = yield* eventsOf(
          Effect.tap(api[method](path, body), ({ status, text }) =>
            Effect.sync(() => assert.isBelow(status, 300, text))
          )
        )
        const found = events.find(({ action, kind }) => `${kind} ${action}` === event)
        assert.deepInclude(found, { actor: "admin", way: "open" }, JSON.stringify(events))
        assert.deepEqual(
          events.filter(({ actor }) => actor !== "admin"),
          []
        )
      })
    )
  }

  it.effect("shows the value of a field before and after, and omits unchanged fields", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const events = yield* eventsOf(api.put("/device/5", { description: "room 7" }))
      assert.deepEqual(
        events.map(({ data, hostname }) => ({ data, hostname })),
        [{ hostname: "east-a2", data: { key: 5, before: { description: null }, after: { description: "room 7" } } }]
      )
      assert.deepEqual(yield* eventsOf(api.put("/device/5", { description: "room 7" })), [])
    })
  )

  it.effect("is readable by permitted callers, newest first, by filters, device and job", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      yield* api.put("/device/4", { description: "room 8" })
      yield* api.put("/device/4", { description: "room 9" })
      yield* api.put("/job/3", { action: "ABORT", abort_reason: "wrong image" })
      const all = yield* api.get("/audit?filter[kind]=device&filter[action]=updated&per_page=1")
      assert.strictEqual(all.status, 200, all.text)
      assert.nestedInclude(all.body, {
        "data.events[0].data.after.description": "room 9",
        "data.events[0].actor": "admin"
      })
      const device = yield* api.get("/device/east-a1/audit?filter[kind]=device")
      assert.nestedInclude(device.body, { "data.events[0].hostname": "east-a1", "data.events[0].kind": "device" })
      const job = yield* api.get("/job/3/audit")
      assert.nestedInclude(job.body, {
        "data.events[0].kind": "job",
        "data.events[0].action": "aborted",
        "data.events[0].data.reason": "wrong image",
        "data.events[0].data.aborted_by": "admin"
      })
      assert.nestedInclude((yield* api.get("/job/3")).body, {
        "data.jobs[0].abort_reason": "wrong image",
        "data.jobs[0].aborted_by": "admin"
      })
      assert.strictEqual((yield* api.get("/job/4711/audit")).status, 404)
    })
  )
})
