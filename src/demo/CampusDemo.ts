/**
 * The demo on a topology file: a server whose records have the switches of the file, their links and their management networks, to look at the
 * page with a campus of hundreds. Each is read and has its first synchronization. Files in the folder `settings`
 * beside the topology replace those of the example settings.
 */
import { Effect, FileSystem, Path } from "effect"
import * as Topology from "../lab/Topology.ts"
import { type DemoApi, DemoFailed, type DemoOptions, make as makeApi, say, sayFailure, step } from "./DemoApi.ts"
import { stage } from "./Demo.ts"

const TYPES = { access: "ACCESS", dist: "DIST", core: "CORE" } as const

/** How many requests are made at once. */
const AT_ONCE = 4
/** The first synchronization of hundreds of switches takes longer than a step of the story. */
const PATIENCE = "10 minutes"

interface Planned {
  readonly hostname: string
  readonly device_type: (typeof TYPES)[keyof typeof TYPES]
  readonly management_ip: string
  readonly model: string | null
}

/** The VLAN whose interface has the address of the switch. */
const vlanOf = (config: string): number | undefined => {
  const [, vlan] = /^interface Vlan(\d+)\n\s+ip address/m.exec(config) ?? []
  return vlan === undefined ? undefined : Number(vlan)
}

/** The switches that have a configuration with an address, core and distribution before access. */
const plannedIn = ({ topology: { nodes } }: Topology.Topology): ReadonlyArray<Planned> => {
  const order = ["CORE", "DIST", "ACCESS"]
  return Object.entries(nodes)
    .flatMap(([hostname, { model, role, "startup-config": config = "" }]): ReadonlyArray<Planned> => {
      const [, management_ip] = /\bip address ([\d.]+)\/\d+/.exec(config) ?? []
      if (management_ip === undefined || role === undefined) return []
      return [{ hostname, device_type: TYPES[role], management_ip, model: model ?? null }]
    })
    .toSorted((one, other) => order.indexOf(one.device_type) - order.indexOf(other.device_type))
}

/** The management network of the switches below each pair of distribution switches. */
const domainsIn = (topology: Topology.Topology, planned: ReadonlyArray<Planned>) => {
  const known = new Map(planned.map((one) => [one.hostname, one]))
  const above = new Map<string, Set<string>>()
  for (const { endpoints } of topology.topology.links ?? []) {
    const [one, other] = [Topology.end(topology, endpoints[0]).node, Topology.end(topology, endpoints[1]).node]
    for (const [lower, upper] of [
      [one, other],
      [other, one]
    ] as const)
      if (known.get(lower)?.device_type === "ACCESS" && known.get(upper)?.device_type === "DIST")
        above.set(lower, (above.get(lower) ?? new Set()).add(upper))
  }
  const domains = new Map<string, object>()
  for (const [hostname, uplinks] of above) {
    const [device_a, device_b, ...others] = [...uplinks].toSorted()
    const address = known.get(hostname)?.management_ip
    const vlan = vlanOf(topology.topology.nodes[hostname]?.["startup-config"] ?? "")
    if (device_a === undefined || device_b === undefined || others.length > 0) continue
    if (address === undefined || vlan === undefined) continue
    domains.set(`${device_a} ${device_b}`, {
      device_a,
      device_b,
      vlan,
      ipv4_gw: `${address.replace(/\.\d+$/, ".1")}/24`
    })
  }
  return [...domains.values()]
}

/** Adds the switches of a topology to a server, with their links and management networks, and reads the neighbours of the fabric. */
export const addCampus = Effect.fnUntraced(function* (api: DemoApi, topology: Topology.Topology) {
  const planned = plannedIn(topology)
  const add = (device: Planned) => api.call("POST", "/device", { ...device, state: "MANAGED", platform: "eos" })
  // those of the fabric take addresses one after the other
  const [fabric, access] = [
    planned.filter(({ device_type }) => device_type !== "ACCESS"),
    planned.filter(({ device_type }) => device_type === "ACCESS")
  ]
  yield* Effect.forEach(fabric, add, { discard: true })
  yield* Effect.forEach(access, add, { discard: true, concurrency: AT_ONCE })
  for (const domain of domainsIn(topology, planned)) yield* api.call("POST", "/mgmtdomains", domain)
  const links = topology.topology.links ?? []
  yield* Effect.forEach(
    links,
    ({ endpoints }) => {
      const [a, b] = [Topology.end(topology, endpoints[0]), Topology.end(topology, endpoints[1])]
      const body = { device_a: a.node, device_a_port: a.port, device_b: b.node, device_b_port: b.port }
      return api.call("POST", "/linknets", body)
    },
    { discard: true }
  )
  yield* Effect.forEach(fabric, ({ hostname }) => api.call("GET", `/device/${hostname}/lldp_neighbors`), {
    discard: true,
    concurrency: AT_ONCE
  })
  return { switches: planned.length, links: links.length }
})

/** Reads the ports, facts and tables of all switches, as the schedules of a server would do over the day. */
const readCampus = Effect.fnUntraced(function* (api: DemoApi) {
  const several = { discard: true, concurrency: AT_ONCE } as const
  const all = yield* api.devices("per_page=1000")
  const access = yield* api.devices("filter[device_type]=ACCESS&per_page=1000")
  yield* Effect.forEach(access, ({ hostname }) => api.run("/device_update_interfaces", { hostname }), several)
  yield* Effect.forEach(all, ({ hostname }) => api.run("/device_update_facts", { hostname }), several)
  yield* api.run("/device_read_tables", { all: true })
})

/** The first synchronization, from the core outwards; a switch that fails it stays out of sync, and its job says why. */
const bringInSync = Effect.fnUntraced(function* (api: DemoApi) {
  for (const device_type of ["CORE", "DIST", "ACCESS"]) {
    yield* api.sync(false, { device_type })
    const devices = yield* api.devices(`filter[device_type]=${device_type}&per_page=1000`)
    const done = devices.filter(({ synchronized }) => synchronized).length
    yield* say(`  ${done} of ${devices.length} ${device_type} switches are in sync`)
  }
})

/** The files in the folder `settings` beside a topology, by their path in the repository. */
const settingsBeside = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(path.dirname(file), "settings")
  const found: Record<string, string> = {}
  if (!(yield* fs.exists(folder))) return found
  for (const name of yield* fs.readDirectory(folder, { recursive: true }))
    if (name.endsWith(".yml")) found[name] = yield* fs.readFileString(path.join(folder, name))
  return found
})

const play = Effect.fnUntraced(function* (options: DemoOptions, file: string) {
  const { notes, topology } = yield* Topology.readFile(file).pipe(
    Effect.mapError(({ message }) => new DemoFailed({ message }))
  )
  for (const note of notes) yield* say(`note: ${note}`)
  yield* stage(options, () => topology, yield* settingsBeside(file))
  const url = `http://127.0.0.1:${options.port}`
  const api = makeApi(url, PATIENCE)
  yield* step(`The server is up, with the switches of ${topology.name}`)
  yield* say(`  the page ${url}/`)
  yield* api.ready
  yield* step("Its switches, links and management networks are added, and neighbours are read")
  const { links, switches } = yield* addCampus(api, topology)
  yield* say(`  ${switches} switches, ${links} links`)
  yield* step("Their ports, facts and tables are read")
  yield* readCampus(api)
  yield* step("First synchronization of the whole network")
  yield* bringInSync(api)
  yield* say(`  the drawing ${url}/ui/topology`)
  if (options.exit) return
  yield* say("Serving on. Stop with Ctrl-C.")
  yield* Effect.never
}, Effect.scoped)

/** Plays the demo on this topology file. */
export const run = (options: DemoOptions, file: string) => play(options, file).pipe(sayFailure)
