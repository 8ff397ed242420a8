/** The answer of Find: one port, several, or none, and never a guess. */
import { describe, expect, it } from "@effect/vitest"
import { answerOf, type Found, type Hit } from "../../../../web/screens/find/answer.ts"

const MAC = "00:50:56:AA:12:07"
const machine = (hostname: string, port: string, last_seen: string, more: Partial<Hit> = {}): Hit => ({
  kind: "mac",
  hostname,
  port,
  vlan: 110,
  mac: MAC,
  ip: null,
  description: null,
  first_seen: "2026-03-01T12:00:00",
  last_seen,
  on_uplink: false,
  vlan_name: "STAFF",
  location: null,
  ...more
})
const tables = { devices: 3, read: 3, oldest: "2026-03-03T12:00:00", newest: "2026-03-03T12:00:05" }
const found = (...hits: ReadonlyArray<Hit>): Found => ({ hits, truncated: false, tables })

const here = machine("acc1", "Ethernet3", "2026-03-03T12:00:02")
const formerly = machine("acc2", "Ethernet9", "2026-03-02T08:00:00")
const way = machine("dist1", "Port-Channel1", "2026-03-03T12:00:01", { on_uplink: true })
const named = machine("acc3", "Ethernet1", "", { kind: "port", mac: null, last_seen: null, description: "room 12" })

describe("The answer of Find", () => {
  it("is the port where the machine is, with the way there and where it was before", () => {
    expect(answerOf(found(here, formerly, way))).toEqual({ is: "one", place: here, before: [formerly], way: [way] })
  })

  it("is a list if the newest readings of two switches have the machine", () => {
    const there = machine("acc2", "Ethernet9", "2026-03-03T12:00:04")
    expect(answerOf(found(here, there))).toEqual({ is: "several", places: [there, here] })
    expect(answerOf(found(here, there), "acc1 Ethernet3")).toMatchObject({ is: "one", place: here })
  })

  it("is the last known port of a machine that no switch has now", () => {
    expect(answerOf(found(formerly))).toMatchObject({ is: "one", place: formerly })
  })

  it("is a list for several machines", () => {
    expect(answerOf(found(here, { ...formerly, mac: "00:50:56:AA:12:08" }))).toMatchObject({ is: "several" })
  })

  it("is the port that was named in full, though other names begin with it", () => {
    const longer = { ...named, hostname: "acc30" }
    expect(answerOf(found(named, longer))).toMatchObject({ is: "several" })
    expect(answerOf(found(named, longer), "ACC3 ethernet1")).toMatchObject({ is: "one", place: named })
  })

  it("is the one port of a name, and nothing for switches and VLANs", () => {
    expect(answerOf(found(named))).toMatchObject({ is: "one", place: named })
    expect(answerOf(found({ ...named, kind: "device", port: null }))).toEqual({ is: "other" })
  })
})
