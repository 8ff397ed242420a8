import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import type { JumpHost } from "../../../src/drivers/Driver.ts"
import { sshServer } from "../../support/SshServer.ts"
import { makeOneSwitch } from "../eos/OneSwitchLab.ts"

/** A switch of the lab that is reached through a gate at 127.0.0.1 only. */
const behindGate = Effect.gen(function* () {
  const { device, lab, makeDriver, target } = yield* makeOneSwitch()
  const asked: Array<string> = []
  const gate = yield* sshServer({
    authenticate: (context) =>
      context.method === "password" && context.username === "hop" && context.password === "over"
        ? context.accept()
        : context.reject(["password"]),
    forward: (host) => {
      asked.push(host)
      return { host: host.replace(/^10\./, "127."), port: lab.port }
    }
  })
  const jumpHost: JumpHost = {
    host: "127.0.0.1",
    port: gate.port,
    username: "hop",
    password: Redacted.make("over"),
    hostKey: gate.hostKey,
    algorithms: "modern"
  }
  const driver = yield* makeDriver({ addressMap: [] })
  return { asked, device, driver, gate, jumpHost, target }
})

describe("a switch behind a jump host", () => {
  it.live("is reached through it, and both connections end together", () =>
    Effect.gen(function* () {
      const { asked, device, driver, gate, jumpHost, target } = yield* behindGate
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* driver.open({ ...target, jumpHost })
          expect(yield* session.runningConfig).toBe(device.running())
          expect(asked).toEqual([target.address])
        })
      )
      yield* Effect.suspend(() => (gate.open() === 0 ? Effect.void : Effect.fail("open"))).pipe(
        Effect.retry({ while: () => true, schedule: Schedule.spaced("10 millis") })
      )
    }).pipe(Effect.scoped)
  )

  it.live("is not reached when the gate shows another key, and no password is sent", () =>
    Effect.gen(function* () {
      const { driver, gate, jumpHost, target } = yield* behindGate
      const other = `SHA256:${"A".repeat(43)}`
      const error = yield* Effect.flip(driver.open({ ...target, jumpHost: { ...jumpHost, hostKey: other } }))
      expect(error).toMatchObject({
        _tag: "ConnectionException",
        whileDoing: "jump host",
        message: `the jump host 127.0.0.1 shows the host key ${gate.hostKey}, and the settings say ${other}; no password was sent`
      })
    }).pipe(Effect.scoped)
  )

  it.live("is not reached when the gate refuses the login, which is not a refusal of the switch", () =>
    Effect.gen(function* () {
      const { device, driver, gate, jumpHost, target } = yield* behindGate
      const wrong = { ...jumpHost, password: Redacted.make("under") }
      const error = yield* Effect.flip(driver.open({ ...target, jumpHost: wrong }))
      expect(error).toMatchObject({
        _tag: "ConnectionException",
        message: expect.stringMatching(/^the jump host 127\.0\.0\.1 refuses the login of hop: /)
      })
      expect(error.message).not.toContain("under")
      expect(gate.connections()).toBe(1)
      expect(device.logins()).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("reports the unreachable target behind the gate", () =>
    Effect.gen(function* () {
      const { driver, jumpHost, target } = yield* behindGate
      const error = yield* Effect.flip(driver.open({ ...target, address: "10.66.0.99", jumpHost }))
      expect(error.message).toMatch(/^the jump host 127\.0\.0\.1 does not connect to 10\.66\.0\.99 port \d+: /)
    }).pipe(Effect.scoped)
  )
})
