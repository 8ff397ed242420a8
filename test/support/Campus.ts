/**
 * A small campus for end-to-end tests: two distribution switches that are managed already, blank access switches below
 * them, the example repositories in git folders of their own, and an environment for a server that works with it.
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { type LabShape, makeLab } from "../../src/lab/Lab.ts"
import type { Node } from "../../src/lab/Topology.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { NetworkStore } from "../../src/store/NetworkStore.ts"
import { timer } from "./Patience.ts"

const run = promisify(execFile)
const examples = path.resolve(import.meta.dirname, "../../examples")

export const PASSWORD = "correct horse"
export const HASH = "$6$saltsalt$switchyard-example-hash"

/** Those that replace them, while a test changes passwords. */
export const NEXT_PASSWORD = "battery staple"
export const HASH_LINE = "secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}"
export const NEXT_HASH = "$6$newsalt$switchyard-example-hash"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  run("git", ["-C", folder, "-c", "user.name=Jane Doe", "-c", "user.email=jane@example.org", ...args])

/** A git repository in a temporary folder, filled from the examples. */
export interface TestRepository {
  readonly folder: string
  /** Writes files (null deletes) and commits them. */
  readonly commit: (files: Readonly<Record<string, string | null>>, message?: string) => Effect.Effect<void>
  /** The same on a new branch of this name; `main` stays checked out. */
  readonly branch: (name: string, files: Readonly<Record<string, string | null>>) => Effect.Effect<void>
}

type Name = "settings" | "templates"

/** Makes the example's repository with its first commit. */
const commitExamples = async (name: Name): Promise<string> => {
  const folder = await fs.mkdtemp(path.join(tmpdir(), `switchyard-first-${name}-`))
  await fs.cp(path.join(examples, name), folder, { recursive: true })
  await git(folder, "init", "-q", "-b", "main", "--template=")
  await git(folder, "add", "-A")
  await git(folder, "commit", "-q", "-m", "First settings")
  return folder
}

/** Those that this process has made: each test begins with a copy. */
const firstCommits: Partial<Record<Name, Promise<string>>> = {}

const makeRepository = (name: Name) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<TestRepository> => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), `switchyard-${name}-`))
      await fs.cp(await (firstCommits[name] ??= commitExamples(name)), folder, {
        recursive: true,
        preserveTimestamps: true
      })
      const write = async (files: Readonly<Record<string, string | null>>, message: string) => {
        for (const [file, text] of Object.entries(files)) {
          const target = path.join(folder, file)
          await fs.mkdir(path.dirname(target), { recursive: true })
          await (text === null ? fs.rm(target) : fs.writeFile(target, text))
        }
        await git(folder, "add", "-A")
        await git(folder, "commit", "-q", "-m", message)
      }
      const commit = (files: Readonly<Record<string, string | null>>, message = "Change") =>
        Effect.promise(() => write(files, message))
      const branch = (name: string, files: Readonly<Record<string, string | null>>) =>
        Effect.promise(async () => {
          await git(folder, "checkout", "-q", "-b", name)
          await write(files, `Change on ${name}`)
          await git(folder, "checkout", "-q", "main")
        })
      return { folder, branch, commit }
    }),
    ({ folder }) =>
      Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )

const fabricConfig = (name: string, last: number) => `hostname ${name}
username switchyard privilege 15 role network-admin secret sha512 ${HASH}
aaa authorization exec default local
lldp run
interface Loopback1
   ip address 10.199.3.${last}/32
`

export const INITIAL = `username admin privilege 15 role network-admin secret abc123abc123
aaa authorization exec default local
lldp run
service routing protocols model multi-agent
interface Vlan1
   ip address dhcp
   dhcp client accept default-route
`

const MODELS = { DIST: "DCS-7050SX3-48YC8-F", CORE: "DCS-7050CX3-32S-F" } as const

/** A fabric switch of the lab that is managed already, at `10.199.3.{last}`. */
export const fabricNode = (type: "DIST" | "CORE", name: string, last: number): Node => ({
  role: type === "DIST" ? "dist" : "core",
  gateway: true,
  model: MODELS[type],
  "startup-config": fabricConfig(name, last)
})

/** A blank access switch of the lab. */
export const blankAccess: Node = { role: "access", blank: true, model: "CCS-720XP-24ZY4-F", ports: 28 }

/** A blank distribution switch of the lab. */
export const blankDist: Node = { role: "dist", blank: true, model: MODELS.DIST }

/** Names of the blank access switches. */
export const accessNames = (count: number) => Array.from({ length: count }, (_, index) => `acc${index + 1}`)

type Hook = (lease: { readonly mac: string; readonly ip: string; readonly platform: string }) => Effect.Effect<void>

/** A cable between two `node:port` ends. */
export interface Link {
  readonly endpoints: readonly [string, string]
}

/** A lab with `lhv-dist1`, `lhv-dist2` and what else is given. */
export const makeSite = (
  nodes: Readonly<Record<string, Node>>,
  links: ReadonlyArray<Link>,
  hook: Hook = () => Effect.void,
  historyLimit = 200
) =>
  makeLab(
    {
      name: "campus",
      lab: { dhcp: { pool: "10.90.0.10-10.90.3.250", config: INITIAL } },
      topology: {
        defaults: { kind: "eos", passwords: { switchyard: PASSWORD }, version: "4.31.4M" },
        nodes: {
          "lhv-dist1": fabricNode("DIST", "lhv-dist1", 11),
          "lhv-dist2": fabricNode("DIST", "lhv-dist2", 12),
          ...nodes
        },
        links
      }
    },
    { onLease: hook, provisioningMs: 20, historyLimit }
  )

/** Cables from an access switch up to both distribution switches, at the port with this number. */
export const uplinks = (name: string, port: number): ReadonlyArray<Link> => [
  { endpoints: [`${name}:Ethernet27`, `lhv-dist1:Ethernet${port}`] },
  { endpoints: [`${name}:Ethernet28`, `lhv-dist2:Ethernet${port}`] }
]

/** The lab: `lhv-dist1` and `lhv-dist2` with `count` blank switches, each with one uplink to both. */
export const makeCampusLab = (count: number, hook: Hook) => {
  const names = accessNames(count)
  return makeSite(
    Object.fromEntries(names.map((name) => [name, blankAccess])),
    names.flatMap((name, index) => uplinks(name, index + 1)),
    hook
  )
}

/** The environment of a server for this campus. */
export const environment = (
  lab: Pick<LabShape, "port">,
  repositories: Readonly<Record<"settings" | "templates", Pick<TestRepository, "folder">>>,
  folder: string
): Record<string, string> => ({
  DATA_DIR: folder,
  HOST: "127.0.0.1",
  GITREPO_SETTINGS: repositories.settings.folder,
  GITREPO_TEMPLATES: repositories.templates.folder,
  SSH_PORT: String(lab.port),
  SSH_ADDRESS_MAP: "10.0.0.0/8=127.0.0.0/8",
  // a lab switch that is off refuses, and does so for as long as it is off
  SSH_REFUSED_DELAY: "0",
  USERNAME_DHCP_BOOT: "admin",
  PASSWORD_DHCP_BOOT: "abc123abc123",
  USERNAME_DISCOVERED: "admin",
  PASSWORD_DISCOVERED: "abc123abc123",
  USERNAME_INIT: "switchyard",
  PASSWORD_INIT: PASSWORD,
  USERNAME_MANAGED: "switchyard",
  PASSWORD_MANAGED: PASSWORD,
  TEMPLATE_SECRET_SWITCHYARD_HASH: HASH,
  TEMPLATE_SECRET_SNMP_COMMUNITY: "lhv-read",
  TEMPLATE_SECRET_RADIUS: "0832494D1B1C11",
  JWT_ENABLED: "false",
  PLUGIN_FILE: path.join(folder, "plugins.yml"),
  CAFILE: path.join(folder, "ca/rootCA.crt"),
  CAKEYFILE: path.join(folder, "ca/rootCA.key"),
  CERTPATH: path.join(folder, "devicecerts"),
  DISCOVERY_DELAYS: "0,1,1",
  INIT_MGMT_TIMEOUT: timer(6),
  INIT_STEP2_DELAY: "0",
  COMMIT_CONFIRMED_TIMEOUT: timer(30),
  LOG_LEVEL: process.env["LOG_LEVEL"] ?? "Error"
})

const writePlugins = (folder: string, list: string) =>
  Effect.promise(() => fs.writeFile(path.join(folder, "plugins.yml"), `plugins: [${list}]\n`))

/** The repositories and a data folder, without plugins, because each start of a plugin costs half a second of a processor. */
export const makeFolders = Effect.gen(function* () {
  const settings = yield* makeRepository("settings")
  const templates = yield* makeRepository("templates")
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-data-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )
  yield* writePlugins(folder, "")
  return { settings, templates, folder }
})

/** The same with a plugin that writes events to `events.log`. */
export const makeFoldersWithPlugin = Effect.gen(function* () {
  const folders = yield* makeFolders
  const log = path.join(folders.folder, "events.log")
  yield* writePlugins(folders.folder, `{filename: filewriter.py, vars: {logfile: "${log}"}}`)
  return { ...folders, pluginLog: Effect.promise(() => fs.readFile(log, "utf8").catch(() => "")) }
})

export type Folders = Effect.Success<typeof makeFolders>

/** The row of a fabric switch that is managed already, as `fabricNode` has it. */
export const seedFabric = Effect.fnUntraced(function* (type: "DIST" | "CORE", hostname: string, last: number) {
  return yield* (yield* DeviceStore).insert({
    hostname,
    state: "MANAGED",
    device_type: type,
    platform: "eos",
    management_ip: `10.199.3.${last}`,
    infra_ip: `10.198.0.${last}`,
    model: MODELS[type],
    synchronized: true
  })
})

/** A site before its first access switch: managed distribution switches and their management domain with this length of its prefix. */
export const seedSiteOf = Effect.fnUntraced(function* (prefix: number) {
  const one = yield* seedFabric("DIST", "lhv-dist1", 11)
  const other = yield* seedFabric("DIST", "lhv-dist2", 12)
  yield* (yield* NetworkStore).domains.insert({
    ipv4_gw: `10.196.16.1/${prefix}`,
    ipv6_gw: null,
    device_a_id: one.id,
    device_a_ip: "10.196.16.2",
    device_b_id: other.id,
    device_b_ip: "10.196.16.3",
    site_id: null,
    vlan: 3016,
    description: "Lindhaven switch management",
    esi_mac: null
  })
  return { one, other, links: (yield* NetworkStore).links }
})

/** The same for a domain of 250 switches. */
export const seedSite = seedSiteOf(24)
