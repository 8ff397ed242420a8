/**
 * The site of the demo with real routers: the usual fabric of blank routers with a DHCP server, a settings repository for it, and
 * the server in their management network. The transitions of each device are read from the server's log, which misses none.
 */
import { Effect, FileSystem } from "effect"
import { fileURLToPath } from "node:url"
import * as Fabric from "../fabric/Fabric.ts"
import {
  cores,
  dists,
  type FabricPlan,
  hosts,
  LOGIN,
  type Node,
  router,
  routers,
  SERVER,
  START,
  usual
} from "../fabric/FabricPlan.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { make as makeApi } from "./DemoApi.ts"
import * as Campus from "./DemoCampus.ts"
import { readFile } from "node:fs/promises"
import * as path from "node:path"

// The fabric: routers without a configuration, and a DHCP server that calls the hook as a site installs it, which is dnsmasq with the
// files of `deploy`. The server must run in the site's network, at `SERVER` and the ports below.

/** The port of the API that the hook of the DHCP server calls. */
const API_PORT = 5000

const projectRoot = path.resolve(import.meta.dirname, "../..")
const CLIENT_HOOK = "/etc/fabric/udhcpc-lease"

/** A router that asks for an address, named by its MAC address until it has a name. */
const blankRouter = (name: string, clientHook: string): Node => {
  const { files, ...rest } = router(name, { _tag: "leased" })
  return {
    ...rest,
    files: [
      ...files.filter(({ path }) => !["/etc/frr/frr.conf", "/etc/hostname", "/etc/hosts"].includes(path)),
      { path: "/etc/hostname", text: "blank" },
      { path: "/etc/hosts", text: "127.0.0.1 localhost\n127.0.1.1 blank" },
      { path: "/etc/frr/frr.conf", text: "frr defaults datacenter\nservice integrated-vtysh-config\n!" },
      { path: CLIENT_HOOK, text: clientHook },
      {
        path: `${START}/60-dhcp`,
        text: [
          `chmod 755 ${CLIENT_HOOK}`,
          "# a configured router has its address from FRR and needs no lease",
          "grep -q '^ ip address' /etc/frr/frr.conf && exit 0",
          `udhcpc -b -i eth0 -V FRR -O bootfile -s ${CLIENT_HOOK} -p /run/udhcpc.pid -t 100 -T 1 -A 1 >/dev/null 2>&1 &`
        ].join("\n")
      }
    ]
  }
}

const dnsmasq = `port=0
interface=eth0
bind-interfaces
dhcp-authoritative
dhcp-leasefile=/var/lib/switchyard/leases
dhcp-range=tag:frr,10.99.0.100,10.99.0.199,255.255.255.0,300
dhcp-option=3
dhcp-vendorclass=set:frr,FRR
dhcp-option=tag:frr,option:bootfile-name,http://${SERVER}/templates/frr/dhcp-init.j2
dhcp-script=/etc/switchyard/dnsmasq-lease
script-on-renewal
log-dhcp
log-facility=/var/log/dnsmasq`

const hookEnvironment = `SWITCHYARD_URL=http://${SERVER}:${API_PORT}
SWITCHYARD_HOOK_LOG=/var/log/hook
DATA_DIR=/var/lib/switchyard`

const deployed = (file: string) => Effect.promise(() => readFile(path.join(projectRoot, "deploy", file), "utf8"))

const inSite = (name: string, text: string) => ({ path: `/etc/switchyard/${name}`, text })

const dhcpServer = Effect.gen(function* () {
  const node: Node = {
    name: "dhcp",
    management: "eth0",
    files: [
      ...hosts("dhcp"),
      inSite("dnsmasq.conf", dnsmasq),
      inSite("dhcp-hook.env", hookEnvironment),
      inSite("platform-of", "platform_of() { echo frr; }"),
      inSite("dnsmasq-lease", yield* deployed("dhcp/dnsmasq-lease")),
      inSite("switchyard-lease", yield* deployed("dhcp/switchyard-lease")),
      {
        path: `${START}/20-network`,
        text: "ip addr add 10.99.0.2/16 dev eth0\nip link set eth0 up\nmkdir -p /var/lib/switchyard\nchmod -R a+rx /etc/switchyard"
      },
      { path: `${START}/30-dnsmasq`, text: "dnsmasq --conf-file=/etc/switchyard/dnsmasq.conf --no-ping --user=root" }
    ]
  }
  return node
})

/** The plan: the cables and hosts of the usual fabric. Management addresses are leased from 10.99.0.100 on. */
const blankPlan: Effect.Effect<FabricPlan> = Effect.gen(function* () {
  const { cables, nodes } = usual()
  const clientHook = yield* deployed("frr/udhcpc-lease")
  return {
    address: `${SERVER}/16`,
    cables,
    nodes: [
      ...routers.map((name) => blankRouter(name, clientHook)),
      yield* dhcpServer,
      ...nodes.filter(({ name }) => name.startsWith("host"))
    ]
  }
})

// The settings repository of this site.

const uplinks = "  - {name: 'swp[1-2]', ifclass: fabric}\n"
const toHost = (number: number) => `  - {name: swp10, ifclass: custom, config: ip address 10.98.${number}.1/24}\n`

const portsOf = (name: string): string => {
  if (cores.includes(name)) return "interfaces:\n  - {name: 'swp[1-4]', ifclass: fabric}\n"
  const number = dists.indexOf(name) + 1
  return `interfaces:\n${uplinks}${number === 1 || number === dists.length ? toHost(number) : ""}`
}

/** The networks of the underlay; `management` is the one that routers get their management addresses from. */
export const routing = (management: string): string => `---
underlay:
  infra_lo_net: 10.98.200.0/24
  infra_link_net: 10.98.201.0/24
  mgmt_lo_net: ${management}
`

/** Text by path. Routers get their management addresses from 10.99.1.0/24. */
export const fabricSettings: Readonly<Record<string, string>> = {
  "global/routing.yml": routing("10.99.1.0/24"),
  ...Object.fromEntries(
    routers.flatMap((name) => [
      [`devices/${name}/interfaces.yml`, `---\n${portsOf(name)}`],
      [`devices/${name}/base_system.yml`, "---\n{}\n"],
      [`devices/${name}/routing.yml`, "---\n{}\n"]
    ])
  )
}

// The server.

/** Its routers come from a network of their own, from which the server is reached by this route. */
const ROUTE = "ip route 10.99.0.0/24 eth0"

/** The list that a commit changes. */
export const OFFICES = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"

/** Base settings whose configuration ends with these lines. */
export const withLines = (...lines: ReadonlyArray<string>): string => Campus.lastLines(ROUTE, OFFICES, ...lines)

/** How long an expected result may take, on a machine that is ten times slower. */
const PATIENCE = "15 minutes"

const logins = Object.fromEntries(
  ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"].flatMap((state) => [
    [`USERNAME_${state}`, LOGIN.username],
    [`PASSWORD_${state}`, LOGIN.password]
  ])
)

/** Variables of our own environment that the server gets: paths of commands, and timers for a slow machine. */
const ours = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "INIT_MGMT_TIMEOUT", "COMMIT_CONFIRMED_TIMEOUT"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

const environment = (folder: string, settings: string, templates: string): Readonly<Record<string, string>> => ({
  HOST: SERVER,
  PORT: String(API_PORT),
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
  const onLine = (line: string) => {
    const [, id = "", from = "", to = ""] =
      /message="State of a device" .*\bid=(\d+) .*\bfrom=(\w+) to=(\w+)/.exec(line) ?? []
    if (id === "") return
    const states = seen.get(id) ?? [from]
    // a gap shows: each transition begins in the state in which the previous one ended
    if (states.at(-1) !== from) states.push(from)
    states.push(to)
    seen.set(id, states)
  }
  return { onLine, statesOf: (id: number): ReadonlyArray<string> => seen.get(String(id)) ?? [] }
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
  // the embedded database may run as another user, who needs access
  yield* fs.chmod(folder, 0o711)
  yield* fs.writeFileString(`${folder}/plugins.yml`, "plugins: []\n")
  return folder
})

/** Builds the fabric, before any server answers its DHCP hook. */
export const build = Effect.flatMap(blankPlan, Fabric.make)

/** Starts the server in the network of the fabric; its API is reached at this port of the machine. */
export const serve = Effect.fn("RealSite.serve")(function* (fabric: Fabric.Fabric, port: number) {
  const folder = yield* temporaryFolder
  const settings = yield* settingsRepository(folder)
  const templates = yield* Campus.repository("templates", folder)
  const { onLine, statesOf } = makeHistory()
  yield* Fabric.startProgram(fabric, {
    command: [process.execPath, fileURLToPath(ownModule("../main", import.meta.url)), "serve"],
    env: environment(folder, settings, templates),
    ready: `Listening on http://${SERVER}:${API_PORT}`,
    onLine
  })
  yield* fabric.reach(SERVER, API_PORT, { address: "127.0.0.1", port })
  const url = `http://127.0.0.1:${port}`
  return { fabric, api: makeApi(url, PATIENCE), url, settings, templates, statesOf }
})

export type RealSite = Effect.Success<ReturnType<typeof serve>>
