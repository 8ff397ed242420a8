/**
 * Requests about protocols and the box: BGP and OSPF neighbours, counts of routes, bundles with LACP, VLANs, fans and temperatures. A
 * device that runs none of a protocol says so, each daemon in its own words.
 */
import type { Switch } from "../../Switch.ts"
import * as Config from "../Config.ts"
import type { Entry } from "../Config.ts"
import * as Facts from "../Facts.ts"
import * as State from "../State.ts"
import * as Xml from "../Xml.ts"
import { refusal, type Reply, type Request, request } from "./Reply.ts"

const rootOf = ({ running }: Switch): Entry => Facts.effective(running)

// BGP: a neighbour is there if a switch of the lab that is on has its address.

const isThere = (device: Switch, address: string): boolean =>
  device.world
    .switches()
    .some((other) => other !== device && other.power === "on" && other.facts.addresses.includes(address))

const peer = (device: Switch, group: Entry, neighbour: Entry): string => {
  const address = neighbour.key ?? ""
  const isUp = isThere(device, address)
  return Xml.around(
    "bgp-peer",
    [
      Xml.leaf("peer-address", isUp ? `${address}+179` : address),
      Xml.leaf("peer-as", Config.value(neighbour, "peer-as") ?? Config.value(group, "peer-as") ?? 0),
      Xml.leaf("peer-group", group.key ?? ""),
      Xml.leaf("peer-cfg-rti", "master"),
      Xml.leaf("peer-fwd-rti", "master"),
      Xml.leaf("peer-type", Config.value(group, "type") === "internal" ? "Internal" : "External"),
      Xml.leaf("peer-state", isUp ? "Established" : "Active"),
      ...(isUp ? [Xml.around("bgp-rib", [Xml.leaf("name", "inet.0"), Xml.leaf("received-prefix-count", 1)])] : [])
    ],
    { "junos:style": "detail" }
  )
}

const bgp: Request["run"] = ({ device }) => {
  const groups = Config.entriesOf(Config.at(rootOf(device), "protocols", "bgp"), "group")
  if (groups.length === 0) return { body: Xml.leaf("output", "BGP is not running") }
  const peers = groups.flatMap((group) =>
    Config.entriesOf(group, "neighbor").map((neighbour) => peer(device, group, neighbour))
  )
  return { body: Xml.around("bgp-information", peers) }
}

// OSPF: no neighbour of the lab speaks it.

const ospf: Request["run"] = ({ device, request: given }) => {
  if (Config.at(rootOf(device), "protocols", "ospf") === undefined)
    return refusal(device, "OSPF instance is not running")
  if (Xml.textOf(given, "instance") !== "all") return { body: Xml.around("ospf-neighbor-information", []) }
  const instance = Xml.around("ospf-instance-neighbor", [Xml.leaf("ospf-instance-name", "master")])
  return { body: Xml.around("ospf-neighbor-information-all", instance) }
}

// Routes: those of addresses, and those that are written down.

const staticRoutes = (root: Entry, table: string): number => {
  const options = Config.at(root, "routing-options")
  const section = table === "inet.0" ? options : Config.at(options, `rib ${table}`)
  return Config.entriesOf(Config.at(section, "static"), "route").length
}

const protocol = (name: string, count: number): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        Xml.around("protocols", [
          Xml.leaf("protocol-name", name),
          Xml.leaf("protocol-route-count", count),
          Xml.leaf("active-route-count", count)
        ])
      ]

const routeTable = (device: Switch, table: "inet.0" | "inet6.0"): ReadonlyArray<string> => {
  const isSix = table === "inet6.0"
  const own = device.facts.addresses.filter((address) => address.includes(":") === isSix).length
  const written = staticRoutes(rootOf(device), table)
  const all = own * 2 + written
  if (all === 0) return []
  return [
    Xml.around("route-table", [
      Xml.leaf("table-name", table),
      Xml.leaf("destination-count", all),
      Xml.leaf("total-route-count", all),
      Xml.leaf("active-route-count", all),
      Xml.leaf("holddown-route-count", 0),
      Xml.leaf("hidden-route-count", 0),
      ...protocol("Direct", own),
      ...protocol("Local", own),
      ...protocol("Static", written)
    ])
  ]
}

const routes: Request["run"] = ({ device }) => ({
  body: Xml.around("route-summary-information", [...routeTable(device, "inet.0"), ...routeTable(device, "inet6.0")])
})

// Bundles.

const memberOf = ({ name, oper }: State.Port): string =>
  Xml.around("lag-lacp-protocol", [
    Xml.leaf("name", name),
    Xml.leaf("lacp-receive-state", oper === "up" ? "Current" : "Port disabled"),
    Xml.leaf("lacp-transmit-state", oper === "up" ? "Fast periodic" : "No periodic"),
    Xml.leaf("lacp-mux-state", oper === "up" ? "Collecting distributing" : "Detached")
  ])

const lacp: Request["run"] = ({ device }) => {
  const interfaces = Config.at(rootOf(device), "interfaces")
  const bundles = Config.entriesOf(interfaces, "").filter(
    (port) => Config.at(port, "aggregated-ether-options", "lacp") !== undefined
  )
  if (bundles.length === 0) return refusal(device, "lacp subsystem not running - not needed by configuration.")
  const ports = State.ports(device)
  return {
    body: Xml.around(
      "lacp-interface-information-list",
      bundles.map(({ key = "" }) =>
        Xml.around("lacp-interface-information", [
          Xml.around("lag-lacp-header", Xml.leaf("aggregate-name", key)),
          ...ports.filter(({ bundle }) => bundle === key).map(memberOf)
        ])
      )
    )
  }
}

// VLANs.

const vlans: Request["run"] = ({ device }): Reply => {
  const known = [...Facts.vlanIds(rootOf(device))]
  if (device.behaviour.junos.macTable === "old") {
    const each = known.map(([name, id]) => Xml.around("vlan", [Xml.leaf("vlan-name", name), Xml.leaf("vlan-tag", id)]))
    return { body: Xml.around("vlan-information", each) }
  }
  const each = known.map(([name, id]) =>
    Xml.around("l2ng-l2ald-vlan-instance-group", [
      Xml.leaf("l2ng-l2rtb-name", "default-switch"),
      Xml.leaf("l2ng-l2rtb-vlan-name", name),
      Xml.leaf("l2ng-l2rtb-vlan-tag", id)
    ])
  )
  return { body: Xml.around("l2ng-l2ald-vlan-instance-information", each) }
}

// The box.

const item = (name: string, status: string, celsius?: number): string =>
  Xml.around("environment-item", [
    Xml.leaf("name", name),
    Xml.leaf("status", status),
    ...(celsius === undefined
      ? []
      : [Xml.leaf("temperature", `${celsius} degrees C / 88 degrees F`, { "junos:celsius": celsius })])
  ])

const environment: Request["run"] = ({ device }) => ({
  body: Xml.around(
    "environment-information",
    State.members(device).flatMap(({ id }) => [
      item(`FPC ${id} Power Supply 0`, "OK"),
      item(`FPC ${id} Power Supply 1`, "Absent"),
      item(`FPC ${id} Fan 1`, "OK"),
      item(`FPC ${id} CPU`, "OK", 31)
    ])
  )
})

/** By the name of their element. */
export const requests: ReadonlyArray<readonly [string, Request]> = [
  ["get-bgp-neighbor-information", request("showState", bgp)],
  ["get-ospf-neighbor-information", request("showState", ospf)],
  ["get-route-summary-information", request("showState", routes)],
  ["get-lacp-interface-information", request("showState", lacp)],
  ["get-vlan-information", request("showState", vlans)],
  ["get-environment-information", request("showState", environment)]
]
