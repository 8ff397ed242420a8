/**
 * Makes a backup: all tables as of one moment, beside servers that go on working, and the files of the site (docs/operations.md#backup).
 * `backup.json` comes behind all others, because it says what they must be, and its own sum comes last.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { release } from "../domain/Release.ts"
import * as DatabaseDump from "../store/backup/DatabaseDump.ts"
import * as BackupFile from "./BackupFile.ts"
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
} from "./Contents.ts"
import * as KeyName from "./KeyName.ts"
import * as LastBackup from "./LastBackup.ts"
import * as SiteFiles from "./SiteFiles.ts"

/** What is sealed in the database could not be read by anybody who restores it. */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()("KeyMissing", {}) {
  override readonly message =
    "There is no key: neither SECRET_KEY nor DATA_DIR/secret.key. Give the settings with which the server runs"
}

/** A backup that was made. */
export interface MadeBackup {
  readonly contents: Contents
  /** Bytes of the file. */
  readonly size: number
  /** Tables of others, which are not in it. */
  readonly strangers: ReadonlyArray<string>
  /** Why the next backup cannot be compared with this one; null when it can. */
  readonly notNoted: string | null
}

export interface MakeOptions extends BackupFile.WriteOptions {
  /** Whether it may hold a small part of what the one before held. */
  readonly smaller: boolean
}

/** Bytes of text in a part, about. */
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
 * Writes a backup of the database and of the files that the settings name. Fails with a sentence for people: BackupExists,
 * BackupFileError, SiteFileError, NothingToBackUp, MuchSmaller, KeyMissing, KeyUnreadable, SqlError.
 */
export const make = Effect.fn("Backup.make")(function* ({ smaller, ...options }: MakeOptions) {
  const key = yield* Effect.flatMap(
    KeyName.find,
    Option.match({ onNone: () => new KeyMissing(), onSome: Effect.succeed })
  )
  const body = (writer: BackupFile.Writer) =>
    DatabaseDump.snapshot(
      Effect.fnUntraced(function* ({ at, installation, postgres, schema, sequences, strangers, tables }, lines) {
        const held = yield* LastBackup.held
        if (!smaller) yield* LastBackup.compare(held)
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
        return { contents, strangers, held }
      })
    )
  const { made, size } = yield* BackupFile.write(options, body)
  const { contents, held, strangers } = made
  const notNoted = yield* LastBackup.note({ at: contents.at, file: options.file, held })
  return { contents, strangers, size, notNoted } satisfies MadeBackup
})
