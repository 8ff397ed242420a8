import { describe, expect, it } from "@effect/vitest"
import { comparable, firstDifference, serialDifference, WrongDevice } from "../../src/domain/DeviceIdentity.ts"
import { shownIn } from "../../src/drivers/frr/Facts.ts"

const shown = { serial: "JPE21370001", model: "CCS-720XP-48Y6-F", hostname: "lhv-acc1" }
const record = { hostname: "lhv-acc1", model: "CCS-720XP-48Y6-F" }

describe("a serial number", () => {
  it.each([
    ["the same", "JPE21370001", null],
    ["in other letters, with blanks", " jpe21370001 ", null],
    ["a record without one", null, null],
    ["a record of blanks", "  ", null],
    ["another one", "JPE99999999", "JPE99999999"]
  ])("%s", (_, serial, recorded) => {
    const found = serialDifference({ serial }, shown)
    expect(found).toEqual(recorded === null ? null : { fact: "serial", shown: "JPE21370001", recorded })
  })

  it("that is not shown differs from an empty one", () => {
    expect(serialDifference({ serial: "JPE1" }, { serial: null })).toBeNull()
    expect(serialDifference({ serial: "JPE1" }, { serial: " " })).toBeNull()
  })

  it("is compared as far as the record stores it", () => {
    expect(comparable("a".repeat(80))).toBe("A".repeat(64))
  })
})

describe("before the first push", () => {
  it.each([
    ["the name of the record", "lhv-acc1", undefined, null],
    ["in capitals", "LHV-ACC1", undefined, null],
    ["with its domain", "lhv-acc1.net.example.org", undefined, null],
    ["another name that begins like it", "lhv-acc10", undefined, "hostname"],
    ["the name that the candidate gives", "lhv-acc1-new", "vlan 7\nhostname lhv-acc1-new\n", null],
    ["the name that braces give", "lhv-acc1-new", "system {\n    host-name lhv-acc1-new;\n}\n", null],
    ["the name in quotes", "lhv-acc1-new", 'system {\n    host-name "lhv-acc1-new";\n}\n', null],
    ["the name that a set line gives", "lhv-acc1-new", "set system host-name lhv-acc1-new\n", null],
    ["the name that a group gives", "lhv-acc1-new", "set groups re0 system host-name lhv-acc1-new\n", null],
    ["no name in a comment", "localhost", "# host-name localhost;\n", "hostname"],
    ["a name of nobody", "localhost", "hostname lhv-acc1\n", "hostname"]
  ])("counts %s", (_, hostname, candidate, fact) => {
    expect(firstDifference(record, { ...shown, hostname }, candidate)?.fact ?? null).toBe(fact)
  })

  it("compares the model of a push if both sides have one", () => {
    const other = { ...record, model: "DCS-7050SX3-48YC8-F" }
    expect(firstDifference(other, shown, "hostname lhv-acc1")).toEqual({
      fact: "model",
      shown: "CCS-720XP-48Y6-F",
      recorded: "DCS-7050SX3-48YC8-F"
    })
    expect(firstDifference(other, shown)).toBeNull()
    expect(firstDifference(other, { ...shown, model: null }, "")).toBeNull()
    expect(firstDifference({ ...record, model: null }, shown, "")).toBeNull()
    expect(firstDifference(record, { serial: null, model: null, hostname: null }, "")).toBeNull()
  })
})

describe("the sentence of a wrong device", () => {
  const of = (more: Partial<ConstructorParameters<typeof WrongDevice>[0]>) =>
    new WrongDevice({
      hostname: "lhv-acc1",
      address: "10.196.16.6",
      fact: "serial",
      shown: "JPE2",
      recorded: "JPE1",
      other: null,
      ...more
    }).message

  it("names the shown value, its record and the next step", () => {
    expect(of({ other: "lhv-acc10" })).toBe(
      "lhv-acc1 at 10.196.16.6 shows serial JPE2, which is lhv-acc10; nothing was changed. Correct the address or the serial of lhv-acc1 or of lhv-acc10, or delete the record that is wrong"
    )
    expect(of({})).toBe(
      "lhv-acc1 at 10.196.16.6 shows serial JPE2, but its record has serial JPE1; nothing was changed. Correct the address or the serial of the record, or accept what the switch shows: POST /device/lhv-acc1/trust"
    )
    expect(of({ fact: "host key", shown: "SHA256:x", recorded: null, other: "lhv-acc10" })).toContain(
      "shows the host key SHA256:x, which is lhv-acc10; no credentials were sent"
    )
    expect(of({ fact: "hostname", shown: "sw", recorded: "lhv-acc1" })).toContain("shows hostname sw, not lhv-acc1;")
    expect(of({ fact: "hostname", shown: "lhv-acc2", recorded: "lhv-acc1", other: "lhv-acc2" })).toContain(
      "shows hostname lhv-acc2, which is another device;"
    )
  })
})

describe("the output of a Linux switch at the login", () => {
  const told = (serial: string) =>
    shownIn(`lldpcli\nidentity:r1\nidentity:r1.example.org\nidentity:x86_64\nidentity:${serial}\n`)

  it("contains it among other lines", () => {
    expect(told("XYZ123")).toEqual({ hostname: "r1", model: "x86_64", serial: "XYZ123" })
    expect(shownIn("lldpcli\n")).toEqual({ hostname: null, model: null, serial: null })
  })

  it.each(["", "0", "None", "Default string", "To be filled by O.E.M.", "System Serial Number", "Not Specified"])(
    "has no serial number: %j",
    (serial) => expect(told(serial).serial).toBeNull()
  )
})
