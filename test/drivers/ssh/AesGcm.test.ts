import { describe, expect, it } from "@effect/vitest"
import { createDecipheriv } from "node:crypto"
import { AesGcm, type Name, nameOf } from "../../../src/drivers/ssh/AesGcm.ts"

const sender = (name: Name, keyBytes: number, counter: number) => {
  const key = Buffer.alloc(keyBytes, 7)
  const iv = Buffer.alloc(12, 1)
  iv.writeUInt32BE(counter, 8)
  const sent: Array<Buffer> = []
  const cipher = new AesGcm(name, {
    seqno: 3,
    onWrite: (packet) => sent.push(packet),
    cipherInfo: { sslName: name },
    cipherKey: key,
    cipherIV: Buffer.from(iv)
  })
  const send = (text: string) => {
    const packet = cipher.allocPacket(Buffer.byteLength(text))
    packet.write(text, 5)
    cipher.encrypt(packet)
  }
  return { cipher, iv, key, send, sent }
}

/** What a peer makes of a packet; throws when the tag does not fit. */
const opened = (name: Name, key: Buffer, iv: Buffer, packet: Buffer) => {
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
  ] as const)("of %s is what a peer opens, one write a packet", (name, keyBytes) => {
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

  it("counts packets across the border of a byte, so that no nonce comes twice", () => {
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
    for (let count = 0; count < 100; count++) send("same")
    const paddings = sent.map((packet, index) => {
      iv.writeUInt32BE(index, 8)
      return opened("aes-128-gcm", key, iv, packet).padding.toString("hex")
    })
    expect(new Set(paddings).size).toBe(100)
  })

  it("sends nothing after its end", () => {
    const { cipher, send, sent } = sender("aes-128-gcm", 16, 0)
    cipher.free()
    send("late")
    expect(sent).toEqual([])
  })

  it("leaves every other cipher to the library", () => {
    expect(["aes-128-ctr", "chacha20", "aes-128-cbc"].map(nameOf)).toEqual([undefined, undefined, undefined])
  })
})
