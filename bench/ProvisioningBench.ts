/**
 * Many blank switches booted at once below several management domains: from their first lease to MANAGED. The lab runs in
 * the same process and commits without delay; the waits that a site sets (discovery, step 2) are 0, so the figure is the
 * work itself. Nothing is provisioned twice: no address repeats and nothing stays in INIT.
 */
import { Deferred, Effect, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { normalizeMac } from "../src/domain/Network.ts"
import * as Engine from "../src/Engine.ts"
import { JobEngine } from "../src/jobs/engine/JobEngine.ts"
import { refresh } from "../src/jobs/repositories/RefreshRepository.ts"
import { type LabShape, makeLab } from "../src/lab/Lab.ts"
import type { Node } from "../src/lab/Topology.ts"
import * as Logging from "../src/runtime/Logging.ts"
import { ServerConfig } from "../src/ServerConfig.ts"
import * as Database from "../src/store/Database.ts"
import { DeviceStore } from "../src/store/DeviceStore.ts"
import { environment, HASH, PASSWORD, siteFolder } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { jobNamed } from "../test/support/Jobs.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { NetworkStore } from "../src/store/NetworkStore.ts"
import type { Lease } from "../src/lab/Power.ts"

const DOMAINS = 4
const DOMAIN_NUMBERS = Array.from({ length: DOMAINS }, (_, index) => index)
const USER = "bench"

const INITIAL = `username admin privilege 15 role network-admin secret abc123abc123
aaa authorization exec default local
lldp run
service routing protocols model multi-agent
interface Vlan1
   ip address dhcp
`

const distName = (domain: number, side: number): string => `lhv-dist${domain * 2 + side + 1}`
const distAddress = (domain: number, side: number): string => `10.199.3.${100 + domain * 2 + side}`

const distNode = (domain: number, side: number): readonly [string, Node] => [
  distName(domain, side),
  {
    role: "dist",
    gateway: true,
    model: "DCS-7050SX3-48YC8-F",
    "startup-config": `hostname ${distName(domain, side)}
username switchyard privilege 15 role network-admin secret sha512 ${HASH}
aaa authorization exec default local
lldp run
interface Loopback1
   ip address ${distAddress(domain, side)}/32
`
  }
]

const pairs = Array.from({ length: DOMAINS * 2 }, (_, index) => [Math.floor(index / 2), index % 2] as const)

const topology = (count: number) => {
  const access = Array.from({ length: count }, (_, index) => index)
  const node: Node = { role: "access", blank: true, model: "CCS-720XP-24ZY4-F", ports: 28 }
  return {
    name: "bench",
    lab: { dhcp: { pool: "10.92.0.10-10.92.7.250", config: INITIAL } },
    topology: {
      defaults: { kind: "eos" as const, passwords: { switchyard: PASSWORD }, version: "4.31.4M" },
      nodes: Object.fromEntries([
        ...pairs.map(([domain, side]) => distNode(domain, side)),
        ...access.map((index) => [`acc${index}`, node] as const)
      ]),
      links: access.flatMap((index) => {
        const port = `Ethernet${Math.floor(index / DOMAINS) + 1}`
        return [0, 1].map((side) => ({
          endpoints: [`acc${index}:Ethernet${27 + side}`, `${distName(index % DOMAINS, side)}:${port}`] as const
        }))
      })
    }
  }
}

const writePorts = (settings: string, count: number): void => {
  const ports = `---\ninterfaces:\n  - name: Ethernet[1-${Math.ceil(count / DOMAINS)}]\n    ifclass: downlink\n`
  for (const [domain, side] of pairs) {
    const folder = path.join(settings, "devices", distName(domain, side))
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, "interfaces.yml"), ports)
    for (const file of ["base_system.yml", "routing.yml"]) writeFileSync(path.join(folder, file), "---\n{}\n")
  }
}

/** A site that asks nobody to wait. */
const provisioningEnvironment = (folder: string, lab: LabShape): Record<string, string> => ({
  ...environment(folder, lab.port),
  USERNAME_DHCP_BOOT: "admin",
  PASSWORD_DHCP_BOOT: "abc123abc123",
  USERNAME_DISCOVERED: "admin",
  PASSWORD_DISCOVERED: "abc123abc123",
  USERNAME_INIT: "switchyard",
  PASSWORD_INIT: PASSWORD,
  TEMPLATE_SECRET_SWITCHYARD_HASH: HASH,
  TEMPLATE_SECRET_SNMP_COMMUNITY: "lhv-read",
  TEMPLATE_SECRET_RADIUS: "0832494D1B1C11",
  COMMIT_CONFIRMED_TIMEOUT: "300",
  DISCOVERY_DELAYS: "0,2,5",
  INIT_STEP2_DELAY: "0"
})

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { domains } = yield* NetworkStore
  for (const domain of DOMAIN_NUMBERS) {
    const [a, b] = yield* Effect.forEach([0, 1], (side) =>
      devices.insert({
        hostname: distName(domain, side),
        state: "MANAGED",
        device_type: "DIST",
        platform: "eos",
        management_ip: distAddress(domain, side),
        model: "DCS-7050SX3-48YC8-F",
        synchronized: true
      })
    )
    yield* domains.insert({
      ipv4_gw: `10.196.${16 + domain}.1/24`,
      ipv6_gw: null,
      device_a_id: a?.id ?? 0,
      device_a_ip: `10.196.${16 + domain}.2`,
      device_b_id: b?.id ?? 0,
      device_b_ip: `10.196.${16 + domain}.3`,
      site_id: null,
      vlan: 3016 + domain,
      description: `Domain ${domain}`,
      esi_mac: null
    })
  }
})

/** What the hook and an operator do with one switch: a device, its discovery, its initialisation, until MANAGED. */
const provision = Effect.fnUntraced(function* (lease: Lease, hostname: string) {
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const ztp_mac = Option.getOrThrow(normalizeMac(lease.mac))
  const { id } = yield* devices.insert({
    hostname: `mac-${ztp_mac}`,
    ztp_mac,
    dhcp_ip: lease.ip,
    platform: "eos",
    state: "DHCP_BOOT",
    device_type: "UNKNOWN"
  })
  const run = (name: "discover_device" | "init_access_device_step1", args: Readonly<Record<string, unknown>>) =>
    Effect.flatMap(engine.start(jobNamed(name), args, { user: USER }), engine.ended)
  let job = yield* run("discover_device", { ztp_mac, dhcp_ip: lease.ip, iteration: 1 })
  while (job.next_job_id !== null) job = yield* engine.ended(job.next_job_id)
  const step1 = yield* run("init_access_device_step1", { device_id: id, new_hostname: hostname })
  if (step1.next_job_id === null) return yield* Effect.die(new Error(`${hostname}: ${JSON.stringify(step1)}`))
  yield* engine.ended(step1.next_job_id)
})

const outcome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ managed: number; left: number; addresses: number }>`
    select count(*) filter (where state = 'MANAGED')::int as managed, count(*) filter (where state <> 'MANAGED')::int as left,
      count(distinct management_ip) filter (where state = 'MANAGED')::int as addresses
    from device where device_type <> 'DIST'`
  return row ?? { managed: 0, left: 0, addresses: 0 }
})

const measure = (count: number, lab: LabShape, leases: Queue.Queue<Lease>, booted: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    yield* seed
    yield* refresh("templates", USER)
    yield* refresh("settings", USER)
    const began = Date.now()
    yield* Deferred.succeed(booted, undefined)
    const access = [...lab.switches.values()].filter(({ name }) => name.startsWith("acc"))
    yield* Effect.forkScoped(Effect.forEach(access, ({ boot }) => boot, { concurrency: "unbounded" }))
    yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => index),
      (index) => Effect.flatMap(Queue.take(leases), (lease) => provision(lease, `lhv-acc${index + 1}`)),
      { concurrency: "unbounded" }
    )
    const seconds = (Date.now() - began) / 1000
    const { addresses, left, managed } = yield* outcome
    return [
      row(
        `${count} blank switches booted at once, ${DOMAINS} management domains: all MANAGED`,
        "-",
        `${seconds.toFixed(1)} s; ${managed} MANAGED, ${left} not, ${addresses} different addresses`,
        { count, seconds, managed, left, addresses, rssMb: Math.round(process.memoryUsage().rss / 1e6) }
      )
    ]
  })

/** The rows of the table for this many switches. */
export const rows = (count: number) =>
  Effect.gen(function* () {
    const folder = yield* siteFolder((settings) => writePorts(settings, count))
    const leases = yield* Queue.unbounded<Lease>()
    const booted = yield* Deferred.make<void>()
    const seen = new Set<string>()
    // only the second lease of a switch, with its first configuration, can be logged in to
    const onLease = (lease: Lease) => {
      if (!seen.has(lease.mac)) return Effect.sync(() => void seen.add(lease.mac))
      return Effect.asVoid(Queue.offer(leases, lease))
    }
    const lab = yield* makeLab(topology(count), { onLease, provisioningMs: 100 })
    const server = Engine.layer.pipe(
      Layer.provideMerge(Database.layer),
      Layer.provide(Logging.layer),
      Layer.provideMerge(ServerConfig.layerOf(provisioningEnvironment(folder, lab))),
      Layer.provideMerge(NodeServices.layer)
    )
    return yield* Effect.provide(measure(count, lab, leases, booted), server)
  }).pipe(Effect.scoped)
