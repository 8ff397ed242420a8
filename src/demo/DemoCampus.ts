/**
 * The stage of the demo: copies of the example repositories as git repositories, and a simulated campus of two
 * distribution switches with two blank access switches and two that run already below them, with the settings of a server for it.
 */
import { Effect, FileSystem, Path } from "effect"
import { execFile } from "node:child_process"
import type { LabShape } from "../lab/Lab.ts"
import type { Topology } from "../lab/Topology.ts"
import { type DemoApi, DemoFailed } from "./DemoApi.ts"

/** Logins of the simulated switches; there is nothing to protect in the lab. */
const LAB_PASSWORD = "lab-only-password"
const LAB_HASH = "$6$saltsalt$switchyard-example-hash"
const BLANK_PASSWORD = "abc123abc123"

const BLANK_CONFIG = `username admin privilege 15 role network-admin secret ${BLANK_PASSWORD}
aaa authorization exec default local
lldp run
service routing protocols model multi-agent
interface Vlan1
   ip address dhcp
   dhcp client accept default-route
`

/** The distribution switches with the last octet of their addresses. */
const distributions = [
  ["lhv-dist1", 11],
  ["lhv-dist2", 12]
] as const

const distConfig = (name: string, last: number) => `hostname ${name}
username switchyard privilege 15 role network-admin secret sha512 ${LAB_HASH}
aaa authorization exec default local
lldp run
interface Loopback1
   ip address 10.199.3.${last}/32
`

/** The port of both distribution switches with the link between them, over which they speak BGP. */
const FABRIC_PORT = "Ethernet49/1"

const DIST_MODEL = "DCS-7050SX3-48YC8-F"

/** The network of the management domain below the distribution switches. */
const MANAGEMENT_VLAN = 3016
const managementAddress = (last: number): string => `10.196.16.${last}`

/** Machines at the first ports of an access switch, for `find`. */
const machines = (number: number) =>
  Object.fromEntries(
    [1, 2, 3].map((port) => [
      `Ethernet${port}`,
      [{ mac: `00:50:56:00:0${number}:0${port}`, ip: `10.110.0.${number}${port}` }]
    ])
  )

/**
 * Access switches that run already and that no record knows: a reader brings them (docs/onboarding.md). Each has its name, the last octet of
 * its address, and its port at both distribution switches.
 */
export const existing = [
  ["lhv-acc5", 205, 6],
  ["lhv-acc6", 206, 7]
] as const

const accessConfig = (name: string, last: number) => `hostname ${name}
username switchyard privilege 15 role network-admin secret sha512 ${LAB_HASH}
aaa authorization exec default local
lldp run
interface Vlan${MANAGEMENT_VLAN}
   ip address ${managementAddress(last)}/24
`

/** The configuration of an existing switch: these lines, and that of its managed neighbour under the switch's own name and address. */
export const typedIn = (
  running: string,
  neighbour: { readonly hostname: string; readonly address: string },
  [name, last]: (typeof existing)[number],
  ...lines: ReadonlyArray<string>
): string => {
  const address = new RegExp(`\\b${neighbour.address.replaceAll(".", String.raw`\.`)}\\b`, "g")
  const own = running.replaceAll(neighbour.hostname, name).replaceAll(address, managementAddress(last))
  return [...lines, own].join("\n")
}

/** The campus; `hook` are the words of the program that the DHCP server calls. */
export const topology = (hook: ReadonlyArray<string>, environment: Readonly<Record<string, string>>): Topology => ({
  name: "demo",
  lab: {
    dhcp: { pool: "10.90.0.10-10.90.0.250", config: BLANK_CONFIG, hook: [...hook], environment, renewSeconds: 5 }
  },
  topology: {
    defaults: { kind: "eos", version: "4.31.4M", passwords: { switchyard: LAB_PASSWORD } },
    nodes: {
      ...Object.fromEntries(
        distributions.map(([name, last]) => [
          name,
          { role: "dist" as const, gateway: true, model: DIST_MODEL, "startup-config": distConfig(name, last) }
        ])
      ),
      blank1: { role: "access", blank: true, model: "CCS-720XP-24ZY4-F", ports: 28, hosts: machines(1) },
      blank2: { role: "access", blank: true, model: "CCS-720XP-24ZY4-F", ports: 28, hosts: machines(2) },
      ...Object.fromEntries(
        existing.map(([name, last]) => [
          name,
          {
            role: "access" as const,
            model: "CCS-720XP-24ZY4-F",
            ports: 28,
            "startup-config": accessConfig(name, last)
          }
        ])
      )
    },
    links: [
      { endpoints: [`lhv-dist1:${FABRIC_PORT}`, `lhv-dist2:${FABRIC_PORT}`] as const },
      ...[1, 2].flatMap((number) => [
        { endpoints: [`blank${number}:Ethernet27`, `lhv-dist1:Ethernet${number}`] as const },
        { endpoints: [`blank${number}:Ethernet28`, `lhv-dist2:Ethernet${number}`] as const }
      ]),
      ...existing.flatMap(([name, , port]) => [
        { endpoints: [`${name}:Ethernet27`, `lhv-dist1:Ethernet${port}`] as const },
        { endpoints: [`${name}:Ethernet28`, `lhv-dist2:Ethernet${port}`] as const }
      ])
    ]
  }
})

const GROUPS = "global/groups.yml"

/** The groups of the example settings, with the existing switches in that of their managed neighbours. */
export const groups = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* fs.readFileString(path.resolve(import.meta.dirname, "../../examples/settings", GROUPS))
  return { [GROUPS]: text.replace("lhv-acc[12]$", "lhv-acc[1256]$") }
})

/** Whatever the user's own git would do with a commit: sign it, or run hooks. */
const PLAIN = ["commit.gpgsign=false", "core.hooksPath=/dev/null", "user.name=Demo", "user.email=demo@example.org"]

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<void, DemoFailed>((resume) => {
    execFile("git", ["-C", folder, ...PLAIN.flatMap((one) => ["-c", one]), ...args], (error, _, said) => {
      if (error === null) return resume(Effect.void)
      const message =
        error.code === "ENOENT" ? "git was not found. Install it, and try again" : `git ${args[0]}: ${said.trim()}`
      resume(Effect.fail(new DemoFailed({ message })))
    })
  })

/** Copies an example repository into the folder and commits it, unless an earlier demo has done so. */
export const repository = Effect.fnUntraced(function* (name: "settings" | "templates", folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const target = path.join(folder, name)
  yield* fs.makeDirectory(folder, { recursive: true })
  yield* fs.copy(path.resolve(import.meta.dirname, "../../examples", name), target)
  yield* git(target, "init", "-q", "-b", "main")
  yield* git(target, "add", "-A")
  yield* git(target, "commit", "-q", "-m", "The examples")
  return target
})

/** Replaces a text in a file of the repository and commits the change. */
export const commitChange = Effect.fnUntraced(function* (
  folder: string,
  file: string,
  change: (text: string) => string,
  message: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const target = path.join(folder, file)
  yield* fs.writeFileString(target, change(yield* fs.readFileString(target)))
  yield* git(folder, "commit", "-q", "-a", "-m", message)
})

/** Writes whole files of the repository, removes folders, and commits all of it. */
export const commitFiles = Effect.fnUntraced(function* (
  folder: string,
  files: Readonly<Record<string, string>>,
  message: string,
  removed: ReadonlyArray<string> = []
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const name of removed) yield* fs.remove(path.join(folder, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(folder, file)
    yield* fs.makeDirectory(path.dirname(target), { recursive: true })
    yield* fs.writeFileString(target, text)
  }
  yield* git(folder, "add", "-A")
  yield* git(folder, "commit", "-q", "-m", message)
})

/** Lines at the end of the configuration, as a file of base settings. Of several layers only the innermost file counts. */
export const lastLines = (...lines: ReadonlyArray<string>): string =>
  `---\ncli_append_str: |\n${lines.map((line) => `  ${line}\n`).join("")}`

/** Commits a `checks.yml` with a ready set. */
export const includeChecks = (templates: string, set: string) =>
  commitFiles(templates, { "checks.yml": `---\ninclude: [${set}]\n` }, `Include the checks of ${set}`)

/** A server on the campus: its port, and the addresses of its repositories. */
interface ServedCampus {
  readonly folder: string
  readonly lab: LabShape
  readonly port: number
  readonly settings: string
  readonly templates: string
}

/** Settings of a server on this campus; `folder` is for its data. */
export const environment = ({ folder, lab, port, settings, templates }: ServedCampus) => ({
  HOST: "127.0.0.1",
  SITE_NAME: "Lindhaven campus",
  PORT: String(port),
  DATA_DIR: `${folder}/data`,
  GITREPO_SETTINGS: settings,
  GITREPO_TEMPLATES: templates,
  SSH_PORT: String(lab.port),
  SSH_ADDRESS_MAP: "10.0.0.0/8=127.0.0.0/8",
  USERNAME_DHCP_BOOT: "admin",
  PASSWORD_DHCP_BOOT: BLANK_PASSWORD,
  USERNAME_DISCOVERED: "admin",
  PASSWORD_DISCOVERED: BLANK_PASSWORD,
  USERNAME_INIT: "switchyard",
  PASSWORD_INIT: LAB_PASSWORD,
  USERNAME_MANAGED: "switchyard",
  PASSWORD_MANAGED: LAB_PASSWORD,
  TEMPLATE_SECRET_SWITCHYARD_HASH: LAB_HASH,
  TEMPLATE_SECRET_SNMP_COMMUNITY: "lab-read",
  TEMPLATE_SECRET_RADIUS: "0832494D1B1C11",
  JWT_ENABLED: "false",
  // a campus of its own on this machine
  HOST_KEY_POLICY: "first-use",
  MANAGEMENT_NETWORKS: "0.0.0.0/0,::/0",
  DISCOVERY_DELAYS: "0,2,5,10,20",
  INIT_STEP2_DELAY: "1",
  LOG_LEVEL: "Error"
})

/** Records of the distribution switches, of the link between them, and the management domain below them. */
export const addDistributions = Effect.fnUntraced(function* (api: DemoApi) {
  for (const [hostname, last] of distributions) {
    yield* api.call("POST", "/device", {
      hostname,
      state: "MANAGED",
      device_type: "DIST",
      platform: "eos",
      management_ip: `10.199.3.${last}`,
      infra_ip: `10.198.0.${last}`,
      model: DIST_MODEL
    })
  }
  const [a, b] = distributions.map(([hostname]) => hostname)
  yield* api.call("POST", "/linknets", {
    device_a: a,
    device_a_port: FABRIC_PORT,
    device_b: b,
    device_b_port: FABRIC_PORT
  })
  yield* api.call("POST", "/mgmtdomains", {
    device_a: a,
    device_b: b,
    vlan: MANAGEMENT_VLAN,
    ipv4_gw: `${managementAddress(1)}/24`
  })
})
