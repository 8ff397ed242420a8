/** Events that the server detects: each occurrence is one event, whichever of several servers sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { diskState, lookAtDisk, lookAtPermissions, makeDatabaseLook } from "../../src/events/Watches.ts"
import { parse } from "yaml"
import { Permissions } from "../../src/access/Permissions.ts"
import { NO_PLACES } from "../../src/access/RolePlaces.ts"
import { readPermissions } from "../../src/domain/access/PermissionFile.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { WatchStore } from "../../src/store/WatchStore.ts"
import { AlertDatabase } from "../support/AlertSite.ts"

const services = Layer.merge(AlertDatabase, ServerConfig.layerOf({ DATA_DIR: "/var/lib/switchyard" }))

const events = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ what: string }>`select kind || ' ' || action || coalesce(' ' || hostname, '') as what from event
    where kind <> 'device' order by id`
).pipe(Effect.map((rows) => rows.map(({ what }) => what)))

const device = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into device (hostname, state, device_type, platform) values ('a1', 'MANAGED', 'ACCESS', 'eos')`
})

describe("A disk", () => {
  it("is low below a tenth, and sufficient again from a little more", () => {
    const states = [50, 11, 9, 5, 11, 12, 50, 9].map((free) => ({ free, total: 100 }))
    let before: string | null = null
    const said = states.map((space) => {
      const state = diskState(space, before)
      before = state ?? before
      return state
    })
    assert.deepStrictEqual(said, [null, null, "low", null, null, "enough", null, "low"])
    assert.isNull(diskState({ free: 0, total: 0 }, null))
  })

  it.live("that fills up causes one event", () =>
    Effect.gen(function* () {
      for (const free of [50, 9, 8, 11, 9, 20]) yield* lookAtDisk({ free, total: 100 })
      assert.deepStrictEqual(yield* events, ["disk low", "disk enough"])
    }).pipe(Effect.provide(services))
  )
})

describe("A database", () => {
  it.live("that was restarted causes one event for all servers that saw it", () =>
    Effect.gen(function* () {
      let started = "09:00"
      const watched = yield* WatchStore
      const look = Effect.provideService(makeDatabaseLook, WatchStore, {
        ...watched,
        databaseStart: Effect.sync(() => started)
      })
      const one = yield* look
      const other = yield* look
      yield* one
      yield* other
      assert.deepStrictEqual(yield* events, [])
      started = "09:05"
      yield* Effect.all([one, other, one, other], { concurrency: 4, discard: true })
      assert.deepStrictEqual(yield* events, ["database restarted"])
    }).pipe(Effect.provide(services))
  )
})

describe("A restart of the database that cannot be reported at once", () => {
  it.live("is reported by the next check", () =>
    Effect.gen(function* () {
      let started = "09:00"
      let isAway = true
      const watched = yield* WatchStore
      const look = yield* Effect.provideService(makeDatabaseLook, WatchStore, {
        ...watched,
        databaseStart: Effect.sync(() => started),
        report: (...told) => (isAway ? Effect.die("the database has gone again") : watched.report(...told))
      })
      yield* look
      started = "09:05"
      yield* Effect.exit(look)
      isAway = false
      yield* look
      assert.deepStrictEqual(yield* events, ["database restarted"])
    }).pipe(Effect.provide(services))
  )
})

describe("Roles", () => {
  it.live("that come into force cause one event, and none at the first check", () =>
    Effect.gen(function* () {
      const file = (roles: string) => Result.getOrThrow(readPermissions(parse(roles)))
      let rules: ReturnType<typeof file> | null = null
      const nothing = {
        remark: Effect.succeed(null),
        noRole: Effect.succeed(""),
        heldBy: () => Effect.succeed(null),
        allowedBy: () => [],
        mayDoEverything: () => Effect.succeed(true),
        mayHandleUsers: () => Effect.void,
        mayMakeTokens: () => Effect.void,
        isAdministrator: () => Effect.succeed(true),
        places: Effect.succeed(NO_PLACES),
        whyHeld: () => Effect.succeed({ why: "", line: null }),
        showsAccess: () => Effect.succeed(true),
        requireKnown: () => Effect.void,
        stillGiven: (_owner: unknown, roles: ReadonlyArray<string>) => Effect.succeed(roles),
        requireOwn: () => Effect.void
      }
      const look = Effect.provideService(lookAtPermissions, Permissions, {
        ...nothing,
        rules: Effect.sync(() => rules),
        roles: Effect.succeed(new Map())
      })
      yield* look
      yield* look
      assert.deepStrictEqual(yield* events, [])
      for (const methods of ["[GET]", "[GET, POST]"]) {
        rules = file(`roles: { some: { permissions: [{ methods: ${methods}, endpoints: ["*"] }] } }`)
        yield* look
        yield* look
      }
      assert.deepStrictEqual(yield* events, ["permission updated", "permission updated"])
      const sql = yield* SqlClient.SqlClient
      const told = yield* sql`select is_audit, data -> 'roles' ? 'some' as named from event where kind = 'permission'`
      assert.deepStrictEqual(told[0], { is_audit: true, named: true })
    }).pipe(Effect.provide(services))
  )
})

describe("A certificate", () => {
  it.live("that ends soon causes one event, until there is another one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const watched = yield* WatchStore
      yield* device
      const issued = (serial: string, days: number) =>
        sql`insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
          select ${serial}, 1, id, hostname, '192.0.2.1', now(), now() + make_interval(days => ${days}) from device`
      yield* issued("01", 10)
      yield* watched.certificates(15)
      yield* watched.certificates(15)
      yield* issued("02", 365)
      yield* watched.certificates(15)
      assert.deepStrictEqual(yield* events, ["certificate ending a1"])
    }).pipe(Effect.provide(services))
  )
})

describe("A device", () => {
  it.live("that does not answer causes one event, and so does its return", () =>
    Effect.gen(function* () {
      const watched = yield* WatchStore
      yield* device
      yield* watched.reachable(1, "a1")
      yield* Effect.all(
        [1, 2, 3].map(() => watched.unreachable(1, "a1", "timeout")),
        { concurrency: 3, discard: true }
      )
      yield* Effect.all(
        [1, 2].map(() => watched.reachable(1, "a1")),
        { concurrency: 2, discard: true }
      )
      yield* watched.unreachable(4711, "gone", "timeout")
      assert.deepStrictEqual(yield* events, ["reachability unreachable a1", "reachability reachable a1"])
    }).pipe(Effect.provide(services))
  )
})
