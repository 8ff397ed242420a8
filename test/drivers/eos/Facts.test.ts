import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { factsOf, shownIn, uptimeOf } from "../../../src/drivers/eos/Facts.ts"
import { makeOneSwitch } from "./OneSwitchLab.ts"

const shown = { interfaces: { Ethernet10: {}, Ethernet2: {}, "Ethernet2.100": {}, Management1: {} } }
const named = { hostname: "a", fqdn: "a.example.org" }
const version = { modelName: "CCS-720XP-48Y6-F", serialNumber: "WTW22190555", version: "4.31.4M", uptime: 91233.4 }

const read = (more: Readonly<Record<string, unknown>>, name: Readonly<Record<string, unknown>> = named) =>
  factsOf({ version: { ...version, ...more }, name, interfaces: shown }, 0)

describe("facts", () => {
  it("use the internal version, natural order and no subinterfaces", () => {
    expect(read({ internalVersion: "4.31.4M-36737551.4314M" })).toEqual({
      hostname: "a",
      fqdn: "a.example.org",
      vendor: "Arista",
      model: "CCS-720XP-48Y6-F",
      serial_number: "WTW22190555",
      os_version: "4.31.4M-36737551.4314M",
      uptime: 91233.4,
      interface_list: ["Ethernet2", "Ethernet10", "Management1"]
    })
  })

  it("derive the uptime from the boot time on old releases, and omit it if neither exists", () => {
    expect(uptimeOf({ bootupTimestamp: 1000 }, 1500)).toBe(500)
    expect(uptimeOf({ bootupTimeStamp: "1000.5" }, 1500)).toBe(499.5)
    expect(uptimeOf({}, 1500)).toBeNull()
  })

  it.each([
    ["a virtual switch without a number", { serialNumber: "" }, { serial_number: null }, "serialNumber"],
    ["a container that calls it not available", { serialNumber: "N/A" }, { serial_number: null }, "serialNumber"],
    ["a number that is none", { serialNumber: 12 }, { serial_number: null }, "serialNumber"],
    ["a model that is null", { modelName: null }, { model: null }, "modelName"],
    ["no uptime in any form", { uptime: "soon" }, { uptime: null }, "uptime"],
    ["no version", { version: " " }, { os_version: null }, "version"]
  ])("are null and remarked for %s", (_, more, expected, field) => {
    const facts = read(more)
    expect(facts).toMatchObject(expected)
    expect(facts.remarks).toEqual([`"show version" gives no ${field}`])
  })

  it("accept moved fields, and cut the suffix of an engineering build from the version", () => {
    expect(read({ serialNumber: undefined, serialNum: "S7" }).serial_number).toBe("S7")
    expect(read({ version: "4.35.0F-44178984.4350F (engineering build)" }).os_version).toBe("4.35.0F-44178984.4350F")
  })

  it("name the missing parts of other answers", () => {
    const facts = factsOf({ version, name: {}, interfaces: { errors: ["This is an unconverted command"] } }, 0)
    expect(facts).toMatchObject({ hostname: null, fqdn: null, interface_list: null })
    expect(facts.remarks).toEqual([
      '"show hostname" gives no hostname',
      '"show hostname" gives no fqdn',
      '"show interfaces" gives no interfaces'
    ])
  })

  const Odd = Schema.Literals(["as it is", "absent", "null", "empty", "number", "list", "object"])
  const spoil = (odd: typeof Odd.Type, value: unknown): unknown =>
    ({ "as it is": value, absent: undefined, null: null, empty: "", number: -1, list: [], object: {} })[odd]

  it.prop(
    "keep the existing values, whatever the other fields contain",
    { modelName: Odd, serialNumber: Odd, version: Odd, uptime: Odd, hostname: Odd },
    (odd) => {
      const spoilt = Object.fromEntries(
        Object.entries(version).map(([key, value]) => [key, spoil(odd[key as keyof typeof version], value)])
      )
      const facts = factsOf({ version: spoilt, name: { hostname: spoil(odd.hostname, "a") }, interfaces: shown }, 0)
      for (const [found, how, value] of [
        [facts.model, odd.modelName, version.modelName],
        [facts.serial_number, odd.serialNumber, version.serialNumber],
        [facts.os_version, odd.version, version.version],
        [facts.hostname, odd.hostname, "a"]
      ]) {
        expect(found).toBe(how === "as it is" ? value : null)
      }
      expect(facts.uptime).toBe(odd.uptime === "as it is" ? version.uptime : odd.uptime === "number" ? -1 : null)
    }
  )

  it.live("report an answer without model and version as not understood", () =>
    Effect.gen(function* () {
      const quirks = { absentKeys: ["modelName", "version", "internalVersion"] }
      const { driver, target } = yield* makeOneSwitch({ quirks })
      const session = yield* driver.open(target)
      expect(yield* Effect.flip(session.facts)).toMatchObject({ _tag: "UnexpectedAnswer", command: "show version" })
    }).pipe(Effect.scoped)
  )

  it.live("of a switch that lacks what virtual ones lack are read", () =>
    Effect.gen(function* () {
      const quirks = {
        absentKeys: ["serialNumber", "systemMacAddress", "uptime", "bootupTimestamp", "internalVersion"]
      }
      const { driver, target } = yield* makeOneSwitch({ quirks, version: "4.34.1F", model: "cEOSLab" })
      const session = yield* driver.open(target)
      expect(yield* session.facts).toMatchObject({
        model: "cEOSLab",
        serial_number: null,
        os_version: "4.34.1F",
        uptime: null,
        remarks: ['"show version" gives no serialNumber', '"show version" gives no uptime']
      })
    }).pipe(Effect.scoped)
  )
})

describe("the output of a switch at the login", () => {
  it("is understood with missing lines, and nothing is invented", () => {
    const answer = '{\n    "modelName": "CCS-720XP-48Y6-F",\n    "serialNum": "WTW22190555",\n    "memFree": 12'
    const model = "CCS-720XP-48Y6-F"
    expect(shownIn([answer])).toEqual({ serial: "WTW22190555", model, hostname: null })
    expect(shownIn([answer, '{"hostname": "a\\"b"}'])).toEqual({ serial: "WTW22190555", model, hostname: 'a"b' })
    expect(shownIn(["% Invalid input", ""])).toEqual({ serial: null, model: null, hostname: null })
    expect(shownIn(['"serialNumber": "N/A"'])).toEqual({ serial: null, model: null, hostname: null })
    expect(shownIn([])).toEqual({ serial: null, model: null, hostname: null })
  })

  it.live("costs no further packet", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch()
      const writes = Effect.fnUntraced(function* (identify: "serial" | "serial and name" | null) {
        let count = 0
        const isFresh = () => {
          count += 1
          return true
        }
        const claim = { isFresh, ask: Effect.succeed(null) }
        const { shown } = yield* driver.open({ ...target, claim, ...(identify !== null && { identify }) })
        return { count, shown }
      }, Effect.scoped)
      const { model, serial } = device.hardware()
      const without = yield* writes(null)
      expect(without.shown).toEqual({ serial: null, model: null, hostname: null })
      expect(yield* writes("serial")).toEqual({ count: without.count, shown: { serial, model, hostname: null } })
      const hostname = device.hostname()
      expect(yield* writes("serial and name")).toEqual({ count: without.count, shown: { serial, model, hostname } })
    }).pipe(Effect.scoped)
  )
})
