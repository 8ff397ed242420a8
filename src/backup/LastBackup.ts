/**
 * What the backup before held, in a file of DATA_DIR: a backup of a database that has lost most of it must not take the place of a good one
 * in silence (docs/operations.md#backup).
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as FileReason from "../runtime/FileReason.ts"
import { isMissing } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"

/** This backup would hold a small part of the one before; the message says of what. */
export class MuchSmaller extends Schema.TaggedError<MuchSmaller>()("MuchSmaller", { message: Schema.String }) {}

/** What is compared: rows, and the highest number that a job has had, also one that was removed. */
const Held = Schema.Struct({ devices: Schema.Int, ports: Schema.Int, jobs: Schema.Int, newest_job: Schema.Int })
export type Held = typeof Held.Type

const Last = Schema.Struct({ at: Schema.String, file: Schema.String, held: Held })
export type Last = typeof Last.Type

const LastFile = Schema.fromJsonString(Last)

/** Rows below which the loss of half of them is nothing unusual. */
const FEW = { devices: 1, ports: 20, jobs: 20 } as const

/** How the content has shrunk since the backup before, in words; empty when it has not by much. */
export const losses = (before: Held, now: Held): ReadonlyArray<string> => [
  ...(["devices", "ports", "jobs"] as const).flatMap((what) =>
    before[what] >= FEW[what] && now[what] < before[what] / 2 ? [`${now[what]} ${what} instead of ${before[what]}`] : []
  ),
  ...(now.newest_job < before.newest_job
    ? [`jobs up to number ${now.newest_job}, and that one held number ${before.newest_job}`]
    : [])
]

/** What the database holds now. */
export const held = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Held>`select (select count(*) from device)::integer as devices,
    (select count(*) from interface)::integer as ports, (select count(*) from job)::integer as jobs,
    coalesce((select last_value from pg_sequences where schemaname = current_schema()
      and format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence('job', 'id')), 0)::integer as newest_job`
  return row ?? { devices: 0, ports: 0, jobs: 0, newest_job: 0 }
})

const fileIn = (dataDir: string) => path.join(dataDir, "last-backup.json")

const unreadable = (file: string, why: string) =>
  new MuchSmaller({
    message: `${file}, which says what the backup before held, ${why}. --smaller makes the backup without comparing. No backup was made`
  })

/** Fails with MuchSmaller when the backup before held much more, or when nobody can say what it held. */
export const compare = Effect.fn("LastBackup.compare")(function* (now: Held) {
  const file = fileIn((yield* ServerConfig).DATA_DIR)
  const text = yield* Effect.tryPromise(() => fs.readFile(file, "utf8")).pipe(
    Effect.asSome,
    Effect.catch(({ cause }) =>
      isMissing(cause) ? Effect.succeedNone : Effect.fail(unreadable(file, `cannot be read (${FileReason.of(cause)})`))
    )
  )
  if (Option.isNone(text)) return
  const last = yield* Effect.mapError(Schema.decodeEffect(LastFile)(text.value), () =>
    unreadable(file, "says something else")
  )
  const lost = losses(last.held, now)
  if (lost.length === 0) return
  return yield* new MuchSmaller({
    message: `The backup would hold much less than the one of ${last.at} (${last.file}): ${lost.join("; ")}. No backup was made. See whether this is the right database; if so, --smaller makes it`
  })
})

/** Notes what a backup holds; yields why it could not be noted. */
export const note = Effect.fn("LastBackup.note")(function* (last: Last) {
  const { DATA_DIR } = yield* ServerConfig
  const draft = `${fileIn(DATA_DIR)}.${randomUUID()}`
  return yield* Effect.tryPromise(async () => {
    await fs.writeFile(draft, `${JSON.stringify(last)}\n`, { mode: 0o644, flush: true })
    await fs.rename(draft, fileIn(DATA_DIR))
  }).pipe(
    Effect.tapError(() => Effect.ignore(Effect.tryPromise(() => fs.rm(draft, { force: true })))),
    Effect.match({
      onSuccess: () => null,
      onFailure: ({ cause }) =>
        `What this backup holds is not noted in ${DATA_DIR} (${FileReason.of(cause)}), so the next one is not compared with it`
    })
  )
})
