/** Encrypted backups: read with the passphrase alone, and any change to the file is found. */
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as Encryption from "../../src/backup/Encryption.ts"
import { seconds } from "../support/Patience.ts"

const PASSPHRASE = Redacted.make("correct horse battery staple")
const FRAME = 65_536 + 16

const encrypt = async (text: Buffer, pieces = 10_000) => {
  const { begin, end, push } = await Encryption.makeEncryptor(PASSPHRASE)
  const written: Array<Uint8Array> = [begin]
  for (let at = 0; at < text.length; at += pieces) written.push(push(text.subarray(at, at + pieces)))
  return Buffer.concat([...written, end()])
}

async function* inPieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 9_999) yield bytes.subarray(at, at + 9_999)
}

const decrypt = async (bytes: Buffer, passphrase = PASSPHRASE) => {
  const read: Array<Uint8Array> = []
  for await (const piece of Encryption.decrypted(inPieces(bytes), passphrase)) read.push(piece)
  return Buffer.concat(read)
}

const refusal = (bytes: Buffer, passphrase = PASSPHRASE) =>
  decrypt(bytes, passphrase).then(
    () => "nothing was refused",
    (error: unknown) => (error instanceof Encryption.NotDecrypted ? error.message : String(error))
  )

/** The line, and the frames behind it. */
const partsOf = (bytes: Buffer) => {
  const start = bytes.indexOf(0x0a) + 1
  const frames: Array<Buffer> = []
  for (let at = start; at < bytes.length; at += FRAME) frames.push(bytes.subarray(at, at + FRAME))
  return { line: bytes.subarray(0, start), frames }
}

it(
  "A file is restored exactly, including an empty one and one that fills its frames",
  async () => {
    for (const length of [0, 1, 65_536, 65_537, 131_072, 200_000]) {
      const text = randomBytes(length)
      const bytes = await encrypt(text)
      assert.isTrue(Encryption.isEncrypted(bytes))
      if (length > 16) assert.isFalse(bytes.includes(text.subarray(0, 16)))
      assert.isTrue((await decrypt(bytes)).equals(text), String(length))
    }
  },
  seconds(60)
)

it(
  "Another passphrase is refused with a sentence",
  async () => {
    const bytes = await encrypt(Buffer.from("secret"))
    assert.include(await refusal(bytes, Redacted.make("wrong")), "passphrase is not the one")
  },
  seconds(60)
)

it(
  "Removed, altered, repeated and reordered parts are detected",
  async () => {
    const bytes = await encrypt(randomBytes(200_000))
    const { frames, line } = partsOf(bytes)
    const [first, second, third, last] = frames
    assert.strictEqual(frames.length, 4)
    const of = (...parts: ReadonlyArray<Buffer | undefined>) =>
      Buffer.concat([line, ...parts.map((part) => part ?? Buffer.alloc(0))])
    const flipped = (at: number) => {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    }
    const altered = [
      of(first, second, third),
      of(first, second, third, last?.subarray(0, 40)),
      of(first, third, second, last),
      of(first, second, last),
      of(first, first, second, third, last),
      of(first, second, third, last, last),
      flipped(line.length + 5),
      flipped(bytes.length - 1)
    ]
    for (const [index, file] of altered.entries())
      assert.include(await refusal(file), "was altered, or is cut off", String(index))
    assert.include(await refusal(of()), "is cut off")
  },
  seconds(120)
)

it("A first line that asks for more memory than a machine has is refused", async () => {
  const { line } = partsOf(await encrypt(Buffer.from("a")))
  const greedy = line.toString("utf8").replace('"N":131072', '"N":1099511627776')
  assert.include(await refusal(Buffer.from(greedy)), "first line of the encrypted backup is damaged")
})
