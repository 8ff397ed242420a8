/**
 * The SSH library of both sides, with cheaper ciphers for its packets; everything that runs SSH imports it from here. Where
 * the native addon of ssh2 is built, that is used as it is. Where it is not, AES-GCM in ssh2 hands Node the key as bytes for
 * every packet: 17 µs a packet, and 4.5 µs with the key as an object. Here the ciphers are made by a factory of ours, which
 * gives keys as objects.
 *
 * Owner's note: earns 25 % of the processor time of a live sync (115 s instead of 153 s over the bench of a sync, lab
 * included). It takes the place of two functions of `ssh2/lib/protocol/crypto.js` (1.17), which is no public interface, so
 * it is to be looked at with every new version of ssh2; `Ssh2.test.ts` fails when the two no longer fit. It goes when ssh2
 * has released `docs/ssh2-key-objects.patch`, which we offer: then this file is `export * from "ssh2"`, and `AesGcm.ts` goes.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { createRequire } from "node:module"
import * as AesGcm from "./AesGcm.ts"

/** The key of an AES-GCM decipher in JavaScript; the others do not have this field. */
export interface Decipher {
  _decipherKey?: Buffer | KeyObject
}

/** What ssh2 makes the ciphers of a connection with. */
export interface CipherFactory {
  /** Whether the native addon is built. */
  readonly bindingAvailable: boolean
  createCipher: (config: { readonly outbound: AesGcm.Outbound }) => unknown
  createDecipher: (config: unknown) => Decipher
}

/** Lets the factory make AES-GCM with keys as objects, unless it has native ciphers. */
export const useKeyObjects = (factory: CipherFactory): void => {
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
useKeyObjects(load("ssh2/lib/protocol/crypto.js"))
const ssh2: typeof import("ssh2") = load("ssh2")

export const { Client, Server, utils } = ssh2
