/** Every row of docs/provisioning.md#port-rules, and how port names unfold. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { configuredPorts, expandInterfaceRange, redundantLink } from "../../src/provisioning/Links.ts"
import { acc1, core1, dist1, owners } from "./Campus.ts"

describe("an interface range", () => {
  it.each([
    ["Ethernet1", ["Ethernet1"]],
    ["Ethernet[10-11]", ["Ethernet10", "Ethernet11"]],
    ["Ethernet[49-50]/1", ["Ethernet49/1", "Ethernet50/1"]],
    ["Ethernet[1-2]/[1-2]", ["Ethernet1/1", "Ethernet1/2", "Ethernet2/1", "Ethernet2/2"]],
    ["Ethernet[3]", ["Ethernet3"]],
    ["Ethernet[3-1]", []],
    ["Ethernet[01-03]", ["Ethernet1", "Ethernet2", "Ethernet3"]],
    ["Ethernet[a-b]", ["Ethernet[a-b]"]]
  ])("%s is %j", (range, names) => expect(expandInterfaceRange(range)).toEqual(names))

  it("has a bounded number of ports", () => {
    expect(expandInterfaceRange("Ethernet[1-99999999]/[1-99999999]").length).toBeLessThanOrEqual(4_096)
  })

  it("lets the last entry for a port win", () => {
    const ports = configuredPorts([
      { name: "Ethernet[1-2]", ifclass: "downlink" },
      { name: "Ethernet2", ifclass: "fabric" }
    ])
    expect([...ports].map(([name, { ifclass }]) => [name, ifclass])).toEqual([
      ["Ethernet1", "downlink"],
      ["Ethernet2", "fabric"]
    ])
  })
})

const fresh = (device_type: "ACCESS" | "DIST" | "CORE", ports: Parameters<typeof configuredPorts>[0] = []) => ({
  hostname: "new",
  device_type,
  ports: configuredPorts(ports)
})

const owner = (id: number) => {
  const found = owners.get(id)
  if (found === undefined) throw new Error(`no ports of ${id}`)
  return found
}

const uplink = [{ name: "Ethernet1", ifclass: "fabric" }]

const errors: ReadonlyArray<readonly [ReturnType<typeof fresh>, number, string, string]> = [
  [fresh("ACCESS"), dist1.id, "Ethernet20", "Peer device interface is not configured: dist-b2-1 Ethernet20"],
  [fresh("ACCESS"), core1.id, "Ethernet20", "Peer device interface is not configured: core1 Ethernet20"],
  [
    fresh("ACCESS"),
    dist1.id,
    "Ethernet49",
    "Peer device interface is not configured as downlink: dist-b2-1 Ethernet49 ifclass: fabric"
  ],
  [fresh("ACCESS"), acc1.id, "Ethernet9", "Peer device interface not found in database: acc-b2-01 Ethernet9"],
  [
    fresh("ACCESS"),
    acc1.id,
    "Ethernet1",
    "Peer device interface not configured as ACCESS_DOWNLINK: acc-b2-01 Ethernet1"
  ],
  [fresh("DIST"), core1.id, "Ethernet1", "Local device interface is not configured: new Ethernet1"],
  [fresh("DIST"), acc1.id, "Ethernet1", "Local device interface is not configured: new Ethernet1"],
  [
    fresh("DIST", [{ name: "Ethernet1", ifclass: "downlink" }]),
    core1.id,
    "Ethernet1",
    "Local device interface is not configured as fabric: new Ethernet1 ifclass: downlink"
  ],
  [
    fresh("CORE", uplink),
    dist1.id,
    "Ethernet1",
    "Peer device interface is not configured as fabric: dist-b2-1 Ethernet1 ifclass: downlink"
  ]
]

const fits: ReadonlyArray<readonly [string, ReturnType<typeof fresh>, number, string, boolean]> = [
  ["an access switch below a downlink", fresh("ACCESS"), dist1.id, "Ethernet1", true],
  ["an access switch below a downlink that needs no twin", fresh("ACCESS"), dist1.id, "Ethernet11", false],
  ["an access switch below another", fresh("ACCESS"), acc1.id, "Ethernet2", true],
  ["an access switch below another that needs no twin", fresh("ACCESS"), acc1.id, "Ethernet3", false],
  ["an access switch on an MLAG port", fresh("ACCESS"), acc1.id, "Ethernet4", true],
  ["a distribution switch below a core", fresh("DIST", uplink), core1.id, "Ethernet1", true],
  ["an access switch on a configured core port", fresh("ACCESS"), core1.id, "Ethernet1", true],
  ["a distribution switch above an access switch", fresh("DIST", uplink), acc1.id, "Ethernet1", true]
]

describe("a cable", () => {
  it.each(errors)("that is not permitted is refused with its sentence (%#)", (local, remote, port, message) => {
    expect(Result.getFailure(redundantLink(local, "Ethernet1", owner(remote), port))).toMatchObject({
      value: { _tag: "InterfaceError", message }
    })
  })

  it.each(fits)("may connect %s", (_name, local, remote, port, redundant) => {
    expect(redundantLink(local, "Ethernet1", owner(remote), port)).toEqual(Result.succeed(redundant))
  })
})
