/** Texts that are kept for long: compressed, and marked so that they are told from others. */
import { deflateRawSync, inflateRawSync } from "node:zlib"

const PREFIX = "packed:1:"
/** Of a compressed text that claims to be longer, nothing is read. */
const LONGEST = 256 * 1024 * 1024

export const pack = (text: string): string => `${PREFIX}${deflateRawSync(text, { level: 9 }).toString("base64")}`

/** The text as it was; another one as it is. */
export const unpack = (text: string): string =>
  text.startsWith(PREFIX)
    ? inflateRawSync(Buffer.from(text.slice(PREFIX.length), "base64"), { maxOutputLength: LONGEST }).toString("utf8")
    : text
