/**
 * Diffie-Hellman in a group that the server chose (RFC 4419), for ssh2: with key objects of Node, which take the group as it
 * is. ssh2 uses `crypto.createDiffieHellman`, which first proves that the prime is one: 1.6 s for 3,072 bits and 4 s for
 * 4,096, in which nobody else is served. No client needs that proof: a server that wants to give its secret away has shorter
 * ways. Whether the group is as large as was asked for is checked here.
 */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject, randomBytes } from "node:crypto"

const leastBits = 2048
const mostBits = 8192

const exponentBytes = 64

const tags = { integer: 0x02, bits: 0x03, bytes: 0x04, object: 0x06, sequence: 0x30 } as const

/** pkcs-3 dhKeyAgreement, 1.2.840.113549.1.3.1. */
const keyAgreement = Buffer.from("2a864886f70d010301", "hex")

const derLength = (length: number): Buffer => {
  if (length < 0x80) return Buffer.of(length)
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex")
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes])
}

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), derLength(content.length), content])
}

/** Without zeros in front, but for the one that keeps it positive. */
const unsigned = (number: Uint8Array): Buffer => {
  const first = number.findIndex((byte) => byte !== 0)
  const bytes = Buffer.from(number.subarray(first < 0 ? number.length : first))
  return (bytes[0] ?? 0x80) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes
}

const integer = (number: Uint8Array): Buffer => der(tags.integer, unsigned(number))

/** The last value of a public key, which is the number that the other side gets. */
const publicNumber = (key: KeyObject, primeBytes: number): Buffer => {
  const spki = key.export({ format: "der", type: "spki" })
  // the key is the end of the document: an integer in a string of bits
  for (let length = primeBytes + 1; length > 0; length--) {
    const header = Buffer.concat([Buffer.of(tags.integer), derLength(length)])
    const at = spki.length - length - header.length
    if (at > 0 && spki.subarray(at, at + header.length).equals(header)) return spki.subarray(-length)
  }
  throw new Error("a public key of another form")
}

/** The group, as keys of both kinds name it. */
const algorithmOf = (prime: Buffer, generator: Buffer): Buffer =>
  der(tags.sequence, der(tags.object, keyAgreement), der(tags.sequence, integer(prime), integer(generator)))

/** A private key in the group: twice as many random bits as the longest key that is made of the secret, as OpenSSH has it. */
const privateKeyIn = (algorithm: Buffer): KeyObject => {
  const exponent = der(tags.bytes, integer(randomBytes(exponentBytes)))
  const pkcs8 = der(tags.sequence, integer(Buffer.of(0)), algorithm, exponent)
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
}

/** The keys of one exchange; the methods are those that ssh2 uses of Node's own `DiffieHellman`. */
export class GroupExchange {
  readonly #prime: Buffer
  readonly #generator: Buffer
  readonly #algorithm: Buffer
  readonly #privateKey: KeyObject
  readonly publicNumber: Buffer

  /** Throws when the group is not as large as was asked for. */
  constructor(prime: Buffer, generator: Buffer) {
    const bits = BigInt(`0x${prime.toString("hex")}`).toString(2).length
    if (bits < leastBits || bits > mostBits) throw new Error(`the server chose a group of ${bits} bits`)
    this.#prime = prime
    this.#generator = generator
    this.#algorithm = algorithmOf(prime, generator)
    this.#privateKey = privateKeyIn(this.#algorithm)
    this.publicNumber = publicNumber(createPublicKey(this.#privateKey), prime.length)
  }

  getPrime(): Buffer {
    return this.#prime
  }

  getGenerator(): Buffer {
    return this.#generator
  }

  /** The common secret with the other side's number, as long as the prime. */
  computeSecret(theirs: Uint8Array): Buffer {
    const spki = der(tags.sequence, this.#algorithm, der(tags.bits, Buffer.of(0), integer(theirs)))
    const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" })
    return diffieHellman({ privateKey: this.#privateKey, publicKey })
  }
}
