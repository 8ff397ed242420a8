import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { candidate, makeOneSwitch } from "./OneSwitchLab.ts"

const ports = Array.from({ length: 60 }, (_, index) => [`interface Ethernet${index + 2}`, "   description --More-- "])

describe("a switch that pages in spite of the command", () => {
  it.live("is read completely and changed, and the answers contain nothing of the pager", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch({ quirks: { pages: true }, ports: 80 })
      const session = yield* driver.open(target)
      expect((yield* session.facts).interface_list?.length).toBeGreaterThan(60)
      const { diff } = yield* session.load({ text: candidate(...ports.flat()), mode: "replace", name: "job412" })
      expect(diff.split("\n").filter((line) => line.startsWith("+interface")).length).toBe(ports.length)
      expect(diff).not.toMatch(/^--More--/m)
      yield* session.commit("job412")
      expect(yield* session.runningConfig).toBe(device.running())
      expect(device.running()).toContain("description --More--")
      device.setFault({ kind: "chunks" })
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )
})
