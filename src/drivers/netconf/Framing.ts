/**
 * Cuts the bytes of a NETCONF connection into messages (RFC 6242): first behind an end mark, and in chunks of stated length once
 * both sides have announced it. Pure and incremental: the same messages come out, however the network cuts the bytes.
 */

/** The versions of the framing: an end mark behind each message, or chunks. */
export type Framing = "end-mark" | "chunks"

/**
 * A message, or why the bytes are no messages: nothing behind a fault can be read. `notUtf8`: it has U+FFFD in the place of bytes that are
 * no characters.
 */
export type Framed = { readonly message: string; readonly notUtf8?: true } | { readonly fault: string }

const endMark = Buffer.from("]]>]]>")
const header = /^\n#(?:([1-9]\d{0,9})|#)\n/
const headerBegins = /^(?:\n(?:#(?:#|[1-9]\d{0,9})?)?)?$/
const blanks: ReadonlySet<number | undefined> = new Set([0x09, 0x0a, 0x0d, 0x20])
const hash = 0x23
const longestHeader = "\n#4294967295\n".length
const largestChunk = 4_294_967_295

/** Most bytes of a message: a configuration of 10,000 interfaces has 2 MB. */
export const MOST_BYTES = 64 * 1024 * 1024

/** A buffer of more is not kept for the next message. */
const KEPT_BYTES = 64 * 1024

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const tolerant = new TextDecoder("utf-8", { ignoreBOM: true })

const decoded = (bytes: Uint8Array): Framed => {
  try {
    return { message: strict.decode(bytes) }
  } catch {
    return { message: tolerant.decode(bytes), notUtf8: true }
  }
}

/** The message with what marks its end. */
export const framed = (framing: Framing, message: string): string =>
  framing === "end-mark" ? `${message}]]>]]>` : `\n#${Buffer.byteLength(message)}\n${message}\n##\n`

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Some servers end the line of their hello behind its mark: blanks before the first chunk belong to neither. */
const withoutBlanks = (bytes: Buffer): Buffer => {
  let from = 0
  while (blanks.has(bytes[from]) && bytes[from + 1] !== hash && from + 1 < bytes.length) from += 1
  return bytes.subarray(from)
}

export class Framer {
  /** Changes between two messages: both hellos have an end mark. */
  framing: Framing = "end-mark"
  readonly #mostBytes: number
  /** Bytes that were not looked at yet. */
  readonly #waiting: Array<Uint8Array> = []
  /** The message so far, at the beginning of a buffer that grows and serves the next messages, too, and its length. */
  #message = Buffer.alloc(0)
  #bytes = 0
  /** Bytes that the chunk still lacks. */
  #missing = 0
  /** The beginning of a header that came without its end. */
  #head = Buffer.alloc(0)
  /** Nothing came behind the last end mark but blanks. */
  #isBehindMark = false
  #fault: Framed | undefined

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Takes the bytes that came. */
  push(bytes: Uint8Array): void {
    if (this.#fault === undefined && bytes.length > 0) this.#waiting.push(bytes)
  }

  /** The next message or the fault; undefined until more bytes come. A fault stays. */
  next(): Framed | undefined {
    while (this.#fault === undefined) {
      const bytes = this.#waiting.shift()
      if (bytes === undefined) return undefined
      const found = this.framing === "end-mark" ? this.#untilMark(bytes) : this.#chunk(bytes)
      if (found === undefined) continue
      if ("fault" in found) this.#fault = found
      else return found
    }
    return this.#fault
  }

  #untilMark(bytes: Uint8Array): Framed | undefined {
    const before = this.#bytes
    // the mark may have begun in what came earlier
    const from = Math.max(0, before - endMark.length + 1)
    const begun = this.#message.subarray(from, before)
    const seen = begun.length === 0 ? asBuffer(bytes) : Buffer.concat([begun, bytes])
    const at = seen.indexOf(endMark)
    if (at < 0) return this.#keep(bytes)
    const end = from + at
    this.#giveBack(bytes.subarray(end + endMark.length - before))
    this.#isBehindMark = true
    return this.#keep(bytes.subarray(0, Math.max(0, end - before))) ?? this.#whole(end)
  }

  #chunk(bytes: Uint8Array): Framed | undefined {
    if (this.#missing > 0) {
      const part = bytes.subarray(0, this.#missing)
      this.#missing -= part.length
      this.#giveBack(bytes.subarray(part.length))
      return this.#keep(part)
    }
    const came = this.#head.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#head, bytes])
    const seen = this.#isBehindMark ? withoutBlanks(came) : came
    const begin = seen.subarray(0, longestHeader).toString("latin1")
    const found = header.exec(begin)
    if (found === null) {
      // a last blank may be the one before a header
      const mayBegin = headerBegins.test(begin) || (this.#isBehindMark && seen.length === 1 && blanks.has(seen[0]))
      if (!mayBegin) return { fault: "the bytes are no chunk of a message" }
      this.#head = Buffer.from(seen)
      return undefined
    }
    this.#head = Buffer.alloc(0)
    this.#isBehindMark = false
    this.#giveBack(seen.subarray(found[0].length))
    const [, digits] = found
    if (digits === undefined) return this.#bytes === 0 ? { fault: "a message has no chunk" } : this.#whole(this.#bytes)
    this.#missing = Number(digits)
    if (this.#missing > largestChunk) return { fault: "a chunk is longer than the protocol allows" }
    return this.#tooLong(this.#missing)
  }

  #giveBack(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#waiting.unshift(bytes)
  }

  #tooLong(more: number): Framed | undefined {
    return this.#bytes + more > this.#mostBytes
      ? { fault: `a message is longer than ${this.#mostBytes} bytes, and no more is read of it` }
      : undefined
  }

  #keep(part: Uint8Array): Framed | undefined {
    const fault = this.#tooLong(part.length)
    if (fault !== undefined) return fault
    const bytes = this.#bytes + part.length
    if (bytes > this.#message.length) {
      const grown = Buffer.alloc(Math.max(bytes, this.#message.length * 2))
      grown.set(this.#message.subarray(0, this.#bytes))
      this.#message = grown
    }
    this.#message.set(part, this.#bytes)
    this.#bytes = bytes
    return undefined
  }

  #whole(bytes: number): Framed {
    const message = decoded(this.#message.subarray(0, bytes))
    if (this.#message.length > KEPT_BYTES) this.#message = Buffer.alloc(0)
    this.#bytes = 0
    return message
  }
}
