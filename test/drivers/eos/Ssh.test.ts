import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sshServer } from "../../support/SshServer.ts"
import { makeOneSwitch } from "./OneSwitchLab.ts"

describe("a switch with old algorithms", () => {
  it.live("is refused by the profile modern, in a sentence that says how to allow it", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch({ quirks: { ssh: "group14sha1" } })
      const error = yield* Effect.flip(driver.open(target))
      expect(error._tag).toBe("ConnectionException")
      expect(error.message).toBe(
        "the switch offers no key exchange algorithm of the profile modern, but diffie-hellman-group14-sha1; allow it with the setting ssh: {algorithms: legacy} of the device or its group"
      )
    }).pipe(Effect.scoped)
  )

  it.live("is logged in to with the profile legacy", () =>
    Effect.gen(function* () {
      for (const ssh of ["group14sha1", "cbc"] as const) {
        const { device, driver, target } = yield* makeOneSwitch({ quirks: { ssh } })
        const session = yield* driver.open({ ...target, algorithms: "legacy" })
        expect(yield* session.runningConfig).toBe(device.running())
      }
    }).pipe(Effect.scoped)
  )

  it.live("without other ciphers is refused by their names", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch({ quirks: { ssh: "cbc" } })
      const { message } = yield* Effect.flip(driver.open(target))
      expect(message).toContain(
        "no cipher algorithm of the profile modern, but aes128-cbc, aes256-cbc, 3des-cbc; allow it"
      )
    }).pipe(Effect.scoped)
  )
})

describe("a switch that closes connections during the handshake", () => {
  it.live("is tried again", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch({ quirks: { closesEarly: 2 } })
      expect((yield* driver.open(target)).hostKey).toMatch(/^SHA256:/)
      expect((yield* driver.open(target)).hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("is given up after four tries, before any password was given", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch({ quirks: { closesEarly: 100 } })
      const error = yield* Effect.flip(driver.open(target))
      expect(error).toMatchObject({
        _tag: "ConnectionException",
        message: expect.stringMatching(/^the switch closed the connection before the login: /)
      })
      expect(device.logins()).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is tried again when it closes before the password is sent", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch()
      device.setFault({ kind: "cut", step: "login", times: 1 })
      expect((yield* driver.open(target)).hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("is not tried again after the password was sent", () =>
    Effect.gen(function* () {
      const { makeDriver, target } = yield* makeOneSwitch()
      const server = yield* sshServer({
        authenticate: (context, connection) =>
          context.method === "none" ? context.reject(["password"]) : void connection.end()
      })
      const driver = yield* makeDriver({ port: server.port, addressMap: [] })
      const error = yield* Effect.flip(driver.open({ ...target, address: "127.0.0.1" }))
      expect(error).toMatchObject({
        _tag: "ConnectionException",
        whileDoing: "login",
        message: expect.stringContaining("after it was given the password")
      })
      expect(server.connections()).toBe(1)
    }).pipe(Effect.scoped)
  )
})
