/**
 * Blank switches that a server in a process of its own provisions, new ones for each run. An attempt is disturbed at a chosen instant of
 * the initialisation: the server is killed and another one started, or the job is aborted. It reports the remains when all jobs have ended:
 * every switch must be MANAGED exactly as it would have been, or DISCOVERED as if nothing had happened (promises 3 and 4).
 */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { finalStatuses } from "../../../src/domain/Job.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Database from "../../../src/store/Database.ts"
import { waitingForDatabase } from "../../../src/store/DatabaseClient.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { allRows } from "../../support/ProvisioningLab.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import type { InitKind, Newcomer } from "./InitKinds.ts"
import { leftovers, type Member } from "./InitLeftovers.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"

const DOWNLINKS = `---
interfaces:
  - name: Ethernet[1-48]
    ifclass: downlink
`
// the example's ports differ from each other, so that one run could not be compared with another
const settings = (runs: number) => ({
  "devices/lhv-dist1/interfaces.yml": DOWNLINKS,
  "devices/lhv-dist2/interfaces.yml": DOWNLINKS,
  "core/interfaces_dcs-7050cx3-32s-f.yml": `---
interfaces:
  - name: Ethernet[1-${runs}]/1
    ifclass: fabric
`
})

/** As soon as a switch has got so far, as a job says that a step begins, or so many milliseconds after the start. */
export type Instant =
  | { readonly name: string; readonly reached: (newcomers: ReadonlyArray<LabSwitch>, run: Run) => boolean }
  | { readonly name: string; readonly said: string; readonly nth: number }
  | { readonly name: string; readonly afterMs: number }

/**
 * The disturbance: kill the server with kill -9, abort the job of step 1 or the newest job, kill the server and abort the job of step 1 as
 * soon as the next server takes commands, or strike something that the server needs.
 */
export interface Disturbance {
  readonly what: "kill" | "abort" | "abortNewest" | "killThenAbort" | Effect.Effect<void>
  readonly when: Instant
}

/** Further signs of an instant in addition to the new switches: those above, and the start of the first job. */
export interface Run {
  readonly neighbours: ReadonlyArray<LabSwitch>
  readonly since: number
}

/** Looks every millisecond. */
const until = (due: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (due() ? Effect.void : Effect.andThen(Effect.sleep(1), until(due))))

/** A job that has not ended by then is lost. */
const PATIENCE = seconds(120)

/** Ids of the jobs since this one that have not ended. */
const openJobs = Effect.fnUntraced(function* (first: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number }>`select id from job where id >= ${first} and status not in ${sql.in(finalStatuses)}`
})

const untilAllEnded = Effect.fnUntraced(function* (first: number) {
  while ((yield* openJobs(first)).length > 0) yield* Effect.sleep(20)
})

const jobsSince = Effect.fnUntraced(function* (first: number) {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const rows = yield* sql<{ id: number }>`select id from job where id >= ${first} order by id`
  return yield* Effect.forEach(rows, ({ id }) => jobs.get(id))
})

/** Waits until so many jobs since the first one have said that this step begins. */
const untilSaid = Effect.fnUntraced(function* (first: number, step: string, nth: number) {
  const sql = yield* SqlClient.SqlClient
  const seen = new Set<number>()
  while (seen.size < nth) {
    const rows = yield* sql<{ id: number }>`select id from job where id >= ${first}
      and result -> 'progress' @> ${JSON.stringify([{ step }])}::jsonb`
    for (const { id } of rows) seen.add(id)
    if (seen.size < nth) yield* Effect.sleep(2)
  }
})

/**
 * The campus with its first server, for so many runs of one kind, without new switches yet. `database` is the URL of an empty database, by
 * default one of the tests' own server.
 */
export const make = Effect.fnUntraced(function* (kind: InitKind, runs: number, database?: string) {
  const numbers = Array.from({ length: runs }, (_, index) => index + 1)
  const folders = yield* Campus.makeFoldersWithPlugin
  yield* folders.settings.commit(settings(runs))
  const cores = kind.cores.map((name, index) => [name, Campus.fabricNode("CORE", name, index + 1)] as const)
  const nodes = Object.assign(Object.fromEntries(cores), ...numbers.map(kind.nodes))
  const lab = yield* Campus.makeSite(nodes, numbers.flatMap(kind.links))
  const neighbours = yield* Effect.orDie(Effect.forEach(kind.neighbours, (name) => lab.get(name)))
  const url = database ?? (yield* databaseUrl)
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    // a server that takes long to come back must not find that the switch has taken the change back
    COMMIT_CONFIRMED_TIMEOUT: timer(60),
    INIT_MGMT_TIMEOUT: timer(4),
    DATABASE_URL: url
  }
  let server = yield* ServerProcess.launch(env)
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url)), env))
  yield* Effect.provide(Campus.seedSite, stores)
  for (const [index, name] of kind.cores.entries()) {
    yield* Effect.provide(Campus.seedFabric("CORE", name, index + 1), stores)
  }
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  let used = 0

  const discovered = Effect.fnUntraced(function* (node: string, hostname: string) {
    const device = yield* Effect.orDie(lab.get(node))
    const { discovery, row } = yield* booted(device)
    yield* ServerProcess.untilEnded(yield* server.start("discover_device", discovery))
    const member: Member = { device, hostname, discoveredId: row.id, commitsBefore: device.commits().length }
    return member
  })

  const isDue = (when: Instant, members: ReadonlyArray<Member>, since: number) => {
    const devices = members.map(({ device }) => device)
    return () => {
      if ("reached" in when) return when.reached(devices, { neighbours, since })
      return "afterMs" in when && Date.now() >= since + when.afterMs
    }
  }

  const relaunch = Effect.gen(function* () {
    yield* server.ended
    server = yield* ServerProcess.launch(env)
  })

  /** Waits for the instant and disturbs, unless everything has ended before. */
  const disturbed = Effect.fnUntraced(function* (
    { what, when }: Disturbance,
    members: ReadonlyArray<Member>,
    first: number
  ) {
    const due = isDue(when, members, Date.now())
    const said = "said" in when ? untilSaid(first, when.said, when.nth) : null
    const kill = Effect.sync(() => server.killNow())
    const killing = said === null ? ServerProcess.killWhen(server, due) : Effect.andThen(said, kill)
    const isKill = what === "kill" || what === "killThenAbort"
    const waiting = isKill ? killing : (said ?? until(due))
    const done = yield* Effect.raceFirst(Effect.as(waiting, true), Effect.as(untilAllEnded(first), false))
    if (!done) return false
    if (Effect.isEffect(what)) {
      yield* what
      return true
    }
    if (isKill) yield* relaunch
    const newest = Math.max(...(yield* jobsSince(first)).map(({ id }) => id))
    if (what !== "kill") yield* server.abort(what === "abortNewest" ? newest : first)
    return true
  })

  /** Initialises the new switches, for the first time or again. */
  const attempt = Effect.fnUntraced(function* (
    newcomers: ReadonlyArray<Newcomer>,
    members: ReadonlyArray<Member>,
    disturbance: Disturbance | null
  ) {
    const ids = members.map(({ discoveredId }) => discoveredId)
    const { args, name } = kind.job(newcomers, ids)
    const before = { rows: yield* allRows, running: members.map(({ device }) => device.running()) }
    const since = Date.now()
    const first = yield* server.start(name, args)
    const wasDisturbed = disturbance !== null && (yield* disturbed(disturbance, members, first))
    const disturbedAt = Date.now()
    yield* Effect.timeoutOption(untilAllEnded(first), PATIENCE)
    const jobs = yield* jobsSince(first)
    const left = yield* leftovers(members, neighbours, jobs, yield* folders.pluginLog)
    const after = { rows: yield* allRows, running: members.map(({ device }) => device.running()) }
    return {
      wasDisturbed,
      ms: Date.now() - since,
      recoveryMs: Date.now() - disturbedAt,
      left,
      jobs,
      before,
      after
    }
  })

  /** Plugs in the next new switches and discovers them. */
  const next = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    used += 1
    const newcomers = kind.newcomers(used)
    yield* Effect.orDie(kind.prepare(used, newcomers))
    const members = yield* Effect.forEach(newcomers, ({ hostname, node }) => discovered(node, hostname))
    yield* sql`update device set synchronized = true where hostname in ${sql.in(kind.neighbours)}`
    yield* sql`delete from sync_event`
    return {
      members,
      attempt: (disturbance: Disturbance | null) =>
        Effect.provide(waitingForDatabase(attempt(newcomers, members, disturbance)), stores)
    }
  })

  return {
    next: Effect.provide(next, stores),
    start: (name: string, args: Readonly<Record<string, unknown>>) =>
      Effect.flatMap(server.start(name, args), (id) => Effect.provide(ServerProcess.untilEnded(id), stores))
  }
})
