/**
 * The file of a backup: written beside its place and moved there when it is whole and on the disk, so that there is never half of one
 * under its name; readable to its owner only. Read as often as needed from one handle, so that nobody can exchange it in between.
 */
import { Clock, Effect, Option, type Redacted, Schema, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Encryption from "./Encryption.ts"
import { codeOf } from "../runtime/SystemErrors.ts"
import * as FileReason from "../runtime/FileReason.ts"
import * as Tar from "./Tar.ts"

/** There is a file of that name, which nobody has allowed to be replaced. */
export class BackupExists extends Schema.TaggedError<BackupExists>()("BackupExists", { file: Schema.String }) {
  override get message() {
    return `${this.file} exists already; --force replaces it`
  }
}

/** The file cannot be written or read, or it is no whole backup; the message says which and why. */
export class BackupFileError extends Schema.TaggedError<BackupFileError>()("BackupFileError", {
  message: Schema.String
}) {}

const attempt = <A>(what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new BackupFileError({ message: `${what}: ${FileReason.of(error)}` })
  })

/** Adds files to a backup, in the order in which they will be read. */
export interface Writer {
  /** Fails with BackupFileError when the name does not fit or the disk is full. */
  readonly add: (name: string, content: Uint8Array) => Effect.Effect<void, BackupFileError>
}

export interface WriteOptions {
  readonly file: string
  /** Whether a file of that name may be replaced. */
  readonly force: boolean
  readonly passphrase: Option.Option<Redacted.Redacted>
}

/** What there is under that name. A link is not followed. */
const kindOf = (file: string) =>
  Effect.promise(() =>
    fs.lstat(file).then(
      (found) => (found.isFile() ? "file" : "other"),
      () => "nothing"
    )
  )

/** Gives the draft its name. A link fails where a file has come meanwhile, which a move would replace. */
const name = (draft: string, file: string, force: boolean) =>
  Effect.tryPromise({
    try: async () => {
      if (force) return fs.rename(draft, file)
      await fs.link(draft, file)
      await fs.unlink(draft)
    },
    catch: (error) =>
      codeOf(error) === "EEXIST"
        ? new BackupExists({ file })
        : new BackupFileError({ message: `${file} cannot be written: ${FileReason.of(error)}` })
  })

/** What was renamed in a folder is there after a loss of power, too. */
const settle = async (folder: string): Promise<void> => {
  const handle = await fs.open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

/**
 * Writes a backup with all that `body` adds. Yields what `body` yields, and the size of the file in bytes. Nothing is left when it fails.
 * Fails with BackupExists and BackupFileError.
 */
export const write = Effect.fn("BackupFile.write")(function* <A, E, R>(
  { file, force, passphrase }: WriteOptions,
  body: (writer: Writer) => Effect.Effect<A, E, R>
) {
  const failed = `${file} cannot be written`
  const kind = yield* kindOf(file)
  // a folder, a link or a device is not to become a file
  if (kind === "other") return yield* new BackupFileError({ message: `${failed}: there is something else than a file` })
  if (!force && kind === "file") return yield* new BackupExists({ file })
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}`)
  const handle = yield* Effect.acquireRelease(
    attempt(failed, () => fs.open(draft, "wx", 0o600)),
    (opened) =>
      Effect.promise(async () => {
        await opened.close().catch(() => undefined)
        await fs.rm(draft, { force: true })
      })
  )
  const encryptor = yield* Option.match(passphrase, {
    onNone: () => Effect.succeed(null),
    onSome: (secret) => Effect.promise(() => Encryption.makeEncryptor(secret))
  })
  const put = (bytes: Uint8Array) =>
    attempt(failed, () => handle.appendFile(encryptor === null ? bytes : encryptor.push(bytes)))
  if (encryptor !== null) yield* attempt(failed, () => handle.appendFile(encryptor.begin))
  const modified = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const add = (entryName: string, content: Uint8Array) =>
    Effect.flatMap(
      attempt(failed, async () => Tar.entry(entryName, content, modified)),
      (pieces) => Effect.forEach(pieces, put, { discard: true })
    )
  const made = yield* body({ add })
  yield* put(Tar.end)
  if (encryptor !== null) yield* attempt(failed, () => handle.appendFile(encryptor.end()))
  const { size } = yield* attempt(failed, async () => {
    await handle.sync()
    return handle.stat()
  })
  yield* name(draft, file, force)
  yield* attempt(failed, () => settle(path.dirname(file)))
  return { made, size }
}, Effect.scoped)

/** A backup that is open for reading. */
export interface Reader {
  /** Does something with each file in its order, from the first one on. Fails with BackupFileError, and as `use` does. */
  readonly forEach: <E, R>(
    use: (entry: Tar.TarEntry) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E | BackupFileError, R>
}

const CHUNK = 1024 * 1024

async function* piecesOf(handle: fs.FileHandle): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Without waiting for somebody at the other end of a pipe. */
const FOR_READING = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a backup. `passphrase` is asked for when it is encrypted. Fails with BackupFileError. */
export const open = Effect.fn("BackupFile.open")(function* <E, R>(
  file: string,
  passphrase: Effect.Effect<Redacted.Redacted, E, R>
): Effect.fn.Return<Reader, BackupFileError | E, R | Scope.Scope> {
  const failed = `${file} cannot be read`
  const handle = yield* Effect.acquireRelease(
    attempt(failed, () => fs.open(file, FOR_READING)),
    (opened) => Effect.promise(() => opened.close())
  )
  if (!(yield* attempt(failed, () => handle.stat())).isFile())
    return yield* new BackupFileError({
      message: `${failed}: it is no file on a disk, which a restore reads more than once`
    })
  const beginning = yield* attempt(failed, () => handle.read(Buffer.alloc(64), 0, 64, 0))
  const secret = Encryption.isEncrypted(beginning.buffer) ? yield* passphrase : null
  const entries = () => {
    const pieces = piecesOf(handle)
    return Tar.entries(secret === null ? pieces : Encryption.decrypted(pieces, secret))
  }
  const forEach: Reader["forEach"] = (use) =>
    Effect.gen(function* () {
      const iterator = entries()
      for (;;) {
        const next = yield* attempt(failed, () => iterator.next())
        if (next.done === true) return
        yield* use(next.value)
      }
    })
  return { forEach }
})
