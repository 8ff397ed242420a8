/**
 * Rows of the budgets that need many devices in the database but no switches: a refresh of the settings until every sync
 * status is known, lists, single changes, one preview, and what an idle server takes. The server is a process of its own.
 */
import { Effect } from "effect"
import { appendFileSync } from "node:fs"
import * as path from "node:path"
import { type Client, forSeconds, load, percentile } from "./BenchClient.ts"
import { DEVICES, seed } from "./BenchFleet.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { changeAll, refresh } from "./BenchSettings.ts"
import { commit, environment, folderOf } from "./BenchSite.ts"
import { type Measured, row } from "./Measured.ts"

const GROUPS = 200
const CONNECTIONS = 32
const SINGLE_CALLS = 21

const addGroups = (settings: string) => {
  const groups = Array.from(
    { length: GROUPS },
    (_, index) => `  - group:\n      name: BENCH_${index}\n      regex: 'far${index}[0-9]*$'\n`
  )
  appendFileSync(path.join(settings, "global/groups.yml"), groups.join(""))
  commit(settings, "groups")
}

/** The median of several calls, one after the other, in milliseconds. */
const median = (call: (index: number) => ReturnType<Client["get"]>) =>
  Effect.promise(async () => {
    const times: Array<number> = []
    for (let index = 0; index < SINGLE_CALLS; index++) {
      const { body, milliseconds, status } = await call(index)
      if (status !== 200) throw new Error(JSON.stringify(body).slice(0, 300))
      times.push(milliseconds)
    }
    return percentile(times, 0.5)
  })

const idle = Effect.fnUntraced(function* (pid: number) {
  yield* Effect.sleep("5 seconds")
  const before = usageOf(pid)
  yield* Effect.sleep("10 seconds")
  const after = usageOf(pid)
  return { megabytes: after.megabytes, cpu: (after.seconds - before.seconds) * 10 }
})

const single = Effect.fnUntraced(function* (api: Client) {
  const { body } = yield* Effect.promise(() => api.get("/device/far4711"))
  const id = /"id":(\d+)/.exec(JSON.stringify(body))?.[1]
  const rename = yield* median((index) => api.put(`/device/${id}`, { hostname: `renamed${index}` }))
  const create = yield* median((index) =>
    api.post("/device", {
      hostname: `new${index}`,
      platform: "eos",
      state: "PRE_CONFIGURED",
      device_type: "ACCESS"
    })
  )
  const preview = yield* median((index) => api.get(`/device/far${1 + index * 10}/generate_config`))
  return [
    row("rename of a device among 10,000", "≤ 0.2 s", `${rename.toFixed(0)} ms`, { milliseconds: rename }),
    row("POST /device among 10,000", "≤ 0.2 s", `${create.toFixed(0)} ms`, { milliseconds: create }),
    row("generate_config, 10,000 devices", "≤ 50 ms", `${preview.toFixed(0)} ms`, { milliseconds: preview })
  ]
})

const lists = Effect.fnUntraced(function* (port: number) {
  const read = (target: () => string) => Effect.promise(() => load(port, CONNECTIONS, target, forSeconds(5)))
  yield* read(() => "/devices?per_page=50")
  const page = yield* read(() => "/devices?per_page=50")
  // the first look at a device after a refresh finds out its groups
  let next = 0
  yield* read(() => `/devices?per_page=50&page=${1 + (next++ % (DEVICES / 50))}`)
  const pages = yield* read(() => `/devices?per_page=50&page=${1 + Math.floor(Math.random() * (DEVICES / 50))}`)
  const shown = ({ p99, rate }: typeof page) => `${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms`
  return [
    row(
      "GET /devices, 10,000 devices, 50 per page, 32 connections",
      "≥ 1,500/s, p99 ≤ 40 ms",
      `${shown(page)} (client on the same cores)`,
      { ...page }
    ),
    row("the same, a random page each", "", shown(pages), { ...pages })
  ]
})

/** The rows of the table. */
export const rows = Effect.gen(function* () {
  const folder = yield* folderOf
  const settings = path.join(folder, "settings")
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, 22))
  yield* Effect.provide(seed(), database)
  addGroups(settings)
  yield* refresh(api)
  changeAll(settings)
  const seconds = yield* refresh(api)
  const resting = yield* idle(pid)
  const table: ReadonlyArray<Measured> = [
    row("settings refresh with 10,000 devices to sync status known", "≤ 5 s", `${seconds.toFixed(1)} s`, { seconds }),
    row(
      "idle server with 10,000 devices",
      "≤ 350 MB, < 2 % CPU",
      `${resting.megabytes.toFixed(0)} MB, ${resting.cpu.toFixed(1)} % CPU`,
      resting
    ),
    ...(yield* single(api)),
    ...(yield* lists(port))
  ]
  return table
}).pipe(Effect.scoped)
