/**
 * AES-GCM written out from its definition (NIST SP 800-38D) on single blocks of AES, to have something that shares no code
 * with what it judges. Slow; IVs have twelve bytes.
 */
import { createCipheriv } from "node:crypto"

const blockBytes = 16
const reduction = 0xe1n << 120n

const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`)

const block = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * blockBytes, "0"), "hex")

/** The product of two blocks in GF(2^128), whose first bit is the lowest power. */
const product = (left: bigint, right: bigint): bigint => {
  let sum = 0n
  let factor = right
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((left >> bit) & 1n) sum ^= factor
    factor = factor & 1n ? (factor >> 1n) ^ reduction : factor >> 1n
  }
  return sum
}

const blocksOf = (bytes: Buffer): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(bytes.length / blockBytes) }, (_, index) => {
    const part = bytes.subarray(index * blockBytes, (index + 1) * blockBytes)
    return Buffer.concat([part, Buffer.alloc(blockBytes - part.length)])
  })

const lengths = (aad: Buffer, ciphertext: Buffer): Buffer =>
  block((BigInt(8 * aad.length) << 64n) | BigInt(8 * ciphertext.length))

export interface Sealed {
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

/** Encrypts a plaintext with AES-GCM; the length of the key chooses AES-128 or AES-256. */
export const seal = (key: Buffer, iv: Buffer, aad: Buffer, plaintext: Buffer): Sealed => {
  const encrypted = (input: Buffer): Buffer =>
    createCipheriv(`aes-${8 * key.length}-ecb`, key, null)
      .setAutoPadding(false)
      .update(input)
  const counted = (count: number): Buffer => {
    const counter = Buffer.concat([iv, Buffer.alloc(4)])
    counter.writeUInt32BE(count, iv.length)
    return encrypted(counter)
  }
  const stream = Buffer.concat(blocksOf(plaintext).map((_, index) => counted(index + 2)))
  const ciphertext = Buffer.from(plaintext.map((byte, at) => byte ^ stream.readUInt8(at)))
  const subkey = number(encrypted(Buffer.alloc(blockBytes)))
  const hashed = [...blocksOf(aad), ...blocksOf(ciphertext), lengths(aad, ciphertext)].reduce(
    (sum, part) => product(sum ^ number(part), subkey),
    0n
  )
  return { ciphertext, tag: block(hashed ^ number(counted(1))) }
}
