/**
 * Creates a backup: all tables at one moment, while servers keep working, and the files of the site (docs/operations.md#backup). `backup.json`
 * comes after all other files, because it lists them with their checksums; its own checksum comes last.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { release } from "../domain/Release.ts"
import * as DatabaseDump from "../store/backup/DatabaseDump.ts"
import * as BackupFile from "./BackupFile.ts"
import * as SiteFiles from "./SiteFiles.ts"
import {
  type BackedUpTable,
  type Contents,
  CONTENTS,
  CONTENTS_SUM,
  digestOf,
  FORMAT,
  type Part,
  type SiteFile,
  sumLineOf
} from "./SiteFiles.ts"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"

// The size of the last backup, in a file of DATA_DIR: a backup of a database that has lost most of its records must not silently replace a
// good one (docs/operations.md#backup).

/** This backup would hold much less than the previous one; the message names the losses. */
export class MuchSmaller extends Schema.TaggedError<MuchSmaller>()("MuchSmaller", { message: Schema.String }) {}

/** The compared figures: rows, and the highest job id so far, also of a removed job. */
const Held = Schema.Struct({ devices: Schema.Int, ports: Schema.Int, jobs: Schema.Int, newest_job: Schema.Int })
export type Held = typeof Held.Type

const Last = Schema.Struct({ at: Schema.String, file: Schema.String, held: Held })
type Last = typeof Last.Type

const LastFile = Schema.fromJsonString(Last)

/** With fewer rows, the loss of half of them is not unusual. */
const FEW = { devices: 1, ports: 20, jobs: 20 } as const

/** The losses since the previous backup, in words; empty if there are no large ones. */
export const losses = (before: Held, now: Held): ReadonlyArray<string> => [
  ...(["devices", "ports", "jobs"] as const).flatMap((what) =>
    before[what] >= FEW[what] && now[what] < before[what] / 2 ? [`${now[what]} ${what} instead of ${before[what]}`] : []
  ),
  ...(now.newest_job < before.newest_job
    ? [`jobs up to number ${now.newest_job}, and that one held number ${before.newest_job}`]
    : [])
]

/** The current content of the database. */
export const contentsNow = Effect.gen(function* () {
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

/** Fails with MuchSmaller if the previous backup held much more, or if its content is unknown. */
const compare = Effect.fn("LastBackup.compare")(function* (now: Held) {
  const file = fileIn((yield* ServerConfig).DATA_DIR)
  const text = yield* Effect.tryPromise(() => fs.readFile(file, "utf8")).pipe(
    Effect.asSome,
    Effect.catch(({ cause }) =>
      isMissing(cause) ? Effect.succeedNone : Effect.fail(unreadable(file, `cannot be read (${reasonOf(cause)})`))
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

/** Records the content of a backup; yields the reason of a failure. */
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
        `What this backup holds is not noted in ${DATA_DIR} (${reasonOf(cause)}), so the next one is not compared with it`
    })
  )
})

/** After a restore, the sealed values of the database would be unreadable. */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()("KeyMissing", {}) {
  override readonly message =
    "There is no key: neither SECRET_KEY nor DATA_DIR/secret.key. Give the settings with which the server runs"
}

/** A created backup. */
export interface MadeBackup {
  readonly contents: Contents
  /** The size of the file in bytes. */
  readonly size: number
  /** Tables of other programs, which are not in it. */
  readonly strangers: ReadonlyArray<string>
  /** The reason why the next backup cannot be compared with this one; null if it can. */
  readonly notNoted: string | null
}

interface MakeOptions extends BackupFile.WriteOptions {
  /** Whether it may hold much less than the previous backup. */
  readonly smaller: boolean
}

/** The approximate size of a part in bytes. */
const PART = 4 * 1024 * 1024

const compress = promisify(gzip)

/** Writes the lines of a table in parts. */
const addTable = Effect.fnUntraced(function* <E, R>(
  writer: BackupFile.Writer,
  { columns, name }: DatabaseDump.Table,
  lines: Stream.Stream<string, E, R>
) {
  const parts: Array<Part> = []
  const whole = createHash("sha256")
  let rows = 0
  let size = 0
  let kept: Array<string> = []
  const flush = Effect.gen(function* () {
    if (kept.length === 0) return
    const text = Buffer.from(kept.join(""))
    kept = []
    size = 0
    whole.update(text)
    const content = yield* Effect.promise(() => compress(text))
    const file = `tables/${name}/${String(parts.length + 1).padStart(6, "0")}.copy.gz`
    parts.push({ file, sha256: digestOf(content) })
    yield* writer.add(file, content)
  })
  yield* Stream.runForEach(lines, (line) => {
    kept.push(line)
    rows += 1
    size += line.length
    return size < PART ? Effect.void : flush
  })
  yield* flush
  return { name, columns, rows, sha256: whole.digest("hex"), parts } satisfies BackedUpTable
})

const addFiles = Effect.fnUntraced(function* (writer: BackupFile.Writer) {
  const files: Array<SiteFile> = []
  yield* SiteFiles.forEach(({ content, mode, name }) => {
    const file = `files/${name}`
    files.push({ file, sha256: digestOf(content), mode })
    return writer.add(file, content)
  })
  return files
})

/**
 * Writes a backup of the database and of the files that the settings name. Fails with a message for operators: BackupExists,
 * BackupFileError, SiteFileError, NothingToBackUp, MuchSmaller, KeyMissing, KeyUnreadable, SqlError.
 */
export const make = Effect.fn("Backup.make")(function* ({ smaller, ...options }: MakeOptions) {
  const key = yield* Effect.flatMap(
    SiteFiles.findKey,
    Option.match({ onNone: () => new KeyMissing(), onSome: Effect.succeed })
  )
  const body = (writer: BackupFile.Writer) =>
    DatabaseDump.snapshot(
      Effect.fnUntraced(function* ({ at, installation, postgres, schema, sequences, strangers, tables }, lines) {
        const now = yield* contentsNow
        if (!smaller) yield* compare(now)
        const dumped = yield* Effect.forEach(tables, (table) => addTable(writer, table, lines(table)))
        const files = yield* addFiles(writer)
        const contents: Contents = {
          format: FORMAT,
          release,
          schema,
          at,
          ...(installation === null ? {} : { installation }),
          postgres,
          key,
          tables: dumped,
          sequences,
          files
        }
        const text = Buffer.from(`${JSON.stringify(contents, null, 2)}\n`)
        yield* writer.add(CONTENTS, text)
        yield* writer.add(CONTENTS_SUM, Buffer.from(sumLineOf(text)))
        return { contents, strangers, held: now }
      })
    )
  const { made, size } = yield* BackupFile.write(options, body)
  const { contents, held, strangers } = made
  const notNoted = yield* note({ at: contents.at, file: options.file, held })
  return { contents, strangers, size, notNoted } satisfies MadeBackup
})
