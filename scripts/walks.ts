/**
 * The walks of the manual (docs/walks.md), made from what ran: a server and a simulated campus play four requests, and each file reports
 * when one of its functions first gets the value that is followed (`walk-trace.ts`). `npm run walks` writes the document;
 * with `--check` it fails when the document says otherwise.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Redacted, References } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { make as makeApi } from "../src/demo/DemoApi.ts"
import * as Campus from "../src/demo/DemoCampus.ts"
import { Lab } from "../src/lab/Lab.ts"
import * as Server from "../src/Server.ts"
import * as EmbeddedPostgres from "../src/store/EmbeddedPostgres.ts"
import { at } from "../src/store/postgres/Postmaster.ts"

const DOCUMENT = path.resolve(import.meta.dirname, "../docs/walks.md")
/** `bin/switchyard` of the hook and the server need it before the server listens. */
const PORT = 20_000 + (process.pid % 10_000)
const folder = process.env["WALK_FOLDER"] ?? ""

/** From now on these values are followed; none: nothing is. */
const follow = (...markers: ReadonlyArray<string>) =>
  Effect.andThen(
    Effect.sync(() => writeFileSync(path.join(folder, "markers.json"), JSON.stringify(markers))),
    // each process and thread looks every 20 ms
    Effect.sleep("100 millis")
  )

interface Report {
  readonly marker: string
  readonly time: number
  readonly file: string
  readonly from: string
}

/** What files reported about a value, in the order of their first calls. */
const reported = (marker: string): ReadonlyArray<Report> => {
  const reports: ReadonlyArray<Report> = readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .flatMap((name) => readFileSync(path.join(folder, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line))
    .filter((report) => report.marker === marker)
    .toSorted((a, b) => a.time - b.time)
  return reports.filter(({ file }, index) => reports.findIndex((other) => other.file === file) === index)
}

const waitFor = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("50 millis"), waitFor(condition))
  )

interface Walk {
  readonly title: string
  readonly text: string
  readonly marker: string
  /** Where the way begins and ends; a value that lies in the database for a while begins a second leg. */
  readonly legs: ReadonlyArray<readonly [begin: RegExp, end: RegExp]>
}

const HOSTNAME = "lhv-acc1"
const SERVER = "10.20.0.77"
const DESCRIPTION = "walk to room 12"

const walks = {
  sync: {
    title: "A hostname: from `POST /device_syncto` to the switch",
    text: `\`{"hostname": "${HOSTNAME}", "dry_run": false}\`, until the switch runs the new line.`,
    marker: HOSTNAME,
    legs: [
      [/http\/core\/RequestBodies/, /jobs\/engine\/JobEngine/],
      [/jobs\/engine\/JobRunner/, /jobs\/sync\/SyncDevice\.ts/],
      [/devices\/DeviceActor/, /drivers\/ssh\/ConfigPipeline/]
    ]
  },
  setting: {
    title: "A setting: from a commit to the line of a configuration",
    text: `\`ntp_servers: [{host: ${SERVER}}]\`, from \`PUT /repository/settings\` to the answer of \`GET /device/${HOSTNAME}/generate_config\`.`,
    marker: SERVER,
    // which parts of the compiled template pass it on depends on the device that is rendered first
    legs: [
      [/git\/GitCommand/, /jinja\/compile\/Templates/],
      [/templates\/Renderer/, /templates\/Renderer/]
    ]
  },
  lease: {
    title: "A lease: from the DHCP server to MANAGED",
    text: "The MAC address of a blank switch and the name that it gets, until its record says MANAGED.",
    marker: "lease",
    legs: [
      [/http\/LeaseHandlers/, /machines\/device\/DeviceLifecycle/],
      [/jobs\/engine\/JobRunner/, /jobs\/init\/Move/]
    ]
  },
  port: {
    title: "A port: from an edit to its row",
    text: `\`PUT /device/${HOSTNAME}/interfaces\` with the description \`${DESCRIPTION}\`.`,
    marker: DESCRIPTION,
    legs: [[/http\/core\/RequestBodies/, /store\/InterfaceStore/]]
  }
} satisfies Record<string, Walk>

const play = Effect.gen(function* () {
  const home = path.join(folder, "home")
  const database = yield* EmbeddedPostgres.make({ dataDir: path.join(home, "database") })
  const address = at(database.port(), database.password)
  const url = `postgres://${address.username}:${Redacted.value(address.password)}@${address.host}:${address.port}/${address.database}`
  const settings = yield* Campus.repository("settings", home)
  const templates = yield* Campus.repository("templates", home)
  const hook = [path.resolve(import.meta.dirname, "../bin/switchyard"), "dhcp-hook"]
  const hookEnvironment = { SWITCHYARD_URL: `http://127.0.0.1:${PORT}`, DATA_DIR: `${home}/hook` }
  const services = yield* Layer.build(Lab.layer(Campus.topology(hook, hookEnvironment)))
  const lab = yield* Effect.provideContext(Lab, services)
  const environment = Campus.environment({ folder: home, lab, port: PORT, settings, templates })
  yield* Layer.build(Server.layerOf({ ...environment, DATABASE_URL: url }))
  const api = makeApi(`http://127.0.0.1:${PORT}`)
  yield* api.ready
  const sql = yield* PgConnection.make(address)
  const isThere = (query: string) => Effect.map(sql.query(query), ({ rows }) => rows.length > 0)

  yield* Campus.addDistributions(api)

  const blank = yield* lab.get("blank1")
  const { mac } = blank.hardware()
  const plain = mac.replaceAll(":", "").toUpperCase()
  yield* follow(walks.lease.marker, mac, plain, plain.toLowerCase(), HOSTNAME)
  yield* Effect.forkScoped(blank.boot)
  const isIn = (state: string) => isThere(`select from device where ztp_mac = '${plain}' and state = '${state}'`)
  yield* waitFor(isIn("DISCOVERED"))
  const { rows } = yield* sql.query(`select id from device where ztp_mac = '${plain}'`)
  yield* api.call("POST", `/device_init/${String(rows[0]?.["id"])}`, { hostname: HOSTNAME, device_type: "ACCESS" })
  yield* waitFor(isIn("MANAGED"))
  yield* follow()
  yield* waitFor(isThere("select 1 where not exists (select from job where status in ('SCHEDULED', 'RUNNING'))"))
  yield* api.sync(false, { all: true })

  yield* Campus.commitChange(
    settings,
    "global/base_system.yml",
    (text) => text.replace("  - host: 10.20.0.2\n", `  - host: 10.20.0.2\n  - host: ${SERVER}\n`),
    "Add an NTP server"
  )
  yield* follow(walks.setting.marker)
  yield* api.refresh("settings")
  yield* api.call("GET", `/device/${HOSTNAME}/generate_config`)
  yield* follow()

  yield* follow(walks.sync.marker)
  yield* api.call("POST", "/device_syncto", { hostname: HOSTNAME, dry_run: false })
  yield* waitFor(Effect.sync(() => blank.running().includes(`ntp server ${SERVER}`)))
  yield* follow()
  yield* waitFor(isThere("select 1 where not exists (select from job where status in ('SCHEDULED', 'RUNNING'))"))

  yield* follow(walks.port.marker)
  const interfaces = { Ethernet5: { data: { description: DESCRIPTION } } }
  yield* api.call("PUT", `/device/${HOSTNAME}/interfaces`, { interfaces })
  yield* follow()
})

/** The files through which the value came to the end of a leg. */
const legOf = (reports: ReadonlyArray<Report>, [begin, end]: Walk["legs"][number]): ReadonlyArray<string> => {
  const way: Array<string> = []
  let at = reports.find(({ file }) => end.test(file))
  if (at === undefined) throw new Error(`no file ${String(end)} has received the value`)
  while (at !== undefined && !way.includes(at.file)) {
    way.unshift(at.file)
    if (begin.test(at.file)) return way
    const { from }: Report = at
    at = reports.find(({ file }) => file === from)
  }
  throw new Error(`the way to ${String(end)} does not begin in ${String(begin)}: ${way.join(", ")}`)
}

const linked = (file: string) => `[\`${file}\`](../${file})`

const section = ({ legs, marker, text, title }: Walk): string => {
  const reports = reported(marker)
  const way = [...new Set(legs.flatMap((leg) => legOf(reports, leg)))]
  const others = reports
    .map(({ file }) => file)
    .filter((file) => !way.includes(file))
    .toSorted()
  return [
    `## ${title}`,
    `${text} The way has ${way.length} files:`,
    way.map((file, index) => `${index + 1}. ${linked(file)}`).join("\n"),
    `Beside the way ${others.length} files read, check, store, mask or log it: ${others.map((file) => `\`${file}\``).join(", ")}.`
  ].join("\n\n")
}

const HEAD = `# Walks through the code

For a reader who sees the code for the first time. Each walk follows one value: the way lists the files that passed it on, from the first one
to the last. \`npm run walks\` makes this document from what ran in the simulated campus.
`

const document = () => `${[HEAD.trim(), ...Object.values(walks).map(section)].join("\n\n")}\n`

const main = Effect.gen(function* () {
  yield* Effect.scoped(play)

  const made = document()
  if (!process.argv.includes("--check")) return writeFileSync(DOCUMENT, made)
  // what is beside the way may come a moment later in one run than in another
  const ways = (text: string) =>
    text
      .split("\n")
      .filter((line) => /^(?:#|\d)/.test(line))
      .join("\n")
  if (ways(readFileSync(DOCUMENT, "utf8")) === ways(made)) return
  process.stderr.write("docs/walks.md is not what ran: npm run walks\n")
  process.exitCode = 1
})

/** Runs itself once more with the trace in each process that is started below it. */
const traced = () => {
  const own = mkdtempSync(path.join(tmpdir(), "switchyard-walks-"))
  chmodSync(own, 0o711)
  const trace = pathToFileURL(path.join(import.meta.dirname, "walk-trace.ts")).href
  const env = { ...process.env, WALK_FOLDER: own, NODE_OPTIONS: `--import ${trace}` }
  const args = [import.meta.filename, ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, args, { env, stdio: "inherit" })
  rmSync(own, { recursive: true, force: true })
  process.exit(status ?? 1)
}

if (folder === "") traced()
else {
  const quiet = Effect.provideService(main, References.MinimumLogLevel, "Error")
  NodeRuntime.runMain(quiet.pipe(Effect.provide(NodeServices.layer)))
}
