/**
 * A campus with every way in which a new switch can be plugged in, for tests of its provisioning: two pairs of distribution
 * switches (the second announces itself with its domain and has a dual-stack management domain), two core switches, and
 * blank switches below and between them.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as Engine from "../../src/Engine.ts"
import { JobEngine } from "../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../src/jobs/repositories/RefreshRepository.ts"
import { Lab, type LabOptions, type LabShape, makeLab } from "../../src/lab/Lab.ts"
import type { Quirks } from "../../src/lab/eos/Quirks.ts"
import type { Node } from "../../src/lab/Topology.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { booted } from "./BlankSwitch.ts"
import * as Campus from "./Campus.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { jobNamed } from "./Jobs.ts"
import { timer } from "./Patience.ts"
import { NetworkStore } from "../../src/store/NetworkStore.ts"

export const USER = "tester"

const startConfig = (name: string, address: string, domain = "") => `hostname ${name}
${domain === "" ? "" : `dns domain ${domain}\n`}username switchyard privilege 15 role network-admin secret sha512 ${Campus.HASH}
aaa authorization exec default local
lldp run
interface Loopback1
   ip address ${address}/32
`

interface Seed {
  readonly role: "dist" | "core"
  readonly address: string
  readonly infra: string
  readonly model: string
}

const dist = (last: number): Seed => ({
  role: "dist",
  address: `10.199.3.${last}`,
  infra: `10.198.0.${last}`,
  model: "DCS-7050SX3-48YC8-F"
})
const core = (last: number): Seed => ({ ...dist(last), role: "core", model: "DCS-7050CX3-32S-F" })

/** The devices that are managed already. */
const MANAGED: Readonly<Record<string, Seed>> = {
  "lhv-dist1": dist(11),
  "lhv-dist2": dist(12),
  "lhv-dist3": dist(13),
  "lhv-dist4": dist(14),
  "lhv-core1": core(1),
  "lhv-core2": core(2)
}

/** Settings of the ports of a distribution switch: redundant, not redundant, one for something else, fabric. */
const PORTS = `---
interfaces:
  - name: Ethernet[1-20]
    ifclass: downlink
  - name: Ethernet[21-24]
    ifclass: downlink
    redundant_link: false
  - name: Ethernet30
    ifclass: custom
    config: "description something else"
  - name: Ethernet[49-56]/1
    ifclass: fabric
`

/** Templates that cannot be rendered for one hostname each. */
const UNRENDERABLE = `{% if host in ["lhv-acc66", "lhv-dist66"] %}{{ nothing.at.all }}{% endif %}\n`

const settingsFiles = Object.fromEntries(
  ["lhv-dist1", "lhv-dist2", "lhv-dist3", "lhv-dist4"].flatMap((name) => [
    [`devices/${name}/interfaces.yml`, PORTS],
    [`devices/${name}/base_system.yml`, "---\n{}\n"],
    [`devices/${name}/routing.yml`, "---\n{}\n"]
  ])
)

/** Where the blank switches are plugged in: `port of the switch → far end`. */
const CABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  redundant: { Ethernet27: "lhv-dist1:Ethernet1", Ethernet28: "lhv-dist2:Ethernet1" },
  single: { Ethernet28: "lhv-dist1:Ethernet21" },
  parallel: { Ethernet27: "lhv-dist1:Ethernet2", Ethernet28: "lhv-dist1:Ethernet3" },
  pairA: { Ethernet25: "pairB:Ethernet25", Ethernet26: "pairB:Ethernet26", Ethernet28: "lhv-dist1:Ethernet4" },
  pairB: { Ethernet28: "lhv-dist2:Ethernet4" },
  pairC: { Ethernet25: "pairD:Ethernet25", Ethernet26: "pairD:Ethernet26", Ethernet28: "lhv-dist1:Ethernet5" },
  pairD: { Ethernet28: "lhv-dist2:Ethernet5" },
  thin1: { Ethernet25: "thin2:Ethernet25", Ethernet28: "lhv-dist1:Ethernet6" },
  thin2: { Ethernet28: "lhv-dist2:Ethernet6" },
  crossA: { Ethernet25: "crossB:Ethernet25", Ethernet28: "lhv-dist1:Ethernet16" },
  crossB: { Ethernet28: "lhv-dist3:Ethernet3" },
  below: { Ethernet28: "redundant:Ethernet1" },
  dual: { Ethernet27: "lhv-dist3:Ethernet1", Ethernet28: "lhv-dist4:Ethernet1" },
  unwired: {},
  wrongport: { Ethernet28: "lhv-dist1:Ethernet30" },
  twowrong: { Ethernet27: "lhv-dist1:Ethernet41", Ethernet28: "lhv-dist2:Ethernet30" },
  nosettings: { Ethernet28: "lhv-dist1:Ethernet40" },
  lonely: { Ethernet28: "lhv-dist1:Ethernet7" },
  rejected: { Ethernet27: "lhv-dist1:Ethernet8", Ethernet28: "lhv-dist2:Ethernet8" },
  stuck: { Ethernet27: "lhv-dist1:Ethernet9", Ethernet28: "lhv-dist2:Ethernet9" },
  late: { Ethernet27: "lhv-dist1:Ethernet10", Ethernet28: "lhv-dist2:Ethernet10" },
  spare: { Ethernet11: "lhv-dist1:Ethernet11", Ethernet12: "lhv-dist2:Ethernet11" },
  badspare: { Ethernet27: "lhv-dist1:Ethernet12", Ethernet28: "lhv-dist2:Ethernet12" },
  watched: { Ethernet27: "lhv-dist3:Ethernet2", Ethernet28: "lhv-dist4:Ethernet2" },
  untemplated: { Ethernet27: "lhv-dist1:Ethernet14", Ethernet28: "lhv-dist2:Ethernet14" },
  virtual: { Ethernet27: "lhv-dist1:Ethernet17", Ethernet28: "lhv-dist2:Ethernet17" },
  portless: { Ethernet27: "lhv-dist1:Ethernet18", Ethernet28: "lhv-dist2:Ethernet18" },
  full: { Ethernet27: "lhv-dist1:Ethernet15", Ethernet28: "lhv-dist2:Ethernet15" },
  newdist: { "Ethernet49/1": "lhv-core1:Ethernet1/1", "Ethernet50/1": "lhv-core2:Ethernet1/1" },
  newcore: { "Ethernet1/1": "lhv-dist3:Ethernet49/1", "Ethernet2/1": "lhv-dist4:Ethernet49/1" },
  baddist: { "Ethernet49/1": "lhv-core1:Ethernet2/1", "Ethernet50/1": "lhv-core2:Ethernet2/1" },
  otherdist: { "Ethernet49/1": "lhv-core1:Ethernet3/1", "Ethernet50/1": "lhv-core2:Ethernet3/1" },
  freedist: {}
}

/** The peculiarities of some of them. */
const QUIRKS: Readonly<Record<string, Quirks>> = {
  virtual: {
    absentKeys: ["serialNumber", "systemMacAddress", "hwMacAddress", "uptime", "bandwidth", "physicalAddress"],
    macSpelling: "dashes"
  },
  portless: { absentKeys: ["neighborPort"] }
}

const blankNode = (name: string): Node => ({
  blank: true,
  quirks: QUIRKS[name] ?? {},
  ...(name.endsWith("dist")
    ? { role: "dist", model: "DCS-7050SX3-48YC8-F" }
    : name.endsWith("core")
      ? { role: "core", model: "DCS-7050CX3-32S-F" }
      : { role: "access", model: "CCS-720XP-24ZY4-F", ports: 28 })
})

const managedNode = (name: string, { address, model, role }: Seed): Node => {
  const speaksFqdn = name === "lhv-dist3" || name === "lhv-dist4"
  return {
    role,
    gateway: true,
    model,
    lldpName: speaksFqdn ? "fqdn" : "short",
    "startup-config": startConfig(name, address, speaksFqdn ? "net.lindhaven.example" : "")
  }
}

const makeProvisioningLab = (options: LabOptions) =>
  makeLab(
    {
      name: "provisioning",
      lab: { dhcp: { pool: "10.91.0.10-10.91.0.250", config: Campus.INITIAL } },
      topology: {
        defaults: {
          kind: "eos",
          passwords: { switchyard: Campus.PASSWORD, [Campus.NEXT_HASH]: Campus.NEXT_PASSWORD },
          version: "4.31.4M"
        },
        nodes: {
          ...Object.fromEntries(Object.entries(MANAGED).map(([name, seed]) => [name, managedNode(name, seed)])),
          ...Object.fromEntries(Object.keys(CABLES).map((name) => [name, blankNode(name)]))
        },
        links: Object.entries(CABLES).flatMap(([name, cables]) =>
          Object.entries(cables).map(([port, far]) => ({ endpoints: [`${name}:${port}`, far] as const }))
        )
      }
    },
    { provisioningMs: 20, ...options }
  )

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const ids = new Map<string, number>()
  for (const [hostname, { address, infra, model, role }] of Object.entries(MANAGED)) {
    const device = yield* devices.insert({
      hostname,
      state: "MANAGED",
      device_type: role === "dist" ? "DIST" : "CORE",
      platform: "eos",
      management_ip: address,
      infra_ip: infra,
      model,
      synchronized: true
    })
    ids.set(hostname, device.id)
  }
  const { domains } = yield* NetworkStore
  const domain = (a: string, b: string, third: number, ipv6_gw: string | null) =>
    domains.insert({
      ipv4_gw: `10.196.${third}.1/24`,
      ipv6_gw,
      device_a_id: ids.get(a) ?? 0,
      device_a_ip: `10.196.${third}.2`,
      device_b_id: ids.get(b) ?? 0,
      device_b_ip: `10.196.${third}.3`,
      site_id: null,
      vlan: 3000 + third,
      description: `Domain ${third}`,
      esi_mac: null
    })
  yield* domain("lhv-dist1", "lhv-dist2", 16, null)
  yield* domain("lhv-dist3", "lhv-dist4", 17, "2001:db8:17::1/64")
  return ids
})

/** The differences from the usual campus. */
export interface Differences {
  readonly variables?: Readonly<Record<string, string>>
  readonly lab?: LabOptions
  /** Files of the templates that have another text. */
  readonly templates?: Readonly<Record<string, (text: string) => string>>
}

/** A server on the campus, its settings in force, the managed devices in its database. */
export const layerWith = (differences: Differences) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folders = yield* Campus.makeFolders
      yield* folders.settings.commit(settingsFiles)
      for (const file of ["eos/access.j2", "eos/dist.j2"]) {
        const text = yield* Effect.promise(() => fs.readFile(`${folders.templates.folder}/${file}`, "utf8"))
        yield* folders.templates.commit({ [file]: `${UNRENDERABLE}${text}` })
      }
      for (const [file, change] of Object.entries(differences.templates ?? {})) {
        const text = yield* Effect.promise(() => fs.readFile(`${folders.templates.folder}/${file}`, "utf8"))
        yield* folders.templates.commit({ [file]: change(text) })
      }
      const lab = yield* makeProvisioningLab(differences.lab ?? {})
      const env = Campus.environment(lab, folders, folders.folder)
      const server = Engine.layer.pipe(
        Layer.provideMerge(
          ServerConfig.layerOf({
            ...env,
            DISCOVERY_DELAYS: "0,1",
            INIT_MGMT_TIMEOUT: timer(6),
            ...differences.variables
          })
        ),
        Layer.provideMerge(TestDatabase)
      )
      const started = Layer.effectDiscard(
        Effect.gen(function* () {
          yield* seed
          yield* refresh("templates", USER)
          yield* refresh("settings", USER)
        })
      )
      return started.pipe(Layer.provideMerge(server), Layer.merge(Layer.succeed(Lab, lab)))
    })
  )

export const layer = layerWith({})

/** Runs a job to its end. */
export const runJob = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  const engine = yield* JobEngine
  return yield* engine.ended(yield* engine.start(jobNamed(name), args, { user: USER }))
})

/** A job and those that follow it. */
export const runChain = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  const engine = yield* JobEngine
  const jobs = [yield* runJob(name, args)]
  for (let next = jobs[0]?.next_job_id ?? null; next !== null; next = jobs.at(-1)?.next_job_id ?? null) {
    jobs.push(yield* engine.ended(next))
  }
  return jobs
})

/** Boots a blank switch and discovers it; yields its device. */
export const discover = Effect.fnUntraced(function* (name: string) {
  const lab: LabShape = yield* Lab
  const devices = yield* DeviceStore
  const { discovery, row } = yield* booted(yield* lab.get(name))
  yield* runJob("discover_device", discovery)
  return yield* devices.get(row.id)
})

/** Waits until no job waits or runs. */
export const untilIdle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* JobEngine
  for (const { id } of yield* sql<{
    id: number
  }>`select id from job where finish_time is null and status <> 'ABORTED'`) {
    yield* engine.ended(id)
  }
})

/** All rows that provisioning may touch, for comparing before and after; times of writes do not count. */
export const allRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = (yield* (yield* DeviceStore).all).map(({ last_seen: _seen, ...device }) => device)
  const ids = devices.map(({ id }) => id)
  return {
    devices,
    links: yield* (yield* NetworkStore).links.all,
    ports: yield* (yield* InterfaceStore).ofDevices(ids),
    reservations: yield* (yield* NetworkStore).reservations.all,
    events: yield* sql`select hostname, cause from sync_event order by id`
  }
})

/** The lines of the running configuration of a lab switch. */
export const runningOf = Effect.fnUntraced(function* (name: string) {
  const lab: LabShape = yield* Lab
  return (yield* lab.get(name)).running()
})

/** Configuration sessions that are open on a lab switch. */
export const sessionsOf = Effect.fnUntraced(function* (name: string) {
  const lab: LabShape = yield* Lab
  return (yield* lab.get(name)).sessions().filter(({ state }) => state === "pending" || state === "pendingCommitTimer")
})
