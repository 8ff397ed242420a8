/** `switchyard backup` and `switchyard restore`: everything that an installation knows, into one file and back. */
import { Console, Effect, Layer, Option, Redacted, References, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { makeAsking } from "./Asking.ts"
import { endingWell } from "./BackupEnds.ts"
import { harmless } from "./client/Output.ts"

const FILE = Argument.String("file").pipe(Argument.withDescription("The file of the backup"))

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Nobody has said with what a backup is encrypted. */
class PassphraseMissing extends Schema.TaggedError<PassphraseMissing>()("PassphraseMissing", {}) {
  override readonly message =
    "The passphrase is missing: set BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE to a file that holds it"
}

const readPassphrase = Effect.gen(function* () {
  const { withFiles } = yield* Effect.promise(() => import("../runtime/SecretSources.ts"))
  const { BACKUP_PASSPHRASE } = yield* withFiles(process.env)
  if (BACKUP_PASSPHRASE === undefined || BACKUP_PASSPHRASE === "") return yield* new PassphraseMissing()
  return Redacted.make(BACKUP_PASSPHRASE)
})

/** The settings and the database as it is, under a name by which servers are told from these commands. */
const services = (applicationName: string, purpose: "command" | "restore") =>
  Effect.map(
    Effect.promise(() => Promise.all([import("./GuestDatabase.ts"), import("../ServerConfig.ts")])),
    ([GuestDatabase, { ServerConfig }]) =>
      GuestDatabase.layerAsItIs(applicationName, purpose).pipe(
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")),
        Layer.provideMerge(ServerConfig.layer)
      )
  )

const print = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Console.log(harmless(line)), { discard: true })

/** The command. */
export const backup = Command.make(
  "backup",
  {
    file: FILE,
    force: flag("force", "Replace a file of that name"),
    smaller: flag("smaller", "Make it although it holds much less than the backup before"),
    encrypt: flag("encrypt", "Encrypt it with BACKUP_PASSPHRASE, or with what the file BACKUP_PASSPHRASE_FILE holds")
  },
  ({ encrypt, file, force, smaller }) =>
    Effect.gen(function* () {
      const [Backup, { madeText }] = yield* Effect.promise(() =>
        Promise.all([import("../backup/Backup.ts"), import("./BackupText.ts")])
      )
      const passphrase = encrypt ? Option.some(yield* readPassphrase) : Option.none()
      const made = yield* Effect.provide(
        Backup.make({ file, force, smaller, passphrase }),
        yield* services("switchyard backup", "command")
      )
      yield* print(madeText(file, made, encrypt))
    }).pipe(endingWell("No backup was made"))
).pipe(
  Command.withDescription(
    "Write everything that the database holds, as of one moment, and the files of the site to FILE; beside servers that go on working. See docs/operations.md#backup."
  )
)

/** Nobody has agreed. */
class NotAgreed extends Schema.TaggedError<NotAgreed>()("NotAgreed", { message: Schema.String }) {}

/** Asks a person; a program says `--yes`. */
const agreed = Effect.fnUntraced(function* (question: string) {
  if (!process.stdin.isTTY) return yield* new NotAgreed({ message: `${question} Say --yes if so. Nothing was changed` })
  const ask = yield* makeAsking
  if (!(yield* ask(question))) return yield* new NotAgreed({ message: "Nothing was changed" })
}, Effect.scoped)

/** The command. */
export const restore = Command.make(
  "restore",
  {
    file: FILE,
    replace: flag("replace", "Replace what is in the database, and files of the site that differ"),
    yes: flag("yes", "Do not ask"),
    withoutKey: flag(
      "without-key",
      "Restore although what is sealed in the backup cannot be read with the key of this machine"
    )
  },
  ({ file, replace, withoutKey, yes }) =>
    Effect.gen(function* () {
      const [BackupFile, Restore, { describe, SEALED }] = yield* Effect.promise(() =>
        Promise.all([import("../backup/BackupFile.ts"), import("../backup/Restore.ts"), import("./BackupText.ts")])
      )
      const reader = yield* Effect.interruptible(BackupFile.open(file, readPassphrase))
      const contents = yield* Effect.interruptible(Restore.examine(reader))
      const prepare = Effect.gen(function* () {
        const prepared = yield* Restore.prepare(reader, contents, { replace, withoutKey, sealed: SEALED })
        yield* print([...describe(prepared.contents), ...prepared.remarks])
        if (prepared.replacedFiles.length > 0) yield* print([`Replaced: ${prepared.replacedFiles.join(", ")}`])
        if ((prepared.replaces || prepared.replacedFiles.length > 0) && !yes)
          yield* agreed("All of that takes the place of what is in the database now, which is lost. Go on?")
        return prepared
      })
      const carryOut = Effect.gen(function* () {
        const prepared = yield* Effect.interruptible(prepare)
        yield* Restore.carryOut(reader, prepared)
        yield* print([
          `Restored: the database is as it was at ${prepared.contents.at}. Every device is looked at before anything is pushed to it; tokens and users that were revoked since are valid again.`,
          ...(yield* Restore.olderCommits)
        ])
      })
      const context = yield* Effect.interruptible(
        Effect.flatMap(services("switchyard restore", "restore"), Layer.build)
      )
      yield* Effect.provide(carryOut, context)
      // who stops it too late is told that it was restored
    }).pipe(Effect.scoped, endingWell("Nothing was changed"), Effect.uninterruptible)
).pipe(
  Command.withDescription(
    "Put a backup back: everything in the database and the files of the site, all or nothing, while no server runs. See docs/operations.md#restore."
  )
)
