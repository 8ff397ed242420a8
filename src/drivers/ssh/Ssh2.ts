/**
 * The SSH library of both sides, with cheaper ciphers for its packets, and with group exchange that does not hold up the
 * thread; everything that runs SSH imports it from here. Where the native addon of ssh2 is built, that is used as it is. Where it is not, AES-GCM in ssh2 hands Node the key as bytes for
 * every packet: 17 µs a packet, and 4.5 µs with the key as an object. Here the ciphers are made by a factory of ours, which
 * gives keys as objects.
 *
 * Owner's note: earns 25 % of the processor time of a live sync (115 s instead of 153 s over the bench of a sync, lab
 * included). It takes the place of two functions of `ssh2/lib/protocol/crypto.js` (1.17), which is no public interface, so
 * it is to be looked at with every new version of ssh2; `Ssh2.test.ts` fails when the two no longer fit. It goes when ssh2
 * has released `docs/ssh2-key-objects.patch`, which we offer: then this file is `export * from "ssh2"`, and `AesGcm.ts` goes.
 *
 * Group exchange: ssh2 makes its keys with `createDiffieHellman`, which holds up the thread for 1.6 to 30 s at each login;
 * `GroupExchange.ts` needs 3 to 30 ms. The class is not exported, so its method is exchanged when the first handshake of that
 * kind comes by, in `onKEXPayload` of `ssh2/lib/protocol/kex.js`. `OpenSsh.test.ts` measures the stall at a real server. It
 * goes when ssh2 makes these keys in another way, or with the last switch that has nothing else.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { createRequire } from "node:module"
import * as AesGcm from "./AesGcm.ts"
import { GroupExchange } from "./GroupExchange.ts"

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

/** A key exchange of ssh2; those of the type `groupex` have these fields. */
export interface KeyExchange {
  readonly type: string
  readonly _prime?: Buffer | null
  readonly _generator?: Buffer | null
  _dh?: unknown
  _public?: Buffer | null
}

/** What ssh2 reads the packets of key exchanges with. */
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
