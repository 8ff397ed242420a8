import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "ssh2"
import { connect, exec, openShell, PROMPT } from "../support/lab/Client.ts"
import { baseConfig, oneSwitch } from "../support/lab/Campus.ts"

/** Names of the methods that the switch offers after `none`. */
const offered = (host: string, port: number) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const client = new Client()
    client.on("error", (error) => resume(Effect.die(error)))
    client.connect({
      host,
      port,
      username: "admin",
      authHandler: (left, _partial, next) => {
        if (left === null) return next("none")
        client.destroy()
        return resume(Effect.succeed(left))
      }
    })
  })

describe("logging in to a simulated switch", () => {
  it.effect("refuses none, offers publickey and keyboard-interactive, and lands in privileged mode", () =>
    Effect.gen(function* () {
      const { host, port, shell, device } = yield* oneSwitch()
      expect(yield* offered(host, port)).toEqual(["publickey", "keyboard-interactive"])
      const session = yield* shell
      expect(session.text()).toMatch(/Last login: .*\r\nacc1#$/)
      expect(device.logins().at(-1)).toMatchObject({ user: "admin", accepted: true })
      session.close()
    })
  )

  it.effect("offers password instead when so configured", () =>
    Effect.gen(function* () {
      const { host, port, shell } = yield* oneSwitch({ authentication: "password" })
      expect(yield* offered(host, port)).toEqual(["publickey", "password"])
      const session = yield* shell
      session.close()
    })
  )

  it.effect("refuses a wrong password and remembers the attempt", () =>
    Effect.gen(function* () {
      const { host, port, device } = yield* oneSwitch()
      const error = yield* Effect.flip(Effect.tryPromise(() => connect({ host, port, password: "wrong" })))
      expect(String(error.cause)).toContain("authentication methods failed")
      expect(device.logins().map((login) => login.accepted)).toEqual([false])
    })
  )

  it.effect("knows the clear text behind a hashed secret, and logins that are always valid", () =>
    Effect.gen(function* () {
      const config = baseConfig("acc1", "10.9.1.1").replace("secret admin", "secret sha512 $6$abc$def")
      const node = { "startup-config": config, passwords: { admin: "clear" }, users: { noc: "noc" } }
      const { device, host, port } = yield* oneSwitch(node)
      const first = yield* Effect.promise(() => connect({ host, port, password: "clear" }))
      const second = yield* Effect.promise(() => connect({ host, port, username: "noc", password: "noc" }))
      first.destroy()
      second.destroy()
      yield* Effect.flip(Effect.tryPromise(() => connect({ host, port, password: "$6$abc$def" })))
      expect(device.logins().map(({ accepted, user }) => [user, accepted])).toEqual([
        ["admin", true],
        ["noc", true],
        ["admin", false]
      ])
    })
  )

  it.effect("starts in user mode without exec authorization, and enable asks for the secret three times", () =>
    Effect.gen(function* () {
      const base = baseConfig("acc1", "10.9.1.1")
      const config = base.replace("aaa authorization exec default local", "enable secret 0 sesame")
      const { host, port } = yield* oneSwitch({ "startup-config": config, supervisor: "s1" })
      yield* Effect.promise(async () => {
        const shell = await openShell({ host, port })
        expect(shell.text()).toMatch(/acc1\(s1\)>$/)
        expect(await shell.ask("terminal width 511")).toBe("% Invalid input (privileged mode required)\n")
        shell.type("enable\n")
        await shell.until(/Password: $/)
        shell.type("no\n")
        await shell.until(/Password: $/)
        shell.type("no\n")
        await shell.until(/Password: $/)
        shell.type("no\n")
        expect(await shell.until(PROMPT)).toContain("% Bad secret\n")
        shell.type("enable\n")
        await shell.until(/Password: $/)
        shell.type("sesame\n")
        expect(await shell.until(PROMPT)).toMatch(/acc1\(s1\)#$/)
        shell.close()
      })
    })
  )

  it.effect("runs a single command without echo and prompt", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneSwitch()
      const answer = yield* Effect.promise(async () => {
        const client = await connect({ host, port })
        const text = await exec(client, "show hostname | json")
        client.destroy()
        return text
      })
      expect(JSON.parse(answer)).toEqual({ hostname: "acc1", fqdn: "acc1" })
    })
  )

  it.effect("shows the login banner before the login and the message of the day after it", () =>
    Effect.gen(function* () {
      const more = "banner login\nNo entry\nEOF\nbanner motd\nsale on socks #\nEOF\n"
      const { host, port } = yield* oneSwitch({ "startup-config": baseConfig("acc1", "10.9.1.1", more) })
      yield* Effect.promise(async () => {
        const banners: Array<string> = []
        const shell = await openShell({ host, port, onBanner: (text) => banners.push(text) })
        expect(banners.join("").trim()).toBe("No entry")
        await shell.ask("show hostname")
        expect(shell.text()).toMatch(/Last login: .*\r\nsale on socks #\r\nacc1#/)
        shell.close()
      })
    })
  )

  it.effect("ends the connection's shell at exit", () =>
    Effect.gen(function* () {
      const { shell, device } = yield* oneSwitch()
      const session = yield* shell
      yield* Effect.promise(async () => {
        const closed = new Promise((resolve) => session.channel.on("close", resolve))
        session.type("exit\n")
        await closed
        session.close()
        await session.closed
      })
      expect(device.power()).toBe("on")
    })
  )

  it.effect("accepts a connection and sends nothing, when so broken", () =>
    Effect.gen(function* () {
      const { host, port, device } = yield* oneSwitch()
      device.setFault({ kind: "silent", step: "connect", times: 1 })
      const error = yield* Effect.flip(Effect.tryPromise(() => connect({ host, port, readyTimeout: 200 })))
      expect(String(error.cause)).toContain("Timed out while waiting for handshake")
    })
  )
})
