/** The output of a switch while a candidate is loaded: refusals in any words, known remarks, and all others. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { judge } from "../../../src/drivers/ssh/Dialect.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"
import { candidate, makeOneSwitch } from "./OneSwitchLab.ts"

describe("the answer to a line", () => {
  it.each([
    "% Invalid input (at token 1: 'x')",
    "Error: interface is a member",
    "%Error this is not taken",
    "Authorization denied for this command",
    "command authorization FAILED",
    "Incomplete command.",
    "Unknown keyword",
    "this is Not Supported on this platform"
  ])("is a refusal: %s", (text) => expect(judge(dialect, text)).toBe("refusal"))

  it.each([
    "% Info: two agents are restarted",
    "% WARNING: takes effect later",
    "Enter TEXT. Type 'EOF' on its own line"
  ])("is known: %s", (text) => expect(judge(dialect, text)).toBe("known"))

  it.each(["! VLAN id 1040 not found in current VLAN configuration", "Ports of this group share one clock"])(
    "is a remark: %s",
    (text) => expect(judge(dialect, text)).toBe("unknown")
  )
})

describe("loading", () => {
  it.live.each(["error", "percentError", "denied"] as const)("names the line that is refused as %s", (refusal) =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch({ quirks: { refusal } })
      const text = candidate("interface Ethernet999")
      for (const windowBytes of [1, 3584]) {
        const session = yield* driver.open({ ...target, windowBytes })
        const error = yield* Effect.flip(session.load({ text, mode: "replace", name: "job412" }))
        expect(error).toMatchObject({
          _tag: "ReplaceConfigException",
          rejected: [
            { lineNumber: text.split("\n").indexOf("interface Ethernet999") + 1, line: "interface Ethernet999" }
          ]
        })
      }
    }).pipe(Effect.scoped)
  )

  it.live("treats a line that the site lists as harmless as information, during a load and at the commit", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const said = "% Licence check failed, grace period"
      const remarks = [{ line: /^% Licence check/, meaning: "a licence is missing" }]
      const text = candidate("vlan 20")
      device.setFault({ kind: "reject", pattern: "^spanning-tree mode", message: said })
      device.setFault({ kind: "error", step: "commit", message: said, times: 1 })
      const load = (session: DriverSession) =>
        session.load({ text: `${text}spanning-tree mode rapid-pvst\n`, mode: "replace", name: "job412" })
      const strict = yield* driver.open(target)
      expect((yield* Effect.flip(load(strict)))._tag).toBe("ReplaceConfigException")
      const session = yield* driver.open({ ...target, remarks })
      expect((yield* load(session)).remarks).toEqual([])
      yield* session.commit("job412")
    }).pipe(Effect.scoped)
  )

  it.live("treats the output of a chatty switch as no refusal, and reports unknown lines", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch({ quirks: { chatty: true } })
      const session = yield* driver.open(target)
      const ports = Array.from({ length: 30 }, (_, at) => [
        `interface Ethernet${at + 3}`,
        "   description Error: denied"
      ])
      const { diff, remarks } = yield* session.load({
        text: candidate(...ports.flat()),
        mode: "replace",
        name: "job412"
      })
      expect(diff).toContain("+   description Error: denied")
      expect(new Set(remarks.map(({ answer }) => answer))).toEqual(
        new Set(["! Change takes effect with the next restart of the agent", "Ports of this group share one clock"])
      )
      expect(remarks.every(({ line, lineNumber }) => line !== "" && (lineNumber ?? 0) > 0)).toBe(true)
      yield* session.commit("job412")
      yield* session.save
      expect(device.running()).toContain("interface Ethernet32")
    }).pipe(Effect.scoped)
  )
})

describe("a command that reads a text", () => {
  const functions = ["control-functions", "   code unit one", "function f() {", "  ! not a comment", "}", "EOF"]
  const handler = ["event-handler e", "   action bash", "   echo 'Error: denied'", "   EOF", "   trigger on-boot"]

  it.live("gets the text that follows it, known or not, and the second load finds no difference", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const text = candidate(
        "interface Ethernet2",
        ...functions,
        ...handler,
        "interface Ethernet3",
        "   description last"
      )
      for (const windowBytes of [1, 3584]) {
        const session = yield* driver.open({ ...target, windowBytes })
        const name = `job4${windowBytes}`
        yield* session.load({ text, mode: "replace", name })
        yield* session.commit(name)
        expect(device.running()).toContain("   code unit one\nfunction f() {\n  ! not a comment\n}\nEOF\n")
        expect(device.running()).toContain("description last")
        const again = yield* session.load({ text, mode: "replace", name: "job413", inParts: true })
        expect(again).toEqual({ diff: "", willRun: null, remarks: [] })
        yield* session.discard("job413")
      }
    }).pipe(Effect.scoped)
  )

  it.live("is named when its text has no end", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      for (const lines of [functions.slice(0, -1), handler.filter((line) => line.trim() !== "EOF")]) {
        const text = candidate(...lines)
        const error = yield* Effect.flip(session.load({ text, mode: "replace", name: "job412" }))
        const opener = lines[1] ?? ""
        expect(error).toMatchObject({
          _tag: "ReplaceConfigException",
          rejected: [{ lineNumber: text.split("\n").indexOf(opener) + 1, line: opener }]
        })
        expect(error.message).toContain(`no line EOF ends the text of "${opener.trim()}"`)
      }
      expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )
})
