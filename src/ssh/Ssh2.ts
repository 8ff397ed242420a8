/**
 * The SSH library of both sides, with cheaper cryptography; everything that runs SSH imports it from here. Without its
 * native addon ssh2 wastes more on Node's functions than these do: see `AesGcm` and `RandomPool`; a decipher is given its key
 * as an object (18 µs a packet against 4), the public half of a key exchange, which is asked for twice, is exported once
 * and without the wrapping that ssh2 cuts off again (25 µs each), and the peer's half is given as text (Node looks by way of
 * exceptions whether an object is a key: 30 µs and more, against 9). This has to be arranged before ssh2's modules load,
 * because each takes these functions for itself.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { createRequire } from "node:module"
import * as AesGcm from "./AesGcm.ts"
import { fill } from "./RandomPool.ts"

/** The key of an AES-GCM decipher in JavaScript; the others do not have this field. */
interface Decipher {
  _decipherKey?: Buffer | KeyObject
}

interface Factory {
  readonly bindingAvailable: boolean
  createCipher: (config: { readonly outbound: AesGcm.Outbound }) => unknown
  createDecipher: (config: unknown) => Decipher
}

/** What ssh2 uses of a pair of keys. */
interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: { readonly export: (options: object) => Buffer }
}

/** The functions that are exchanged while ssh2 loads. */
interface Crypto {
  randomFillSync: typeof fill
  generateKeyPairSync: (type: string, options?: object) => KeyPair
  createPublicKey: (key: string | DerKey) => KeyObject
}

/** The one form in which ssh2 gives a public key. */
interface DerKey {
  readonly key: Buffer
  readonly format: "der"
}

const load = createRequire(import.meta.url)

/** ssh2 takes the last 32 bytes of the exported key, which are all that there is in the raw form. */
const exportedOnce = ({ privateKey, publicKey }: KeyPair): KeyPair => {
  const raw = publicKey.export({ format: "raw-public" })
  return { privateKey, publicKey: { export: () => raw } }
}

const asPem = ({ key }: DerKey): string =>
  `-----BEGIN PUBLIC KEY-----\n${key.toString("base64")}\n-----END PUBLIC KEY-----\n`

const withCheaperCrypto = <A>(loading: () => A): A => {
  const crypto: Crypto = load("node:crypto")
  const { createPublicKey, generateKeyPairSync, randomFillSync } = crypto
  crypto.createPublicKey = (key) => createPublicKey(typeof key === "string" ? key : asPem(key))
  crypto.randomFillSync = fill
  crypto.generateKeyPairSync = (type, options) =>
    type === "x25519" ? exportedOnce(generateKeyPairSync(type)) : generateKeyPairSync(type, options)
  try {
    return loading()
  } finally {
    Object.assign(crypto, { createPublicKey, generateKeyPairSync, randomFillSync })
  }
}

const withCheaperPackets = (factory: Factory): void => {
  const { createCipher, createDecipher } = factory
  if (factory.bindingAvailable) return
  factory.createCipher = (config) => {
    const name = AesGcm.nameOf(config.outbound.cipherInfo.sslName)
    return name === undefined ? createCipher(config) : new AesGcm.AesGcm(name, config.outbound)
  }
  factory.createDecipher = (config) => {
    const made = createDecipher(config)
    if (Buffer.isBuffer(made._decipherKey)) made._decipherKey = createSecretKey(made._decipherKey)
    return made
  }
}

const ssh2 = withCheaperCrypto((): typeof import("ssh2") => {
  withCheaperPackets(load("ssh2/lib/protocol/crypto.js"))
  return load("ssh2")
})

export const { Client, Server, utils } = ssh2
