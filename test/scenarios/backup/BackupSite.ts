/** A database with something in it, and the commands that back it up and put it back elsewhere. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import * as Database from "../../../src/store/Database.ts"
import { seedSite } from "../../support/Campus.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"

/** Texts that a careless form would lose. */
const AWKWARD = ["tab\there", "line\nbreak", "back\\slash \\N", "nothing\u0001 at all", "ä ☃ 🦉", "\"quoted'", ""]

/** Enough rows that to load them takes a while. */
const EVENTS = 30_000

/** Puts a site into a migrated database. */
export const fill = Effect.gen(function* () {
  yield* seedSite
  const sql = yield* SqlClient.SqlClient
  for (const [index, text] of AWKWARD.entries())
    yield* sql`insert into device (hostname, state, device_type, synchronized, description, last_seen)
      values (${`awkward-${index}`}, 'MANAGED', 'ACCESS', true, ${text}, '2026-01-02 03:04:05.678901+00')`
  yield* sql`insert into event (kind, action, is_audit, data)
    select 'test', 'made', false, jsonb_build_object('number', n, 'text', repeat('x', 200)) from generate_series(1, ${EVENTS}) n`
})

/** Values that a restore rewrites, and that are not compared. */
const SAID_ANEW = ["device", "event", "sync_event", "restore", "local_user"]

/** Numbers of events that a restore makes itself are above. */
const LAST_BEFORE = 10_000_000

/** A digest of the rows of each table. */
const digests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename not like 'cluster%' order by 1`
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    if (SAID_ANEW.includes(name) || name === "switchyard_migrations") continue
    const [row] = yield* sql<{
      digest: string
    }>`select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
      from ${sql(name)} t`
    found[name] = row?.digest ?? ""
  }
  const [devices] = yield* sql<{ digest: string }>`select md5(string_agg(
    (to_jsonb(d) - 'synchronized' - 'unseen_since')::text, '|' order by id)) as digest from device d`
  const [events] = yield* sql<{
    digest: string
  }>`select count(*) || ' ' || md5(string_agg(e::text, '|' order by id)) as digest
    from event e where id <= ${LAST_BEFORE}`
  return { ...found, device: devices?.digest ?? "", event: events?.digest ?? "" }
})

/** A connection to the database of this URL. */
export const inDatabase = <A, E, R>(url: string, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Layer.build(storesOn(Database.layerUrl(Redacted.make(url)))), (stores) =>
    Effect.provide(work, stores)
  ).pipe(Effect.scoped)

/** The contents of the database of this URL. */
export const held = (url: string) => inDatabase(url, digests)

/** Where a site in this folder has its data: nothing of it is where another one has it. */
export const placedIn = (folder: string) => ({
  DATA_DIR: folder,
  CAFILE: path.join(folder, "ca/rootCA.crt"),
  CAKEYFILE: path.join(folder, "ca/rootCA.key"),
  CERTPATH: path.join(folder, "devicecerts")
})

/** A filled database, its backup, and what is needed to put it back. */
export const make = Effect.gen(function* () {
  const folder = yield* Program.dataFolder
  const url = yield* TestDatabase.databaseUrl
  yield* inDatabase(url, fill)
  const file = path.join(folder, "site.backup")
  const env = { ...placedIn(folder), SECRET_KEY: SHARED_KEY, DATABASE_URL: url }
  const made = yield* Program.command(env, ["backup", file])
  assert.strictEqual(made.code, 0, made.text)
  const restore = Effect.fnUntraced(function* (
    to: string,
    flags: ReadonlyArray<string> = [],
    other: Readonly<Record<string, string>> = {}
  ) {
    const own = { ...env, ...placedIn(yield* Program.dataFolder), DATABASE_URL: to, ...other }
    return yield* Program.command(own, ["restore", file, ...flags])
  })
  return { folder, url, file, env, said: made.text, restore }
})

/** A database that holds something already, and that it is as it was. */
export const occupied = Effect.gen(function* () {
  const target = yield* TestDatabase.databaseUrl
  yield* inDatabase(
    target,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`insert into site (description) values ('what was there')`)
  )
  const there = yield* held(target)
  return { target, unchanged: Effect.map(held(target), (now) => assert.deepStrictEqual(now, there)) }
})
