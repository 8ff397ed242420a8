/** The work of a site on one day: a change of all switches and the requests of people and programs meanwhile. */
import { Effect } from "effect"
import { openSource } from "../EventSource.ts"
import { ended, jobIn } from "../Jobs.ts"
import { attempt } from "../LiveClient.ts"
import type { MonthSite } from "./MonthSite.ts"

const LISTS = [
  "/devices",
  "/jobs",
  "/events",
  "/audit/chain",
  "/groups",
  "/overview",
  "/topology",
  "/linknets",
  "/mgmtdomains"
]
const MORE = [
  "/auth/tokens",
  "/auth/permissions",
  "/system/status",
  "/system/findings",
  "/plugins",
  "/firmware",
  "/settings"
]
const OF_DEVICE = [
  "",
  "/generate_config",
  "/interfaces",
  "/configs",
  "/variables",
  "/interface_status",
  "/running_config"
]
const FAILED_LOGINS = 3

/** Fails the day when an answer is none. */
const good = Effect.fnUntraced(function* (site: MonthSite, method: string, path: string, body?: unknown) {
  const answer = yield* site.ask(method, path, body)
  if (answer.status >= 400) return yield* Effect.die(new Error(`${method} ${path}: ${answer.status} ${answer.text}`))
  return answer
})

const refresh = Effect.fnUntraced(function* (site: MonthSite, day: number) {
  const clock = `10.20.${Math.floor(day / 250)}.${1 + (day % 250)}`
  yield* site.folders.settings.commit({ "access/base_system.yml": `---\nntp_servers:\n  - host: ${clock}\n` })
  yield* site.folders.templates.commit({ "README.md": `Day ${day}\n` })
  for (const name of ["settings", "templates"]) yield* good(site, "PUT", `/repository/${name}`, { action: "refresh" })
})

/** Runs a job to its end; dies unless it was a success. */
const job = Effect.fnUntraced(function* (site: MonthSite, path: string, body: object) {
  const id = jobIn(yield* good(site, "POST", path, body))
  const text = yield* ended(site.ask, id)
  if (!text.includes('"outcome":"success"')) {
    const failed = text.match(/"failed": ?true, ?"result": ?"(?:[^"\\]|\\.)*"/g) ?? []
    return yield* Effect.die(new Error(`${path}: ${text.slice(0, 900)} ${failed.join(" ")}`))
  }
  return id
})

const logins = Effect.fnUntraced(function* (site: MonthSite, day: number) {
  const made = yield* good(site, "POST", "/auth/tokens", { name: `day-${day}`, roles: ["administrator"], days: 1 })
  const [, token = ""] = /"token":"([^"]+)"/.exec(made.text) ?? []
  const [, id = ""] = /"id":(\d+)/.exec(made.text) ?? []
  yield* site.ask("GET", "/devices", undefined, `Bearer ${token}`)
  yield* good(site, "DELETE", `/auth/tokens/${id}`)
  const password = `Basic ${Buffer.from(`somebody-${day}:wrong`).toString("base64")}`
  for (let count = 0; count < FAILED_LOGINS; count++) {
    yield* site.ask("GET", "/devices", undefined, `Bearer nonsense-${day}-${count}`)
    yield* site.ask("POST", "/auth", undefined, password)
  }
})

const page = ({ base }: MonthSite) =>
  Effect.promise(async () => {
    const read = async (path: string) => (await fetch(base + path, { headers: { connection: "close" } })).text()
    const html = await read("/ui/")
    for (const [, asset = ""] of html.matchAll(/(?:src|href)="(\/ui\/[^"]+)"/g)) await read(asset)
    await read("/metrics")
  })

/** Does the work of a day, while clients of live events come and go. */
export const workDay = Effect.fnUntraced(function* (site: MonthSite, day: number) {
  const authorization = `Bearer ${site.token}`
  yield* openSource(`${site.base}/api/v1.0/events`, { authorization })
  const socket = yield* attempt(site.base, { auth: { jwt: site.token }, transports: ["websocket"] })
  if (typeof socket === "string") yield* Effect.logDebug(`No socket: ${socket}`)
  yield* refresh(site, day)
  yield* job(site, "/device_syncto", { all: true, dry_run: true })
  const live = yield* job(site, "/device_syncto", { all: true, dry_run: false })
  yield* job(site, "/device_syncto", { hostname: site.names[0], dry_run: true, resync: true })
  yield* job(site, "/device_drift", { all: true })
  yield* job(site, "/device_update_facts", { hostname: site.names[0] })
  yield* logins(site, day)
  const device = `/device/${site.names[day % site.names.length]}`
  const paths = [...LISTS, ...MORE, ...OF_DEVICE.map((end) => device + end), `/job/${live}`, `/job/${live}/diffs`]
  for (const path of paths) yield* site.ask("GET", path)
  yield* page(site)
}, Effect.scoped)
