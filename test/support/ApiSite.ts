/**
 * The site behind the API in tests that need all of it: settings and templates in a git repository each, and switches of the lab.
 * Hostnames, addresses and states are those of `test/scenarios/conformance/Scene.ts`: `core1`, `dist1`, `east-a1` and a discovered switch
 * answer; nothing answers at the addresses of the others.
 */
import { Context, Effect, Layer } from "effect"
import { makeLab } from "../../src/lab/Lab.ts"
import type { Node } from "../../src/lab/Topology.ts"
import * as Campus from "./Campus.ts"

const startConfig = (hostname: string, address: string) => `hostname ${hostname}
username switchyard privilege 15 role network-admin secret sha512 ${Campus.HASH}
aaa authorization exec default local
lldp run
interface Loopback1
   ip address ${address}/32
`

const fabric = (hostname: string, address: string): Node => ({
  role: hostname.startsWith("core") ? "core" : "dist",
  gateway: true,
  model: "DCS-7050SX3-48YC8-F",
  "startup-config": startConfig(hostname, address)
})

const DISCOVERED = `hostname mac-080027000006
username admin privilege 15 role network-admin secret abc123abc123
aaa authorization exec default local
lldp run
interface Vlan1
   ip address 10.0.0.20/24
`

const nodes: Readonly<Record<string, Node>> = {
  core1: fabric("core1", "10.100.3.0"),
  dist1: fabric("dist1", "10.100.3.1"),
  "east-a1": {
    role: "access",
    model: "CCS-720XP-48ZC2-F",
    ports: 48,
    "startup-config": `${startConfig("east-a1", "10.0.6.6")}interface Ethernet2\n   description room 5\n`
  },
  discovered: { role: "access", model: "CCS-720XP-48ZC2-F", ports: 48, "startup-config": DISCOVERED }
}

const lab = makeLab({
  name: "api",
  topology: {
    defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD, admin: "abc123abc123" }, version: "4.31.5M" },
    nodes,
    links: [{ endpoints: ["east-a1:Ethernet48", "dist1:Ethernet1"] }]
  }
})

/** The settings that differ from the examples. */
export const SETTINGS: Readonly<Record<string, string>> = {
  "global/base_system.yml": `---
ntp_servers:
  - host: 10.255.0.1
port_profiles:
  guests: { description: Desk for guests, untagged_vlan: GUEST, enabled: true, groups: [EAST_WING] }
`,
  "global/vxlans.yml": `---
vxlans:
  student: { vni: 100500, vlan_id: 500, vlan_name: STUDENT, groups: [EAST_WING] }
  guest: { vni: 100501, vlan_id: 501, vlan_name: GUEST, groups: [EAST_WING] }
`,
  "global/routing.yml": `---
underlay:
  infra_lo_net: 10.199.0.0/29
  infra_link_net: 10.198.0.0/24
  mgmt_lo_net: 10.100.3.0/29
`,
  "global/groups.yml": `---
groups:
  - group: { name: EAST_WING, regex: 'east-', group_priority: 100 }
`,
  "devices/special-a8/interfaces.yml": "---\n{}\n",
  "devices/special-a8/routing.yml": "---\n{}\n",
  "devices/special-a8/base_system.yml":
    "---\nntp_servers:\n  - host: 10.255.0.8\nlocation: { building: East wing, room: E-2, rack: '2' }\n"
}

/** Of switches that this site does not have. */
const ELSEWHERE = Object.fromEntries(
  ["lhv-dist1", "lhv-dist2"].flatMap((name) =>
    ["base_system", "interfaces", "routing"].map((file) => [`devices/${name}/${file}.yml`, null])
  )
)

/** Ethernet2 is a port that a bounce does not touch. */
const BOUNCE_DOWN = `{% for name in interfaces %}
interface {{ name }}
{% if name == "Ethernet2" %}
   no shutdown
{% else %}
   shutdown
{% endif %}
{% endfor %}
`

const make = Effect.gen(function* () {
  const folders = yield* Campus.makeFoldersWithPlugin
  yield* folders.settings.commit({ ...ELSEWHERE, ...SETTINGS })
  yield* folders.templates.commit({ "eos/bounce-down.j2": BOUNCE_DOWN })
  return { folders, variables: Campus.environment(yield* lab, folders, folders.folder) }
})

/** The remotes of the repositories, and the variables of a server that works with them and with the switches. */
export class ApiSite extends Context.Service<ApiSite, Effect.Success<typeof make>>()("test/ApiSite") {
  static readonly layer = Layer.effect(ApiSite, make)
}
