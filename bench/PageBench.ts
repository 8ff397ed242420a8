/**
 * The page with many devices: the list of 10,000 until its first rows are there, and how smoothly it is scrolled; finding among them; the
 * drawing of a network of 2,000. Chromium, server and database share the machine.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { type Client, percentile } from "./BenchClient.ts"
import { seed } from "./BenchFleet.ts"
import { gauged, hasChromium, inWords, makeBrowser, openPage, shownAfter } from "./BenchPage.ts"
import { startServer } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { type Measured, row } from "./Measured.ts"

const NODES = 2000
/** Machines that each switch has learnt. */
const MACHINES = 40
const SCROLLED = 3000
const CALLS = 41

/** Turns the wheel for three seconds, as somebody does who looks for something. */
const scroll = async (page: Page) => {
  const started = performance.now()
  while (performance.now() - started < SCROLLED) {
    await page.mouse.wheel(0, 600)
    await page.waitForTimeout(16)
  }
}

const devices = Effect.fnUntraced(function* (port: number) {
  const browser = yield* makeBrowser()
  return yield* Effect.promise(async () => {
    const first: Array<number> = []
    // the first one fills the caches of the server and the machine, as the first of a day does
    for (let count = 0; count < 4; count++) {
      const page = await openPage(browser, port, "/devices")
      first.push(await shownAfter(page, '[role="row"] a, [role="row"][aria-rowindex="2"]'))
      await page.context().close()
    }
    const page = await openPage(browser, port, "/devices")
    await shownAfter(page, '[role="row"] a, [role="row"][aria-rowindex="2"]')
    await page.waitForLoadState("networkidle").catch(() => undefined)
    await page.mouse.move(600, 500)
    const gauge = await gauged(page, () => scroll(page))
    return { cold: first[0] ?? 0, warm: percentile(first.slice(1), 0.5), gauge }
  })
}, Effect.scoped)

/** Milliseconds of calls one after the other: the median and the longest. */
const timed = async (api: Client, target: (index: number) => string) => {
  const times: Array<number> = []
  for (let index = 0; index < CALLS; index++) {
    const { body, milliseconds, status } = await api.get(target(index))
    if (status !== 200) throw new Error(JSON.stringify(body).slice(0, 300))
    times.push(milliseconds)
  }
  return { median: percentile(times, 0.5), most: percentile(times, 1) }
}

const learn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into tables_read (device_id, macs, arps) select id, ${MACHINES}, 0 from device where device_type = 'ACCESS'`
  yield* sql`insert into mac_entry (device_id, port, vlan, mac)
    select id, 'Ethernet' || 1 + n % 4, 100 + n, lpad(to_hex(id::bigint * 64 + n), 12, '0')
    from device, generate_series(1, ${MACHINES}::int) n where device_type = 'ACCESS'`
  yield* sql`vacuum analyze`
})

const finding = (api: Client) =>
  Effect.promise(async () => {
    const mac = (index: number) => (1000 * 64 + index * 640 + 1).toString(16).padStart(12, "0")
    const asked: Readonly<Record<string, (index: number) => string>> = {
      "a MAC address": (index) => `/find?q=${mac(index)}`,
      "the beginning of one": (index) => `/find?q=${mac(index).slice(0, 9)}`,
      "an IP address": (index) => `/find?q=10.33.${index}.7`,
      "a word": (index) => `/find?q=far${index}7`,
      "a VLAN": (index) => `/find?q=${100 + (index % MACHINES)}`
    }
    const rows: Array<Measured> = []
    for (const [name, target] of Object.entries(asked)) {
      const { median, most } = await timed(api, target)
      rows.push(
        row(
          `GET /find by ${name}, 10,000 devices with ${MACHINES} machines each`,
          "≤ 200 ms",
          `median ${median.toFixed(0)} ms, longest ${most.toFixed(0)} ms`,
          { median, most }
        )
      )
    }
    return rows
  })

const listed = Effect.gen(function* () {
  const folder = yield* folderOf
  const { api, database, port } = yield* startServer(folder, environment(folder, 22))
  yield* Effect.provide(Effect.andThen(seed(), learn), database)
  const { cold, gauge, warm } = yield* devices(port)
  return [
    row("page: first rows of 10,000 devices", "≤ 1 s", `first ${cold.toFixed(0)} ms, then ${warm.toFixed(0)} ms`, {
      cold,
      warm
    }),
    row("page: scrolling 10,000 devices for 3 s", "no task ≥ 50 ms, 60 frames/s", inWords(gauge), {
      tasks: gauge.tasks.length,
      longest: Math.max(0, ...gauge.tasks),
      frames: gauge.frames
    }),
    ...(yield* finding(api))
  ]
}).pipe(Effect.scoped)

/** Two cores, forty distribution switches below them, and access switches below a pair of these each. */
const cable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into device (hostname, state, device_type, platform, synchronized)
    select 'core' || n, 'MANAGED', 'CORE', 'eos', true from generate_series(1, 2) n`
  yield* sql`insert into device (hostname, state, device_type, platform, synchronized)
    select 'd' || n, 'MANAGED', 'DIST', 'eos', true from generate_series(1, 40) n`
  yield* sql`insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port)
    select c.id, 'Ethernet' || substr(d.hostname, 2), d.id, 'Ethernet' || 100 + substr(c.hostname, 5)::int
    from device c, device d where c.device_type = 'CORE' and d.hostname ~ '^d[0-9]+$'`
  yield* sql`insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port)
    select d.id, 'Ethernet' || substr(f.hostname, 4), f.id, 'Ethernet' || 47 + half
    from device f, generate_series(1, 2) half, device d
    where f.hostname ~ '^far[0-9]+$' and d.hostname = 'd' || 1 + 2 * (substr(f.hostname, 4)::int % 20) + (half - 1)`
  yield* sql`vacuum analyze`
})

const network = Effect.gen(function* () {
  const folder = yield* folderOf
  const { api, database, port } = yield* startServer(folder, environment(folder, 22))
  yield* Effect.provide(Effect.andThen(seed([], NODES - 44), cable), database)
  const { median, most } = yield* Effect.promise(() => timed(api, () => "/topology"))
  const browser = yield* makeBrowser()
  const drawing = yield* Effect.promise(async () => {
    const page = await openPage(browser, port, "/topology")
    const shown = await shownAfter(page, ".react-flow__node .spot")
    await page.mouse.move(700, 500)
    const folded = await gauged(page, () => scroll(page))
    return { shown, folded }
  })
  const whole = yield* Effect.promise(async () => {
    const page = await openPage(browser, port, "/topology?open=all")
    const shown = await shownAfter(page, ".react-flow__node .spot")
    await page.mouse.move(700, 500)
    const gauge = await gauged(page, () => scroll(page))
    return { shown, gauge, count: await page.locator(".react-flow__node").count() }
  })
  return [
    row(
      `GET /topology, ${NODES} devices`,
      "≤ 200 ms",
      `median ${median.toFixed(0)} ms, longest ${most.toFixed(0)} ms`,
      {
        median,
        most
      }
    ),
    row(
      `page: the drawing of ${NODES} devices, access switches folded`,
      "usable",
      `${drawing.shown.toFixed(0)} ms until it is there; zoomed for 3 s: ${inWords(drawing.folded)}`,
      { shown: drawing.shown, longest: Math.max(0, ...drawing.folded.tasks), frames: drawing.folded.frames }
    ),
    row(
      `page: the same with every device by itself (${whole.count} in sight)`,
      "usable",
      `${whole.shown.toFixed(0)} ms until it is there; zoomed for 3 s: ${inWords(whole.gauge)}`,
      { shown: whole.shown, longest: Math.max(0, ...whole.gauge.tasks), frames: whole.gauge.frames }
    )
  ]
}).pipe(Effect.scoped)

/** The rows of the table; none where there is no Chromium. */
export const rows = Effect.gen(function* () {
  if (!hasChromium) return yield* Effect.die(new Error("there is no Chromium (apt-get install chromium)"))
  return [...(yield* listed), ...(yield* network)]
})
