/**
 * A live sync of a thousand devices that twenty open pages follow: what the API answers meanwhile to somebody who asks it thirty times a
 * second, and how long the sync takes, both against the same sync without pages. Chromium, server, lab and database share the machine.
 */
import { Console, Effect } from "effect"
import { askSteadily, percentile } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { startLab } from "./BenchLab.ts"
import { hasChromium, makeBrowser, openPage } from "./BenchPage.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { row } from "./Measured.ts"
import { targets } from "./ReadersBench.ts"
import { runSync } from "./SyncRun.ts"

const PAGES = 20
/** Milliseconds that a switch takes to commit. */
const COMMIT = 2000
/** Milliseconds from one question to the next. */
const EVERY = 33

/** Where people are who wait for a change: most of them at its job, others at lists and the overview. */
const ADDRESSES = ["/job/1", "/job/1", "/", "/devices"]

const openPages = Effect.fnUntraced(function* (port: number, count: number) {
  const browser = yield* makeBrowser(count > 1)
  return yield* Effect.promise(async () => {
    const pages = []
    const asked = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      const page = await openPage(browser, port, ADDRESSES[index % ADDRESSES.length] ?? "/")
      await page.waitForSelector("h1, h2")
      page.on("request", (request) => {
        const { pathname } = new URL(request.url())
        asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
      })
      pages.push(page)
    }
    return { pages, asked }
  })
})

const tasksOf = (page: Awaited<ReturnType<typeof openPage>>) =>
  page.evaluate<ReadonlyArray<number>>("window.gauge.tasks")

/** A live sync of so many switches on a new server, beside so many pages. */
const sync = Effect.fnUntraced(function* (count: number, pages: number) {
  const lab = yield* startLab(count, COMMIT)
  const folder = yield* folderOf
  const { api, database, pid, port } = yield* startServer(folder, environment(folder, lab.port))
  return yield* Effect.gen(function* () {
    yield* seed(lab.switches, count)
    const { asked, pages: opened } = yield* openPages(port, pages)
    const before = yield* Effect.promise(() => Promise.all(opened.map(tasksOf)))
    let isRunning = true
    const names = lab.switches.map(({ name }) => name)
    const syncing = Effect.tap(runSync(api, pid, false), () => Effect.sync(() => (isRunning = false)))
    const asking = Effect.promise(() => askSteadily(api, targets(names), EVERY, () => isRunning))
    const [run, times] = yield* Effect.all([syncing, asking], { concurrency: 2 })
    const after = yield* Effect.promise(() => Promise.all(opened.map(tasksOf)))
    const tasks = after.map((all, index) => all.slice(before[index]?.length ?? 0))
    return { run, times, tasks, asked }
  }).pipe(Effect.provide(database))
}, Effect.scoped)

/** The rows of the table for a sync of so many switches. */
export const rows = Effect.fnUntraced(function* (count: number) {
  if (!hasChromium) return yield* Effect.die(new Error("there is no Chromium (apt-get install chromium)"))
  const alone = yield* sync(count, 0)
  const beside = yield* sync(count, PAGES)
  const { megabytes, processorSeconds, seconds } = beside.run
  const work = processorSeconds / alone.run.processorSeconds
  if (process.env["LOG_LEVEL"] !== undefined) yield* Console.log(beside.asked)
  const times = beside.times
  const [p99, median, longest] = [percentile(times, 0.99), percentile(times, 0.5), percentile(times, 1)]
  const measured = `p99 ${p99.toFixed(0)} ms (${percentile(alone.times, 0.99).toFixed(0)} ms without pages), median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, ${times.length} asked; the sync took ${seconds.toFixed(1)} s (${alone.run.seconds.toFixed(1)} s), ${work.toFixed(2)} times the processor time, ${megabytes.toFixed(0)} MB`
  const single = yield* sync(count, 1)
  const tasks = single.tasks.flat()
  return [
    row(`a live sync of ${count} devices followed by ${PAGES} open pages`, "p99 of the API ≤ 200 ms", measured, {
      p99,
      alone: percentile(alone.times, 0.99),
      median,
      longest,
      seconds,
      work,
      megabytes
    }),
    row(
      `page: a rollout to ${count} devices, as it goes`,
      "no task ≥ 50 ms",
      `${tasks.length} tasks of 50 ms and more, longest ${Math.max(0, ...tasks).toFixed(0)} ms, in ${single.run.seconds.toFixed(1)} s`,
      { tasks: tasks.length, longest: Math.max(0, ...tasks) }
    )
  ]
})
