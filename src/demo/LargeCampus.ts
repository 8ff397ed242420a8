/**
 * The large campus of the demo: 308 simulated switches in three buildings, all managed and in sync before anybody looks. Each
 * building has a pair of distribution switches with 100 access switches below them; two core switches connect the buildings.
 */
import { Effect } from "effect"
import type { Node, Topology } from "../lab/Topology.ts"
import type { DemoApi } from "./DemoApi.ts"
import * as Campus from "./DemoCampus.ts"

/** A building: the letter in its hostnames, its group, and the third octets and the VLAN of its management. */
interface Building {
  readonly letter: string
  readonly group: string
  readonly octet: number
  readonly vlan: number
}

const BUILDINGS: ReadonlyArray<Building> = [
  { letter: "n", group: "NORTH", octet: 16, vlan: 3016 },
  { letter: "e", group: "EAST", octet: 17, vlan: 3017 },
  { letter: "s", group: "SOUTH", octet: 18, vlan: 3018 }
]

const ACCESS_EACH = 100
const CORES = ["lhv-core1", "lhv-core2"] as const
const UPLINKS = [27, 28] as const
/** The first of two ports of a distribution switch that lead to the cores; below are the access switches. */
const CORE_PORT = 121

const ACCESS_MODEL = "CCS-720XP-24ZY4-F"
const DIST_MODEL = "DCS-7304-F"
const CORE_MODEL = "DCS-7050CX3-32S-F"

interface Planned {
  readonly hostname: string
  readonly type: "ACCESS" | "DIST" | "CORE"
  readonly address: string
  readonly model: string
  readonly building: Building | undefined
}

const distributions = (building: Building): ReadonlyArray<Planned> =>
  [1, 2].map((side) => ({
    hostname: `lhv-${building.letter}-dist${side}`,
    type: "DIST",
    address: `10.199.3.${building.octet}${side}`,
    model: DIST_MODEL,
    building
  }))

const accessSwitches = (building: Building): ReadonlyArray<Planned> =>
  Array.from({ length: ACCESS_EACH }, (_, index) => ({
    hostname: `lhv-${building.letter}-acc${index + 1}`,
    type: "ACCESS",
    address: `10.196.${building.octet}.${index + 11}`,
    model: ACCESS_MODEL,
    building
  }))

const fabric: ReadonlyArray<Planned> = [
  ...CORES.map((hostname, index) => ({
    hostname,
    type: "CORE" as const,
    address: `10.199.3.${index + 1}`,
    model: CORE_MODEL,
    building: undefined
  })),
  ...BUILDINGS.flatMap(distributions)
]

const planned: ReadonlyArray<Planned> = [...fabric, ...BUILDINGS.flatMap(accessSwitches)]

/** The two ends of each cable, `hostname` and port. */
type Cable = readonly [readonly [string, string], readonly [string, string]]

const cablesOf = ({ letter }: Building): ReadonlyArray<Cable> =>
  [1, 2].flatMap((side): ReadonlyArray<Cable> => {
    const dist = `lhv-${letter}-dist${side}`
    const toCores = CORES.map((core, index): Cable => {
      const port = BUILDINGS.findIndex((one) => one.letter === letter) * 2 + side
      return [
        [dist, `Ethernet${CORE_PORT + index}`],
        [core, `Ethernet${port}/1`]
      ]
    })
    const toAccess = Array.from({ length: ACCESS_EACH }, (_, index): Cable => [
      [`lhv-${letter}-acc${index + 1}`, `Ethernet${UPLINKS[side - 1] ?? UPLINKS[0]}`],
      [dist, `Ethernet${index + 1}`]
    ])
    return [...toCores, ...toAccess]
  })

const cables = BUILDINGS.flatMap(cablesOf)

const startConfig = ({ address, building, hostname, type }: Planned) => `hostname ${hostname}
username switchyard privilege 15 role network-admin secret sha512 ${Campus.LAB_HASH}
aaa authorization exec default local
lldp run
interface ${type === "ACCESS" ? `Vlan${building?.vlan ?? 1}` : "Loopback1"}
   ip address ${address}/${type === "ACCESS" ? 24 : 32}
`

/** A person's computer, a telephone and a printer at the first ports of an access switch, for `find`. */
const machines = ({ octet }: Building, number: number) => {
  const hexadecimal = number.toString(16).padStart(2, "0")
  return Object.fromEntries(
    [1, 2, 3].map((port) => [
      `Ethernet${port}`,
      [{ mac: `00:50:56:${octet}:${hexadecimal}:0${port}`, ip: `10.1${octet}.${number}.${port}` }]
    ])
  )
}

const nodeOf = (one: Planned, index: number): Node => ({
  role: one.type === "ACCESS" ? "access" : one.type === "DIST" ? "dist" : "core",
  gateway: one.type !== "ACCESS",
  model: one.model,
  ports: one.type === "ACCESS" ? 28 : one.type === "DIST" ? CORE_PORT + 7 : 32,
  "startup-config": startConfig(one),
  ...(one.type === "ACCESS" && one.building !== undefined
    ? { hosts: machines(one.building, ((index - fabric.length) % ACCESS_EACH) + 1) }
    : {})
})

/** The campus; its switches take a moment to commit, so that a rollout can be watched. */
export const topology: Topology = {
  name: "large",
  topology: {
    defaults: {
      kind: "eos",
      version: "4.31.4M",
      passwords: { switchyard: Campus.LAB_PASSWORD },
      commitMs: 300
    },
    nodes: Object.fromEntries(planned.map((one, index) => [one.hostname, nodeOf(one, index)])),
    links: cables.map(([[a, aPort], [b, bPort]]) => ({ endpoints: [`${a}:${aPort}`, `${b}:${bPort}`] as const }))
  }
}

const group = (name: string, pattern: string, priority?: number) =>
  `  - group:
      name: ${name}
      regex: '${pattern}'
${priority === undefined ? "" : `      group_priority: ${priority}\n`}`

/** The settings of the example with the groups of these buildings and the ports of these models. */
export const settingsFiles: Readonly<Record<string, string>> = {
  "global/groups.yml": `---
groups:
${group("FABRIC", "lhv-(core|[nes]-dist)[0-9]+$")}${group("ACCESS_ALL", "lhv-[nes]-acc[0-9]+$")}${group("LAB", "lhv-n-acc100$")}${BUILDINGS.map(
    ({ group: name, letter }, index) => group(name, `lhv-${letter}-`, (index + 1) * 10)
  ).join("")}${group("WEST_WING", "lhv-[ns]-acc[0-9]+$")}${group("EAST_WING", "lhv-e-acc[0-9]+$")}`,
  [`dist/interfaces_${DIST_MODEL.toLowerCase()}.yml`]: `---
interfaces:
  - name: Ethernet[1-${ACCESS_EACH}]
    ifclass: downlink
  - name: Ethernet[${CORE_PORT}-${CORE_PORT + 1}]
    ifclass: fabric
`,
  [`core/interfaces_${CORE_MODEL.toLowerCase()}.yml`]: `---
interfaces:
  - name: Ethernet[1-${BUILDINGS.length * 2}]/1
    ifclass: fabric
`
}

const addDevice = (api: DemoApi, { address, hostname, model, type }: Planned) =>
  api.call("POST", "/device", {
    hostname,
    state: "MANAGED",
    device_type: type,
    platform: "eos",
    management_ip: address,
    model,
    ...(type === "ACCESS" ? {} : { infra_ip: address.replace("10.199.3.", "10.198.0.") })
  })

const addDomain = (api: DemoApi, { letter, octet, vlan }: Building) =>
  api.call("POST", "/mgmtdomains", {
    device_a: `lhv-${letter}-dist1`,
    device_b: `lhv-${letter}-dist2`,
    vlan,
    ipv4_gw: `10.196.${octet}.1/24`
  })

/** The records of the campus: devices, management domains, links and ports, as an inventory would bring them. */
export const addCampus = Effect.fnUntraced(function* (api: DemoApi) {
  const several = { concurrency: 8, discard: true } as const
  yield* Effect.forEach(fabric, (one) => addDevice(api, one), { discard: true })
  yield* Effect.forEach(BUILDINGS, (building) => addDomain(api, building), { discard: true })
  const access = planned.filter(({ type }) => type === "ACCESS")
  yield* Effect.forEach(access, (one) => addDevice(api, one), several)
  yield* Effect.forEach(
    cables,
    ([[device_a, device_a_port], [device_b, device_b_port]]) =>
      api.call("POST", "/linknets", { device_a, device_a_port, device_b, device_b_port }),
    several
  )
  yield* Effect.forEach(access, ({ hostname }) => api.run("/device_update_interfaces", { hostname }), several)
  yield* Effect.forEach(planned, ({ hostname }) => api.run("/device_update_facts", { hostname }), several)
  yield* api.run("/device_read_tables", { all: true })
})

/** How many switches the campus has. */
export const size = planned.length
