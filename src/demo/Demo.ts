/**
 * The demo: a server with its embedded database, a simulated campus, and the story of two blank switches that become MANAGED, of a
 * commit that becomes a proved change, and of one that breaks BGP and is taken back by a check. Everything uses the real paths: the
 * DHCP hook program, the API, git and SSH. Fails if a step fails.
 */
import { Effect, FileSystem, Layer, Path } from "effect"
import { Lab, type LabShape } from "../lab/Lab.ts"
import type { Topology } from "../lab/Topology.ts"
import * as Server from "../Server.ts"
import {
  type DemoApi,
  DemoFailed,
  type DemoOptions,
  hold,
  make as makeApi,
  requirePort,
  say,
  sayFailure,
  step
} from "./DemoApi.ts"
import * as Campus from "./DemoCampus.ts"

const seenState = (api: DemoApi, mac: string, state: string) =>
  api.until(
    `${mac} to be ${state}`,
    Effect.map(api.devices(`filter[ztp_mac]=${mac}`), ([device]) => (device?.state === state ? device : null))
  )

const provision = Effect.fnUntraced(function* (api: DemoApi, lab: LabShape, node: string, hostname: string) {
  const blank = yield* Effect.orDie(lab.get(node))
  const mac = blank.hardware().mac.replaceAll(":", "").toUpperCase()
  yield* say(`  ${node} (${mac}) is switched on and asks for DHCP`)
  yield* Effect.forkScoped(blank.boot)
  const discovered = yield* seenState(api, mac, "DISCOVERED")
  yield* say(`  ${discovered.hostname}: DHCP_BOOT → DISCOVERED`)
  const target = { hostname, device_type: "ACCESS" }
  const check = yield* api.call("POST", `/device_initcheck/${discovered.id}`, target)
  const compatible = JSON.stringify(check.data).includes('"compatible":true')
  if (!compatible)
    return yield* new DemoFailed({ message: `${hostname} is not compatible: ${JSON.stringify(check.data)}` })
  yield* api.run(`/device_init/${discovered.id}`, target)
  yield* say(`  ${hostname}: DISCOVERED → INIT, moving to its management address`)
  const managed = yield* seenState(api, mac, "MANAGED")
  yield* say(`  ${hostname}: INIT → MANAGED on ${managed.management_ip}`)
})

const sync = Effect.fnUntraced(function* (api: DemoApi, dry_run: boolean, selector: Readonly<Record<string, unknown>>) {
  const job = yield* api.sync(dry_run, selector)
  return { job, diffs: yield* api.diffs(job) }
})

const bringInSync = Effect.fnUntraced(function* (api: DemoApi) {
  yield* step("First synchronization of the whole network")
  const { diffs } = yield* sync(api, false, { all: true })
  for (const { diff, hostname } of diffs)
    yield* say(`  ${hostname}: ${diff === "" ? "runs what it should" : "pushed, proved, confirmed"}`)
})

const change = Effect.fnUntraced(function* (api: DemoApi, lab: LabShape, settings: string) {
  yield* step("A commit in the settings repository: a third NTP server")
  const ntp = "  - host: 10.20.0.3"
  yield* Campus.commitChange(
    settings,
    "global/base_system.yml",
    (text) => text.replace("  - host: 10.20.0.2\n", `  - host: 10.20.0.2\n${ntp}\n`),
    "Add an NTP server"
  )
  yield* say(`  ${yield* api.refresh("settings")}`)
  for (const [hostname, causes] of Object.entries(yield* api.causes)) {
    yield* say(`  ${hostname} is not synchronized any more: ${causes.map(({ cause }) => cause).join(", ")}`)
  }
  yield* step("Dry run: what would change on lhv-acc1")
  const dry = yield* sync(api, true, { hostname: "lhv-acc1" })
  yield* say(dry.diffs.map(({ diff }) => diff.replaceAll(/^/gm, "    ")).join("\n"))
  yield* say(`  change score ${dry.job.change_score}`)
  yield* step("Live run on every device that the commit concerns")
  const live = yield* sync(api, false, { all: true })
  for (const { hostname } of live.diffs)
    yield* say(`  ${hostname}: committed with a timer, proved over a new connection, confirmed`)
  const left = (yield* api.devices("filter[state]=MANAGED")).filter((device) => !device.synchronized)
  if (left.length > 0)
    return yield* new DemoFailed({ message: `not synchronized: ${left.map(({ hostname }) => hostname)}` })
  const running = (yield* Effect.orDie(lab.get("blank1"))).running()
  if (!running.includes("ntp server 10.20.0.3"))
    return yield* new DemoFailed({ message: "the switch does not run the change" })
  yield* say("  the switches run it: ntp server 10.20.0.3")
})

/** The distribution switch whose BGP a commit breaks. */
const BROKEN = "lhv-dist1"
const BROKEN_FILE = `devices/${BROKEN}/base_system.yml`

/** The session of the broken switch with the other distribution switch: the line of its process, and the neighbour. */
const sessionOf = Effect.fnUntraced(function* (configuration: string) {
  const [process = ""] = /^router bgp \d+$/m.exec(configuration) ?? []
  const [, neighbour = ""] = /^ +neighbor (\S+) description lhv-dist2$/m.exec(configuration) ?? []
  const isThere = process !== "" && neighbour !== ""
  yield* hold(isThere, `${BROKEN} does not speak BGP with lhv-dist2:\n${configuration}`)
  return { process, neighbour }
})

const breakBgp = Effect.fnUntraced(function* (api: DemoApi, lab: LabShape, { settings, templates }: Repositories) {
  yield* step("A commit in the templates repository: the ready set of checks for distribution switches")
  yield* Campus.includeChecks(templates, "distribution")
  yield* say(`  ${yield* api.refresh("templates")}`)
  yield* step(`A commit that breaks BGP: it shuts down the session of ${BROKEN} with lhv-dist2`)
  const running = Effect.map(Effect.orDie(lab.get(BROKEN)), (device) => device.running())
  const before = yield* running
  const { neighbour, process } = yield* sessionOf(before)
  const shut = Campus.lastLines(process, `   neighbor ${neighbour} shutdown`)
  yield* Campus.commitFiles(settings, { [BROKEN_FILE]: shut }, "Shut down a neighbour")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* api.takenBack(BROKEN, "distribution-bgp")
  yield* hold((yield* running) === before, `${BROKEN} does not run what it ran before`)
  yield* say(`  ${BROKEN} was taken back, and runs what it ran before`)
  yield* step("The commit is taken back in git, too")
  yield* Campus.commitFiles(settings, { [BROKEN_FILE]: "---\n{}\n" }, "Keep the neighbour")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* sync(api, false, { hostname: BROKEN })
  const [device] = yield* api.devices(`filter[hostname]=${BROKEN}`)
  yield* hold(device?.synchronized === true, `${BROKEN} is not synchronized`)
  yield* say(`  ${BROKEN}: synchronized`)
})

/** A line that no setting of the examples has. */
const BY_HAND = "ntp server 10.20.0.9"

/** Switches that run already, for a reader who brings them: one without a difference, and one with a line of its own. */
const leaveExisting = Effect.fnUntraced(function* (api: DemoApi, lab: LabShape) {
  const [one, other] = Campus.existing
  yield* step(`Two access switches that run already are not in the database: ${one[0]} and ${other[0]}`)
  const [managed] = yield* api.devices("filter[hostname]=lhv-acc1")
  const running = (yield* Effect.orDie(lab.get("blank1"))).running()
  const neighbour = { hostname: "lhv-acc1", address: managed?.management_ip ?? "" }
  yield* hold(neighbour.address !== "", "lhv-acc1 has no management address")
  for (const [existing, ...lines] of [[one], [other, BY_HAND]] as const) {
    const device = yield* Effect.orDie(lab.get(existing[0]))
    device.configure(Campus.typedIn(running, neighbour, existing, ...lines), { replace: true })
  }
  // both ends of their cables are known to those who ask
  for (const hostname of ["lhv-dist1", "lhv-dist2"]) yield* api.call("GET", `/device/${hostname}/lldp_neighbors`)
  yield* say("  to bring them: docs/onboarding.md")
})

/** The folders of the repositories that the server reads. */
interface Repositories {
  readonly settings: string
  readonly templates: string
}

const story = Effect.fnUntraced(function* (options: DemoOptions, lab: LabShape, repositories: Repositories) {
  const url = `http://127.0.0.1:${options.port}`
  const api = makeApi(url)
  yield* step("The server is up, with an embedded database and a simulated campus")
  yield* say(`  the page ${url}/`)
  yield* say(`  API ${url}/api/v1.0, its description ${url}/api/doc/`)
  yield* api.ready
  yield* step("Two distribution switches are known already, with the management domain below them")
  yield* Campus.addDistributions(api)
  yield* step("Two blank access switches")
  yield* Effect.all([provision(api, lab, "blank1", "lhv-acc1"), provision(api, lab, "blank2", "lhv-acc2")], {
    concurrency: 2
  })
  yield* bringInSync(api)
  yield* change(api, lab, repositories.settings)
  yield* breakBgp(api, lab, repositories)
  yield* leaveExisting(api, lab)
  yield* step("Everything held")
})

/**
 * The stage of a demo, until the scope ends: repositories of its own, with these files of the settings in place of the examples', the
 * simulated switches, and a server for them.
 */
export const stage = Effect.fnUntraced(function* (
  options: DemoOptions,
  topologyIn: (folder: string) => Topology,
  settingsFiles: Readonly<Record<string, string>> = {}
) {
  yield* requirePort(options.port)
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "switchyard-demo-" })
  // the embedded database may run as another user, who needs access
  yield* fs.chmod(folder, 0o711)
  yield* fs.writeFileString(
    `${folder}/plugins.yml`,
    `plugins:\n  - filename: filewriter.ts\n    vars: {logfile: "${folder}/events.log"}\n`
  )
  const settings = yield* Campus.repository("settings", folder)
  const templates = yield* Campus.repository("templates", folder)
  if (Object.keys(settingsFiles).length > 0)
    yield* Campus.commitFiles(settings, settingsFiles, "Groups and ports of the buildings")
  const services = yield* Layer.build(Lab.layer(topologyIn(folder)))
  const lab = yield* Effect.provideContext(Lab, services)
  const environment = Campus.environment({ folder, lab, port: options.port, settings, templates })
  yield* Layer.build(Server.layerOf({ ...environment, PLUGIN_FILE: `${folder}/plugins.yml` }))
  return { lab, settings, templates }
})

const play = Effect.fnUntraced(function* (options: DemoOptions) {
  const path = yield* Path.Path
  const hook = [path.resolve(import.meta.dirname, "../../bin/switchyard"), "dhcp-hook"]
  const { lab, ...repositories } = yield* stage(
    options,
    (folder) =>
      Campus.topology(hook, { SWITCHYARD_URL: `http://127.0.0.1:${options.port}`, DATA_DIR: `${folder}/hook` }),
    yield* Campus.groups
  )
  yield* story(options, lab, repositories)
  if (options.exit) return
  yield* say("Serving on. Stop with Ctrl-C.")
  yield* Effect.never
}, Effect.scoped)

/** Plays the demo. */
export const run = (options: DemoOptions) => play(options).pipe(sayFailure)
