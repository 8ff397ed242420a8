/**
 * An encrypted file: a line that describes how the key is derived from the passphrase, and frames of 64 KiB, each under AES-256-GCM. A frame's
 * nonce holds its number and whether it is the last frame, so frames cannot be changed, omitted, repeated, reordered or cut off at the end
 * (docs/backup-format.md#encrypted).
 */
import { Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from "node:crypto"

/** The file cannot be read with this passphrase, or it is damaged. */
export class NotDecrypted extends Schema.TaggedError<NotDecrypted>()("NotDecrypted", { message: Schema.String }) {}

const FIRST_WORD = "switchyard-backup-encrypted "
const CIPHER = "aes-256-gcm"
const FRAME = 65_536
const TAG = 16
const KEY = 32
const CHECK = 16
const LONGEST_HEADER = 1024

/** The cost of scrypt: 128 MiB and about half a second. */
const COST = { N: 131_072, r: 8, p: 1 }

const atMost = (most: number) => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: most })))

/** A file names the cost of its own key; the cost is limited to the resources of a machine. */
const Header = Schema.fromJsonString(
  Schema.Struct({
    format: Schema.Literal(1),
    cipher: Schema.Literal(CIPHER),
    scrypt: Schema.Struct({ N: atMost(1_048_576), r: atMost(16), p: atMost(4) }),
    salt: Schema.String,
    check: Schema.String
  })
)
type Header = typeof Header.Type

const derive = (passphrase: Redacted.Redacted, salt: Buffer, cost: typeof COST) =>
  new Promise<{ readonly key: Buffer; readonly check: Buffer }>((resolve, reject) => {
    const options = { ...cost, maxmem: 256 * cost.N * cost.r }
    scrypt(Redacted.value(passphrase).normalize("NFKC"), salt, KEY + CHECK, options, (error, made) =>
      error === null ? resolve({ key: made.subarray(0, KEY), check: made.subarray(KEY) }) : reject(error)
    )
  })

const nonceOf = (number: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce[0] = isLast ? 1 : 0
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce
}

/** Parts of one length. A complete part may be the last one, so it is kept until more bytes follow. */
const cut = (bytes: Buffer, length: number): { readonly parts: ReadonlyArray<Buffer>; readonly rest: Buffer } => {
  const parts: Array<Buffer> = []
  let at = 0
  for (; bytes.length - at > length; at += length) parts.push(bytes.subarray(at, at + length))
  return { parts, rest: bytes.subarray(at) }
}

/** The frames of a file; the last one is the rest, and may be cut off. */
async function* framesOf(
  pieces: AsyncIterable<Uint8Array>
): AsyncGenerator<{ readonly part: Buffer; readonly isLast: boolean }, void> {
  let kept: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    const { parts, rest } = cut(Buffer.concat([kept, piece]), FRAME + TAG)
    kept = rest
    for (const part of parts) yield { part, isLast: false }
  }
  yield { part: kept, isLast: true }
}

/** Encrypts one file piece by piece: the caller writes `begin` first, then all returned pieces, and the result of `end` last. */
interface Encryptor {
  readonly begin: Uint8Array
  readonly push: (piece: Uint8Array) => Uint8Array
  readonly end: () => Uint8Array
}

/** An encryptor for one file; each file needs its own. */
export const makeEncryptor = async (passphrase: Redacted.Redacted): Promise<Encryptor> => {
  const salt = randomBytes(16)
  const { check, key } = await derive(passphrase, salt, COST)
  const header: Header = {
    format: 1,
    cipher: CIPHER,
    scrypt: COST,
    salt: salt.toString("base64"),
    check: check.toString("base64")
  }
  const begin = Buffer.from(`${FIRST_WORD}${JSON.stringify(header)}\n`)
  let number = 0
  let kept: Buffer = Buffer.alloc(0)
  const frame = (part: Buffer, isLast: boolean) => {
    const cipher = createCipheriv(CIPHER, key, nonceOf(number++, isLast)).setAAD(begin)
    return Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()])
  }
  const push = (piece: Uint8Array) => {
    const { parts, rest } = cut(Buffer.concat([kept, piece]), FRAME)
    kept = rest
    return Buffer.concat(parts.map((part) => frame(part, false)))
  }
  return { begin, push, end: () => frame(kept, true) }
}

/** Whether a file with this beginning is encrypted. */
export const isEncrypted = (beginning: Uint8Array): boolean =>
  Buffer.from(beginning.subarray(0, FIRST_WORD.length)).toString("latin1") === FIRST_WORD

const altered = (message: string) => new NotDecrypted({ message })
const decodeHeader = Schema.decodeUnknownOption(Header)

const keyFor = async (line: Buffer, passphrase: Redacted.Redacted): Promise<Buffer> => {
  const header = decodeHeader(line.toString("utf8", FIRST_WORD.length))
  if (header._tag === "None") throw altered("The first line of the encrypted backup is damaged, or of a newer release")
  const { check, key } = await derive(passphrase, Buffer.from(header.value.salt, "base64"), header.value.scrypt)
  const expected = Buffer.from(header.value.check, "base64")
  if (expected.length !== CHECK || !timingSafeEqual(expected, check))
    throw altered("The passphrase is not the one with which the backup was encrypted")
  return key
}

/** The first line with its end, and an iterable of the rest. */
const withLine = async (pieces: AsyncIterable<Uint8Array>) => {
  const iterator = pieces[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (!head.includes(0x0a) && head.length < LONGEST_HEADER) {
    const next = await iterator.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const stop = head.indexOf(0x0a) + 1
  if (stop === 0) throw altered("The first line of the encrypted backup is damaged")
  const rest = async function* () {
    yield head.subarray(stop)
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { line: head.subarray(0, stop), rest: rest() }
}

/** The decrypted pieces of a file. Throws NotDecrypted at the first wrong piece; the earlier pieces are genuine. */
export async function* decrypted(
  pieces: AsyncIterable<Uint8Array>,
  passphrase: Redacted.Redacted
): AsyncGenerator<Uint8Array, void> {
  const { line, rest } = await withLine(pieces)
  const key = await keyFor(line, passphrase)
  let number = 0
  for await (const { isLast, part } of framesOf(rest)) {
    if (part.length < TAG) throw altered("The encrypted backup is cut off")
    const body = part.subarray(0, part.length - TAG)
    const decipher = createDecipheriv(CIPHER, key, nonceOf(number++, isLast), { authTagLength: TAG })
    decipher.setAAD(line).setAuthTag(part.subarray(part.length - TAG))
    const opened = decipher.update(body)
    try {
      decipher.final()
    } catch {
      throw altered("The encrypted backup was altered, or is cut off")
    }
    yield opened
  }
}
