/**
 * The little of tar that a backup needs (ustar): regular files, written and read one after the other. A name that leads out of a folder, an
 * entry of another kind and a damaged header are refused.
 */
import { Schema } from "effect"

/** The file is no tar of a backup, or it is damaged. */
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

/** Whether a name stays in the folder in which it is unpacked. */
export const isSafeName = (name: string): boolean =>
  name !== "" &&
  !/[\0\\]/.test(name) &&
  !name.startsWith("/") &&
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..")

/** A name in the two fields of a header. Throws TarDamaged for one that does not fit. */
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

/** Header, content and filling of a file; `modified` in epoch seconds. Throws TarDamaged for a name that does not fit. */
export const entry = (name: string, content: Uint8Array, modified: number): ReadonlyArray<Uint8Array> => {
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

/** What stands behind the last file. */
export const end: Uint8Array = Buffer.alloc(2 * BLOCK)

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

/** Reads exactly so many bytes of pieces; fewer at their end. */
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

/** The files of a tar in their order. Throws TarDamaged, also when its end is missing. */
export async function* entries(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
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
    // a copy: what was read with it must not be kept in memory by whoever keeps this
    yield { name, content: Buffer.from(content.subarray(0, size)) }
  }
  const second = await read(BLOCK)
  if (second.length < BLOCK) throw damaged("the file ends too early")
  for (let rest = second; rest.length > 0; rest = await read(BLOCK)) {
    if (!isFilling(rest)) throw damaged("the file goes on behind its end")
  }
}
