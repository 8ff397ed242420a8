/**
 * The sending side of AES-GCM (RFC 5647 as OpenSSH has it): the length in clear but authenticated, then the encrypted packet,
 * then the tag. Takes the place of the one that ssh2 has in JavaScript, with the key as an object and each packet in one
 * write instead of three. Goes together with `Ssh2.ts`, whose owner's note says when.
 */
import { createCipheriv, createSecretKey, type KeyObject, randomFillSync } from "node:crypto"

const names = ["aes-128-gcm", "aes-256-gcm"] as const

export type Name = (typeof names)[number]

/** What ssh2 says of one direction that it sends in. */
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
export const nameOf = (sslName: string): Name | undefined => names.find((name) => name === sslName)

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
  readonly #name: Name
  readonly #key: KeyObject
  readonly #iv: Buffer
  readonly #onWrite: (data: Buffer) => void
  #freed = false

  constructor(name: Name, outbound: Outbound) {
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
    randomFillSync(packet, lengthBytes + 1 + payloadBytes, enough)
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
