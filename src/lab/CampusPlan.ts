/**
 * Topologies of any size by rule: access switches with two uplinks to a pair of distribution switches, and every pair
 * connected to two core switches. For benchmarks and for rehearsals without a file.
 */
import type { Node, Topology } from "./Topology.ts"

/** One switch of the plan, for its start configuration. */
export interface PlannedSwitch {
  readonly name: string
  readonly role: "access" | "dist" | "core"
  /** Number within its role, from 0. */
  readonly index: number
  /** Management address that no other switch of the plan has. */
  readonly address: string
}

interface CampusOptions {
  readonly name?: string
  /** Text before the name of every switch, for several campuses side by side. */
  readonly site?: string
  /** Number of access switches. */
  readonly access: number
  /** Access switches below one pair of distribution switches; default 40. */
  readonly perPair?: number
  /** Second octet of the first management address `10.{block}.0.1`; default 32. */
  readonly block?: number
  /** Start configuration of a switch; undefined makes it blank. Default: hostname, admin/admin, management on Vlan600. */
  readonly config?: (planned: PlannedSwitch) => string | undefined
  /** Settings of a switch in addition to those of the plan. */
  readonly node?: (planned: PlannedSwitch) => Partial<Node>
}

const CORES = 2
const DISTS_PER_PAIR = 2
const FIRST_UPLINK = 51
const FIRST_CORE_PORT = 49
const OCTET = 256

/** The default start configuration. */
const startConfig = ({ name, address, role }: PlannedSwitch): string => `hostname ${name}
username admin privilege 15 role network-admin secret admin
aaa authorization exec default local
interface ${role === "access" ? "Vlan600" : "Loopback1"}
   description management
   ip address ${address}/${role === "access" ? 16 : 32}
`

/** The topology of a campus. */
export const campus = (options: CampusOptions): Topology => {
  const pairs = Math.ceil(options.access / (options.perPair ?? 40))
  const planned = [...plan(options, "core", CORES, 0), ...plan(options, "dist", pairs * DISTS_PER_PAIR, CORES)]
  planned.push(...plan(options, "access", options.access, planned.length))
  const config = options.config ?? startConfig
  const nodes = Object.fromEntries(
    planned.map((one) => [one.name, nodeOf(one, config(one), options.node?.(one) ?? {})])
  )
  return {
    name: options.name ?? "campus",
    topology: { nodes, links: [...coreLinks(pairs * DISTS_PER_PAIR, options.site ?? ""), ...accessLinks(options)] }
  }
}

const PREFIX = { access: "acc", dist: "dist", core: "core" } as const

const plan = (
  options: CampusOptions,
  role: PlannedSwitch["role"],
  count: number,
  offset: number
): Array<PlannedSwitch> =>
  Array.from({ length: count }, (_, index) => ({
    name: `${options.site ?? ""}${PREFIX[role]}${index + 1}`,
    role,
    index,
    address: addressOf(options.block ?? 32, offset + index)
  }))

/** The n-th address from `10.{block}.0.1` on, without .0 and .255. */
const addressOf = (block: number, number: number): string => {
  const third = Math.floor(number / (OCTET - 2))
  return `10.${block + Math.floor(third / OCTET)}.${third % OCTET}.${(number % (OCTET - 2)) + 1}`
}

const nodeOf = ({ role }: PlannedSwitch, config: string | undefined, node: Partial<Node>): Node => ({
  kind: "eos",
  role,
  model: role === "access" ? "CCS-720XP-48Y6-F" : role === "dist" ? "DCS-7050SX3-48YC8-F" : "DCS-7050CX3-32S-F",
  ...(config === undefined ? { blank: true } : { "startup-config": config }),
  ...node
})

const coreLinks = (dists: number, site: string) =>
  Array.from({ length: dists * CORES }, (_, link) => {
    const dist = Math.floor(link / CORES)
    const core = link % CORES
    return {
      endpoints: [
        `${site}dist${dist + 1}:Ethernet${FIRST_CORE_PORT + core}/1`,
        `${site}core${core + 1}:Ethernet${dist + 1}/1`
      ] as const
    }
  })

const accessLinks = (options: CampusOptions) => {
  const site = options.site ?? ""
  const perPair = options.perPair ?? 40
  return Array.from({ length: options.access * DISTS_PER_PAIR }, (_, link) => {
    const access = Math.floor(link / DISTS_PER_PAIR)
    const side = link % DISTS_PER_PAIR
    const dist = Math.floor(access / perPair) * DISTS_PER_PAIR + side
    const endpoints = [
      `${site}acc${access + 1}:Ethernet${FIRST_UPLINK + side}`,
      `${site}dist${dist + 1}:Ethernet${(access % perPair) + 1}`
    ] as const
    return { endpoints }
  })
}
