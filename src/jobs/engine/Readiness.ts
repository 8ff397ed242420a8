/**
 * Whether the server can do its work: the database takes a write, its schema is one that this release knows how to work
 * with, settings and templates are in force, and the job engine takes work.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { MachineId, Sharding, Snowflake } from "effect/cluster"
import { SqlClient, SqlError } from "effect/sql"
import { release } from "../../domain/Release.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { meaning } from "../../store/DatabaseAway.ts"
import * as Migrations from "../../store/Migrations.ts"
import { EmbeddedTrouble } from "../../store/postgres/PostgresWatch.ts"
import * as WrittenCheck from "../../store/WrittenCheck.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"

/** One part; fails with a sentence that says what is wrong with it. */
export interface Part {
  readonly name: string
  readonly check: Effect.Effect<void, string>
}

/** An engine reads its messages every second; one that has left them for this long does not work. */
const UNREAD_SECONDS = 30

const sentence = (error: { readonly message: string } | SqlError.SqlError): string =>
  SqlError.isSqlError(error) ? `the database does not answer: ${meaning(error)}` : error.message

const part = <E extends { readonly message: string }>(name: string, check: Effect.Effect<unknown, E>): Part => ({
  name,
  check: Effect.asVoid(Effect.mapError(check, sentence))
})

/** The id that a message of this time would have at least. */
const idAt = (timestamp: number) => Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp })

/** Fails when the database takes no write, and when the embedded one serves the connections that it has, and no others. */
const database = Effect.gen(function* () {
  yield* WrittenCheck.write
  const { sentence } = yield* EmbeddedTrouble
  if (sentence !== null) return yield* Effect.fail({ message: sentence })
})

/** Fails when messages have been due for a while and nobody has read them. */
const takesWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sharding = yield* Sharding.Sharding
  return Effect.gen(function* () {
    if (yield* sharding.isShutdown) return yield* Effect.fail({ message: "the job engine has stopped" })
    const before = (yield* Clock.currentTimeMillis) - UNREAD_SECONDS * 1000
    const [row] = yield* sql<{ unread: boolean }>`select exists (select 1 from cluster_messages
      where processed = false and last_read is null and kind = 0 and id < ${idAt(before)}
        and (deliver_at is null or deliver_at < ${before})) as unread`
    if (row?.unread !== true) return
    return yield* Effect.fail({ message: `work has been waiting for more than ${UNREAD_SECONDS} seconds` })
  })
})

const make = Effect.gen(function* () {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const { GITREPO_SETTINGS, GITREPO_TEMPLATES } = yield* ServerConfig
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const configured = (name: string, address: Option.Option<string>) =>
    Option.isSome(address) ? Effect.void : Effect.fail({ message: `${name} is not set, so nothing is in force` })
  return Readiness.of({
    parts: [
      part("postgres", Effect.provideContext(database, context)),
      part("schema", Effect.provideContext(Migrations.checkRelease(release), context)),
      part("settings", Effect.andThen(configured("GITREPO_SETTINGS", GITREPO_SETTINGS), settings.snapshot)),
      part("templates", Effect.andThen(configured("GITREPO_TEMPLATES", GITREPO_TEMPLATES), templates.snapshot(null))),
      part("jobs", yield* takesWork)
    ]
  })
})

/** The parts that health checks look at, in the order in which they are shown. */
export class Readiness extends Context.Service<Readiness, { readonly parts: ReadonlyArray<Part> }>()(
  "switchyard/jobs/Readiness"
) {
  static readonly layer = Layer.effect(Readiness, make)
}
