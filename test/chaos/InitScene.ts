/**
 * Blank access switches that a server in a process of its own provisions, one for each run. The run kills the server at a
 * chosen instant of init step 1 or 2, starts another one, and compares what is left with a run in which nothing was killed:
 * the switch is MANAGED exactly as it would have been, or DISCOVERED as if nothing had happened (promises 3 and 4).
 */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../src/domain/Job.ts"
import * as Engine from "../../src/Engine.ts"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Database from "../../src/store/Database.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { booted } from "../support/BlankSwitch.ts"
import * as Campus from "../support/Campus.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { databaseUrl } from "../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

const DOWNLINKS = `---
interfaces:
  - name: Ethernet[1-48]
    ifclass: downlink
`
const NEW_NETWORK = "127.196.16."

/** When to kill: as soon as the switch has got so far, or so many milliseconds after the start of step 1. */
export type Kill =
  | { readonly name: string; readonly reached: (device: LabSwitch, since: number) => boolean }
  | { readonly name: string; readonly afterMs: number }

/** What a run leaves in the database and on the switch, apart from names and addresses. */
export interface Leftovers {
  readonly state: string
  /** Name, status and exception of the jobs. */
  readonly jobs: ReadonlyArray<string>
  readonly failed: ReadonlyArray<boolean>
  readonly links: number
  readonly ports: number
  readonly reservations: number
  readonly neighbours: ReadonlyArray<boolean>
  readonly events: ReadonlyArray<string>
  readonly renamed: boolean
  readonly addressed: boolean
  readonly announced: number
  /** Commits on the switch, since it was discovered. */
  readonly commits: number
  readonly debris: ReadonlyArray<string>
  readonly saved: boolean
}

/** True when the switch has been logged in to on its new address. */
export const movedAndSeen = (device: LabSwitch): boolean =>
  device.logins().some(({ accepted, address }) => accepted && address.startsWith(NEW_NETWORK))

/** The job and all that follow it. */
const chainOf = Effect.fnUntraced(function* (id: number) {
  const chain: Array<Job> = []
  let next: number | null = id
  while (next !== null) {
    const job: Job = yield* ServerProcess.untilEnded(next)
    chain.push(job)
    next = job.next_job_id
  }
  return chain
})

const count = Effect.fnUntraced(function* (table: string, condition: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ n: number }>`select count(*)::int as n from ${sql.literal(`${table} where ${condition}`)}`
  return rows[0]?.n ?? 0
})

const hasFailed = ({ result }: Job): boolean => JSON.stringify(result).includes('"failed":true')

/** The campus with its first server; no access switch is there yet. */
export const make = Effect.fnUntraced(function* (switchCount: number) {
  const folders = yield* Campus.makeFolders
  // the example's ports differ from each other, so that one run could not be compared with another
  yield* folders.settings.commit({
    "devices/lhv-dist1/interfaces.yml": DOWNLINKS,
    "devices/lhv-dist2/interfaces.yml": DOWNLINKS
  })
  const lab = yield* Campus.makeCampusLab(switchCount, () => Effect.void)
  const url = yield* databaseUrl
  const env = { ...Campus.environment(lab, folders, folders.folder), DATABASE_URL: url }
  const stores = yield* Layer.build(Engine.stores.pipe(Layer.provideMerge(Database.layerUrl(Redacted.make(url)))))
  let server = yield* ServerProcess.launch(env)
  const { one, other } = yield* Effect.provide(Campus.seedSite, stores)
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  const names = Campus.accessNames(switchCount)
  let used = 0

  const discovered = Effect.fnUntraced(function* (device: LabSwitch) {
    const { discovery, row } = yield* booted(device)
    yield* ServerProcess.untilEnded(yield* server.start("discover_device", discovery))
    return row
  })

  const leftovers = Effect.fnUntraced(function* (
    id: number,
    device: LabSwitch,
    before: { readonly hostname: string; readonly commits: number },
    chain: ReadonlyArray<Job>
  ) {
    const sql = yield* SqlClient.SqlClient
    const row = yield* (yield* DeviceStore).get(id)
    const neighbours = yield* (yield* DeviceStore).byIds([one.id, other.id])
    const events = yield* sql<{ cause: string }>`select cause from sync_event order by cause`
    const log = yield* folders.pluginLog
    const ofDevice = (table: string) => count(table, `device_id = ${id}`)
    return {
      state: row.state,
      jobs: chain.map(
        ({ exception, function_name, status }) => `${function_name} ${status} ${exception?.message ?? ""}`
      ),
      failed: chain.map(hasFailed),
      links: yield* count("linknet", `device_a_id = ${id} or device_b_id = ${id}`),
      ports: yield* ofDevice("interface"),
      reservations: yield* ofDevice("reserved_ip"),
      neighbours: neighbours.map(({ synchronized }) => synchronized),
      events: events.map(({ cause }) => cause),
      renamed: row.hostname !== before.hostname,
      addressed: row.management_ip !== null && device.running().includes(`ip address ${row.management_ip}/`),
      announced: log.match(new RegExp(`new_managed_device: hostname=${row.hostname}\\b`, "g"))?.length ?? 0,
      commits: device
        .commits()
        .slice(before.commits)
        .filter(({ kind }) => kind === "commit").length,
      debris: ManagedCampus.debrisOn(device),
      saved: ManagedCampus.stripped(device.startup()) === ManagedCampus.stripped(device.running())
    } satisfies Leftovers
  })

  /** Provisions the next switch and kills the server on the way; never, when no kill is given. */
  const run = Effect.fnUntraced(function* (kill: Kill | null) {
    const sql = yield* SqlClient.SqlClient
    const device = yield* Effect.orDie(lab.get(names[used] ?? ""))
    used += 1
    yield* sql`update device set synchronized = true where id in (${one.id}, ${other.id})`
    yield* sql`delete from sync_event`
    const { hostname, id } = yield* discovered(device)
    const before = { hostname, commits: device.commits().length }
    const since = Date.now()
    const jobId = yield* server.start("init_access_device_step1", {
      device_id: id,
      new_hostname: `lhv-acc${50 + used}`
    })
    const at = kill !== null && "afterMs" in kill ? Date.now() + kill.afterMs : 0
    const due = () => kill !== null && ("reached" in kill ? kill.reached(device, since) : Date.now() >= at)
    const killed = yield* Effect.raceFirst(
      Effect.as(ServerProcess.killWhen(server, due), true),
      Effect.as(chainOf(jobId), false)
    )
    const killedAt = Date.now()
    if (killed) {
      yield* server.ended
      server = yield* ServerProcess.launch(env)
    }
    const chain = yield* chainOf(jobId).pipe(
      Effect.timeout("2 minutes"),
      Effect.orElseSucceed(() => [])
    )
    return { killed, recoveryMs: Date.now() - killedAt, left: yield* leftovers(id, device, before, chain) }
  })

  return { run: (kill: Kill | null) => Effect.provide(run(kill), stores) }
})
