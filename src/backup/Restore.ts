/**
 * Restores a backup (docs/operations.md#restore). First everything is checked: every byte of the file, whether this release can read it,
 * whether the key fits, which files would be replaced, and whether a server uses the database. Then one transaction replaces the
 * database, and the files of the site, which were written under other names, are renamed.
 */
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { compareReleases, release } from "../domain/Release.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import * as DatabaseDump from "../store/backup/DatabaseDump.ts"
import * as DatabaseLoad from "../store/backup/DatabaseLoad.ts"
import * as Installation from "../store/Installation.ts"
import { migrations } from "../store/Migrations.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { BackupFileError, type Reader } from "./BackupFile.ts"
import * as SiteFiles from "./SiteFiles.ts"
import {
  type BackedUpTable,
  Contents,
  CONTENTS,
  CONTENTS_SUM,
  digestOf,
  FORMAT,
  type KeyNames,
  sumLineOf
} from "./SiteFiles.ts"
import * as Backup from "./Backup.ts"
import { restoredSentence } from "../domain/Repository.ts"

/** The requested restore is refused; the message gives the reason and a remedy. Nothing was changed. */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  message: Schema.String
}) {}

const LONGEST = 1024 * 1024 * 1024
const inflate = promisify(gunzip)
const broken = (why: string) => new BackupFileError({ message: `The backup is damaged: ${why}` })

const textOf = (file: string, content: Buffer) =>
  Effect.tryPromise({
    try: () => inflate(content, { maxOutputLength: LONGEST }),
    catch: () => broken(`${file} cannot be unpacked`)
  })

const linesIn = (text: Buffer): number => text.reduce((sum, byte) => (byte === 0x0a ? sum + 1 : sum), 0)

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Contents))
const decodeFormat = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ format: Schema.Int })))

/** Enough for tables of some terabytes, and within the limit of a text. */
const LONGEST_CONTENTS = 64 * 1024 * 1024

const readContents = Effect.fnUntraced(function* (content: Buffer | null, sum: string | null) {
  if (content === null) return yield* broken(`${CONTENTS} is missing`)
  if (content.length > LONGEST_CONTENTS) return yield* broken(`${CONTENTS} is too large`)
  if (sum !== sumLineOf(content)) return yield* broken(`${CONTENTS} or its sum is missing or was changed`)
  const text = content.toString("utf8")
  const wrong = Effect.mapError(() => broken(`${CONTENTS} says something else than a backup`))
  const { format } = yield* decodeFormat(text).pipe(wrong)
  if (format > FORMAT)
    return yield* new RestoreRefused({ message: `The backup has format ${format}, which needs a newer release` })
  return yield* decode(text).pipe(wrong)
})

/** Sums up the rows that were read of each table. */
const makeSums = () => {
  const tables = new Map<string, { readonly hash: ReturnType<typeof createHash>; rows: number }>()
  return {
    add: (table: string, text: Buffer) => {
      const known = tables.get(table) ?? { hash: createHash("sha256"), rows: 0 }
      known.hash.update(text)
      known.rows += linesIn(text)
      tables.set(table, known)
    },
    fits: ({ name, rows, sha256 }: BackedUpTable) => {
      const found = tables.get(name) ?? { hash: createHash("sha256"), rows: 0 }
      return found.rows === rows && found.hash.digest("hex") === sha256
    }
  }
}

const TABLE_FILE = /^tables\/([a-z0-9_]+)\/\d+\.copy\.gz$/

/**
 * Reads the whole backup and compares everything with its last file. Changes nothing. Fails with BackupFileError, and with
 * RestoreRefused if a newer release created its format.
 */
export const check = Effect.fn("Restore.check")(function* (reader: Reader) {
  const sums = makeSums()
  const found = new Map<string, string>()
  let last: Buffer | null = null
  let sum: string | null = null
  yield* reader.forEach(
    Effect.fnUntraced(function* ({ content, name }) {
      if (sum === null && last !== null && name === CONTENTS_SUM) return void (sum = content.toString("utf8"))
      if (last !== null) return yield* broken(`${name} stands behind ${CONTENTS}`)
      if (name === CONTENTS) return void (last = content)
      if (found.has(name)) return yield* broken(`${name} is there twice`)
      found.set(name, digestOf(content))
      const table = TABLE_FILE.exec(name)?.[1]
      if (table !== undefined) sums.add(table, yield* textOf(name, content))
    })
  )
  const contents = yield* readContents(last, sum)
  for (const { file, sha256 } of [...contents.tables.flatMap(({ parts }) => parts), ...contents.files]) {
    if (found.get(file) !== sha256) return yield* broken(`${file} is missing or was changed`)
    found.delete(file)
  }
  for (const table of contents.tables) if (!sums.fits(table)) return yield* broken(`rows of ${table.name} are missing`)
  for (const name of found.keys()) return yield* broken(`nobody knows ${name}`)
  return contents
})

const numbers: ReadonlyArray<number> = migrations.map(({ name }) => Number(name.slice(0, 4)))

const checkRelease = Effect.fnUntraced(function* (contents: Contents) {
  if (compareReleases(contents.release, release) <= 0 && numbers.includes(contents.schema)) return
  return yield* new RestoreRefused({
    message: `The backup is of release ${contents.release} with schema ${contents.schema}, and this is release ${release}: restore it with that release or a newer one`
  })
})

/**
 * Reads the whole backup, and checks whether this release can restore it. Needs no database, so an invalid file does not lead to a new
 * database. Fails as `check` does.
 */
export const examine = Effect.fn("Restore.examine")(function* (reader: Reader) {
  const contents = yield* check(reader)
  yield* checkRelease(contents)
  return contents
})

/** The files to be restored, with their places; also names the files for which the settings have no place. */
const plan = (config: ServerSettings, { files }: Contents) => {
  const placed = files.map(({ file, mode }) => {
    const name = file.replace(/^files\//, "")
    return { file, name, mode: mode & 0o777, at: SiteFiles.placeOf(config, name) }
  })
  return {
    places: new Map(
      placed.flatMap(({ at, ...rest }) => (Option.isSome(at) ? [[rest.file, { ...rest, at: at.value }]] : []))
    ),
    homeless: placed.flatMap(({ at, name }) => (Option.isNone(at) ? [name] : []))
  }
}

type Plan = ReturnType<typeof plan>

/** Existing files that differ from those of the backup. */
const inTheWay = Effect.fnUntraced(function* (reader: Reader, { places }: Plan) {
  const differing: Array<string> = []
  yield* reader.forEach(
    Effect.fnUntraced(function* ({ content, name }) {
      const place = places.get(name)
      if (place !== undefined && (yield* SiteFiles.differs(place.at, content))) differing.push(place.at)
    })
  )
  return differing
})

/** Whether the sealed values of the backup are readable after the restore. */
const keyFits = Effect.fnUntraced(function* ({ key }: Contents, { places }: Plan) {
  if (places.has(`files/${SiteFiles.KEY_FILE}`)) return { fits: true, own: null, missing: [] }
  const own = Option.getOrNull(yield* SiteFiles.findKey)
  const names = own === null ? [] : [own.name, ...own.previous]
  return { fits: names.includes(key.name), own, missing: key.previous.filter((name) => !names.includes(name)) }
})

const keySentence = (contents: Contents, own: KeyNames | null, sealed: string): string => {
  const has = own === null ? "this machine has no key" : `the key here is ${own.name}`
  const help =
    contents.key.place === "file"
      ? "The key is in the backup: leave SECRET_KEY unset to use it, or set SECRET_KEY_PREVIOUS to the line of files/secret.key in the backup"
      : "Set SECRET_KEY to that key, or SECRET_KEY_PREVIOUS in addition to a new one"
  return `The backup was sealed under the key ${contents.key.name}, and ${has}. Without it these cannot be read: ${sealed}. ${help}; --without-key restores all the same. Nothing was changed`
}

interface RestoreOptions {
  /** Whether existing data and files may be replaced. */
  readonly replace: boolean
  /** Whether it may be restored although its sealed values are unreadable. */
  readonly withoutKey: boolean
  /** The kinds of sealed values, in words. */
  readonly sealed: string
}

/** A checked restore. */
interface Prepared {
  readonly contents: Contents
  /** The id of the installation after the restore; null if a new one will be created. */
  readonly installation: string | null
  /** Whether existing data of the database will be removed. */
  readonly replaces: boolean
  /** Files that will be replaced. */
  readonly replacedFiles: ReadonlyArray<string>
  /** Remarks for the operator. */
  readonly remarks: ReadonlyArray<string>
  readonly plan: Plan
}

/**
 * The installation after the restore: that of the backup, or that of this machine if the backup names none. Fails with
 * RestoreRefused if this machine belongs to another installation.
 */
const identify = Effect.fnUntraced(function* (contents: Contents, replace: boolean) {
  const config = yield* ServerConfig
  const { identity } = yield* Effect.mapError(
    Installation.lookBy(config),
    ({ message }) => new RestoreRefused({ message })
  )
  const setting = Option.getOrNull(config.INSTALLATION_ID)
  const own = Option.getOrNull(Option.map(identity, ({ id }) => id)) ?? setting
  const there = yield* Installation.inDatabase()
  const installation = contents.installation ?? own ?? (there.kind === "named" ? there.id : null)
  if (setting !== null && installation !== setting)
    return yield* new RestoreRefused({
      message: `The backup is of installation ${installation}, and INSTALLATION_ID names ${setting}: set it to that of the backup, or omit it. Nothing was changed`
    })
  if (own === null || own === installation) return { installation, remarks: [] }
  if (!replace)
    return yield* new RestoreRefused({
      message: `The backup is of installation ${installation}, and ${config.DATA_DIR} belongs to ${own}: --replace makes it that of the backup. Nothing was changed`
    })
  return {
    installation,
    remarks: [`${config.DATA_DIR} belonged to installation ${own}, and belongs to ${installation} then`]
  }
})

/**
 * Checks everything that could prevent the restore of an examined backup. Changes nothing. Fails with BackupFileError,
 * RestoreRefused, DatabaseInUse, KeyUnreadable, SiteFileError and SqlError.
 */
export const prepare = Effect.fn("Restore.prepare")(function* (
  reader: Reader,
  contents: Contents,
  options: RestoreOptions
) {
  const refuse = (message: string) => new RestoreRefused({ message })
  yield* DatabaseLoad.checkUnused
  const planned = plan(yield* ServerConfig, contents)
  const { fits, missing, own } = yield* keyFits(contents, planned)
  if (!fits && !options.withoutKey) return yield* refuse(keySentence(contents, own, options.sealed))
  const replacedFiles = yield* inTheWay(reader, planned)
  if (replacedFiles.length > 0 && !options.replace)
    return yield* refuse(
      `Other files are in the way: ${replacedFiles.join(", ")}. --replace replaces them. Nothing was changed`
    )
  const replaces = !(yield* DatabaseLoad.isEmpty)
  if (replaces && !options.replace)
    return yield* refuse("The database is not empty; --replace replaces everything in it. Nothing was changed")
  const { installation, remarks: ofIdentity } = yield* identify(contents, options.replace)
  const remarks = [
    ...ofIdentity,
    ...(fits ? [] : [`What is sealed under the key ${contents.key.name} cannot be read: ${options.sealed}`]),
    ...missing.map(
      (name) => `Something may still be sealed under the earlier key ${name}, which is not SECRET_KEY_PREVIOUS here`
    ),
    ...planned.homeless.map((name) => `${name} stays in the backup: the settings here name no place for it`)
  ]
  return { contents, installation, replaces, replacedFiles, remarks, plan: planned } satisfies Prepared
})

/** Inserts all rows into the database. */
const feedFrom = (reader: Reader, { tables }: Contents) => {
  const known = new Map(tables.flatMap((table) => table.parts.map((part) => [part.file, { table, part }])))
  return (insert: DatabaseLoad.Insert) =>
    reader.forEach(
      Effect.fnUntraced(function* ({ content, name }) {
        const found = known.get(name)
        if (found === undefined) return
        if (digestOf(content) !== found.part.sha256) return yield* broken(`${name} was changed while it was read`)
        const text = (yield* textOf(name, content)).toString("utf8")
        const rows = yield* Effect.try({
          try: () => DatabaseDump.decode(text, found.table.columns.length),
          catch: (error) => broken(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        })
        yield* insert(found.table, rows)
      })
    )
}

/** Writes the files next to their places, so a failure shows before anything has changed. */
const draftFiles = (reader: Reader, { places }: Plan) =>
  reader.forEach(
    Effect.fnUntraced(function* ({ content, name }) {
      const place = places.get(name)
      if (place === undefined) return
      yield* Effect.mapError(
        SiteFiles.draft(place.at, { ...place, content }),
        ({ message }) => new SiteFiles.SiteFileError({ message: `${message}. Nothing was changed` })
      )
    })
  )

/** Writes the id of the database's installation into DATA_DIR. */
const writeIdentity = Effect.gen(function* () {
  const found = yield* Installation.inDatabase()
  if (found.kind !== "named") return
  yield* Effect.mapError(
    Installation.write((yield* ServerConfig).DATA_DIR, found.id),
    ({ message }) => new SiteFiles.SiteFileError({ message: `${message}. The database and the files are restored` })
  )
})

/** Remarks about the commits in force in a restored database; contacts no remote. */
export const olderCommits = RepositoryStore.pipe(
  Effect.flatMap(({ restored }) => restored),
  Effect.map((restored) => Option.toArray(Option.map(restored, restoredSentence))),
  Effect.provide(RepositoryStore.layer)
)

/**
 * Carries out a prepared restore. Files are first written next to their places, then the database is replaced, then the files are moved.
 * Until the database is replaced nothing has changed and the restore may be interrupted; afterwards it cannot be interrupted. Fails with
 * BackupFileError, DatabaseInUse, NotLoadable, SiteFileError, SqlError and errors of migrations.
 */
export const carryOut = Effect.fn("Restore.carryOut")(
  function* (reader: Reader, { contents, installation, plan: planned }: Prepared) {
    yield* Effect.interruptible(draftFiles(reader, planned))
    yield* DatabaseLoad.replace({ ...contents, installation }, feedFrom(reader, contents))
    for (const { at } of planned.places.values())
      yield* Effect.mapError(
        SiteFiles.place(at),
        ({ message }) =>
          new SiteFiles.SiteFileError({
            message: `${message}. The database is restored: restore again with --replace when the file can be written`
          })
      )
    yield* writeIdentity
    // the next backup is compared with the restored content
    yield* Backup.note({ at: contents.at, file: "the restored one", held: yield* Backup.contentsNow })
  },
  Effect.scoped,
  Effect.uninterruptible
)
