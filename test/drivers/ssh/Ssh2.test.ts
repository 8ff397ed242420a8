import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createSecretKey } from "node:crypto"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { connect } from "node:net"
import type { CipherAlgorithm } from "ssh2"
import * as Ours from "../../../src/drivers/ssh/Ssh2.ts"
import { AesGcm } from "../../../src/drivers/ssh/Ssh2.ts"
import { oneSwitch } from "../../support/lab/Campus.ts"
import { patched, type Ssh2, unmodified } from "./OtherSsh2.ts"

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

/** The unencrypted packets of a client during the login. */
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
    const client = new Ours.Client()
    client.connect({ sock, username: "admin", password: "admin", tryKeyboard: true })
    client.on("keyboard-interactive", (_name, _text, _language, _prompts, finish) => finish(["admin"]))
    await once(client, "ready")
    client.end()
    await once(client, "close")
    return plainPackets(Buffer.concat(sent))
  })

type Library = Pick<Ssh2, "Client" | "Server">

/** A server that sends back what the input of a command was; ends with the scope. */
const echoing = ({ Server }: Library, cipher: CipherAlgorithm) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const hostKey = Ours.utils.generateKeyPairSync("ecdsa", { bits: 256 }).private
      const server = new Server({ hostKeys: [hostKey], algorithms: { cipher: [cipher] } }, (client) => {
        client.on("error", () => undefined)
        client.on("authentication", (context) => context.accept())
        client.on("session", (accept) => {
          accept().on("exec", (take) => {
            const channel = take()
            channel.on("end", () => channel.exit(0)).pipe(channel)
          })
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/** Sends a text to the server and yields what comes back. */
const echo = ({ Client }: Library, port: number, text: string) =>
  Effect.promise(async () => {
    const client = new Client()
    client.connect({ host: "127.0.0.1", port, username: "admin", password: "admin" })
    await once(client, "ready")
    const parts: Array<Buffer> = []
    await new Promise<void>((resolve, reject) => {
      client.exec("echo", (error, channel) => {
        if (error !== undefined) return reject(error)
        channel.on("data", (part: Buffer) => parts.push(part)).once("close", () => resolve())
        return channel.end(text)
      })
    })
    client.end()
    await once(client, "close")
    return Buffer.concat(parts).toString()
  })

/** Longer than a window of SSH, in packets of many lengths. */
const long = Array.from({ length: 3000 }, (_, index) => `interface Ethernet${index}${"/".repeat(index % 50)}\n`).join(
  ""
)

const understands = (client: Library, server: Library) =>
  Effect.gen(function* () {
    expect(client.Client).not.toBe(server.Client)
    for (const cipher of ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr"] as const) {
      const listening = yield* echoing(server, cipher)
      const address = listening.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      expect((yield* echo(client, port, long)) === long, cipher).toBe(true)
    }
  }).pipe(Effect.scoped)

/** A factory of ssh2 as the addon's presence makes it, which says what it was asked for. */
const factory = (bindingAvailable: boolean): Ours.CipherFactory => ({
  bindingAvailable,
  createCipher: () => "the library's cipher",
  createDecipher: () => ({ _decipherKey: Buffer.alloc(16, 7) })
})

const outbound = (sslName: string) => ({
  outbound: {
    seqno: 0,
    onWrite: () => undefined,
    cipherInfo: { sslName },
    cipherKey: Buffer.alloc(16),
    cipherIV: Buffer.alloc(12)
  }
})

describe("the ciphers of the SSH library", () => {
  it.live("of a client are understood by unpatched ssh2", () => understands(Ours, unmodified()))
  it.live("of a server are understood by unpatched ssh2", () => understands(unmodified(), Ours))

  it.live("with our proposed patch are understood by unpatched ssh2", () =>
    Effect.gen(function* () {
      const { ssh2 } = yield* Effect.acquireRelease(Effect.sync(patched), ({ folder }) =>
        Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      yield* understands(ssh2, unmodified())
      yield* understands(unmodified(), ssh2)
    }).pipe(Effect.scoped)
  )

  it("are ours for AES-GCM, with keys as objects, if the native addon is not built", () => {
    const made = factory(false)
    Ours.useKeyObjects(made)
    expect(made.createCipher(outbound("aes-128-gcm"))).toBeInstanceOf(AesGcm)
    expect(made.createCipher(outbound("aes-128-ctr"))).toBe("the library's cipher")
    const key = made.createDecipher({})._decipherKey
    expect(Buffer.isBuffer(key) || key?.equals(createSecretKey(Buffer.alloc(16, 7)))).toBe(true)
    expect(Buffer.isBuffer(key)).toBe(false)
  })

  it("are the native ones if the addon is built", () => {
    const made = factory(true)
    Ours.useKeyObjects(made)
    expect(made.createCipher(outbound("aes-128-gcm"))).toBe("the library's cipher")
    expect(made.createDecipher({})._decipherKey).toEqual(Buffer.alloc(16, 7))
  })
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
})
