/**
 * What goes on in a world while it is struck: live syncs in each confirm mode, dry runs and readings, refreshes, initialisations, and
 * clients that read. All of it goes by the API, as people and scripts do it. What a sync has come to is judged when it has.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { finalStatuses } from "../../../src/domain/Job.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { calmly } from "./JobEndings.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { markOf } from "./SyncVerdict.ts"
import type { World } from "./World.ts"
import type { Answer, Call } from "./WorldClients.ts"
import { readingOf } from "./WorldSite.ts"
import * as WorldVerdict from "./WorldVerdict.ts"

/** Whether the load may begin something new. */
export interface Load {
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
export const isOk = ({ body, status }: Answer) =>
  status === 200 ? null : `${status} ${JSON.stringify(body).slice(0, 200)}`

/** Jobs with this comment. */
const jobsSaying = Effect.fnUntraced(function* (comment: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`select id from job where comment = ${comment} order by id`
  return rows.map(({ id }) => id)
}, calmly)

/** Their ids, and of those that they have started, once all have ended. */
export const ended = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
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
export const wished = Effect.fnUntraced(function* (
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

/** Live syncs of these switches, one after the other. In modes 0 and 1 every second one goes beside those of others. */
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

/** Dry runs and readings of switches that nobody changes. */
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

/** What readers ask, and what they must hear. */
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

/** Everything at once, until it is over and what was begun has ended. */
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
