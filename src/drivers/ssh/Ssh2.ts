/**
 * The SSH library of both sides, with cheaper ciphers for its packets, and with group exchange that does not hold up the thread;
 * everything that runs SSH imports it from here. If the native addon of ssh2 is built, it is used unchanged. Without it, AES-GCM in
 * ssh2 hands Node the key as bytes for every packet: 17 µs a packet, and 4.5 µs with the key as an object. Here the ciphers are
 * made by our own factory, which gives keys as objects.
 *
 * Owner's note: earns 25 % of the processor time of a live sync (115 s instead of 153 s over the bench of a sync, lab
 * included). It takes the place of two functions of `ssh2/lib/protocol/crypto.js` (1.17), which is no public interface, so
 * it is to be looked at with every new version of ssh2; `Ssh2.test.ts` fails when the two no longer fit. It goes when ssh2
 * has released `docs/ssh2-key-objects.patch`, which we offer: then only the group exchange stays here.
 *
 * Group exchange: ssh2 makes its keys with `createDiffieHellman`, which holds up the thread for 1.6 to 30 s at each login;
 * `GroupExchange` needs 3 to 30 ms. The class is not exported, so its method is exchanged when the first handshake of that
 * kind comes by, in `onKEXPayload` of `ssh2/lib/protocol/kex.js`. `OpenSsh.test.ts` measures the stall at a real server. It
 * goes when ssh2 makes these keys in another way, or with the last switch that has nothing else.
 */
import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  type KeyObject,
  randomBytes,
  randomFillSync
} from "node:crypto"
import { createRequire } from "node:module"

// The sending side of AES-GCM (RFC 5647 as OpenSSH has it): the length in clear but authenticated, then the encrypted packet,
// then the tag. Takes the place of the one that ssh2 has in JavaScript, with the key as an object and each packet in one
// write instead of three.

const gcmNames = ["aes-128-gcm", "aes-256-gcm"] as const

export type GcmName = (typeof gcmNames)[number]

/** The parameters of ssh2 for one sending direction. */
export interface Outbound {
  readonly seqno: number
  readonly onWrite: (data: Buffer) => void
  readonly cipherInfo: { readonly sslName: string }
  readonly cipherKey: Buffer
  readonly cipherIV: Buffer
}

const blockBytes = 16
const tagBytes = 16
const lengthBytes = 4
const leastPadding = 4
const firstCounterByte = 4

/** The cipher of this name, if it is one of these. */
export const gcmNameOf = (sslName: string): GcmName | undefined => gcmNames.find((name) => name === sslName)

// Padding is taken from random bytes that are made ahead, because asking for a few bytes costs as much as asking for many. Each byte is
// used once. Padding is sent encrypted and no key depends on it.

const aheadBytes = 65_536
const ahead = Buffer.alloc(aheadBytes)
let used = aheadBytes

/** Fills `size` bytes of a packet, at most 255, with random bytes that no other packet has. */
const pad = (packet: Buffer, at: number, size: number): void => {
  if (used + size > aheadBytes) {
    randomFillSync(ahead)
    used = 0
  }
  ahead.copy(packet, at, used, used + size)
  used += size
}

/** Adds one to the packet counter in the last eight bytes. */
const increment = (iv: Buffer): void => {
  for (let at = iv.length - 1; at >= firstCounterByte; at--) {
    const next = (iv.readUInt8(at) + 1) & 0xff
    iv.writeUInt8(next, at)
    if (next !== 0) return
  }
}

/** Encrypts the packets of one direction; the fields and methods are those that ssh2 uses. */
export class AesGcm {
  outSeqno: number
  readonly #name: GcmName
  readonly #key: KeyObject
  readonly #iv: Buffer
  readonly #onWrite: (data: Buffer) => void
  #freed = false

  constructor(name: GcmName, outbound: Outbound) {
    this.outSeqno = outbound.seqno
    this.#name = name
    this.#key = createSecretKey(outbound.cipherKey)
    this.#iv = outbound.cipherIV
    this.#onWrite = outbound.onWrite
  }

  free(): void {
    this.#freed = true
  }

  /** An empty packet for a payload at offset 5, with room for the tag. */
  allocPacket(payloadBytes: number): Buffer {
    const padding = blockBytes - ((1 + payloadBytes) % blockBytes)
    const enough = padding < leastPadding ? padding + blockBytes : padding
    const length = 1 + payloadBytes + enough
    const packet = Buffer.allocUnsafe(lengthBytes + length + tagBytes)
    packet.writeUInt32BE(length, 0)
    packet.writeUInt8(enough, lengthBytes)
    pad(packet, lengthBytes + 1 + payloadBytes, enough)
    return packet
  }

  /** Encrypts a packet in its place and sends it. */
  encrypt(packet: Buffer): void {
    if (this.#freed) return
    const end = packet.length - tagBytes
    const cipher = createCipheriv(this.#name, this.#key, this.#iv)
    cipher.setAAD(packet.subarray(0, lengthBytes))
    packet.set(cipher.update(packet.subarray(lengthBytes, end)), lengthBytes)
    cipher.final()
    packet.set(cipher.getAuthTag(), end)
    this.#onWrite(packet)
    increment(this.#iv)
    this.outSeqno = (this.outSeqno + 1) >>> 0
  }
}

// Diffie-Hellman in a group that the server chose (RFC 4419), for ssh2: with key objects of Node, which take any group. ssh2 uses
// `crypto.createDiffieHellman`, which first proves that the prime is one: 1.6 s for 3,072 bits and 4 s for 4,096, in which no other
// request is served. No client needs that proof: a server that wants to give its secret away has shorter ways. Whether the group is
// as large as was asked for is checked here.

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

/** The key of an AES-GCM decipher in JavaScript; the others do not have this field. */
export interface Decipher {
  _decipherKey?: Buffer | KeyObject
}

/** The factory with which ssh2 makes the ciphers of a connection. */
export interface CipherFactory {
  /** Whether the native addon is built. */
  readonly bindingAvailable: boolean
  createCipher: (config: { readonly outbound: Outbound }) => unknown
  createDecipher: (config: unknown) => Decipher
}

/** Lets the factory make AES-GCM with keys as objects, unless it has native ciphers. */
export const useKeyObjects = (factory: CipherFactory): void => {
  const { createCipher, createDecipher } = factory
  if (factory.bindingAvailable) return
  factory.createCipher = (config) => {
    const name = gcmNameOf(config.outbound.cipherInfo.sslName)
    return name === undefined ? createCipher(config) : new AesGcm(name, config.outbound)
  }
  factory.createDecipher = (config) => {
    const made = createDecipher(config)
    if (Buffer.isBuffer(made._decipherKey)) made._decipherKey = createSecretKey(made._decipherKey)
    return made
  }
}

/** A key exchange of ssh2; those of the type `groupex` have these fields. */
export interface KeyExchange {
  readonly type: string
  readonly _prime?: Buffer | null
  readonly _generator?: Buffer | null
  _dh?: unknown
  _public?: Buffer | null
}

/** The handlers with which ssh2 reads the packets of key exchanges. */
export interface KeyExchanges {
  onKEXPayload: (this: { readonly _kex?: KeyExchange }, state: unknown, payload: Buffer) => unknown
}

/** Takes the place of the method of ssh2's class; it is called whenever the keys are needed. */
function generateKeys(this: KeyExchange): void {
  if (this._dh || !this._prime || !this._generator) return
  const made = new GroupExchange(this._prime, this._generator)
  this._dh = made
  this._public = made.publicNumber
}

/** Lets group exchanges take the server's group without proving that its prime is one. */
export const useGivenGroups = (exchanges: KeyExchanges): void => {
  const { onKEXPayload } = exchanges
  exchanges.onKEXPayload = function (state, payload) {
    const exchange = this._kex
    // by its class, because later exchanges of the connection do not come by here
    if (exchange?.type === "groupex") Object.assign(Object.getPrototypeOf(exchange), { generateKeys })
    return Reflect.apply(onKEXPayload, this, [state, payload])
  }
}

const load = createRequire(import.meta.url)
useKeyObjects(load("ssh2/lib/protocol/crypto.js"))
useGivenGroups(load("ssh2/lib/protocol/kex.js"))
const ssh2: typeof import("ssh2") = load("ssh2")

export const { Client, Server, utils } = ssh2
