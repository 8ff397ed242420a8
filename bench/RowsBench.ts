/**
 * 100,000 devices in the database (`ROWS`), without switches and in 200 groups: lists in several orders and filters, finding, groups, the
 * overview, and a refresh of settings that concerns all of them. Calls come one after the other from one client.
 */
import { Console, Effect } from "effect"
import { appendFileSync } from "node:fs"
import * as path from "node:path"
import { type Client, percentile } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { changeAll, refresh } from "./BenchSettings.ts"
import { environment, siteFolder } from "./BenchSite.ts"
import { type Measured, row } from "./Measured.ts"

const GROUPS = 200
const CALLS = 60
const BUDGET = "p99 ≤ 300 ms"

const addGroups = (settings: string) => {
  const groups = Array.from(
    { length: GROUPS },
    (_, index) => `  - group:\n      name: BENCH_${index}\n      regex: 'far${index}[0-9]*$'\n`
  )
  appendFileSync(path.join(settings, "global/groups.yml"), groups.join(""))
}

/** What is asked, and the target of the n-th time. */
const questions = (count: number): Readonly<Record<string, (index: number) => string>> => {
  const far = (index: number) => `far${1 + ((index * 7919) % count)}`
  return {
    "GET /devices, the first page": () => "/devices?per_page=50",
    "a page in the middle": (index) => `/devices?per_page=50&page=${count / 100 + index}`,
    "the last page": () => `/devices?per_page=50&page=${count / 50}`,
    "sorted by name": () => "/devices?per_page=50&sort=hostname",
    "sorted by when it was seen, newest first": () => "/devices?per_page=50&sort=-last_seen",
    "filtered by state and synchronization": () =>
      "/devices?per_page=50&filter[state]=MANAGED&filter[synchronized]=false",
    "filtered by a part of the name": (index) => `/devices?per_page=50&filter[hostname][contains]=${far(index)}`,
    searched: (index) => `/devices?per_page=50&filter[search]=${far(index)}`,
    "those of a group": (index) => `/devices?per_page=50&filter[group]=BENCH_${index % GROUPS}`,
    "GET /device/<name>": (index) => `/device/${far(index)}`,
    "GET /find by name": (index) => `/find?q=${far(index)}`,
    "GET /find by IP address": (index) => `/find?q=10.33.${index}.7`,
    "GET /groups": () => "/groups",
    "GET /groups/<name>": (index) => `/groups/BENCH_${index % GROUPS}`,
    "GET /groups/<name>/os_version": (index) => `/groups/BENCH_${index % GROUPS}/os_version`,
    "GET /overview": () => "/overview",
    "GET /settings?hostname=<name>": (index) => `/settings?hostname=${far(index)}`,
    // of those whose addresses are in the management domain
    generate_config: (index) => `/device/far${1 + index * 10}/generate_config`
  }
}

const timesOf = (api: Client, target: (index: number) => string) =>
  Effect.promise(async () => {
    const times: Array<number> = []
    for (let index = 0; index < CALLS; index++) {
      const { body, milliseconds, status } = await api.get(target(index))
      if (status !== 200) throw new Error(`${target(index)}: ${JSON.stringify(body).slice(0, 300)}`)
      times.push(milliseconds)
    }
    return times
  })

/** The rows of the table. */
export const rows = Effect.fnUntraced(function* (count: number) {
  const folder = yield* siteFolder(addGroups)
  const settings = path.join(folder, "settings")
  const { api, database, pid } = yield* startServer(folder, environment(folder, 22))
  yield* Effect.provide(seed([], count), database)
  const ofAll = `${count} devices`
  const table: Array<Measured> = []
  for (const [what, target] of Object.entries(questions(count))) {
    const times = yield* timesOf(api, target)
    const [p50, p99, longest] = [percentile(times, 0.5), percentile(times, 0.99), percentile(times, 1)]
    const measured = `median ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, first ${(times[0] ?? 0).toFixed(0)} ms`
    yield* Console.log(`${what}: ${measured}`)
    table.push(row(`${what}, ${ofAll}`, BUDGET, measured, { p50, p99, longest, first: times[0] ?? 0 }))
  }
  changeAll(settings)
  const seconds = yield* refresh(api)
  const what = `refresh of the settings to all sync statuses known, ${ofAll}`
  table.push(row(what, "≤ 50 s", `${seconds.toFixed(1)} s`, { seconds }))
  const { megabytes } = usageOf(pid)
  return [...table, row(`memory of the server after that, ${ofAll}`, "", `${megabytes.toFixed(0)} MB`, { megabytes })]
}, Effect.scoped)
