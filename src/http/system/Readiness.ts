/**
 * Whether the server can do its work: the database takes a write, this release supports its schema, settings and templates are in force,
 * and the job engine takes work. A busy server is still ready: the checks have a database connection of their own, so that they do not wait
 * behind the statements of jobs. Metrics show how busy the server is (docs/monitoring.md#busy-or-unable).
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { MachineId, Sharding, Snowflake } from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { statfs } from "node:fs/promises"
import { release } from "../../domain/Release.ts"
import { lacking, OwnFaults } from "../../runtime/OwnFaults.ts"
import { ownFaultOf } from "../../runtime/SystemErrors.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { Repositories } from "../../jobs/repositories/Repositories.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import * as AnswerTime from "../../store/AnswerTime.ts"
import { meaning } from "../../store/DatabaseErrors.ts"
import { BlockadeWatch } from "../../store/ForeignLocks.ts"
import * as Migrations from "../../store/Migrations.ts"
import { EmbeddedTrouble } from "../../store/postgres/PostgresWatch.ts"
import * as DatabaseClient from "../../store/DatabaseClient.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"

/** One part; fails with a sentence about its fault. */
export interface Part {
  readonly name: string
  readonly check: Effect.Effect<void, string>
  /** A good result stays good while the answer takes long, because another part reports the delay. */
  readonly staysGood?: true
}

/** A text of another program is cut to so many characters. */
const MOST_SHOWN = 500

const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n", 1)
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)} …` : line
}

/** Why no commit of a repository has come into force, and what to do. */
const makeWhyNot = Effect.map(
  Repositories,
  ({ problems }) =>
    (name: RepositoryName, setting: string) =>
      Effect.map(problems(name), ({ problems: found }) => {
        const [first] = found
        if (first === undefined) return `${setting} is being read for the first time`
        const { file, line, message, path } = first
        const place = [file === null || line === null ? file : `${file}:${line}`, path].flatMap((part) =>
          part === null ? [] : [`${part}: `]
        )
        const others = found.length === 1 ? "" : ` and ${found.length - 1} more (GET /repository/${name}/problems)`
        return `the last refresh failed: ${place.join("")}${firstLine(message)}${others}. Mend it, then: switchyard repo refresh ${name}`
      })
)

/** An engine reads its messages every second; if messages stay unread for this long, it does not work. */
const UNREAD_SECONDS = 30

const sentence = (error: { readonly message: string } | SqlError.SqlError): string =>
  SqlError.isSqlError(error) ? `the database does not answer: ${meaning(error)}` : error.message

const part = <E extends { readonly message: string }>(name: string, check: Effect.Effect<unknown, E>): Part => ({
  name,
  check: Effect.asVoid(Effect.mapError(check, sentence))
})

/** What is in force stays in force while the database is slow; this check uses the connections of all requests. */
const inForce = <E extends { readonly message: string }>(name: string, check: Effect.Effect<unknown, E>): Part => ({
  ...part(name, check),
  staysGood: true
})

/** The id that a message of this time would have at least. */
const idAt = (timestamp: number) => Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp })

/** Fails if the database takes no write, and if the embedded one serves only its open connections and accepts no others. */
const database = Effect.gen(function* () {
  const { sentence: trouble } = yield* EmbeddedTrouble
  // the watch over the embedded database may know why a write fails, or may not have looked again yet
  yield* Effect.mapError(DatabaseClient.checkWritable, (error) => ({
    message: trouble === null ? sentence(error) : `${sentence(error)}; ${trouble}`
  }))
  if (trouble !== null) return yield* Effect.fail({ message: trouble })
})

/** A message that was unread at the first look, at `since` in milliseconds. */
interface Unread {
  readonly id: string
  readonly since: number
}

/**
 * Fails if a message stays unread from one look to later ones. Its age says nothing: a job that was stored long ago is unread again when a
 * server starts or its time has come, and hundreds of them are while they are being read.
 */
const makeTakesWork = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const sharding = yield* Sharding.Sharding
  let seen: Unread | null = null
  return Effect.gen(function* () {
    if (yield* sharding.isShutdown) return yield* Effect.fail({ message: "the job engine has stopped" })
    const now = yield* Clock.currentTimeMillis
    const before = now - UNREAD_SECONDS * 1000
    const [row] = yield* sql<{ id: string }>`select id::text as id from cluster_messages
      where processed = false and last_read is null and kind = 0 and id < ${idAt(before)}
        and (deliver_at is null or deliver_at < ${before})
      order by id <> ${seen?.id ?? "0"}::text::bigint, id limit 1`
    if (row === undefined) seen = null
    else if (seen?.id !== row.id) seen = { id: row.id, since: now }
    if (seen === null || seen.since > before) return
    return yield* Effect.fail({ message: `work has been waiting for more than ${UNREAD_SECONDS} seconds` })
  })
})

/** Notes a full disk for this folder, because a server that happens to write no file does not meet it. */
const noteFullDisk = Effect.fnUntraced(function* (folder: string) {
  const found = yield* Effect.option(Effect.tryPromise(() => statfs(folder)))
  if (Option.isNone(found)) return
  const { bavail, ffree, files } = found.value
  // some file systems count no inodes
  if (bavail > 0 && (ffree > 0 || files === 0)) return
  const fault = ownFaultOf("ENOSPC", "file")
  if (fault !== undefined) yield* (yield* OwnFaults).note(fault)
})

/** Fails with a fault of this server's machine that stops the server. */
const machine = (folder: string) =>
  Effect.andThen(
    noteFullDisk(folder),
    Effect.flatMap(lacking, ({ unable }) => (unable === null ? Effect.void : Effect.fail(unable)))
  )

/** A connection that only health checks use; it also looks for the session that blocks its statements. */
const reserved = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  return AnswerTime.make(yield* PgClient.make({ ...config, maxConnections: 1 }), yield* BlockadeWatch)
})

const make = Effect.gen(function* () {
  const sql = yield* reserved
  const own = <A, E>(asked: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.provideService(asked, SqlClient.SqlClient, sql)
  const { DATA_DIR, GITREPO_SETTINGS, GITREPO_TEMPLATES } = yield* ServerConfig
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const whyNot = yield* makeWhyNot
  const configured = (name: string, address: Option.Option<string>) =>
    Option.isSome(address) ? Effect.void : Effect.fail({ message: `${name} is not set, so nothing is in force` })
  const nothing = (name: RepositoryName, setting: string) => () =>
    Effect.flatMap(whyNot(name, setting), (why) => Effect.fail({ message: `No ${name} are in force: ${why}` }))
  return Readiness.of({
    parts: [
      part("postgres", own(database)),
      part("schema", own(Migrations.checkRelease(release))),
      inForce(
        "settings",
        Effect.andThen(
          configured("GITREPO_SETTINGS", GITREPO_SETTINGS),
          Effect.catchTag(settings.snapshot, "NoSettings", nothing("settings", "GITREPO_SETTINGS"))
        )
      ),
      inForce(
        "templates",
        Effect.andThen(
          configured("GITREPO_TEMPLATES", GITREPO_TEMPLATES),
          Effect.catchTag(templates.snapshot(null), "NoTemplates", nothing("templates", "GITREPO_TEMPLATES"))
        )
      ),
      part("jobs", yield* makeTakesWork(sql)),
      { name: "machine", check: machine(DATA_DIR) }
    ]
  })
})

/** The parts of a health check, in the order of the answer. */
export class Readiness extends Context.Service<Readiness, { readonly parts: ReadonlyArray<Part> }>()(
  "switchyard/jobs/Readiness"
) {
  static readonly layer = Layer.effect(Readiness, make).pipe(Layer.provide(Reactivity.layer))
}
