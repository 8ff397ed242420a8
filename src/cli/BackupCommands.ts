/** `switchyard backup` and `switchyard restore`: writes everything that an installation knows into one file, and reads it back. */
import { Console, Effect, Layer, Option, Redacted, References, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandRefused, failWithSentence, format, harmless, printJson, STOPPED } from "./client/Terminal.ts"
import { requireAgreement, typedFor, yes } from "./client/Questions.ts"
import { SqlError } from "effect/sql"
import type { Contents } from "../backup/SiteFiles.ts"
import type { MadeBackup } from "../backup/Backup.ts"
import { loadDatabase } from "./AtDatabase.ts"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { codeOf } from "../runtime/SystemErrors.ts"
import { fromStart, takeSettings } from "./Service.ts"

// How `backup` and `restore` end when they do not complete: with a sentence, and with a failing exit code.

/** Stops running work in order when the terminal closes: a process that only ended would leave half a file. */
const hangUpStops = Effect.acquireRelease(
  Effect.sync(() => {
    const stop = () => void process.kill(process.pid, "SIGTERM")
    process.on("SIGHUP", stop)
    return stop
  }),
  (stop) => Effect.sync(() => void process.off("SIGHUP", stop))
)

const stopped = (sentence: string) => () => {
  process.exitCode = STOPPED
  return Console.error(sentence)
}

/** An error in words, with its cause; a refused statement of the database has changed nothing. */
const sentenceOf = Effect.fnUntraced(function* (error: { readonly message: string }, unchanged: string) {
  const { sentenceWithCause, sqlState } = yield* Effect.promise(() => import("../store/DatabaseErrors.ts"))
  if (!SqlError.isSqlError(error)) return sentenceWithCause(error)
  return `The database: ${sentenceWithCause(error)}${sqlState(error) === undefined ? "" : `. ${unchanged}`}`
})

/** Runs work and says why it failed or was stopped; `unchanged` says what that means. Uninterruptible parts run to their end. */
const endingWell =
  (unchanged: string) =>
  <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* hangUpStops
      const { failWhenAway } = yield* Effect.promise(() => import("../store/DatabaseErrors.ts"))
      const worded = Effect.catch(failWhenAway(work), (error: E | SqlError.SqlError) =>
        Effect.flatMap(sentenceOf(error, unchanged), (message) => failWithSentence({ message: harmless(message) }))
      )
      return yield* Effect.onInterrupt(worded, stopped(`Stopped. ${unchanged}`))
    }).pipe(Effect.scoped)

const FILE = Argument.String("file").pipe(Argument.withDescription("The file of the backup"))

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** No passphrase was given for the encryption of a backup. */
class PassphraseMissing extends Schema.TaggedError<PassphraseMissing>()("PassphraseMissing", {}) {
  override readonly message =
    "The passphrase is missing: set BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE to a file that holds it"
}

const readPassphrase = Effect.gen(function* () {
  const { withFiles } = yield* Effect.promise(() => import("../runtime/SecretSources.ts"))
  const names = ["BACKUP_PASSPHRASE", "BACKUP_PASSPHRASE_FILE", "CREDENTIALS_DIRECTORY"]
  const { BACKUP_PASSPHRASE } = yield* withFiles(Object.fromEntries(names.map((name) => [name, process.env[name]])))
  if (BACKUP_PASSPHRASE === undefined || BACKUP_PASSPHRASE === "") return yield* new PassphraseMissing()
  return Redacted.make(BACKUP_PASSPHRASE)
})

/** The settings and the unchanged database, under an application name that differs from a server's. */
const services = (command: "backup" | "restore") =>
  Effect.map(loadDatabase(command), (database) =>
    database
      .layerAsItIs(`switchyard ${command}`, command === "restore" ? "restore" : "command")
      .pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")), Layer.provideMerge(database.settings))
  )

/** Fails if the service's user, as which the backup is made, may not write a file there. */
const checkWritable = Effect.fnUntraced(function* (file: string) {
  const folder = path.dirname(file)
  const isClosed = yield* Effect.promise(() =>
    fs.access(folder, fs.constants.W_OK).then(
      () => false,
      (error: unknown) => codeOf(error) === "EACCES"
    )
  )
  if (isClosed)
    return yield* new CommandRefused({
      message: `${os.userInfo().username}, who makes the backup, may not write into ${folder}: choose another folder, such as /var/backups/switchyard. No backup was made`
    })
})

const print = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Console.log(harmless(line)), { discard: true })

const printAside = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Console.error(harmless(line)), { discard: true })

/** Reads a backup, or the newest one of a folder, and compares every byte with its sums. Needs no database and changes nothing. */
const verify = Effect.fnUntraced(function* (file: string, json: boolean) {
  const [BackupFile, Restore] = yield* Effect.promise(() =>
    Promise.all([import("../backup/BackupFile.ts"), import("../backup/Restore.ts")])
  )
  takeSettings()
  const newest = yield* BackupFile.newestIn(fromStart(file))
  const contents = yield* Effect.flatMap(BackupFile.open(newest, readPassphrase), Restore.examine)
  if (json) return yield* printJson({ file: newest, contents })
  yield* print([
    `${newest} is whole, and this release can restore it.`,
    ...describe(contents),
    ...(contents.key.place === "environment" ? [worth(contents, true)] : [])
  ])
}, Effect.scoped)

/** The command. */
export const backup = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The file of the backup, or a folder, in which it gets a name with the time")
    ),
    verify: flag(
      "verify",
      "Make none: read FILE, or the newest backup in the folder, and say whether it can be restored"
    ),
    force: flag("force", "Replace a file of that name"),
    smaller: flag("smaller", "Make it although it holds much less than the backup before"),
    encrypt: flag("encrypt", "Encrypt it with BACKUP_PASSPHRASE, or with what the file BACKUP_PASSPHRASE_FILE holds"),
    json: format.json
  },
  ({ encrypt, file: named, force, json, smaller, verify: verifies }) => {
    if (verifies) return verify(named, json).pipe(endingWell("Nothing was changed"))
    return Effect.gen(function* () {
      const [Backup, BackupFile] = yield* Effect.promise(() =>
        Promise.all([import("../backup/Backup.ts"), import("../backup/BackupFile.ts")])
      )
      takeSettings()
      const passphrase = encrypt ? Option.some(yield* readPassphrase) : Option.none()
      const file = yield* BackupFile.fileFor(fromStart(named), encrypt)
      const database = yield* services("backup")
      yield* checkWritable(file)
      const made = yield* Effect.provide(Backup.make({ file, force, smaller, passphrase }), database)
      const { contents, notNoted, size, strangers } = made
      yield* json
        ? printJson({ file, size, encrypted: encrypt, contents, strangers, not_noted: notNoted })
        : print(madeText(file, made, encrypt))
    }).pipe(endingWell("No backup was made"))
  }
).pipe(
  Command.withDescription(
    "Write the whole database, as of one moment, and the files of the site to FILE. Servers continue to work meanwhile. See docs/operations.md#backup."
  )
)

const devicesIn = ({ tables }: Contents): number => tables.find(({ name }) => name === "device")?.rows ?? 0

/** The command. */
export const restore = Command.make(
  "restore",
  {
    file: FILE,
    replace: flag("replace", "Replace what is in the database, and files of the site that differ"),
    yes,
    json: format.json,
    withoutKey: flag(
      "without-key",
      "Restore although what is sealed in the backup cannot be read with the key of this machine"
    )
  },
  ({ file, json, replace, withoutKey, yes }) =>
    Effect.gen(function* () {
      const [BackupFile, Restore] = yield* Effect.promise(() =>
        Promise.all([import("../backup/BackupFile.ts"), import("../backup/Restore.ts")])
      )
      takeSettings()
      // before the command becomes the service's user: the file may be root's
      const reader = yield* Effect.interruptible(BackupFile.open(fromStart(file), readPassphrase))
      const contents = yield* Effect.interruptible(Restore.examine(reader))
      const prepare = Effect.gen(function* () {
        const prepared = yield* Restore.prepare(reader, contents, { replace, withoutKey, sealed: SEALED })
        // the description is for the question too, so a program that reads stdout does not get it
        const tell = json ? printAside : print
        yield* tell([...describe(prepared.contents), ...prepared.remarks])
        if (prepared.replacedFiles.length > 0) yield* tell([`Replaced: ${prepared.replacedFiles.join(", ")}`])
        if (prepared.replaces || prepared.replacedFiles.length > 0)
          yield* requireAgreement({
            question: "All of that replaces the present content of the database, which is lost. Continue?",
            typed: typedFor(devicesIn(prepared.contents)),
            undone: "Nothing was changed",
            yes
          })
        return prepared
      })
      const carryOut = Effect.gen(function* () {
        const prepared = yield* Effect.interruptible(prepare)
        yield* Restore.carryOut(reader, prepared)
        const older = yield* Restore.olderCommits
        if (json) {
          const { contents, replacedFiles } = prepared
          return yield* printJson({ file, contents, replaced_files: replacedFiles, remarks: older })
        }
        yield* print([
          `Restored: the database is as it was at ${prepared.contents.at}. Every device is looked at before anything is pushed to it; tokens and users that were revoked since are valid again.`,
          ...older
        ])
      })
      const context = yield* Effect.interruptible(Effect.flatMap(services("restore"), Layer.build))
      yield* Effect.provide(carryOut, context)
      // a user who stops it too late reads that the database was restored
    }).pipe(Effect.scoped, endingWell("Nothing was changed"), Effect.uninterruptible)
).pipe(
  Command.withDescription(
    "Put a backup back: everything in the database and the files of the site, all or nothing, while no server runs. See docs/operations.md#restore."
  )
)

// The description of a backup for people: its content, and its worth without the key.

const UNITS = ["bytes", "kB", "MB", "GB", "TB"]

/** A size for people: `12.3 MB`. */
const sizeText = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${UNITS[step] ?? ""}`
}

/** The kinds of data that are sealed under the key, in words. */
export const SEALED =
  "configurations that changes have loaded, put back or proved, arguments of jobs, secrets of `switchyard secret` and the certificate authority's key"

/** The description of a backup: its time, its rows and its files. */
export const describe = ({ at, files, installation, release, schema, tables }: Contents): ReadonlyArray<string> => {
  const rows = new Map(tables.map((table) => [table.name, table.rows]))
  const sum = tables.reduce((all, table) => all + table.rows, 0)
  const few = ["device", "interface", "job", "config_change", "event"]
  const counted = few.map((name) => `${name} ${rows.get(name) ?? 0}`).join(", ")
  return [
    `State of ${at}, release ${release}, schema ${schema}${installation === undefined ? "" : `, installation ${installation}`}`,
    `${sum} rows of ${tables.length} tables (${counted})`,
    files.length === 0 ? "no files" : `files: ${files.map(({ file }) => file.replace(/^files\//, "")).join(", ")}`
  ]
}

/** Says which part of it can be read by which people. */
const worth = ({ key }: Contents, isEncrypted: boolean): string => {
  if (key.place === "environment")
    return `SECRET_KEY (${key.name}) is not in it: keep it elsewhere. Without it these cannot be read again: ${SEALED}.`
  return isEncrypted
    ? `The key (${key.name}) is in it: anyone with the passphrase can read everything.`
    : `The key (${key.name}) is in it, as DATA_DIR/secret.key: the file is worth as much as the key, so keep it as safe, or encrypt it (--encrypt).`
}

/** The message after a backup was made. */
const madeText = (
  file: string,
  { contents, notNoted, size, strangers }: MadeBackup,
  isEncrypted: boolean
): ReadonlyArray<string> => [
  `${file}: ${sizeText(size)}${isEncrypted ? ", encrypted" : ""}`,
  ...describe(contents),
  worth(contents, isEncrypted),
  "Not in it: firmware images and copies of repositories, which come again from where they came from, and the environment.",
  ...(strangers.length === 0 ? [] : [`Not in it either, because they are not Switchyard's: ${strangers.join(", ")}`]),
  ...(notNoted === null ? [] : [notNoted])
]
