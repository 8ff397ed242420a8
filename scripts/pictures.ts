/**
 * The pictures of the README and the manual, taken of the demo on 308 switches, so that they show the page as it is.
 * Usage: `node scripts/pictures.ts [--all FOLDER]`: with `--all` every screen in four widths and both schemes, into the folder.
 * Needs Chromium (`CHROMIUM`, else Debian's).
 */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import * as path from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import { Schema } from "effect"

const root = path.resolve(import.meta.dirname, "..")
const PORT = process.env["PORT"] ?? "5710"
const URL = `http://127.0.0.1:${PORT}`
const TOPOLOGY = path.join(root, "examples/lab/campus-308/campus.clab.yml")
const PATIENCE = 120_000

interface Picture {
  readonly name: string
  /** The address below the server; a function may make something happen first. */
  readonly at: string | ((made: Made) => string)
  /** What must be there before the picture is taken. */
  readonly shows: string | RegExp
  /** Steps on the screen before it. */
  readonly then?: (page: Page) => Promise<void>
}

/** What the pictures are of: made once, before the first. */
interface Made {
  readonly preview: number
  readonly rollout: number
}

const Started = Schema.Struct({ job_id: Schema.Int })
const Jobs = Schema.Struct({ data: Schema.Struct({ jobs: Schema.Array(Schema.Struct({ status: Schema.String })) }) })

const call = async (method: string, at: string, body?: unknown): Promise<unknown> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const response = await fetch(`${URL}/api/v1.0${at}`, { method, ...init })
  if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`)
  return response.json()
}

const start = async (at: string, body: unknown) =>
  Schema.decodeUnknownSync(Started)(await call("POST", at, body)).job_id

const ended = async (id: number) => {
  const until = Date.now() + PATIENCE
  while (Date.now() < until) {
    const { data } = Schema.decodeUnknownSync(Jobs)(await call("GET", `/job/${id}`))
    if (["FINISHED", "EXCEPTION", "ABORTED"].includes(data.jobs[0]?.status ?? "")) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`job ${id} did not end`)
}

/** A port with another name on each switch of a building: something to preview, to roll out and to look at. */
const wanted = async (letter: string, count: number, description: string) => {
  for (let number = 1; number <= count; number++)
    await call("PUT", `/device/lhv-${letter}-acc${number}/interfaces`, {
      interfaces: { Ethernet4: { configtype: "ACCESS_UNTAGGED", data: { description, untagged_vlan: "PRINTER" } } }
    })
}

const prepare = async (): Promise<Made> => {
  await wanted("e", 40, "Printers of the east wing")
  const rollout = await start("/device_syncto", {
    group: "EAST",
    dry_run: false,
    comment: "Printers for the east wing"
  })
  await ended(rollout)
  await wanted("s", 60, "Printers of the south wing")
  const preview = await start("/device_syncto", {
    group: "SOUTH",
    dry_run: true,
    comment: "Printers for the south wing"
  })
  await ended(preview)
  return { preview, rollout }
}

const pictures: ReadonlyArray<Picture> = [
  { name: "overview", at: "/overview", shows: "Needs attention" },
  { name: "devices", at: "/devices", shows: "lhv-e-acc1" },
  { name: "device", at: "/device/lhv-e-acc5", shows: "lhv-e-acc5" },
  { name: "ports", at: "/device/lhv-e-acc5?tab=ports", shows: "Ethernet4" },
  { name: "topology", at: "/topology", shows: /lhv-core1|core/i },
  { name: "find", at: "/find?q=lhv-e-acc5%20Ethernet4", shows: "Printers of the east wing" },
  { name: "changes", at: "/change", shows: "Printers" },
  { name: "change", at: ({ preview }) => `/change?job=${preview}`, shows: "Ethernet4" },
  { name: "rollout", at: ({ rollout }) => `/job/${rollout}`, shows: "Printers for the east wing" },
  { name: "jobs", at: "/jobs", shows: "Printers" },
  { name: "approvals", at: "/approvals", shows: "Approvals" },
  { name: "repository", at: "/repository", shows: "Groups and ports of the buildings" },
  { name: "new", at: "/new", shows: "New switches" },
  { name: "firmware", at: "/firmware", shows: "4.31.4M" },
  { name: "alerts", at: "/alerts", shows: "Alerts" },
  { name: "audit", at: "/audit", shows: "Audit" },
  { name: "access", at: "/access", shows: "Access" },
  { name: "server", at: "/server", shows: "Server" }
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
}

const take = async (browser: Browser, made: Made, { at, name, shows, then }: Picture, view: View, file: string) => {
  const context = await browser.newContext({
    baseURL: URL,
    colorScheme: view.scheme,
    viewport: { width: view.width, height: view.height },
    reducedMotion: "reduce"
  })
  const page = await context.newPage()
  await page.goto(`/ui${typeof at === "string" ? at : at(made)}`)
  await page.getByText(shows).first().waitFor({ state: "attached", timeout: PATIENCE })
  if (then !== undefined) await then(page)
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined)
  await page.screenshot({ path: file })
  await context.close()
  process.stdout.write(`${name}: ${file}\n`)
}

/** The demo, until it serves. */
const demo = () =>
  new Promise<() => void>((resolve, reject) => {
    const program = path.join(root, "bin/switchyard")
    const child = spawn(program, ["demo", "--topology", TOPOLOGY, "--port", PORT], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (chunk) => {
      said += String(chunk)
      if (said.includes("Serving on")) resolve(() => void child.kill("SIGTERM"))
    })
    child.on("close", () => reject(new Error(`The demo ended: ${said}`)))
  })

const takeAll = async (browser: Browser, made: Made, folder: string) => {
  for (const size of SIZES)
    for (const scheme of ["light", "dark"] as const)
      for (const picture of pictures)
        await take(
          browser,
          made,
          picture,
          { ...size, scheme },
          path.join(folder, `${picture.name}-${size.name}-${scheme}.png`)
        )
}

const takeShown = async (browser: Browser, made: Made) => {
  const view = { width: 1440, height: 900, scheme: "light" } as const
  for (const picture of pictures.filter(({ name }) => SHOWN.includes(name)))
    await take(browser, made, picture, view, path.join(root, "docs/pictures", `${picture.name}.png`))
}

const [flag, folder = "pictures"] = process.argv.slice(2)
const stop = await demo()
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : []
})
try {
  const made = await prepare()
  mkdirSync(flag === "--all" ? folder : path.join(root, "docs/pictures"), { recursive: true })
  await (flag === "--all" ? takeAll(browser, made, folder) : takeShown(browser, made))
} finally {
  await browser.close()
  stop()
}
