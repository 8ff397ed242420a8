/**
 * The SSH library of both sides, with cheaper ciphers for its packets; everything that runs SSH imports it from here. Where
 * the native addon of ssh2 is not built, its AES-GCM hands Node the key as bytes for every packet, which costs four times as
 * much as the encryption: here the ciphers are made by a factory of ours, which gives keys as objects. Measured over the
 * bench of a sync, lab included: 115 s of processor time instead of 153 s.
 *
 * Owner's note: this takes the place of two functions of `ssh2/lib/protocol/crypto.js` (1.17), which is no public interface.
 * `docs/ssh2-key-objects.patch` is the change that we offer to ssh2; once it is released, this file is `export * from "ssh2"`.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { createRequire } from "node:module"
import * as AesGcm from "./AesGcm.ts"

/** The key of an AES-GCM decipher in JavaScript; the others do not have this field. */
interface Decipher {
  _decipherKey?: Buffer | KeyObject
}

interface CipherFactory {
  readonly bindingAvailable: boolean
  createCipher: (config: { readonly outbound: AesGcm.Outbound }) => unknown
  createDecipher: (config: unknown) => Decipher
}

const withKeyObjects = (factory: CipherFactory): void => {
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

const load = createRequire(import.meta.url)
withKeyObjects(load("ssh2/lib/protocol/crypto.js"))
const ssh2: typeof import("ssh2") = load("ssh2")

export const { Client, Server, utils } = ssh2
