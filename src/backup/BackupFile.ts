/**
 * The file of a backup: it is written under another name and renamed once it is complete and on the disk, so its name never shows half a backup;
 * only its owner can read it. All reads use one handle, so the file cannot be exchanged in between.
 *
 * Owner's note: the tar code is our own, not `tar-stream`. That library accepts more than a backup may hold (tried with 3.2.2: links, names
 * with `..`, a missing end, files after the end, any padding), so every refusal below would still be needed, in addition to twelve more
 * packages, some of them native.
 */
import { Clock, Effect, Option, type Redacted, Schema, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Encryption from "./Encryption.ts"
import { codeOf, fileSentence, reasonOf } from "../runtime/SystemErrors.ts"

// The part of tar (ustar) that a backup needs: regular files, written and read one after the other. Names that lead out of the folder, entries
// of another kind and damaged headers are refused.

/** The file is not the tar of a backup, or it is damaged. */
export class TarDamaged extends Schema.TaggedError<TarDamaged>()("TarDamaged", { message: Schema.String }) {}

export interface TarEntry {
  readonly name: string
  readonly content: Buffer
}

const BLOCK = 512
/** The largest text that PostgreSQL holds. */
const LARGEST = 1024 * 1024 * 1024
const NAME_BYTES = 100
const PREFIX_BYTES = 155

const damaged = (message: string) => new TarDamaged({ message })

/** Whether a name stays inside the target folder. */
export const isSafeName = (name: string): boolean =>
  name !== "" &&
  !/[\0\\]/.test(name) &&
  !name.startsWith("/") &&
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..")

/** A name in the two fields of a header. Throws TarDamaged if it does not fit. */
const fieldsOf = (name: string): readonly [name: string, prefix: string] => {
  if (Buffer.byteLength(name) <= NAME_BYTES) return [name, ""]
  for (let at = name.indexOf("/"); at > 0; at = name.indexOf("/", at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)]
    if (Buffer.byteLength(prefix) > PREFIX_BYTES) break
    if (Buffer.byteLength(rest) <= NAME_BYTES && rest !== "") return [rest, prefix]
  }
  throw damaged(`the name ${name} is too long for a tar`)
}

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`

const checksumOf = (header: Buffer): number =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

/** Header, content and padding of a file; `modified` in epoch seconds. Throws TarDamaged if the name does not fit. */
export const tarEntry = (name: string, content: Uint8Array, modified: number): ReadonlyArray<Uint8Array> => {
  if (!isSafeName(name)) throw damaged(`the name ${name} cannot be in a backup`)
  const [short, prefix] = fieldsOf(name)
  const header = Buffer.alloc(BLOCK)
  header.write(short, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7) + octal(0, 7) + octal(content.length, 11) + octal(modified, 11), 108)
  header.write("0", 156)
  header.write("ustar\u000000", 257)
  header.write(prefix, 345)
  header.write(`${octal(checksumOf(header), 6)} `, 148)
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
}

/** The bytes after the last file. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

const textIn = (header: Buffer, from: number, length: number) => {
  const field = header.subarray(from, from + length)
  const stop = field.indexOf(0)
  return field.toString("utf8", 0, stop < 0 ? length : stop)
}

const numberIn = (header: Buffer, from: number, length: number) => {
  const digits = textIn(header, from, length).trim()
  if (!/^[0-7]+$/.test(digits)) throw damaged("a header of the file is damaged")
  return Number.parseInt(digits, 8)
}

const headerIn = (header: Buffer): { readonly name: string; readonly size: number } => {
  if (numberIn(header, 148, 8) !== checksumOf(header)) throw damaged("a header of the file is damaged")
  const prefix = textIn(header, 345, PREFIX_BYTES)
  const name = (prefix === "" ? "" : `${prefix}/`) + textIn(header, 0, NAME_BYTES)
  if (!isSafeName(name)) throw damaged(`the name ${JSON.stringify(name)} leads out of the backup`)
  const kind = header[156]
  if (kind !== 0x30 && kind !== 0) throw damaged(`${name} is no file`)
  const size = numberIn(header, 124, 12)
  if (size > LARGEST) throw damaged(`${name} is too large`)
  return { name, size }
}

/** Reads exactly the given number of bytes; fewer at the end. */
const makeReader = (pieces: AsyncIterator<Uint8Array>) => {
  let kept: Array<Uint8Array> = []
  let length = 0
  return async (wanted: number): Promise<Buffer> => {
    while (length < wanted) {
      const next = await pieces.next()
      if (next.done === true) break
      kept.push(next.value)
      length += next.value.length
    }
    const all = Buffer.concat(kept, length)
    const taken = Math.min(wanted, length)
    kept = [all.subarray(taken)]
    length -= taken
    return all.subarray(0, taken)
  }
}

const isFilling = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0)

/** The files of a tar in order. Throws TarDamaged, also if its end is missing. */
export async function* tarEntries(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const read = makeReader(pieces[Symbol.asyncIterator]())
  for (;;) {
    const header = await read(BLOCK)
    if (header.length < BLOCK) throw damaged("the file ends too early")
    if (isFilling(header)) break
    const { name, size } = headerIn(header)
    const padded = Math.ceil(size / BLOCK) * BLOCK
    const content = await read(padded)
    if (content.length < padded) throw damaged("the file ends too early")
    if (!isFilling(content.subarray(size))) throw damaged(`the filling behind ${name} is damaged`)
    // a copy, so the caller does not keep the whole read buffer in memory
    yield { name, content: Buffer.from(content.subarray(0, size)) }
  }
  const second = await read(BLOCK)
  if (second.length < BLOCK) throw damaged("the file ends too early")
  for (let rest = second; rest.length > 0; rest = await read(BLOCK)) {
    if (!isFilling(rest)) throw damaged("the file goes on behind its end")
  }
}

/** A file with that name exists, and its replacement was not permitted. */
export class BackupExists extends Schema.TaggedError<BackupExists>()("BackupExists", { file: Schema.String }) {
  override get message() {
    return `${this.file} exists already; --force replaces it`
  }
}

/** The file cannot be written or read, or it is not a complete backup; the message gives the reason. */
export class BackupFileError extends Schema.TaggedError<BackupFileError>()("BackupFileError", {
  message: Schema.String
}) {}

const attempt = <A>(what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new BackupFileError({ message: `${what}: ${reasonOf(error)}` })
  })

/** Adds files to a backup, in the order of later reads. */
export interface Writer {
  /** Fails with BackupFileError if the name does not fit or the disk is full. */
  readonly add: (name: string, content: Uint8Array) => Effect.Effect<void, BackupFileError>
}

export interface WriteOptions {
  readonly file: string
  /** Whether an existing file may be replaced. */
  readonly force: boolean
  readonly passphrase: Option.Option<Redacted.Redacted>
}

/** Names of backups that are made into a folder: the time in UTC, and whether they are encrypted. */
const ENDINGS = { encrypted: ".backup", clear: ".tar" } as const
const IN_FOLDER = /^[^.].*\.(?:backup|tar)$/

const isFolder = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      (found) => found.isDirectory(),
      () => false
    )
  )

/** The file to write a backup to: `file` itself, or in a folder a new name with the time (`switchyard-2026-11-24T03-30-00Z.backup`). */
export const fileFor = Effect.fn("BackupFile.fileFor")(function* (file: string, isEncrypted: boolean) {
  if (!(yield* isFolder(file))) return file
  const time = new Date(yield* Clock.currentTimeMillis).toISOString().replace(/\.\d+Z$/, "Z")
  return path.join(file, `switchyard-${time.replaceAll(":", "-")}${ENDINGS[isEncrypted ? "encrypted" : "clear"]}`)
})

/** The file to read a backup from: `file` itself, or the newest backup in a folder. Fails with BackupFileError if the folder has none. */
export const newestIn = Effect.fn("BackupFile.newestIn")(function* (file: string) {
  if (!(yield* isFolder(file))) return file
  const found = yield* attempt(`${file} cannot be read`, async () => {
    const entries = await fs.readdir(file, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isFile() && IN_FOLDER.test(entry.name)).map((entry) => entry.name)
    return Promise.all(names.map(async (name) => ({ name, time: (await fs.stat(path.join(file, name))).mtimeMs })))
  })
  const [newest] = found.toSorted((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1))
  if (newest === undefined) return yield* new BackupFileError({ message: `${file} has no backup (*.backup, *.tar)` })
  return path.join(file, newest.name)
})

/** The kind of file with that name. Links are not followed. */
const kindOf = (file: string) =>
  Effect.promise(() =>
    fs.lstat(file).then(
      (found) => (found.isFile() ? "file" : "other"),
      () => "nothing"
    )
  )

/** Gives the draft its name. A hard link fails if a file has been created in the meantime; a rename would replace it. */
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
        : new BackupFileError({ message: fileSentence(error, { done: "written", file }) })
  })

/** Makes a rename in a folder survive a power cut. */
const settle = async (folder: string): Promise<void> => {
  const handle = await fs.open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

/**
 * Writes a backup with all files that `body` adds. Yields the result of `body`, and the size of the file in bytes. A failure leaves no
 * file. Fails with BackupExists and BackupFileError.
 */
export const write = Effect.fn("BackupFile.write")(function* <A, E, R>(
  { file, force, passphrase }: WriteOptions,
  body: (writer: Writer) => Effect.Effect<A, E, R>
) {
  const failed = `${file} cannot be written`
  const kind = yield* kindOf(file)
  // a folder, a link or a device must not be replaced by a file
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
      attempt(failed, async () => tarEntry(entryName, content, modified)),
      (pieces) => Effect.forEach(pieces, put, { discard: true })
    )
  const made = yield* body({ add })
  yield* put(TAR_END)
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
  /** Calls `use` for each file in order, from the first file. Fails with BackupFileError, and as `use` does. */
  readonly forEach: <E, R>(
    use: (file: TarEntry) => Effect.Effect<void, E, R>
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

/** Does not wait for the other end of a pipe. */
const FOR_READING = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a backup. `passphrase` is requested if it is encrypted. Fails with BackupFileError. */
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
  const filesIn = () => {
    const pieces = piecesOf(handle)
    return tarEntries(secret === null ? pieces : Encryption.decrypted(pieces, secret))
  }
  const forEach: Reader["forEach"] = (use) =>
    Effect.gen(function* () {
      const iterator = filesIn()
      for (;;) {
        const next = yield* attempt(failed, () => iterator.next())
        if (next.done === true) return
        yield* use(next.value)
      }
    })
  return { forEach }
})
