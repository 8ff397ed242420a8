/** The story of a world: everything is brought in order, then struck while it works, and read at the end. */
import { Console, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { seconds } from "../../support/Patience.ts"
import { calmly, openJobs, untilAllEnded } from "./JobEndings.ts"
import type { World } from "./World.ts"
import type { WorldFault } from "./WorldFaults.ts"
import * as WorldVerdict from "./WorldVerdict.ts"
import { finalStatuses } from "../../../src/domain/Job.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import { type Newcomer, readingOf } from "./WorldSite.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { markOf } from "./SyncVerdict.ts"
import type { Answer, Call } from "./WorldClients.ts"

// The work of a world while it is struck: live syncs in each confirm mode, dry runs and readings, refreshes, initialisations, and clients
// that read. All of it uses the API, as people and scripts do. The result of a sync is checked when it has ended.

/** Whether the load may begin something new. */
interface Load {
  isOver: boolean
  readonly violations: Array<string>
  /** Devices that a live sync has changed. */
  changed: number
  /** Devices of which a record says truthfully that they were not. */
  failed: number
}

const REST = "300 millis"

const started = ({ body, status }: Answer) =>
  status === 200 && body.job_id !== undefined ? null : `${status} ${JSON.stringify(body).slice(0, 200)}`
const isOk = ({ body, status }: Answer) => (status === 200 ? null : `${status} ${JSON.stringify(body).slice(0, 200)}`)

/** Jobs with this comment. */
const jobsSaying = Effect.fnUntraced(function* (comment: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`select id from job where comment = ${comment} order by id`
  return rows.map(({ id }) => id)
}, calmly)

/** Their ids, and of those that they have started, once all have ended. */
const ended = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const rows = yield* calmly(sql<{ id: number; status: string; next_job_id: number | null }>`
      select id, status, next_job_id from job where id in ${sql.in(ids)} or id in
        (select next_job_id from job where id in ${sql.in(ids)})`)
    if (rows.every(({ status }) => finalStatuses.some((final) => final === status))) return rows.map(({ id }) => id)
    yield* Effect.sleep("100 millis")
  }
})

/** Asks for a job until there is one: an answer that was lost is looked up by what was said with it. */
const wished = Effect.fnUntraced(function* (
  { ask }: World,
  path: string,
  body: { readonly comment: string; readonly [option: string]: unknown }
) {
  for (;;) {
    const answer = yield* Effect.option(ask({ method: "POST", path, body, wrong: started, once: true }))
    const ids = yield* jobsSaying(body.comment)
    if (ids.length > 0) return ids
    // it said that there was one
    if (answer._tag === "Some") return [answer.value.body.job_id ?? 0]
    yield* Effect.sleep(REST)
  }
})

/** Live syncs of these switches, one after the other. In modes 0 and 1 every second one runs in parallel with others. */
const syncs = Effect.fnUntraced(function* (
  world: World,
  load: Load,
  mode: 0 | 1 | 2,
  switches: ReadonlyArray<LabSwitch>
) {
  const hostnames = switches.map(({ name }) => name)
  const rows = world.devices.filter(({ hostname }) => hostnames.includes(hostname))
  for (let turn = 1; !load.isOver && switches.length > 0; turn += 1) {
    const comment = `wish ${turn} in mode ${mode}`
    yield* calmly(ManagedCampus.wantChange(rows, comment))
    const marks = switches.map((device) => markOf(device, readingOf(device.name)))
    const urgent = mode !== 2 && turn % 2 === 0
    const body = { hostnames, dry_run: false, confirm_mode: mode, comment, ...(urgent ? { urgent } : {}) }
    const ids = yield* wished(world, "/device_syncto", body)
    yield* ended(ids)
    const verdict = yield* WorldVerdict.ofSync(world, marks, comment, ids)
    load.violations.push(...verdict.violations.map((text) => `${comment} (jobs ${ids.join(", ")}): ${text}`))
    load.changed += verdict.changed
    load.failed += verdict.failed
    yield* Effect.sleep(REST)
  }
})

/** Dry runs and readings of switches that no job changes. */
const beside = Effect.fnUntraced(function* (world: World, load: Load) {
  const { onlyRead } = world.site
  for (let turn = 0; !load.isOver; turn += 1) {
    const hostname = onlyRead[turn % onlyRead.length] ?? ""
    const comment = `beside ${turn}`
    const [path, body] =
      turn % 2 === 0
        ? ["/device_update_facts", { hostname, comment }]
        : ["/device_syncto", { hostname, dry_run: true, resync: true, comment }]
    yield* ended(yield* wished(world, path, body))
    yield* Effect.sleep(REST)
  }
})

const refreshes = Effect.fnUntraced(function* ({ ask, site }: World, load: Load) {
  for (let turn = 0; !load.isOver; turn += 1) {
    yield* site.changeTimeServer(100 + (turn % 100))
    const path = turn % 4 === 3 ? "/repository/templates" : "/repository/settings"
    yield* Effect.ignore(ask({ method: "PUT", path, body: { action: "REFRESH" }, wrong: isOk }))
    yield* Effect.sleep("3 seconds")
  }
})

/** The questions of readers, and the required answers. */
const readings = ({ random, site }: World): ReadonlyArray<Call> => {
  const any = (list: ReadonlyArray<string>) => list[Math.floor(random() * list.length)] ?? ""
  const hostname = any(site.hostnames)
  const read = any(site.onlyRead)
  const holds = (text: string) => (answer: Answer) =>
    isOk(answer) ?? (JSON.stringify(answer.body).includes(text) ? null : `nothing of ${text}`)
  return [
    { method: "GET", path: `/devices?filter[hostname]=${hostname}`, wrong: holds(`"hostname":"${hostname}"`) },
    { method: "GET", path: `/device/${hostname}/generate_config`, wrong: holds(`hostname ${hostname}`) },
    { method: "GET", path: `/settings?hostname=${hostname}&device_type=ACCESS`, wrong: holds("ntp_servers") },
    { method: "GET", path: "/jobs?per_page=5", wrong: holds('"jobs":[') },
    { method: "GET", path: `/device/${read}/running_config`, wrong: holds(`hostname ${read}`) }
  ]
}

const readers = Effect.fnUntraced(function* (world: World, load: Load) {
  while (!load.isOver) {
    for (const call of readings(world)) yield* Effect.ignore(world.ask(call))
    yield* Effect.sleep("100 millis")
  }
})

/** Everything at once, until the time has passed and all work has ended. */
export const run = (world: World, load: Load, initialise: Effect.Effect<void>) => {
  const third = (part: number) => world.site.switches.filter((_, index) => index % 3 === part)
  const modes = [0, 1, 2] as const
  return Effect.all(
    [
      ...modes.map((mode) => syncs(world, load, mode, third(mode))),
      beside(world, load),
      refreshes(world, load),
      readers(world, load),
      readers(world, load),
      initialise
    ],
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.provide(world.stores))
}

// Blank switches of a world that are discovered and initialised by the API while it is struck, again and again until they are managed.

/** A switch that is not managed after so many jobs will not be. A request that a replica could not take is not counted. */
const ATTEMPTS = 12
const AT_ONCE = 2
const AGAIN = "200 millis"

const isStarted = ({ status }: { readonly status: number }) => (status === 200 ? null : `status ${status}`)

/** Boots them all; the DHCP server's hook would report them, which is done by `initialise`. */
const boot = (newcomers: ReadonlyArray<Newcomer>) =>
  Effect.forEach(newcomers, ({ device, hostname }) =>
    Effect.map(booted(device), ({ discovery, row }) => ({ device, hostname, id: row.id, discovery }))
  )
type Booted = Effect.Success<ReturnType<typeof boot>>[number]

const stateOf = (id: number) =>
  calmly(
    Effect.map(
      Effect.flatMap(DeviceStore, (devices) => devices.get(id)),
      ({ state }) => state
    )
  )

/** Nothing is at work on any of them. */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const open = sql`select 1 from job where status not in ${sql.in(finalStatuses)}
    and (function_name like 'init%' or function_name = 'discover_device')`
  while ((yield* calmly(open)).length > 0) yield* Effect.sleep("100 millis")
})

/** How the last job for it has ended. */
const lastEnd = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [job] = yield* calmly(sql`select id, function_name, status, exception, result from job
    where function_name like 'init%' and (start_arguments->>'device_id')::int = ${id} order by id desc limit 1`)
  return job === undefined ? "no job" : JSON.stringify(job).slice(0, 1_500)
})

const initialiseOne = Effect.fnUntraced(function* ({ ask }: World, { discovery, hostname, id }: Booted) {
  const { dhcp_ip, ztp_mac } = discovery
  let attempts = 0
  while (attempts < ATTEMPTS) {
    const state = yield* stateOf(id)
    if (state === "MANAGED") return null
    const call =
      state === "DHCP_BOOT"
        ? { path: "/device_discover", body: { dhcp_ip, ztp_mac } }
        : { path: `/device_init/${id}`, body: { hostname, device_type: "ACCESS" } }
    const answer = yield* Effect.option(ask({ method: "POST", ...call, wrong: isStarted, once: true }))
    if (answer._tag === "Some") attempts += 1
    else yield* Effect.sleep(AGAIN)
    yield* settled
  }
  return `${hostname} is ${yield* stateOf(id)} after ${ATTEMPTS} jobs: ${yield* lastEnd(id)}`
})

/** All of them, a few at once. Yields who could not be. */
const initialise = (world: World, newcomers: ReadonlyArray<Booted>) =>
  Effect.forEach(newcomers, (one) => initialiseOne(world, one), { concurrency: AT_ONCE }).pipe(
    Effect.map((ends) => ends.filter((end) => end !== null)),
    Effect.provide(world.stores)
  )

/** Whatever was begun ends within this time after the last fault: work that was cut off waits for the timers of its switches, twice at most. */
const patienceOf = ({ site }: World): number => seconds(160 + 2 * site.timerSeconds)
/** A fault finds everything at work again. */
const BETWEEN_MS = 1_500

export interface Plan {
  readonly faults: ReadonlyArray<WorldFault>
  /** Milliseconds from one to the next; one after the other when absent. */
  readonly everyMs?: number
}

/** One live sync of everything, none of which may fail. */
const syncAll = Effect.fnUntraced(function* (world: World, comment: string) {
  const body = { all: true, resync: true, force: true, dry_run: false, comment }
  const ids = yield* ended(yield* wished(world, "/device_syncto", body))
  return yield* WorldVerdict.ofPlainSync(ids)
})

const inOrder = Effect.fnUntraced(function* (world: World) {
  const sql = yield* SqlClient.SqlClient
  const refresh = (name: string) =>
    world.ask({ method: "PUT", path: `/repository/${name}`, body: { action: "REFRESH" }, wrong: isOk })
  yield* Effect.ignore(refresh("templates"))
  yield* Effect.ignore(refresh("settings"))
  yield* calmly(sql`update device set synchronized = true where hostname in ('lhv-dist1', 'lhv-dist2')`)
  return yield* syncAll(world, "in order")
})

const strike = Effect.fnUntraced(function* (world: World, { aim, lastsMs, name }: WorldFault) {
  const { at, mend, strike: harm } = aim(world)
  yield* Console.log(`${new Date().toISOString()} ${name}: ${at}`)
  yield* harm
  yield* Effect.sleep(lastsMs)
  yield* mend
})

const strikeAll = Effect.fnUntraced(function* (world: World, { everyMs, faults }: Plan) {
  for (const fault of faults) {
    const since = Date.now()
    yield* strike(world, fault)
    yield* Effect.sleep(Math.max(BETWEEN_MS, since + (everyMs ?? 0) - Date.now()))
  }
})

const lost = Effect.map(openJobs, (jobs) =>
  jobs.map(({ function_name, id, status }) => `lost job ${id} (${function_name}): ${status}`)
)

/**
 * Everything at once while it is struck, until what was begun has ended, and a sync of all once more; yields what was broken, and
 * milliseconds from the last fault to the end of the work.
 */
const work = Effect.fnUntraced(function* (world: World, plan: Plan, load: Load) {
  const newcomers = yield* boot(world.site.newcomers)
  const initialising = Effect.map(initialise(world, newcomers), (left) => void load.violations.push(...left))
  const working = yield* Effect.forkChild(run(world, load, initialising))
  yield* Effect.sleep(BETWEEN_MS)
  yield* Effect.raceFirst(strikeAll(world, plan), Effect.andThen(Fiber.join(working), Effect.never))
  load.isOver = true
  const since = Date.now()
  const isOver = yield* Effect.timeoutOption(Effect.andThen(Fiber.join(working), untilAllEnded), patienceOf(world))
  const unended = isOver._tag === "Some" ? [] : ["the work has not ended", ...(yield* lost)]
  const settledMs = Date.now() - since
  const atLast = isOver._tag === "Some" ? yield* syncAll(world, "at last") : []
  return { settledMs, violations: [...load.violations, ...unended, ...atLast] }
})

/** Plays it; returns the violations and the counts. Nothing is struck that was not in order before. */
export const play = Effect.fnUntraced(function* (world: World, plan: Plan) {
  const load: Load = { isOver: false, violations: [], changed: 0, failed: 0 }
  const atFirst = yield* inOrder(world)
  const { settledMs, violations: atWork } =
    atFirst.length > 0 ? { settledMs: 0, violations: atFirst } : yield* work(world, plan, load)
  const { jobs, violations } = yield* WorldVerdict.atTheEnd(world)
  const { asked, longestMs, retries, slow, wrong } = world.account
  return {
    violations: [...atWork, ...violations, ...wrong],
    counts: {
      faults: WorldVerdict.counted(plan.faults.map(({ name }) => name)),
      jobs: WorldVerdict.counted(jobs.map((job) => `${job.function_name} ${job.status}`)),
      changed: load.changed,
      failed: load.failed,
      settledMs,
      asked,
      retries: Object.fromEntries(retries),
      longestMs: Object.fromEntries(longestMs),
      slow
    }
  }
})
