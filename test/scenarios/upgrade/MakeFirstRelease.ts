/**
 * Makes the fixtures in `release-0.1.0/`: the database and the switches at the moment when the server of release 0.1.0 was killed in the
 * middle of a rollout. That release is the commit `RELEASE`: the next commit on main is the first of the server's second version, and
 * only the migrations up to `0011_brief_tasks` are in it.
 *
 *     DATABASE_URL=postgres://… node test/scenarios/upgrade/MakeFirstRelease.ts
 *
 * Needs the history of git, an empty PostgreSQL and its pg_dump on the path. Not part of any test.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import * as Program from "../../support/Program.ts"
import { unpack } from "./PreviousRelease.ts"
import { ALL, type Api, describe, git, JOINING, makeLab, NAMES, seed, send, type SwitchState } from "./UpgradeSite.ts"

/** "Lines of a candidate are cut and looked up in one way, and what a switch rejected is described once" */
const RELEASE = "15cb96bf"

const target = path.join(import.meta.dirname, "release-0.1.0")
const run = promisify(execFile)
const database = process.env["DATABASE_URL"] ?? ""

/** Where a rollout is stopped: faults by switch, and what is sent. */
interface Moment {
  readonly name: string
  readonly faults: Readonly<Record<string, Fault>>
  /** Faults that a switch has from its commit on. */
  readonly afterCommit: Readonly<Record<string, Fault>>
  readonly sync: Readonly<Record<string, unknown>>
  /** The switch that has come through. */
  readonly through: (device: LabSwitch) => boolean
}

const silent = (step: "confirm" | "commitTimer" | "load" | "login", more: object = {}): Fault => ({
  kind: "silent",
  step,
  times: 1,
  ...more
})
const BROKEN = {
  "lhv-acc13": silent("commitTimer", { when: "after" }),
  "lhv-acc14": silent("load", { lines: 20 })
}
const moments: ReadonlyArray<Moment> = [
  {
    name: "each",
    faults: { ...BROKEN, "lhv-acc11": silent("confirm") },
    afterCommit: { "lhv-acc12": silent("login") },
    sync: { confirm_mode: 1, batch_size: 5 },
    through: (device) => device.timer() === undefined && device.startup()?.includes("moment each") === true
  },
  {
    name: "all",
    faults: BROKEN,
    afterCommit: { "lhv-acc12": silent("login") },
    sync: { confirm_mode: 2, batch_size: 5 },
    through: (device) => device.timer() !== undefined && device.logins().length > 1
  },
  {
    name: "confirming",
    faults: Object.fromEntries(NAMES.slice(1).map((name) => [name, silent("confirm")])),
    afterCommit: {},
    sync: { confirm_mode: 2 },
    through: (device) => device.timer() === undefined && device.startup()?.includes("moment confirming") === true
  }
]

/** The examples of that release, as a site of that time had them, and a bundle of each. */
const repositoryOf = Effect.fnUntraced(function* (release: string, name: "settings" | "templates", to: string) {
  const folder = path.join(to, name)
  yield* Effect.promise(async () => {
    await fs.cp(path.join(release, "examples", name), folder, { recursive: true })
    await git(folder, "init", "-q", "-b", "main")
    await git(folder, "add", "-A")
    await git(folder, "commit", "-q", "-m", `The ${name} of release 0.1.0`)
    await git(folder, "bundle", "create", path.join(target, `${name}.bundle`), "main")
  })
  return { folder, commit: () => Effect.void }
})

const sync = (api: Api, body: Readonly<Record<string, unknown>>) => api.run("/device_syncto", body)

/** Jobs of every ending. */
const history = Effect.fnUntraced(function* (api: Api, get: (name: string) => LabSwitch) {
  yield* describe(api, NAMES, "before everything")
  yield* sync(api, { hostname: NAMES[0], dry_run: true })
  for (const hostname of NAMES) yield* sync(api, { hostname, dry_run: false, comment: "first", ticket_ref: "NET-1" })
  const lost = get("lhv-acc15")
  yield* lost.powerOff
  yield* describe(api, NAMES, "one is away")
  yield* sync(api, { device_type: "ACCESS", dry_run: false, comment: "one is away" })
  yield* lost.powerOn
  yield* sync(api, { hostname: "lhv-acc15", dry_run: false })
  get("lhv-acc14").setFault({ kind: "silent", step: "showRunning", times: 1 })
  const { body } = yield* send(api, "POST", "/device_syncto", { hostname: "lhv-acc14", dry_run: true, resync: true })
  yield* Program.until(Effect.sync(() => get("lhv-acc14").faults().length === 0))
  yield* send(api, "PUT", `/job/${body.job_id}`, { action: "ABORT", abort_reason: "a test of aborts" })
  yield* api.ended(body.job_id ?? 0)
})

/** The switch joins until its second step waits for its time. */
const join = Effect.fnUntraced(function* (api: Api, blank: LabSwitch) {
  yield* blank.boot
  const found = () => api.devices("filter[state]=DISCOVERED")
  yield* Program.until(Effect.map(found(), (rows) => rows.length > 0))
  const [row] = yield* found()
  const job = yield* api.run(`/device_init/${row?.["id"]}`, { hostname: JOINING.hostname, device_type: "ACCESS" })
  yield* Effect.log(`init: ${job.status} ${JSON.stringify(job.exception)}, next ${job.next_job_id}`)
})

const stateOf = (device: LabSwitch): SwitchState => ({
  startup: device.startup() ?? "",
  running: device.running(),
  open: device
    .sessions()
    .filter(({ state }) => state === "pending")
    .map(({ name }) => name),
  timer: device.timer()?.session ?? null
})

const keep = (file: string, text: string) => fs.writeFile(path.join(target, file), gzipSync(text, { level: 9 }))

/** The folders of the repositories get their names, and what only psql reads is left out. */
const withoutPaths = (script: string) =>
  script.replaceAll(/\/[\w./-]+\/(settings|templates)(?=')/g, "@$1@").replaceAll(/^\\.*\n/gm, "")

const dump = async (name: string, jobId: number, switches: Readonly<Record<string, SwitchState>>) => {
  const { stdout } = await run("pg_dump", ["--no-owner", "--inserts", "--rows-per-insert=1", database], {
    maxBuffer: 1 << 28
  })
  await keep(`${name}.sql.gz`, withoutPaths(stdout))
  await keep(`${name}.json.gz`, JSON.stringify({ release: RELEASE, at: new Date().toISOString(), jobId, switches }))
}

await Effect.gen(function* () {
  const release = yield* unpack(RELEASE)
  yield* Effect.promise(() => fs.mkdir(target, { recursive: true }))
  const folder = yield* Program.dataFolder
  const settings = yield* repositoryOf(release, "settings", folder)
  const templates = yield* repositoryOf(release, "templates", folder)
  let api: Api | undefined
  const lab = yield* makeLab({}, ({ ip, mac, platform }) =>
    Effect.gen(function* () {
      if (api === undefined) return
      const ztp_mac = mac.replaceAll(":", "").toUpperCase()
      const [known] = yield* api.devices(`filter[ztp_mac]=${ztp_mac}`)
      if (known === undefined) {
        const row = {
          hostname: `mac-${ztp_mac}`,
          state: "DHCP_BOOT",
          device_type: "UNKNOWN",
          platform,
          ztp_mac,
          dhcp_ip: ip
        }
        yield* send(api, "POST", "/device", row)
      }
      yield* send(api, "POST", "/device_discover", { ztp_mac, dhcp_ip: ip })
    })
  )
  const get = (name: string): LabSwitch => {
    const device = lab.switches.get(name)
    if (device === undefined) throw new Error(`There is no switch ${name}`)
    return device
  }
  const start = Effect.gen(function* () {
    const env = {
      ...Campus.environment(lab, { settings, templates }, path.join(folder, "data")),
      DATABASE_URL: database,
      COMMIT_CONFIRMED_TIMEOUT: "300",
      INIT_STEP2_DELAY: "3600",
      LOG_LEVEL: "Info"
    }
    const program = yield* Program.start(env, "serve", release)
    const client = makeClient(yield* program.url)
    yield* Program.until(Effect.map(client.send("GET", "/settings"), ({ status }) => status === 200))
    api = client
    return { program, api: client }
  })
  let server = yield* start
  for (const name of ["templates", "settings"]) {
    const { body } = yield* server.api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
    yield* Effect.log(JSON.stringify(body))
  }
  yield* seed(server.api, NAMES)
  yield* history(server.api, get)
  yield* join(server.api, get(JOINING.node))
  for (const moment of moments) {
    yield* describe(server.api, NAMES, `moment ${moment.name}`)
    const struck = Object.entries({ ...moment.faults, ...moment.afterCommit })
    for (const [name, fault] of Object.entries(moment.faults)) get(name).setFault(fault)
    let waiting = Object.keys(moment.afterCommit).length
    for (const [name, fault] of Object.entries(moment.afterCommit)) {
      const stop = get(name).onCommit(() => {
        waiting -= 1
        stop()
        get(name).setFault(fault)
      })
    }
    const body = { device_type: "ACCESS", dry_run: false, comment: `moment ${moment.name}`, ...moment.sync }
    const { body: reply } = yield* send(server.api, "POST", "/device_syncto", body)
    yield* Program.until(
      Effect.sync(
        () =>
          waiting === 0 && struck.every(([name]) => get(name).faults().length === 0) && moment.through(get("lhv-acc10"))
      )
    )
    // what the server writes down of the last answers
    yield* Effect.sleep("1 second")
    server.program.kill("SIGKILL")
    yield* server.program.ended
    const states = Object.fromEntries(ALL.map((name) => [name, stateOf(get(name))]))
    yield* Effect.promise(() => dump(moment.name, reply.job_id ?? 0, states))
    yield* Effect.log(
      `${moment.name}: ${Object.entries(states)
        .map(([name, { open, timer }]) => `${name} ${timer ?? "-"} ${open.join("+")}`)
        .join(", ")}`
    )
    server = yield* start
    const job = yield* server.api.ended(reply.job_id ?? 0)
    yield* Effect.log(`${job.status} ${JSON.stringify(job.exception)}`)
  }
}).pipe(Effect.scoped, Effect.runPromise)
