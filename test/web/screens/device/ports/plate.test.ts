/** What the ports of a switch show on its front, and where the arrow keys lead. */
import { describe, expect, it } from "@effect/vitest"
import type { StoredPort } from "../../../../../web/screens/device/ports/edits.ts"
import {
  blocksOf,
  keyOf,
  layersIn,
  neighbourOf,
  type PortReading,
  shownOf,
  stateOf
} from "../../../../../web/screens/device/ports/plate.ts"

const port = (name: string, vlan?: string, more: Readonly<Record<string, unknown>> = {}): StoredPort => ({
  name,
  configtype: vlan === undefined ? "ACCESS_AUTO" : "ACCESS_UNTAGGED",
  data: { ...(vlan === undefined ? {} : { untagged_vlan: vlan }), ...more }
})
const uplink: StoredPort = { name: "Ethernet27", configtype: "ACCESS_UPLINK", data: null }
const reading = (more: Partial<PortReading> = {}): PortReading => ({
  is_up: true,
  is_enabled: true,
  description: "",
  last_flapped: -1,
  mtu: 1500,
  speed: 1000,
  mac_address: "",
  errors: { in: 0, out: 0, in_discards: 0, out_discards: 0 },
  ...more
})
const VLANS = ["STAFF", "PRINTER"]
const many = (count: number) => Array.from({ length: count }, (_, index) => port(`Ethernet${index + 1}`))

describe("A port on the front of a switch", () => {
  it.each([
    [
      "vlan",
      port("Ethernet1", "PRINTER"),
      reading(),
      { entry: "PRINTER", colour: "vlan-2", fill: "filled", mark: null }
    ],
    ["vlan", port("Ethernet1", "OLD"), reading(), { entry: "OLD", colour: "fill-quiet" }],
    ["vlan", port("Ethernet1", "STAFF"), reading({ is_up: false }), { entry: "STAFF", fill: "hollow" }],
    ["vlan", port("Ethernet1"), undefined, { entry: "sign-in decides", fill: "filled" }],
    ["vlan", port("Ethernet1", "STAFF", { enabled: false }), undefined, { entry: "off", fill: "striped", mark: "off" }],
    ["speed", port("Ethernet1"), reading({ speed: 100 }), { entry: "100\u00a0Mb/s", colour: "fill-warn" }],
    ["speed", port("Ethernet1"), reading({ is_up: false }), { entry: "nothing connected", fill: "hollow" }],
    ["speed", port("Ethernet1"), reading({ speed: null }), { entry: "not known" }],
    ["errors", port("Ethernet1"), reading(), { entry: "no errors", mark: null }],
    [
      "errors",
      port("Ethernet1"),
      reading({ errors: { in: 3, out: 1, in_discards: 0, out_discards: 0 } }),
      { entry: "errors", mark: "errors" }
    ],
    ["errors", port("Ethernet1"), undefined, { entry: "not read" }]
  ] as const)("in the layer %s", (layer, stored, read, shown) => {
    expect(shownOf(layer, stored, read, VLANS)).toMatchObject(shown)
  })

  it.each([
    [undefined, "Not read"],
    [reading(), "Up"],
    [reading({ is_up: false }), "Nothing connected"],
    [reading({ is_up: null }), "Not known"],
    [reading({ is_enabled: false }), "Off"]
  ] as const)("has its state in words", (read, words) => {
    expect(stateOf(port("Ethernet1"), read)).toBe(words)
  })

  it("stands in blocks of twelve, with the ports between switches apart", () => {
    const blocks = blocksOf([...many(26), uplink])
    expect(blocks.map((block) => block.length)).toEqual([12, 12, 2, 1])
    expect(blocks.at(-1)?.[0]?.name).toBe("Ethernet27")
  })

  it.each([
    ["Ethernet1", "ArrowRight", "Ethernet3"],
    ["Ethernet2", "ArrowRight", "Ethernet4"],
    ["Ethernet11", "ArrowRight", "Ethernet13"],
    ["Ethernet1", "ArrowDown", "Ethernet2"],
    ["Ethernet2", "ArrowUp", "Ethernet1"],
    ["Ethernet1", "ArrowLeft", undefined],
    ["Ethernet5", "End", "Ethernet27"],
    ["Ethernet26", "ArrowRight", "Ethernet27"],
    ["Ethernet27", "ArrowDown", "Ethernet27"]
  ] as const)("leads from %s by %s to %s", (from, key, to) => {
    expect(neighbourOf(blocksOf([...many(26), uplink]), from, key)).toBe(to)
  })

  it("is counted in the key, and a layer without readings is not offered", () => {
    const shown = [port("a", "STAFF"), port("b", "STAFF"), port("c")].map((one) =>
      shownOf("vlan", one, reading(), VLANS)
    )
    expect(keyOf(shown).map(({ count, entry }) => [entry, count])).toEqual([
      ["STAFF", 2],
      ["sign-in decides", 1]
    ])
    const { errors: _, ...uncounted } = reading()
    expect(layersIn({ a: uncounted })).toEqual(["vlan", "speed"])
    expect(layersIn(undefined)).toEqual(["vlan"])
  })
})
