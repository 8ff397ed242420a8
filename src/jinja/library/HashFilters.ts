/** Hashes and base encodings. See docs/templates.md#filters. */
import { createHash } from "node:crypto"
import { fail } from "../Failure.ts"
import { borrow, reserveText, spend } from "../Meter.ts"
import { argument, softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { repr } from "../values/Printing.ts"
import type { Implementation, Value } from "../values/Value.ts"

const encodings: ReadonlyMap<string, BufferEncoding> = new Map<string, BufferEncoding>([
  ["utf8", "utf8"],
  ["ascii", "utf8"],
  ["latin1", "latin1"],
  ["iso88591", "latin1"],
  ["utf16le", "utf16le"]
])

const encodingOf = (value: Value, name: string): BufferEncoding =>
  encodings.get(name.toLowerCase().replace(/[-_]/g, "")) ?? fail("LookupError", `unknown encoding: ${repr(value)}`)

const bytesOf = (args: ReadonlyArray<Value>): Buffer => {
  const text = softText(args, 0)
  borrow(text.length / 2)
  const bytes = Buffer.from(text, encodingOf(argument(args, 1), softText(args, 1)))
  spend(bytes.length)
  return bytes
}

const decoded = (bytes: Buffer, args: ReadonlyArray<Value>): string => {
  const encoding = encodingOf(argument(args, 1), softText(args, 1))
  reserveText(bytes.length)
  const text = bytes.toString(encoding)
  return encoding === "utf8" && text.includes("\ufffd") && !bytes.includes("\ufffd")
    ? fail("ValueError", "the decoded bytes are no text in this encoding")
    : text
}

const hash =
  (algorithm: string): Implementation =>
  (args) =>
    createHash(algorithm).update(bytesOf(args)).digest("hex")

const encode = (args: ReadonlyArray<Value>, encoding: "base64" | "hex"): string => {
  const bytes = bytesOf(args)
  reserveText(bytes.length * 2)
  return bytes.toString(encoding)
}

const decode64: Implementation = (args) => {
  borrow(softText(args, 0).length)
  const text = softText(args, 0).replace(/[^A-Za-z0-9+/=]/g, "")
  if (text.replace(/=+$/, "").length % 4 === 1 || text.length % 4 !== 0) return fail("ValueError", "Incorrect padding")
  return decoded(Buffer.from(text, "base64"), args)
}

const decode16: Implementation = (args) => {
  const text = softText(args, 0)
  spend(text.length)
  if (text.length % 2 !== 0 || /[^0-9A-F]/.test(text)) return fail("ValueError", "Non-base16 digit found")
  return decoded(Buffer.from(text, "hex"), args)
}

/** Hashes and base encodings. */
export const hashFilters: Library = library({
  "md5(value, encoding='utf-8')": hash("md5"),
  "sha1(value, encoding='utf-8')": hash("sha1"),
  "sha256(value, encoding='utf-8')": hash("sha256"),
  "sha512(value, encoding='utf-8')": hash("sha512"),
  "b64encode(value, encoding='utf-8')": (args) => encode(args, "base64"),
  "b64decode(value, encoding='utf-8')": decode64,
  "b16encode(value, encoding='utf-8')": (args) => encode(args, "hex").toUpperCase(),
  "b16decode(value, encoding='utf-8')": decode16
})
