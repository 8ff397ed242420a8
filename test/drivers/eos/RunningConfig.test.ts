import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { stableText } from "../../../src/drivers/eos/RunningConfig.ts"
import { configHashOf } from "../../../src/drivers/DriverDefinition.ts"
import { makeOneSwitch } from "./OneSwitchLab.ts"

const configHash = configHashOf(stableText)

describe("the hash of a configuration", () => {
  const body = "!\nhostname a\n!\nend\n"
  it("ignores header lines, line ends and blank lines at the end", () => {
    const header = "! Command: show running-config\n! device: a (X, EOS-4.31.4M)\n! Time: Tue Mar  4\n"
    expect(configHash(header + body)).toBe(configHash(body))
    expect(configHash(body.replaceAll("\n", "\r\n"))).toBe(configHash(body))
    expect(configHash(`${body}\n\n`)).toBe(configHash(body))
    expect(configHash(body)).toMatch(/^[0-9a-f]{64}$/)
  })

  it("depends on every line of the configuration, comments too", () => {
    expect(configHash(body.replace("hostname a", "hostname b"))).not.toBe(configHash(body))
    expect(configHash(`! boot system flash:/x.swi\n${body}`)).not.toBe(configHash(body))
  })
})

describe("a release that prints no `end`", () => {
  const bare = { quirks: { bareConfig: true } } as const

  it.live("gives its running configuration, in this session and in the next ones", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch(bare)
      const running = device.running()
      expect(running).not.toMatch(/^(?:! Command|end)/m)
      for (let count = 0; count < 2; count++) {
        const session = yield* driver.open(target)
        expect(yield* session.runningConfig).toBe(running)
        expect(yield* session.runningConfig).toBe(running)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not believed when a part of it is missing", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch(bare)
      const session = yield* driver.open(target)
      yield* session.runningConfig
      device.setFault({ kind: "truncate", step: "showRunning", lines: 8, times: 1 })
      expect(yield* Effect.flip(session.runningConfig)).toMatchObject({ _tag: "UnexpectedAnswer" })
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )

  it.live("is not believed when its output is no configuration", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch(bare)
      device.setFault({ kind: "truncate", step: "showRunning", lines: 1 })
      const session = yield* driver.open(target)
      expect(yield* Effect.flip(session.runningConfig)).toMatchObject({ _tag: "UnexpectedAnswer" })
    }).pipe(Effect.scoped)
  )
})
