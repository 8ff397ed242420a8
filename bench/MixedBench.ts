/**
 * One site of three platforms: access switches with EOS and with Junos, played by two processes, and real routers with FRRouting. A
 * live sync in each confirm mode, first of each platform alone, in both orders, which gives the server's processor time for one of its devices, then of
 * the whole site at once. Ports and settings of all switches are alike, each change is one line of the settings, and each switch
 * takes two seconds to commit. Dies when a sync fails on a device, or leaves one unchanged.
 */
import { Array as Arr, Console, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import * as Fabric from "../src/fabric/Fabric.ts"
import { type Node, router, SERVER, START } from "../src/fabric/FabricPlan.ts"
import type { Client } from "./BenchClient.ts"
import { seed, seedLab } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { refresh } from "./BenchSettings.ts"
import { commit, environment, PASSWORD, siteFolder } from "./BenchSite.ts"
import { figure } from "./Figures.ts"
import { type Measured, row } from "./Measured.ts"
import { runSync, type SyncRun } from "./SyncRun.ts"

/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000

/** How many devices of each platform. */
export interface Sizes {
  readonly eos: number
  readonly junos: number
  readonly frr: number
}

/** In the order in which they are measured. */
const platforms = ["eos", "junos", "frr"] as const
type PlatformName = (typeof platforms)[number]

const groupOf = (platform: PlatformName): string => `BENCH_${platform.toUpperCase()}`

const routerName = (index: number): string => `frr${index + 1}`
const routerAddress = (index: number): string => `10.99.0.${11 + index}`

// Settings: those of the examples, with a group for each platform, which has what is in the words of that platform.

/** A directory of a group or a device must have each of them. */
const FILES = ["base_system", "interfaces", "routing"]

const write = (settings: string, file: string, text: string): void => {
  const target = path.join(settings, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

const group = (platform: PlatformName, regex: string, priority: number): string =>
  `  - group:\n      name: ${groupOf(platform)}\n      regex: '${regex}'\n      group_priority: ${priority}\n`

/** The line of FRR that a change replaces; the switches get another time server. */
const prefixList = (number: number): string =>
  `---\ncli_append_str: |\n  ip prefix-list BENCH seq 5 permit 10.${number}.0.0/16\n`

/** Lines of EOS that all access switches of the examples have, in the words of Junos. */
const JUNOS_LINES = "---\ncli_append_str: |\n  system {\n      max-configurations-on-flash 10;\n  }\n"

const prepare =
  ({ frr }: Sizes) =>
  (settings: string): void => {
    appendFileSync(
      path.join(settings, "global/groups.yml"),
      [group("eos", "eacc[0-9]+$", 61), group("junos", "jacc[0-9]+$", 62), group("frr", "frr[0-9]+$", 63)].join("")
    )
    for (const platform of platforms)
      for (const file of FILES) write(settings, `groups/${groupOf(platform)}/${file}.yml`, "---\n{}\n")
    write(settings, `groups/${groupOf("junos")}/base_system.yml`, JUNOS_LINES)
    write(settings, `groups/${groupOf("frr")}/base_system.yml`, prefixList(0))
    // the routers have their management addresses from this network
    const routing = path.join(settings, "global/routing.yml")
    writeFileSync(routing, readFileSync(routing, "utf8").replace(/mgmt_lo_net: .*/, "mgmt_lo_net: 10.99.0.0/24"))
    for (let index = 0; index < frr; index++)
      for (const file of FILES) write(settings, `devices/${routerName(index)}/${file}.yml`, "---\n{}\n")
  }

/** Gives each device one changed line; `number` is another one each time. */
const change = Effect.fnUntraced(function* (api: Client, settings: string, number: number) {
  // the last of equal keys would be refused, so the file is written anew
  const access = path.join(settings, "access/base_system.yml")
  const others = readFileSync(access, "utf8").replace(/^ntp_servers:\n.*\n/m, "")
  writeFileSync(access, `${others}ntp_servers:\n  - host: 10.20.9.${number}\n`)
  write(settings, `groups/${groupOf("frr")}/base_system.yml`, prefixList(number))
  commit(settings, `change ${number}`)
  yield* refresh(api)
})

// Routers: namespaces of this machine, each reached by a local port of its own.

const makeRouter = (index: number): Node => {
  const name = routerName(index)
  const { files, ...rest } = router(name, { _tag: "configured", address: `${routerAddress(index)}/24` })
  return {
    ...rest,
    files: [
      // no neighbours are read here
      ...files.filter(({ path: file }) => !file.includes("lldpd")),
      {
        path: `${START}/15-login`,
        text: `useradd -o -u 0 -g 0 -M -d /root -s /bin/bash switchyard\nprintf 'switchyard:${PASSWORD}\\n' | chpasswd -c SHA512`
      }
    ]
  }
}

/** Builds the routers; yields the local port of each, none if this machine cannot have them. */
const startRouters = Effect.fnUntraced(function* (count: number) {
  const lacks = count === 0 ? ["MIXED_FRR is 0."] : Fabric.missing()
  if (lacks.length > 0) {
    yield* Console.log(`No routers with FRRouting: ${lacks.join(" ")}`)
    return []
  }
  const nodes = Array.from({ length: count }, (_, index) => makeRouter(index))
  const fabric = yield* Fabric.make({ address: `${SERVER}/24`, nodes, cables: [] })
  return yield* Effect.forEach(nodes, (_, index) => {
    const address = routerAddress(index)
    return fabric.reach(address, 22, { address: address.replace(/^10\./, "127."), port: 0 })
  })
})

const seedRouters = Effect.fnUntraced(function* (ports: ReadonlyArray<number>) {
  if (!Arr.isReadonlyArrayNonEmpty(ports)) return
  const sql = yield* SqlClient.SqlClient
  const rows = Arr.map(ports, (port, index) => ({
    hostname: routerName(index),
    state: "MANAGED",
    device_type: "DIST",
    platform: "frr",
    management_ip: routerAddress(index),
    infra_ip: `10.198.9.${index + 1}`,
    port,
    synchronized: false
  }))
  yield* sql`insert into device ${sql.insert(rows)}`
})

// Runs.

/** The most processor time, in seconds, that an idle server takes in a second, also on a busy machine. */
const IDLE = 0.2

/**
 * Waits until the server has done what follows a refresh, such as rendering every device to see what a commit changes: it would be
 * charged to the sync that comes first.
 */
const settled = Effect.fnUntraced(function* (pid: number) {
  let before = usageOf(pid).seconds
  for (let quiet = 0; quiet < 3;) {
    yield* Effect.sleep("1 second")
    const now = usageOf(pid).seconds
    quiet = now - before <= IDLE ? quiet + 1 : 0
    before = now
  }
})

const modes = [0, 1, 2] as const

/** A sync of these devices in which each of them must have changed. */
const changing = Effect.fnUntraced(function* (
  api: Client,
  pid: number,
  devices: number,
  of: Readonly<Record<string, unknown>>
) {
  const sql = yield* SqlClient.SqlClient
  yield* settled(pid)
  const run = yield* runSync(api, pid, false, of)
  const [found] = yield* sql<{ count: number }>`
    select count(*) filter (where jsonb_path_exists(job_tasks, '$[*] ? (@.diff != "")'))::int as count
    from job_device where job_id = (select max(id) from job where function_name = 'sync_devices')`
  if (found?.count !== devices)
    return yield* Effect.die(new Error(`${found?.count} of ${devices} devices changed in ${JSON.stringify(of)}`))
  return run
})

interface ModeRuns {
  readonly mode: (typeof modes)[number]
  /** The same changes twice, each platform once before and once behind the others. */
  readonly alone: ReadonlyMap<PlatformName, ReadonlyArray<SyncRun>>
  readonly whole: SyncRun
}

const measure = Effect.fnUntraced(function* (wanted: Sizes) {
  const eos = yield* startLab(wanted.eos, COMMIT, "plain", ["0", "32", "e"])
  const junos = yield* startLab(wanted.junos, COMMIT, "junos", [String(eos.port), "33", "j"])
  const routers = yield* startRouters(wanted.frr)
  const sizes: Sizes = { ...wanted, frr: routers.length }
  const folder = yield* siteFolder(prepare(sizes))
  const settings = path.join(folder, "settings")
  const { api, database, pid } = yield* startServer(folder, environment(folder, eos.port))
  return yield* Effect.gen(function* () {
    yield* seed(eos.switches, wanted.eos)
    yield* seedLab(junos.switches, "junos")
    yield* seedRouters(routers)
    const all = sizes.eos + sizes.junos + sizes.frr
    // every line is new, the host keys too; the code that runs often is compiled after that
    const first = yield* changing(api, pid, all, { all: true, confirm_mode: 1 })
    const runs: Array<ModeRuns> = []
    let number = 0
    for (const mode of modes) {
      const alone = new Map<PlatformName, ReadonlyArray<SyncRun>>()
      // what the first one pays for all, such as templates that are read anew, is paid by each platform once
      for (const order of [platforms, platforms.toReversed()]) {
        yield* change(api, settings, ++number)
        for (const platform of order) {
          if (sizes[platform] === 0) continue
          const of = { group: groupOf(platform), confirm_mode: mode }
          const run = yield* changing(api, pid, sizes[platform], of)
          alone.set(platform, [...(alone.get(platform) ?? []), run])
        }
      }
      yield* change(api, settings, ++number)
      runs.push({ mode, alone, whole: yield* changing(api, pid, all, { all: true, confirm_mode: mode }) })
    }
    return { sizes, first, runs }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

const each = ({ processorSeconds }: SyncRun, devices: number): number => (1000 * processorSeconds) / devices

const FIGURE = [
  "live sync of Junos: processor time a device against EOS, confirm mode 0",
  "live sync of Junos: processor time a device against EOS, confirm mode 1",
  "live sync of Junos: processor time a device against EOS, confirm mode 2"
] as const

const modeRows = (sizes: Sizes, { alone, mode, whole }: ModeRuns): ReadonlyArray<Measured> => {
  const meanOf = (platform: PlatformName, of: (run: SyncRun) => number): number => {
    const both = alone.get(platform) ?? []
    return both.reduce((sum, run) => sum + of(run), 0) / both.length
  }
  const costs = [...alone.keys()].map(
    (platform) => [platform, meanOf(platform, (run) => each(run, sizes[platform]))] as const
  )
  const cost = new Map<PlatformName, number>(costs)
  const ratio = (cost.get("junos") ?? Number.NaN) / (cost.get("eos") ?? Number.NaN)
  const shown = costs
    .map(
      ([platform, milliseconds]) =>
        `${platform} ${milliseconds.toFixed(1)} ms in ${meanOf(platform, ({ seconds }) => seconds).toFixed(1)} s`
    )
    .join(", ")
  const devices = sizes.eos + sizes.junos + sizes.frr
  return [
    row(
      `live sync in confirm mode ${mode}: processor time a device of Junos against EOS`,
      "≤ 1.5 times",
      `${ratio.toFixed(2)} times (${shown})`,
      { devices, mode, ratio, ...Object.fromEntries(costs) },
      figure(FIGURE[mode], sizes.junos, ratio)
    ),
    row(
      `live sync of the whole site of ${devices} in confirm mode ${mode}`,
      "",
      `${whole.seconds.toFixed(1)} s, ${whole.megabytes.toFixed(0)} MB, ${each(whole, devices).toFixed(1)} ms of processor time a device`,
      { devices, mode, ...whole }
    )
  ]
}

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (wanted: Sizes) {
  const { first, runs, sizes } = yield* measure(wanted)
  const devices = sizes.eos + sizes.junos + sizes.frr
  const site = `${sizes.eos} devices with EOS, ${sizes.junos} with Junos, ${sizes.frr} with FRR`
  return [
    row(`live sync of ${site}, every line new`, "", `${first.seconds.toFixed(1)} s, ${first.megabytes.toFixed(0)} MB`, {
      devices,
      ...first
    }),
    ...runs.flatMap((run) => modeRows(sizes, run))
  ]
})
