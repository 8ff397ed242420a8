/**
 * A backup of one machine on another: the lab has changed meanwhile. Two replicas on the restored database look at each device before they
 * push anything, and report commits after the backup as drift, with the job that no other record names.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Database from "../../../src/store/Database.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"

const names = ManagedCampus.accessNames(3)

const described = (text: string): string => /interface Ethernet1\n {3}description (\w+)/.exec(text)?.[1] ?? ""

/** The database's record of each device: whether it is synchronized, the reason, and whether it must still be looked at. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ hostname: string; synchronized: boolean; unseen: boolean; causes: string | null }>`
    select hostname, synchronized, unseen_since is not null as unseen,
      (select string_agg(cause, ' ' order by id) from sync_event where sync_event.hostname = device.hostname) as causes
    from device where ${sql.in("hostname", names)} order by hostname`
})

/** A campus with a server on a database of its own, whose devices are synchronized. */
const makeSite = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* TestDatabase.databaseUrl
  const env = { ...Campus.environment(lab, folders, folders.folder), SECRET_KEY: SHARED_KEY, LOG_LEVEL: "Info" }
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url))))
  const server = yield* ServerProcess.launch({ ...env, DATABASE_URL: url })
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
  const push = Effect.fnUntraced(function* (some: typeof devices, text: string) {
    yield* ManagedCampus.wantChange(some, text)
    const hostnames = some.map(({ hostname }) => hostname)
    const id = yield* server.start("sync_devices", { hostnames, dry_run: false })
    yield* ServerProcess.untilEnded(id)
    return id
  }, Effect.provide(stores))
  return { env, url, server, switches, devices, push }
})

it.live("finds commits after the backup on another machine, before it pushes anything", () =>
  Effect.gen(function* () {
    const { devices, env, push, server, switches, url } = yield* makeSite
    yield* push(devices, "before")
    const folder = yield* Program.dataFolder
    const file = path.join(folder, "site.backup")
    const made = yield* Program.command({ ...env, DATABASE_URL: url }, ["backup", file])
    assert.strictEqual(made.code, 0, made.text)
    const later = yield* push(devices.slice(0, 1), "after")
    switches[2]?.configure("vlan 999\n   name BY-HAND\n")
    server.terminate()
    yield* server.ended

    const other = yield* TestDatabase.emptyDatabaseUrl
    const put = yield* Program.command({ ...env, DATA_DIR: folder, DATABASE_URL: other }, ["restore", file])
    assert.strictEqual(put.code, 0, put.text)
    assert.include(put.text, "The commits in force are those of the backup of")
    const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(other))))
    const before = yield* Effect.provide(known, stores)
    assert.deepStrictEqual(
      before.map(({ causes, synchronized, unseen }) => ({ causes, synchronized, unseen })),
      names.map(() => ({ causes: "restored", synchronized: false, unseen: true }))
    )
    const replicas = yield* Effect.forEach([0, 1], () =>
      Effect.gen(function* () {
        const CLUSTER_PORT = String(yield* freePort)
        const own = {
          DATA_DIR: yield* Program.dataFolder,
          DATABASE_URL: other,
          CLUSTER_HOST: "127.0.0.1",
          CLUSTER_PORT
        }
        return yield* ServerProcess.launch({ ...env, ...own })
      })
    )
    const all = Effect.provide(known, stores)
    yield* Program.until(Effect.map(all, (rows) => rows.every(({ unseen }) => !unseen)))
    const causes = (yield* all).map((row) => `${row.synchronized} ${row.causes ?? ""}`)
    assert.deepStrictEqual(causes, ["false restored drift", "true ", "false restored drift"])
    assert.deepStrictEqual(
      switches.map((one) => described(one.running())),
      ["after", "before", "before"]
    )
    const told = yield* Effect.provide(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ id: number; text: string }>`select job.id, job_device.job_tasks::text as text
          from job join job_device on job_id = job.id where function_name = 'device_drift' and ${sql.in("hostname", names)} order by hostname`
      ),
      stores
    )
    assert.include(told[0]?.text ?? "", `Job ${later} changed it after the backup of`)
    assert.include(told[2]?.text ?? "", "It was changed after the backup of")
    assert.isTrue(
      told.every(({ id }) => id > later),
      "numbers of jobs that are lost are not given again"
    )

    // nothing of what was lost is overwritten by accident, and what is meant is done
    const [one] = replicas
    const next = yield* one?.start("sync_devices", { dry_run: false, resync: true }) ?? Effect.die("no replica")
    yield* Effect.provide(ServerProcess.untilEnded(next), stores)
    assert.deepStrictEqual(
      switches.map((some) => described(some.running())),
      ["after", "before", "before"]
    )
    // until the next refresh, each dry run says that the commits are older, and force alone pushes none of them
    const run = Effect.fnUntraced(function* (args: Readonly<Record<string, unknown>>) {
      const id = yield* one?.start("sync_devices", { resync: true, force: true, ...args }) ?? Effect.die("no replica")
      return JSON.stringify(yield* ServerProcess.untilEnded(id))
    }, Effect.provide(stores))
    const older = "The commits in force are those of the backup of"
    assert.include(yield* run({ dry_run: true }), older)
    const refused = yield* run({ dry_run: false })
    assert.include(refused, older)
    assert.include(refused, "confirm_older")
    assert.deepStrictEqual(
      switches.map((some) => described(some.running())),
      ["after", "before", "before"]
    )
    yield* one?.refresh("templates") ?? Effect.void
    yield* one?.refresh("settings") ?? Effect.void
    assert.notInclude(yield* run({ dry_run: true }), older)
    yield* run({ dry_run: false })
    assert.deepStrictEqual(
      switches.map((some) => described(some.running())),
      ["before", "before", "before"]
    )
    const rows = yield* Effect.provide(
      Effect.flatMap(DeviceStore, (store) => store.all),
      stores
    )
    assert.isTrue(rows.filter(({ hostname }) => names.includes(hostname)).every(({ synchronized }) => synchronized))
  }).pipe(Effect.scoped)
)
