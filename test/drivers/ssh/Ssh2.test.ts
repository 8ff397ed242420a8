import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomFillSync } from "node:crypto"
import { createRequire } from "node:module"
import { once } from "node:events"
import { connect } from "node:net"
import { Client } from "../../../src/drivers/ssh/Ssh2.ts"
import { oneSwitch } from "../../support/lab/Campus.ts"

const keyExchangeInit = 20
const ecdhInit = 30

/** The payloads of the packets that are sent before anything is encrypted, by their number. */
const plainPackets = (sent: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>()
  for (let at = sent.indexOf("\r\n") + 2; !found.has(ecdhInit) && at + 5 < sent.length;) {
    const length = sent.readUInt32BE(at)
    const padding = sent.readUInt8(at + 4)
    const payload = sent.subarray(at + 5, at + 4 + length - padding)
    found.set(payload.readUInt8(0), payload)
    at += 4 + length
  }
  return found
}

/** What a client says in the clear while it logs in. */
const saidByClient = (host: string, port: number) =>
  Effect.promise(async () => {
    const sent: Array<Buffer> = []
    const sock = connect({ host, port })
    await once(sock, "connect")
    const { write } = sock
    sock.write = (bytes: unknown, ...rest: ReadonlyArray<unknown>) => {
      if (Buffer.isBuffer(bytes)) sent.push(Buffer.from(bytes))
      return Reflect.apply(write, sock, [bytes, ...rest])
    }
    const client = new Client()
    client.connect({ sock, username: "admin", password: "admin", tryKeyboard: true })
    client.on("keyboard-interactive", (_name, _text, _language, _prompts, finish) => finish(["admin"]))
    await once(client, "ready")
    client.end()
    await once(client, "close")
    return plainPackets(Buffer.concat(sent))
  })

describe("the SSH library", () => {
  it.live("makes a new key and a new cookie for each connection", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneSwitch()
      const said = yield* Effect.forEach(Array.from({ length: 5 }), () => saidByClient(host, port))
      const keys = said.map((packets) => packets.get(ecdhInit)?.subarray(-32).toString("hex"))
      const cookies = said.map((packets) => packets.get(keyExchangeInit)?.subarray(1, 17).toString("hex"))
      expect(new Set(keys).size).toBe(5)
      expect(new Set(cookies).size).toBe(5)
      expect([...keys, ...cookies]).not.toContain(undefined)
    }).pipe(Effect.scoped)
  )

  it("leaves Node's own functions as they were", () => {
    const crypto: { readonly randomFillSync: unknown; readonly generateKeyPairSync: unknown } = createRequire(
      import.meta.url
    )("node:crypto")
    expect(crypto.randomFillSync).toBe(randomFillSync)
    expect(String(crypto.generateKeyPairSync)).not.toContain("x25519")
  })
})
