import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { baseConfig, candidate, makeOneSwitch, name } from "./OneSwitchLab.ts"

const change = candidate("interface Ethernet2", "   description desk #2 >")

const prompts = {
  brackets: "[%H]",
  "a clock": "[%D] %H",
  "a clock without brackets": "%D %H",
  "stars and percent signs": "*** %H 100%% ***",
  "commas and other letters": "Zürich, Gebäude Ø, %H ✓ ",
  "parentheses and a plus": "(a+b)* %H?"
}

describe("a switch with another prompt", () => {
  for (const [what, prompt] of Object.entries(prompts)) {
    it.live(`that has ${what} is read and changed`, () =>
      Effect.gen(function* () {
        const { device, driver, target } = yield* makeOneSwitch({ quirks: { prompt } })
        const session = yield* driver.open(target)
        expect(yield* session.runningConfig).toBe(device.running())
        const { diff } = yield* session.load({ text: change, mode: "replace", name: "job412" })
        expect(diff).toContain("+   description desk #2 >")
        yield* session.commit("job412")
        expect(device.running()).toContain("description desk #2 >")
      }).pipe(Effect.scoped)
    )
  }

  it.live("shows lists and names of any characters in the prompt of a section", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const text = candidate("vlan 401,402,405-407", "   name many", "route-map a=b~c,d permit 10", "   description x")
      const { diff } = yield* session.load({ text, mode: "replace", name: "job412" })
      expect(diff).toContain("+vlan 401,402,405-407")
      expect(diff).toContain("+route-map a=b~c,d permit 10")
    }).pipe(Effect.scoped)
  )

  it.live("may be renamed while we are logged in", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch({ quirks: { prompt: "<%H, %D>" } })
      const session = yield* driver.open(target)
      const text = change.replace(`hostname ${name}`, "hostname acc-b2-02")
      yield* session.load({ text, mode: "replace", name: "job412" })
      yield* session.commit("job412")
      expect((yield* session.facts).hostname).toBe("acc-b2-02")
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )

  it.live("may have a name of more than 63 characters", () =>
    Effect.gen(function* () {
      const long = `acc-${"b2-".repeat(40)}01`
      const startup = baseConfig.replace(`hostname ${name}`, `hostname ${long}`)
      const { device, driver, target } = yield* makeOneSwitch({}, startup)
      const session = yield* driver.open(target)
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )

  it.live("is recognised through escape codes and odd chunks, without enable rights at first", () =>
    Effect.gen(function* () {
      const startup = baseConfig.replace("aaa authorization exec default local\n", "")
      const { device, driver, target } = yield* makeOneSwitch({ quirks: { prompt: "[%D] %H*" } }, startup)
      for (const kind of ["ansi", "chunks"] as const) device.setFault({ kind })
      const session = yield* driver.open(target)
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )
})
