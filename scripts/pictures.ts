/**
 * The pictures of the README and the manual, taken of the demo on 308 switches, so that they show the page as it is.
 * Usage: `node scripts/pictures.ts [--all FOLDER]`: with `--all` every screen in four widths and both schemes, into the folder.
 * Before the first picture the network gets what makes a working day: a change that was rolled out, one that is paused in the middle, one that
 * is only previewed, a proposal, two switches that do not answer, and one that is new.
 * A screen is loaded once for all of its pictures, in a page of its own that is closed afterwards, so that the memory of the browser stays
 * the same however many there are. A screen that cannot be shown is named at the end, and the others are taken all the same.
 * Needs Chromium (`CHROMIUM`, else Debian's), and the build of the page (`npm run build`).
 */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { type Browser, chromium, type Page, type Request } from "playwright-core"
import { Schema } from "effect"

const root = path.resolve(import.meta.dirname, "..")
const PORT = process.env["PORT"] ?? "5710"
const URL = `http://127.0.0.1:${PORT}`
const TOPOLOGY = path.join(root, "examples/lab/campus-308/campus.clab.yml")
/** Milliseconds until a job is over, or a screen is there. */
const PATIENCE = { job: 600_000, screen: 60_000 }
/** Characters of the demo's output that are kept for a report. */
const SAID = 20_000

interface Picture {
  readonly name: string
  /** The address below `/ui`; a function names what was made before. */
  readonly at: string | ((made: Made) => string)
  /** What must be there before the picture is taken; by default the title of the screen. */
  readonly shows?: string | RegExp
}

/** The numbers of what the pictures show. */
interface Made {
  readonly preview: number
  readonly rollout: number
  readonly paused: number
  readonly proposal: number
}

const Started = Schema.Struct({ job_id: Schema.Int })
const Jobs = Schema.Struct({ data: Schema.Struct({ jobs: Schema.Array(Schema.Struct({ status: Schema.String })) }) })
const Progress = Schema.Struct({ data: Schema.Struct({ totals: Schema.Struct({ done: Schema.Int }) }) })
const Proposed = Schema.Struct({
  data: Schema.Struct({ proposal: Schema.Struct({ id: Schema.Int, check: Schema.String }) })
})

const call = async (method: string, at: string, body?: unknown): Promise<unknown> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const response = await fetch(`${URL}/api/v1.0${at}`, { method, ...init })
  if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`)
  return response.json()
}

const start = async (body: object) =>
  Schema.decodeUnknownSync(Started)(await call("POST", "/device_syncto", body)).job_id

const until = async (what: string, holds: () => Promise<boolean>) => {
  const end = Date.now() + PATIENCE.job
  while (Date.now() < end) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`waited in vain for ${what}`)
}

const hasEnded = async (id: number): Promise<boolean> => {
  const { data } = Schema.decodeUnknownSync(Jobs)(await call("GET", `/job/${id}`))
  return ["FINISHED", "EXCEPTION", "ABORTED"].includes(data.jobs[0]?.status ?? "")
}

const ended = (id: number) => until(`job ${id} to end`, () => hasEnded(id))

/** A port of some switches of a building becomes another one: something to preview, to roll out and to look at. */
const wanted = async (letter: string, from: number, to: number, port: string, data: object) => {
  for (let number = from; number <= to; number++)
    await call("PUT", `/device/lhv-${letter}-acc${number}/interfaces`, {
      interfaces: { [port]: { configtype: "ACCESS_UNTAGGED", data } }
    })
}

/** A rollout that a person paused after its first stages. */
const pausedRollout = async () => {
  const options = { group: "SOUTH", comment: "Printers for the south wing" }
  const preview = await start({ ...options, dry_run: true })
  await ended(preview)
  const job = await start({ ...options, dry_run: false, canary: 2, batch_size: 20, max_failures: 5, confirm_mode: 1 })
  await until("the first stages", async () => {
    const { data } = Schema.decodeUnknownSync(Progress)(await call("GET", `/job/${job}/progress`))
    return data.totals.done >= 2 || (await hasEnded(job))
  })
  // one that was too quick is shown as it ended
  await call("PUT", `/job/${job}`, { action: "PAUSE", pause_reason: "Lecture in room S-2 until 15:00" }).catch(() => {})
  return job
}

/** A branch of the settings of the demo, which are in a folder below this one. */
const proposed = async (folder: string) => {
  const [settings] = globSync("switchyard-demo-*/settings", { cwd: folder })
  if (settings === undefined) throw new Error(`The demo has no settings in ${folder}`)
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", [
      "-C",
      path.join(folder, settings),
      "-c",
      "user.name=Lea Sommer",
      "-c",
      "user.email=lea@example.org",
      ...words
    ])
  const file = path.join(folder, settings, "global/base_system.yml")
  git("checkout", "-q", "-b", "third-time-server")
  writeFileSync(file, readFileSync(file, "utf8").replace("ntp_servers:\n", "ntp_servers:\n  - host: 10.20.0.3\n"))
  git("commit", "-q", "-a", "-m", "Ask a third server for the time")
  git("checkout", "-q", "main")
  const decode = Schema.decodeUnknownSync(Proposed)
  const { data } = decode(await call("POST", "/proposals", { repository: "settings", branch: "third-time-server" }))
  const { id } = data.proposal
  await until("the check of the proposal", async () => {
    const { proposal } = decode(await call("GET", `/proposals/${id}`)).data
    return ["accepted", "refused", "failed"].includes(proposal.check)
  })
  return id
}

const prepare = async (folder: string): Promise<Made> => {
  const printer = (description: string) => ({ description, untagged_vlan: "PRINTER" })
  await wanted("e", 1, 40, "Ethernet4", printer("Printers of the east wing"))
  const rollout = await start({ group: "EAST", dry_run: false, comment: "Printers for the east wing" })
  await ended(rollout)
  for (const number of [101, 102])
    await call("POST", "/device", {
      hostname: `lhv-s-acc${number}`,
      state: "MANAGED",
      device_type: "ACCESS",
      platform: "eos",
      management_ip: `10.196.18.${100 + number}`
    })
  await wanted("s", 1, 60, "Ethernet4", printer("Printers of the south wing"))
  const paused = await pausedRollout()
  await wanted("n", 1, 60, "Ethernet4", printer("Printers of the north wing"))
  await wanted("n", 81, 100, "Ethernet5", { description: "Cameras of the yard", untagged_vlan: "STAFF" })
  const preview = await start({ group: "NORTH", dry_run: true, comment: "Printers and cameras for the north wing" })
  await ended(preview)
  await call("POST", "/device", {
    hostname: "mac-2CDDE9A1B2C3",
    state: "DISCOVERED",
    device_type: "UNKNOWN",
    platform: "eos",
    ztp_mac: "2CDDE9A1B2C3",
    dhcp_ip: "10.90.0.17",
    serial: "JPE21380917",
    model: "CCS-720XP-24ZY4-F",
    os_version: "4.31.4M"
  })
  return { preview, rollout, paused, proposal: await proposed(folder) }
}

/** Rows for the tabs of a screen. */
const tabs = (name: string, at: string, values: ReadonlyArray<string>): ReadonlyArray<Picture> =>
  values.map((tab) => ({ name: `${name}-${tab}`, at: `${at}?tab=${tab}` }))

const SWITCH = "lhv-e-acc5"

const pictures: ReadonlyArray<Picture> = [
  { name: "overview", at: "/overview", shows: "Needs attention" },
  { name: "first-run", at: "/first-run" },
  { name: "find", at: "/find" },
  { name: "find-answer", at: "/find?q=3c:2a:f4:12:07:61", shows: "Printers of the east wing" },
  { name: "approvals", at: "/approvals" },
  { name: "devices", at: "/devices", shows: "lhv-e-acc1" },
  { name: "device", at: `/device/${SWITCH}` },
  { name: "ports", at: `/device/${SWITCH}?tab=ports`, shows: "Ethernet4" },
  { name: "port", at: `/device/${SWITCH}?tab=ports&port=Ethernet4`, shows: "Ethernet4" },
  ...tabs("device", `/device/${SWITCH}`, ["configuration", "settings", "history", "neighbours", "trust"]),
  { name: "port-list", at: `/ports?switches=${SWITCH}` },
  { name: "topology", at: "/topology", shows: "lhv-core1" },
  { name: "topology-way", at: `/topology?at=${SWITCH}&way=${SWITCH}`, shows: SWITCH },
  { name: "topology-list", at: "/topology?list=yes", shows: SWITCH },
  { name: "new", at: "/new" },
  ...tabs("new", "/new", ["several", "keys", "leases"]),
  { name: "onboarding", at: "/onboarding" },
  ...tabs("onboarding", "/onboarding", ["add", "distance", "links", "settings"]),
  { name: "firmware", at: "/firmware", shows: "4.31.4M" },
  ...tabs("firmware", "/firmware", ["images", "upgrade", "campaigns"]),
  { name: "changes", at: "/change", shows: "for the north wing" },
  { name: "changes-new", at: "/change?new=1", shows: "What is this for?" },
  { name: "change", at: ({ preview }) => `/change/${preview}`, shows: "Ethernet4" },
  { name: "change-switches", at: ({ preview }) => `/change/${preview}?tab=switches`, shows: "lhv-n-acc1" },
  { name: "change-checks", at: ({ preview }) => `/change/${preview}?tab=checks`, shows: "Every switch" },
  { name: "change-plan", at: ({ preview }) => `/change/${preview}?tab=plan`, shows: "Roll out exactly this" },
  { name: "rollout", at: ({ paused }) => `/job/${paused}`, shows: "Printers for the south wing" },
  { name: "rollout-list", at: ({ paused }) => `/job/${paused}?view=list`, shows: "lhv-s-acc1" },
  { name: "rollout-done", at: ({ rollout }) => `/job/${rollout}`, shows: "Printers for the east wing" },
  { name: "jobs", at: "/jobs", shows: "Printers" },
  { name: "repository", at: "/repository", shows: "Groups and ports of the buildings" },
  ...tabs("repository", "/repository", ["proposals", "files", "model", "render", "check"]),
  { name: "repository-variables", at: `/repository?tab=variables&device=${SWITCH}`, shows: "ntp_servers" },
  { name: "proposal", at: ({ proposal }) => `/proposal/${proposal}` },
  { name: "alerts", at: "/alerts" },
  { name: "audit", at: "/audit" },
  { name: "access", at: "/access" },
  ...tabs("access", "/access", ["users", "persons", "roles", "explain"]),
  { name: "server", at: "/server" },
  ...tabs("server", "/server", ["windows", "settings", "plugins"]),
  { name: "manual", at: "/manual" },
  { name: "manual-page", at: "/manual/changes" }
]
/** Those that the README and the manual show. */
const SHOWN = ["overview", "change", "ports", "rollout", "topology", "devices"]

const SIZES = [
  { name: "desk", width: 1440, height: 900 },
  { name: "laptop", width: 1024, height: 768 },
  { name: "tablet", width: 768, height: 1024 },
  { name: "phone", width: 390, height: 844 }
] as const

interface View {
  readonly width: number
  readonly height: number
  readonly scheme: "dark" | "light"
  readonly file: string
}

/** The calls of a page that have no answer yet; its stream of events has none. */
const openCalls = (page: Page): ReadonlySet<Request> => {
  const open = new Set<Request>()
  page.on("request", (request) => {
    if (request.url().includes("/api/") && !/\/events\b/.test(request.url())) open.add(request)
  })
  page.on("requestfinished", (request) => open.delete(request))
  page.on("requestfailed", (request) => open.delete(request))
  return open
}

/** Waits for what the screen still loads, and for the frame that shows it. */
const shownWhole = async (page: Page, open: ReadonlySet<Request>) => {
  await page.waitForFunction(`document.querySelector("main [aria-busy=true], main .waiting") === null`)
  const end = Date.now() + PATIENCE.screen
  while (open.size > 0 && Date.now() < end) await page.waitForTimeout(50)
  await page.evaluate("document.fonts.ready.then(() => undefined)")
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
}

/** Loads the screen once, and takes it in each view. */
const take = async (browser: Browser, made: Made, { at, name, shows }: Picture, views: ReadonlyArray<View>) => {
  const context = await browser.newContext({
    baseURL: URL,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce"
  })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE.screen)
    const open = openCalls(page)
    await page.goto(`/ui${typeof at === "string" ? at : at(made)}`)
    const main = page.getByRole("main")
    await (shows === undefined ? main.getByRole("heading") : main.getByText(shows))
      .first()
      .waitFor({ state: "attached" })
    for (const { file, height, scheme, width } of views) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
      await shownWhole(page, open)
      await page.screenshot({ path: file })
      process.stdout.write(`${name}: ${file}\n`)
    }
  } finally {
    await context.close()
  }
}

/** Takes all of them, and yields the sentences about those that could not be taken. */
const takeEach = async (
  browser: Browser,
  made: Made,
  wanted: ReadonlyArray<Picture>,
  viewsOf: (picture: Picture) => ReadonlyArray<View>
): Promise<ReadonlyArray<string>> => {
  const lost: Array<string> = []
  for (const picture of wanted)
    await take(browser, made, picture, viewsOf(picture)).catch((error: unknown) => {
      lost.push(`${picture.name}: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`)
    })
  return lost
}

/** Starts the demo with its files below this folder, and yields what stops it as soon as it serves. */
const demo = (folder: string) =>
  new Promise<() => Promise<void>>((resolve, reject) => {
    const program = path.join(root, "bin/switchyard")
    const child = spawn(program, ["demo", "--topology", TOPOLOGY, "--port", PORT], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: folder }
    })
    const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
    const stop = () => {
      child.kill("SIGTERM")
      return gone
    }
    let said = ""
    child.stdout.on("data", (chunk) => {
      said = (said + String(chunk)).slice(-SAID)
      if (said.includes("Serving on")) resolve(stop)
    })
    child.on("close", () => reject(new Error(`The demo ended: ${said}`)))
  })

const allViews =
  (folder: string) =>
  ({ name }: Picture): ReadonlyArray<View> =>
    SIZES.flatMap(({ name: size, ...measures }) =>
      (["light", "dark"] as const).map((scheme) => ({
        ...measures,
        scheme,
        file: path.join(folder, `${name}-${size}-${scheme}.png`)
      }))
    )

const ofTheManual = ({ name }: Picture): ReadonlyArray<View> => [
  { width: 1440, height: 900, scheme: "light", file: path.join(root, "docs/pictures", `${name}.png`) }
]

const [flag, folder = "pictures"] = process.argv.slice(2)
const files = mkdtempSync(path.join(tmpdir(), "switchyard-pictures-"))
// the database may run as another user
chmodSync(files, 0o711)
process.once("exit", () => rmSync(files, { recursive: true, force: true }))
const stop = await demo(files)
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  // the shared memory of containers is too small for many pages
  args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])]
})
try {
  const made = await prepare(files)
  mkdirSync(flag === "--all" ? folder : path.join(root, "docs/pictures"), { recursive: true })
  const lost =
    flag === "--all"
      ? await takeEach(browser, made, pictures, allViews(folder))
      : await takeEach(
          browser,
          made,
          pictures.filter(({ name }) => SHOWN.includes(name)),
          ofTheManual
        )
  for (const sentence of lost) process.stderr.write(`not taken: ${sentence}\n`)
  if (lost.length > 0) process.exitCode = 1
} finally {
  await browser.close()
  await stop()
}
