import { describe, expect, it } from "@effect/vitest"
import { createDecipheriv } from "node:crypto"
import { AesGcm, type GcmName, gcmNameOf } from "../../../src/drivers/ssh/Ssh2.ts"
import { seal } from "./GcmReference.ts"
import { vectors } from "./GcmVectors.ts"

const hex = (text: string): Buffer => Buffer.from(text, "hex")

const make = (name: GcmName, key: Buffer, iv: Buffer) => {
  const sent: Array<Buffer> = []
  const onWrite = (packet: Buffer) => void sent.push(packet)
  // ssh2 gives both to the cipher, which counts in the bytes of the IV
  const given = { cipherKey: Buffer.from(key), cipherIV: Buffer.from(iv) }
  return { cipher: new AesGcm(name, { seqno: 3, onWrite, cipherInfo: { sslName: name }, ...given }), sent }
}

/** A packet as ssh2 has it before it is encrypted: length, padding and payload, room for the tag. */
const packetOf = (length: Buffer, plaintext: Buffer): Buffer => Buffer.concat([length, plaintext, Buffer.alloc(16)])

const lengthOf = (plaintext: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(plaintext.length)
  return length
}

const sender = (name: GcmName, keyBytes: number, counter: number) => {
  const key = Buffer.alloc(keyBytes, 7)
  const iv = Buffer.alloc(12, 1)
  iv.writeUInt32BE(counter, 8)
  const { cipher, sent } = make(name, key, iv)
  const send = (text: string) => {
    const packet = cipher.allocPacket(Buffer.byteLength(text))
    packet.write(text, 5)
    cipher.encrypt(packet)
  }
  return { cipher, iv, key, send, sent }
}

/** Decrypts a packet as a peer does; throws when the tag does not fit. */
const opened = (name: GcmName, key: Buffer, iv: Buffer, packet: Buffer) => {
  const length = packet.readUInt32BE(0)
  const decipher = createDecipheriv(name, key, iv).setAAD(packet.subarray(0, 4))
  decipher.setAuthTag(packet.subarray(-16))
  const plain = Buffer.concat([decipher.update(packet.subarray(4, -16)), decipher.final()])
  const padding = plain.readUInt8(0)
  return { length, padding: plain.subarray(plain.length - padding), text: plain.subarray(1, -padding).toString() }
}

describe("AES-GCM", () => {
  it.each([
    ["aes-128-gcm", 16],
    ["aes-256-gcm", 32]
  ] as const)("of %s is readable by a peer, one write a packet", (name, keyBytes) => {
    const { cipher, iv, key, send, sent } = sender(name, keyBytes, 0)
    const texts = Array.from({ length: 40 }, (_, size) => "x".repeat(size))
    for (const text of texts) send(text)
    expect(sent).toHaveLength(texts.length)
    for (const [index, packet] of sent.entries()) {
      iv.writeUInt32BE(index, 8)
      const { length, padding, text } = opened(name, key, iv, packet)
      expect(text).toBe(texts[index])
      expect(length).toBe(packet.length - 4 - 16)
      expect(length % 16).toBe(0)
      expect(padding.length).toBeGreaterThanOrEqual(4)
    }
    expect(cipher.outSeqno).toBe(3 + texts.length)
  })

  it("counts packets across the border of a byte, so that no nonce occurs twice", () => {
    const { iv, key, send, sent } = sender("aes-128-gcm", 16, 0xffffffff)
    iv.fill(1, 4, 8)
    send("before")
    send("after")
    expect(opened("aes-128-gcm", key, iv, sent[0] ?? Buffer.alloc(0)).text).toBe("before")
    iv.set([1, 1, 1, 2, 0, 0, 0, 0], 4)
    expect(opened("aes-128-gcm", key, iv, sent[1] ?? Buffer.alloc(0)).text).toBe("after")
  })

  it("pads equal packets differently", () => {
    const { iv, key, send, sent } = sender("aes-128-gcm", 16, 0)
    // more than the random bytes that are made at once
    for (let count = 0; count < 10_000; count++) send("same")
    const paddings = sent.map((packet, index) => {
      iv.writeUInt32BE(index, 8)
      return opened("aes-128-gcm", key, iv, packet).padding.toString("hex")
    })
    expect(new Set(paddings).size).toBe(10_000)
  })

  it("sends nothing after its end", () => {
    const { cipher, send, sent } = sender("aes-128-gcm", 16, 0)
    cipher.free()
    send("late")
    expect(sent).toEqual([])
  })

  it.each(vectors)("judge: the reference gives $name of the specification of GCM", (vector) => {
    const { ciphertext, tag } = seal(hex(vector.key), hex(vector.iv), hex(vector.aad), hex(vector.plaintext))
    expect(ciphertext.toString("hex")).toBe(vector.ciphertext)
    expect(tag.toString("hex")).toBe(vector.tag)
  })

  it.each(vectors)("gives key, IV and plaintext of $name the published ciphertext", (vector) => {
    const key = hex(vector.key)
    const plaintext = hex(vector.plaintext)
    const { cipher, sent } = make(key.length === 16 ? "aes-128-gcm" : "aes-256-gcm", key, hex(vector.iv))
    cipher.encrypt(packetOf(lengthOf(plaintext), plaintext))
    // the additional data of a packet is its length (RFC 5647), which no
    // published vector has: the tag is the judge's
    const { tag } = seal(key, hex(vector.iv), lengthOf(plaintext), plaintext)
    expect(sent.map((packet) => packet.toString("hex"))).toEqual([
      lengthOf(plaintext).toString("hex") + vector.ciphertext + tag.toString("hex")
    ])
  })

  it.each([
    ["0000000000000000", "0000000000000001"],
    ["00000000000000ff", "0000000000000100"],
    ["00000000ffffffff", "0000000100000000"],
    ["ffffffffffffffff", "0000000000000000"]
  ])("counts from %s to %s and leaves the fixed part unchanged (RFC 5647)", (first, second) => {
    const key = hex(vectors[0].key)
    const plaintext = hex(vectors[0].plaintext)
    const { cipher, sent } = make("aes-128-gcm", key, hex(`cafebabe${first}`))
    for (let count = 0; count < 2; count++) cipher.encrypt(packetOf(lengthOf(plaintext), plaintext))
    const expected = [first, second].map((count) => {
      const { ciphertext, tag } = seal(key, hex(`cafebabe${count}`), lengthOf(plaintext), plaintext)
      return Buffer.concat([lengthOf(plaintext), ciphertext, tag]).toString("hex")
    })
    expect(sent.map((packet) => packet.toString("hex"))).toEqual(expected)
  })

  it("leaves every other cipher to the library", () => {
    expect(["aes-128-ctr", "chacha20", "aes-128-cbc"].map(gcmNameOf)).toEqual([undefined, undefined, undefined])
  })
})
