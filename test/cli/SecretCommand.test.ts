/**
 * `switchyard secret` as an operator uses it: passwords are put into the database and used by the next server, other ones stop what was
 * shown with the former, and the key under which all of it is sealed is changed without anything being lost.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../src/store/Database.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import { makeClient } from "../support/ApiClient.ts"
import * as Campus from "../support/Campus.ts"
import { seconds } from "../support/Patience.ts"
import { command, start } from "../support/Program.ts"
import { databaseUrl } from "../support/TestDatabase.ts"
import { storesOn } from "../support/TestStores.ts"

const OLD = { SECRET_KEY: "the old key of this installation, long enough" }
const NEW = { SECRET_KEY: "the new key of this installation, long enough" }
const BOTH = { ...NEW, SECRET_KEY_PREVIOUS: OLD.SECRET_KEY }
const OTHER = { SECRET_KEY: "a key of another installation altogether" }

const HOST = "lhv-acc10"
const COMMUNITY = "TEMPLATE_SECRET_SNMP_COMMUNITY"

/** A managed switch, a server's environment without the secrets that are stored, and its database. */
const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab([HOST])
  const url = yield* databaseUrl
  const database = Database.layerUrl(Redacted.make(url))
  const known = Campus.environment(lab, folders, folders.folder)
  const stored = new Set(["PASSWORD_MANAGED", COMMUNITY])
  const env = {
    ...Object.fromEntries(Object.entries(known).filter(([name]) => !stored.has(name))),
    DATABASE_URL: url,
    LOG_LEVEL: "Info"
  }
  yield* Effect.provide(Managed.seedManaged([HOST]), storesOn(database))

  const secret = (key: Readonly<Record<string, string>>, words: ReadonlyArray<string>, input = "") =>
    command({ ...env, ...key }, ["secret", ...words], input)
  /** Runs an effect while a server runs, and then stops it. */
  const during = <A, E, R>(
    key: Readonly<Record<string, string>>,
    work: (api: ReturnType<typeof makeClient>) => Effect.Effect<A, E, R>
  ) =>
    Effect.gen(function* () {
      const server = yield* start({ ...env, ...key })
      const api = makeClient(yield* server.url)
      while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
      // a new server reads its repositories one after the other
      yield* api.send("PUT", "/repository/templates", { action: "refresh" })
      const done = yield* work(api)
      server.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0, server.text())
      return done
    }).pipe(Effect.scoped)
  return { database, during, env, lab, secret }
})

it.live(
  "stores passwords that the next server uses, and changes their key without losing an undo",
  () =>
    Effect.gen(function* () {
      const { database, during, env, lab, secret } = yield* makeScene
      const device = yield* lab.get(HOST)
      const before = Managed.stripped(device.running())

      assert.strictEqual((yield* secret(OLD, ["set", "PASSWORD_MANAGED"], `${Campus.PASSWORD}\n`)).code, 0)
      const set = yield* secret(OLD, ["set", COMMUNITY], "first-community")
      assert.include(set.text, `${COMMUNITY} is kept in the database, sealed`)
      const refused = yield* secret(OLD, ["set", "NO_SECRET"], "something")
      assert.strictEqual(refused.code, 1)
      assert.include(refused.text, "NO_SECRET is no setting that can be kept as a secret")
      const listed = yield* secret(OLD, ["list"])
      assert.match(listed.text, /^PASSWORD_MANAGED\t.*\nTEMPLATE_SECRET_SNMP_COMMUNITY\t/m)
      assert.notMatch(listed.text, /correct horse|first-community/)

      const { live, shown } = yield* during(OLD, (api) =>
        Effect.gen(function* () {
          const live = yield* api.run("/device_syncto", { hostname: HOST, dry_run: false, force: true })
          assert.isFalse(live.result?.devices?.[HOST]?.failed, JSON.stringify(live))
          assert.include(device.running(), "snmp-server community first-community")
          const shown = yield* api.run("/device_syncto", { hostname: HOST, dry_run: true, resync: true, force: true })
          return { live: live.id, shown: shown.id }
        })
      )

      // another secret than that of the dry run, by no commit
      yield* secret(OLD, ["set", COMMUNITY], "other-community")
      yield* during(OLD, (api) =>
        Effect.gen(function* () {
          const pinned = { hostname: HOST, dry_run: false, resync: true, force: true, dry_run_job: shown }
          const fenced = yield* api.run("/device_syncto", pinned)
          assert.isTrue(fenced.result?.devices?.[HOST]?.failed)
          const text = JSON.stringify(fenced)
          assert.match(text, /Fenced: Another configuration is rendered .*a secret of the server, has changed/)
          assert.notMatch(text, /(first|other)-community/)
          assert.include(device.running(), "snmp-server community first-community")
        })
      )

      // a wrong key is said at the start
      const wrong = yield* start({ ...env, ...OTHER })
      assert.strictEqual(yield* wrong.ended, 1)
      assert.match(wrong.text(), /PASSWORD_MANAGED in the database was sealed under another key: set SECRET_KEY/)

      // the key is changed while a server has both
      yield* during(BOTH, () =>
        Effect.gen(function* () {
          const rotated = yield* secret(BOTH, ["rotate"])
          assert.strictEqual(rotated.code, 0, rotated.text)
          assert.match(rotated.text, /[1-9]\d* texts in the database are sealed under SECRET_KEY now/)
          assert.include((yield* secret(BOTH, ["rotate"])).text, "0 texts")
        })
      )
      const undone = yield* during(NEW, (api) => api.run(`/job/${live}/revert`, { dry_run: false }))
      assert.isFalse(undone.result?.devices?.[HOST]?.failed, JSON.stringify(undone))
      assert.strictEqual(Managed.stripped(device.running()), before)

      assert.strictEqual((yield* secret(NEW, ["remove", COMMUNITY])).code, 0)
      assert.notInclude((yield* secret(NEW, ["list"])).text, COMMUNITY)
      const stored = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select name, sealed from secret`),
        database
      )
      assert.lengthOf(stored, 1)
      assert.notInclude(JSON.stringify(stored), Campus.PASSWORD)
    }).pipe(Effect.scoped),
  seconds(300)
)
