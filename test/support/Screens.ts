/** All screens of the page with their addresses, the records that some of them show, and how a test waits until one shows everything. */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { ended, jobIn, type makeCampusWithRoles } from "./CampusWithRoles.ts"
import { TEST } from "./Patience.ts"

/** The addresses of all screens, with `$name`, `$id` and `$page` in the place of their parameters. */
const PATHS = readFileSync(new URL("../../web/app/screens.ts", import.meta.url), "utf8")
  .matchAll(/\bpath: "([^"]+)"/g)
  .map(([, path = ""]) => path)
  .toArray()

/** What the screens of single records show. */
interface Records {
  readonly device: string
  /** A finished preview, which is a change and a job. */
  readonly job: number
  readonly proposal: number
}

/** The addresses of all screens, each of a record that exists. */
export const screensOf = ({ device, job, proposal }: Records): ReadonlyArray<string> =>
  PATHS.map((path) => {
    const id = path.startsWith("/proposal/") ? proposal : job
    return `/ui${path.replace("$name", device).replace("$id", String(id)).replace("$page", "roles")}`
  })

/** A switch that exists already, whose configuration lies in a folder: no session is opened to it. */
const ONBOARDED = {
  source: "configs",
  platform: "eos",
  device_type: "ACCESS",
  files: [
    {
      path: "old/lhv-old1",
      text: "hostname lhv-old1\nntp server 10.20.0.9\ninterface Vlan3016\n   ip address 10.196.16.99/24\n",
      modified_at: "2026-11-20T08:00:00Z"
    }
  ]
} as const

type Campus = Effect.Success<ReturnType<typeof makeCampusWithRoles>>

/** Makes these records: a preview of a device, a proposal that was checked, and a switch that is onboarded. */
export const makeRecords = Effect.fnUntraced(function* ({ boss, folders }: Campus, device: string) {
  const job = jobIn(yield* boss("POST", "/device_syncto", { hostname: device, dry_run: true }))
  yield* ended(boss, job)
  yield* folders.settings.branch("third-clock", {
    "groups/WEST_WING/base_system.yml": "ntp_servers: [{ host: 10.20.0.3 }]\n"
  })
  const { text } = yield* boss("POST", "/proposals", { repository: "settings", branch: "third-clock" })
  const proposal = Number(/"proposal":\{"id":(\d+)/.exec(text)?.[1])
  if (Number.isNaN(proposal)) throw new Error(text)
  while (!/"check":"(?:accepted|refused|failed)"/.test((yield* boss("GET", `/proposals/${proposal}`)).text))
    yield* Effect.sleep(50)
  yield* boss("POST", "/onboarding", ONBOARDED)
  while (!/"is_measuring":false/.test((yield* boss("GET", "/onboarding/distance")).text)) yield* Effect.sleep(50)
  return { device, job, proposal } satisfies Records
})

/** What a page was refused: calls, boxes, and actions. */
export interface Noted {
  readonly refused: Array<string>
  /** Calls without an answer yet; streams of events have none. */
  readonly open: Set<unknown>
}

export const listen = (page: Page): Noted => {
  const noted: Noted = { refused: [], open: new Set() }
  const isCall = (url: string) => url.includes("/api/") && !/\/events\b/.test(url)
  page.on("request", (request) => isCall(request.url()) && noted.open.add(request))
  page.on("requestfailed", (request) => noted.open.delete(request))
  page.on("requestfinished", (request) => noted.open.delete(request))
  page.on("response", (response) => {
    if (response.status() !== 403) return
    noted.refused.push(`${response.request().method()} ${new URL(response.url()).pathname}`)
  })
  return noted
}

/** Goes to a screen as a link does: loading the page anew for each would cost half of the time. */
export const follow = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`)

/** Waits until the screen is there and has asked for everything; notes a screen that never has. */
export const settled = async (page: Page, { open, refused }: Noted) => {
  const end = performance.now() + TEST / 10
  for (let calm = 0; calm < 3;) {
    if (performance.now() > end) {
      const waits = await page.locator("main [aria-busy=true]").allInnerTexts()
      refused.push(`nothing: the screen waits for ever for ${open.size} calls; it says ${waits.join(", ")}`)
      return
    }
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    const isWaiting = (await page.locator("main [aria-busy=true], main .waiting").count()) > 0
    calm = open.size === 0 && !isWaiting ? calm + 1 : 0
  }
}
