/**
 * Pages in a real Chromium for benchmarks: how long until something is shown, and how smoothly it goes on. A frame that a person would
 * miss is a task of more than 50 ms; how many frames are drawn depends on whether the machine draws by itself or in hardware.
 */
import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium"

/** Whether pages can be measured here. */
export const hasChromium = existsSync(CHROMIUM)

/** Where Linux gives each session its own share of the processors, this is what puts the session last. */
const LAST = "{ echo 19 > /proc/self/autogroup; } 2> /dev/null"

/** A program that starts Chromium behind everything else on the machine: in life, pages run on the machines of those who look at them. */
const politely = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-bench-"))
    const program = path.join(folder, "chromium")
    writeFileSync(program, `#!/bin/sh\n${LAST}\nexec nice -n 19 '${CHROMIUM}' "$@"\n`, { mode: 0o755 })
    return { folder, program }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A browser that ends with the scope; one that only watches leaves the processors to the server. */
export const makeBrowser = Effect.fnUntraced(function* (isWatching = false) {
  const executablePath = isWatching ? (yield* politely).program : CHROMIUM
  const args = ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])]
  return yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({ executablePath, args })),
    (browser) => Effect.promise(() => browser.close())
  )
})

/** Notes tasks of 50 ms and more, frames, and milliseconds since the beginning at which a text or part is there first. */
const GAUGE = `
  window.gauge = { tasks: [], frames: 0 }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.gauge.tasks.push(duration)
  }).observe({ type: "longtask" })
  const draw = () => { window.gauge.frames += 1; requestAnimationFrame(draw) }
  requestAnimationFrame(draw)`

/** Tasks of 50 ms and more, in milliseconds, and frames a second. */
export interface Gauge {
  readonly tasks: ReadonlyArray<number>
  readonly frames: number
}

/** A page of its own profile, at this address below /ui of the server. */
export const openPage = (browser: Browser, port: number, address: string): Promise<Page> =>
  browser
    .newContext({ baseURL: `http://127.0.0.1:${port}`, viewport: { width: 1440, height: 900 } })
    .then(async (context) => {
      await context.addInitScript({ content: GAUGE })
      const page = await context.newPage()
      page.setDefaultTimeout(120_000)
      await page.goto(`/ui${address}`, { waitUntil: "commit" })
      return page
    })

const read = (page: Page): Promise<{ readonly tasks: Array<number>; readonly frames: number }> =>
  page.evaluate("window.gauge")

/** What the page does while `act` runs. */
export const gauged = async (page: Page, act: () => Promise<unknown>): Promise<Gauge> => {
  const before = await read(page)
  const started = performance.now()
  await act()
  const after = await read(page)
  const seconds = (performance.now() - started) / 1000
  return { tasks: after.tasks.slice(before.tasks.length), frames: (after.frames - before.frames) / seconds }
}

/** In words: the longest task and how many, and the frames. */
export const inWords = ({ frames, tasks }: Gauge): string =>
  `${tasks.length} tasks of 50 ms and more${tasks.length === 0 ? "" : ` (longest ${Math.max(...tasks).toFixed(0)} ms)`}, ${frames.toFixed(0)} frames a second`

/** Milliseconds from the beginning of the page's load until `selector` is there. */
export const shownAfter = async (page: Page, selector: string): Promise<number> => {
  await page.waitForSelector(selector)
  return page.evaluate<number>("performance.now()")
}
