/** The SSH quirks of a simulated switch. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { connect as connectTcp } from "node:net"
import { Client } from "ssh2"
import { connect, openShell } from "../support/lab/Client.ts"
import { oneSwitch } from "../support/lab/Campus.ts"

/** The algorithms agreed with a client that has all of them, or the reason why none is. */
const agreed = (host: string, port: number, algorithms: object) =>
  Effect.callback<string>((resume) => {
    const client = new Client()
    client.on("error", ({ message }) => resume(Effect.succeed(message)))
    client.on("handshake", ({ cs, kex }) => {
      client.destroy()
      resume(Effect.succeed(`${kex} ${cs.cipher}`))
    })
    client.connect({ host, port, username: "admin", algorithms })
  })

/** The bytes of a bare connection that identifies itself, until it ends. */
const heard = (host: string, port: number) =>
  Effect.promise(async () => {
    const socket = connectTcp({ host, port })
    const parts: Array<string> = []
    socket.on("data", (part) => parts.push(part.toString("latin1")))
    socket.on("error", () => undefined)
    socket.write("SSH-2.0-test\r\n")
    await once(socket, "close")
    return parts.join("")
  })

describe("the SSH of a simulated switch", () => {
  it.effect("has old algorithms only", () =>
    Effect.gen(function* () {
      const all = {
        kex: ["curve25519-sha256", "diffie-hellman-group14-sha1"],
        cipher: ["aes128-gcm@openssh.com", "aes128-ctr", "aes128-cbc"]
      }
      const old = yield* oneSwitch({ quirks: { ssh: "group14sha1" } })
      expect(yield* agreed(old.host, old.port, all)).toBe("diffie-hellman-group14-sha1 aes128-gcm@openssh.com")
      expect(yield* agreed(old.host, old.port, { kex: ["curve25519-sha256"] })).toContain("no matching key exchange")
    })
  )

  it.effect("has CBC only", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneSwitch({ quirks: { ssh: "cbc" } })
      expect(yield* agreed(host, port, { cipher: ["aes128-ctr", "aes128-cbc"] })).toMatch(/ aes128-cbc$/)
    })
  )

  it.effect("closes so many connections during the handshake, serves one, and so on", () =>
    Effect.gen(function* () {
      const { device, host, port } = yield* oneSwitch({ quirks: { closesEarly: 2 } })
      for (let round = 0; round < 2; round += 1) {
        for (let early = 0; early < 2; early += 1) assert.match(yield* heard(host, port), /^SSH-2\.0-\S+\r\n$/)
        const client = yield* Effect.promise(() => connect({ host, port }))
        client.destroy()
      }
      expect(device.logins().map(({ accepted }) => accepted)).toEqual([true, true])
    })
  )
})

describe("the terminal of a simulated switch", () => {
  it.effect("shows the configured prompt, with name, clock, mode and percent sign", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneSwitch({ quirks: { prompt: "[%H, %D]%P 50%% " } })
      yield* Effect.promise(async () => {
        const client = await connect({ host, port })
        const shell = await new Promise<NodeJS.ReadableStream & { write: (text: string) => void }>((resolve, reject) =>
          client.shell((error, stream) => (error === undefined ? resolve(stream) : reject(error)))
        )
        let text = ""
        shell.on("data", (part: Buffer) => {
          text += part.toString()
        })
        shell.write("configure\n")
        while (!text.endsWith("(config)# 50% ")) await once(shell, "data")
        assert.match(text, /\[acc1, \d\d:\d\d:\d\d\]# 50% configure/)
        client.destroy()
      })
    })
  )

  it.effect("pages in spite of the command: a blank shows a page, a line end a line, q nothing more", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneSwitch({ quirks: { pages: true } })
      yield* Effect.promise(async () => {
        const shell = await openShell({ host, port })
        await shell.ask("terminal length 0")
        const mark = /--More--\S*$/
        const linesOf = (text: string) => text.split("\n").length
        shell.type("show interfaces | json\n")
        const first = await shell.until(mark)
        assert.isBelow(linesOf(first), 30)
        shell.type(" ")
        assert.isAbove(linesOf(await shell.until(mark)), 20)
        shell.type("\n")
        assert.strictEqual(linesOf(await shell.until(mark)), 2)
        shell.type("q")
        await shell.until(/acc1#$/)
        assert.strictEqual(JSON.parse(await shell.ask("show hostname | json"))["hostname"], "acc1")
        shell.close()
      })
    })
  )
})
