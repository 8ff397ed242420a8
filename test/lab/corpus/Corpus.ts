/**
 * A hundred configurations in the style of public design examples, all of our own making: leaves, spines, border leaves, access,
 * distribution, core, management networks, and switches with a task of their own. Each is written as the switch prints it.
 */
import { access, distribution, outOfBand } from "./Campus.ts"
import { type Box, houses } from "./Houses.ts"
import { leaf, type LeafDesign } from "./Leaves.ts"
import { each, type Part, textOf } from "./Part.ts"
import { specials } from "./Specials.ts"
import { spine } from "./Spines.ts"

export interface Example {
  readonly name: string
  /** The hardware that has the ports. */
  readonly model: string
  readonly text: string
}

const LEAF = "DCS-7050SX3-48YC8-F"

interface Design {
  readonly name: string
  readonly model: string
  readonly parts: ReadonlyArray<Part>
  readonly management: Pick<Box, "management" | "vrf">
}

const OUT_OF_BAND = { management: "Management1", vrf: "MGMT" } as const
const IN_BAND = { management: "Loopback0", vrf: undefined } as const

const underlays = ["bgp", "ospf", "isis", "unnumbered"] as const
const overlays = ["symmetric", "bridged", "bundles", "asymmetric", "none"] as const
const pairs = ["mlag", "segments", "alone"] as const

/** Forty leaves: no two have the same underlay, overlay, pairing and size. */
const leaves = each(40, (index): Design => {
  const design: LeafDesign = {
    number: index + 1,
    underlay: underlays[index % underlays.length] ?? "bgp",
    overlay: overlays[index % overlays.length] ?? "none",
    pair: pairs[index % pairs.length] ?? "alone",
    tenants: index === 23 ? 4 : (index % 3) + 1,
    vlansOfTenant: 4 - (index % 3),
    hosts: 8 + (index % 7) * 3,
    uplinks: 2 + (index % 3),
    multicast: index % 6 === 2,
    qos: index % 5 === 1,
    border: index % 8 === 3
  }
  const kind = design.border === true ? "border" : "leaf"
  return {
    name: `${kind}-${design.underlay}-${design.overlay}-${design.pair}-${index}`,
    model: LEAF,
    parts: leaf(design),
    management: OUT_OF_BAND
  }
})

const spineUnderlays = ["bgp", "ospf", "isis"] as const

const spines = each(12, (index): Design => {
  const underlay = spineUnderlays[index % spineUnderlays.length] ?? "bgp"
  const serves = index % 4 !== 2
  return {
    name: `${serves ? "reflector" : "spine"}-${underlay}-${index}`,
    model: "DCS-7050CX3-32S-F",
    parts: spine(index + 1, 6 + index * 2, underlay, serves),
    management: OUT_OF_BAND
  }
})

const accessModels = [
  ["CCS-720XP-48Y6-F", 48, ["Ethernet49", "Ethernet50"], true],
  ["CCS-720XP-24ZY4-F", 24, ["Ethernet25"], true],
  ["CCS-720XP-48ZC2-F", 44, ["Ethernet49/1", "Ethernet50/1"], true],
  ["cEOSLab", 32, ["Ethernet63", "Ethernet64"], false]
] as const

const accesses = each(26, (index): Design => {
  const [model, ports, uplinks, power] = accessModels[index % accessModels.length] ?? accessModels[0]
  const number = index + 1
  return {
    name: `access-${power ? "powered" : "plain"}-${index}`,
    model,
    parts: access({
      number,
      ports: Math.min(ports - (index % 5), index % 3 === 1 ? 32 : 15),
      uplinks,
      power,
      secured: index % 3 !== 1,
      voice: index % 2 === 0,
      guard: index % 5 < 2,
      list: index % 4 === 3 ? 80 + index : index % 2 === 1 ? 12 : 0,
      quality: index % 3 === 0
    }),
    management: { management: "Vlan600", vrf: undefined }
  }
})

const routings = ["ospf", "bgp", "isis"] as const

const distributions = each(13, (index): Design => {
  const routing = routings[index % routings.length] ?? "ospf"
  return {
    name: `${index % 4 === 3 ? "core" : "distribution"}-${routing}-${index}`,
    model: LEAF,
    parts: distribution({
      number: index + 1,
      vrfs: ["default", "CAMPUS", "VOICE", "IOT"].slice(0, 1 + (index % 4)),
      access: 4 + index,
      routing,
      pair: index % 2 === 0,
      multicast: index % 3 === 1,
      sixth: index % 2 === 1,
      pbr: index % 4 === 2
    }),
    management: IN_BAND
  }
})

const managements = each(3, (index): Design => ({
  name: `management-${index}`,
  model: "cEOSLab",
  parts: outOfBand(index + 1, 20 + index * 12),
  management: { management: "Vlan9", vrf: undefined }
}))

const tasks = specials.map(([name, model, parts]): Design => ({ name, model, parts, management: IN_BAND }))

/** The corpus. */
export const corpus: ReadonlyArray<Example> = [
  ...leaves,
  ...spines,
  ...accesses,
  ...distributions,
  ...managements,
  ...tasks
].map(({ management, model, name, parts }, number) => {
  const house = houses[number % houses.length]
  const box = { name: `sw-${name}`, number, ...management }
  return { name, model, text: textOf([...(house?.(box) ?? []), ...parts]) }
})
