/**
 * What the demo with real routers is played on: the usual fabric of blank routers, and a server in their management network that
 * works with copies of the example repositories. What became of each device is taken from the server's log, where no transition can be missed.
 */
import { Effect, FileSystem } from "effect"
import { fileURLToPath } from "node:url"
import * as BlankFabric from "../fabric/BlankFabric.ts"
import * as Fabric from "../fabric/Fabric.ts"
import { LOGIN, SERVER } from "../fabric/FabricPlan.ts"
import { fabricSettings, lastLines } from "../fabric/FabricSettings.ts"
import * as SiteProgram from "../fabric/SiteProgram.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { make as makeApi } from "./DemoApi.ts"
import * as Campus from "./DemoCampus.ts"

/** Its routers come from a network of their own, from which the server is reached by this route. */
const ROUTE = "ip route 10.99.0.0/24 eth0"

/** The list that a commit changes. */
export const OFFICES = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"

/** Base settings whose configuration ends with these lines. */
export const withLines = (...lines: ReadonlyArray<string>): string => lastLines(ROUTE, OFFICES, ...lines)

/** How long anything may take that has to come: a machine ten times slower is meant. */
const PATIENCE = "15 minutes"

const logins = Object.fromEntries(
  ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"].flatMap((state) => [
    [`USERNAME_${state}`, LOGIN.username],
    [`PASSWORD_${state}`, LOGIN.password]
  ])
)

/** What of our own environment the server gets: where commands are, and timers for a slow machine. */
const ours = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "INIT_MGMT_TIMEOUT", "COMMIT_CONFIRMED_TIMEOUT"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

const environment = (folder: string, settings: string, templates: string): Readonly<Record<string, string>> => ({
  HOST: SERVER,
  PORT: String(BlankFabric.API_PORT),
  ZTP_HTTP_HOST: SERVER,
  ZTP_HTTP_PORT: "80",
  DATA_DIR: `${folder}/data`,
  GITREPO_SETTINGS: settings,
  GITREPO_TEMPLATES: templates,
  ...logins,
  PLUGIN_FILE: `${folder}/plugins.yml`,
  JWT_ENABLED: "false",
  ALLOW_OPEN_API: "true",
  // routers of its own, in namespaces of this machine
  HOST_KEY_POLICY: "first-use",
  MANAGEMENT_NETWORKS: "0.0.0.0/0,::/0",
  DISCOVERY_DELAYS: "0,2,5,10,20",
  INIT_STEP2_DELAY: "1",
  COMMIT_CONFIRMED_TIMEOUT: "30",
  ...ours
})

/** The states that devices have been in, in order, by their id. */
const makeHistory = () => {
  const seen = new Map<string, Array<string>>()
  const hear = (line: string) => {
    const [, id = "", from = "", to = ""] =
      /message="State of a device" .*\bid=(\d+) .*\bfrom=(\w+) to=(\w+)/.exec(line) ?? []
    if (id === "") return
    const states = seen.get(id) ?? [from]
    // a gap shows: what one transition left is what the next one comes from
    if (states.at(-1) !== from) states.push(from)
    states.push(to)
    seen.set(id, states)
  }
  return { hear, statesOf: (id: number): ReadonlyArray<string> => seen.get(String(id)) ?? [] }
}

const settingsRepository = Effect.fnUntraced(function* (folder: string) {
  const settings = yield* Campus.repository("settings", folder)
  const files = { ...fabricSettings, "fabric/base_system.yml": withLines() }
  yield* Campus.commitFiles(settings, files, "A fabric of FRRouting", ["devices"])
  return settings
})

const temporaryFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "switchyard-demo-" })
  // the embedded database may run as another user, who has to get in
  yield* fs.chmod(folder, 0o711)
  yield* fs.writeFileString(`${folder}/plugins.yml`, "plugins: []\n")
  return folder
})

/** Builds the fabric with nobody to answer it yet. */
export const build = Effect.flatMap(BlankFabric.plan, Fabric.make)

/** Starts the server in the network of the fabric; its API is reached at this port of the machine. */
export const serve = Effect.fn("RealSite.serve")(function* (fabric: Fabric.Fabric, port: number) {
  const folder = yield* temporaryFolder
  const settings = yield* settingsRepository(folder)
  const templates = yield* Campus.repository("templates", folder)
  const { hear, statesOf } = makeHistory()
  yield* SiteProgram.start(fabric, {
    command: [process.execPath, fileURLToPath(ownModule("../main", import.meta.url)), "serve"],
    env: environment(folder, settings, templates),
    ready: `Listening on http://${SERVER}:${BlankFabric.API_PORT}`,
    hear
  })
  yield* fabric.reach(SERVER, BlankFabric.API_PORT, { address: "127.0.0.1", port })
  const url = `http://127.0.0.1:${port}`
  return { fabric, api: makeApi(url, PATIENCE), url, settings, statesOf }
})

export type RealSite = Effect.Success<ReturnType<typeof serve>>
