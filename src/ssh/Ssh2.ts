/**
 * The SSH library of both sides, with cheaper AES-GCM; everything that runs SSH imports it from here. Without its native
 * addon ssh2 creates a cipher for every packet, and hands Node the key as bytes each time, which costs four times as much as
 * the encryption (18 µs a packet against 4 µs with a key object). So the key of a cipher becomes a key object once, when
 * it is created. That has to be arranged before ssh2's main module loads, because it takes these functions for itself.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { createRequire } from "node:module"

/** The key of an AES-GCM cipher in JavaScript, in either direction; the other ciphers have neither field. */
interface Keyed {
  _encKey?: Buffer | KeyObject
  _decipherKey?: Buffer | KeyObject
}

type Create = (config: unknown) => Keyed

const load = createRequire(import.meta.url)

const factory: { createCipher: Create; createDecipher: Create } = load("ssh2/lib/protocol/crypto.js")

const withKeyObject =
  (create: Create): Create =>
  (config) => {
    const made = create(config)
    if (Buffer.isBuffer(made._encKey)) made._encKey = createSecretKey(made._encKey)
    if (Buffer.isBuffer(made._decipherKey)) made._decipherKey = createSecretKey(made._decipherKey)
    return made
  }

factory.createCipher = withKeyObject(factory.createCipher)
factory.createDecipher = withKeyObject(factory.createDecipher)

const ssh2: typeof import("ssh2") = load("ssh2")

export const { Client, Server, utils } = ssh2
