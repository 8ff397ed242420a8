/** Requests about ports and what is behind them: interfaces, LLDP, addresses that were learnt, light levels. */
import type { Neighbour, Switch } from "../../Switch.ts"
import * as Database from "../Database.ts"
import * as State from "../State.ts"
import type { Port, Unit } from "../State.ts"
import * as Xml from "../Xml.ts"
import { refusal, type Request, request } from "./Reply.ts"

const familyOf = ({ addresses, name }: State.Family): string =>
  Xml.around("address-family", [
    Xml.wide("address-family-name", name),
    ...addresses.map((address) =>
      Xml.around("interface-address", [Xml.wide("ifa-local", address.split("/", 1)[0] ?? address)])
    )
  ])

const terseFamily = ({ addresses, name }: State.Family): string =>
  Xml.around("address-family", [
    Xml.wide("address-family-name", name),
    ...addresses.map((address) => Xml.around("interface-address", Xml.wide("ifa-local", address)))
  ])

const terseUnit = (port: Port, unit: Unit): string =>
  Xml.around("logical-interface", [
    Xml.wide("name", unit.name),
    Xml.wide("admin-status", unit.isDown ? "down" : "up"),
    Xml.wide("oper-status", port.oper === "up" && !unit.isDown ? "up" : "down"),
    ...(unit.description === "" ? [] : [Xml.wide("description", unit.description)]),
    ...unit.families.map(terseFamily)
  ])

/** A member of a bundle has a unit that only says so. */
const terseMember = ({ bundle, name, oper }: Port): ReadonlyArray<string> =>
  bundle === undefined
    ? []
    : [
        Xml.around("logical-interface", [
          Xml.wide("name", `${name}.0`),
          Xml.wide("admin-status", "up"),
          Xml.wide("oper-status", oper),
          Xml.around("address-family", [
            Xml.wide("address-family-name", "aenet"),
            Xml.wide("ae-bundle-name", `${bundle}.0`)
          ])
        ])
      ]

const tersePort = (port: Port): string =>
  Xml.around("physical-interface", [
    Xml.wide("name", port.name),
    Xml.wide("admin-status", port.admin),
    Xml.wide("oper-status", port.oper),
    ...terseMember(port),
    ...port.units.map((unit) => terseUnit(port, unit))
  ])

/** `1000mbps`, `10Gbps`, and `Auto` of a copper port without a link. */
const speedText = ({ megabits, name, oper }: Port): string =>
  oper === "down" && name.startsWith("ge-") ? "Auto" : megabits >= 10_000 ? `${megabits / 1000}Gbps` : `${megabits}mbps`

/** Long answers do not say that a unit is enabled: only that it is not. */
const longUnit = (unit: Unit): string =>
  Xml.around("logical-interface", [
    Xml.wide("name", unit.name),
    ...(unit.description === "" ? [] : [Xml.wide("description", unit.description)]),
    Xml.around("if-config-flags", [
      ...(unit.isDown ? [Xml.leaf("iff-down")] : [Xml.leaf("iff-up")]),
      Xml.leaf("iff-snmp-traps")
    ]),
    ...unit.families.map(familyOf)
  ])

const longPort = (port: Port): string => {
  const ago = Math.floor((Date.now() - port.changedAt) / 1000)
  return Xml.around("physical-interface", [
    Xml.wide("name", port.name),
    Xml.leaf("admin-status", `\n${port.admin}\n`, { "junos:format": port.admin === "up" ? "Enabled" : "Disabled" }),
    Xml.wide("oper-status", port.oper),
    Xml.wide("local-index", String(port.index)),
    Xml.wide("snmp-index", String(port.index + 360)),
    ...(port.description === "" ? [] : [Xml.wide("description", port.description)]),
    Xml.wide("link-level-type", "Ethernet"),
    Xml.wide("mtu", String(port.mtu)),
    Xml.wide("speed", speedText(port)),
    Xml.wide("link-mode", "Full-duplex"),
    Xml.wide("current-physical-address", port.mac),
    Xml.wide("hardware-physical-address", port.mac),
    Xml.leaf("interface-flapped", `\n${Database.moment(port.changedAt)} (${Database.span(ago)} ago)\n`, {
      "junos:seconds": ago
    }),
    Xml.around("traffic-statistics", [
      Xml.wide("input-bps", "0"),
      Xml.wide("output-bps", "0"),
      Xml.wide("input-packets", "1000"),
      Xml.wide("output-packets", "1000")
    ]),
    Xml.around("input-error-list", [Xml.wide("input-errors", String(port.errors)), Xml.wide("input-drops", "0")]),
    Xml.around("output-error-list", [Xml.wide("output-errors", "0"), Xml.wide("output-drops", "0")]),
    ...port.units.map(longUnit)
  ])
}

const wantedPorts = (device: Switch, name: string | undefined): ReadonlyArray<Port> =>
  State.ports(device)
    .filter((port) => name === undefined || port.name === name || port.units.some((unit) => unit.name === name))
    .map((port) =>
      name === undefined || port.name === name
        ? port
        : { ...port, units: port.units.filter((unit) => unit.name === name) }
    )

const interfaces: Request["run"] = ({ device, request: given }) => {
  const name = Xml.textOf(given, "interface-name")
  const isTerse = Xml.child(given, "terse") !== undefined
  const found = wantedPorts(device, name)
  if (name !== undefined && found.length === 0) return refusal(device, `device ${name} not found`)
  return {
    body: Xml.around("interface-information", found.map(isTerse ? tersePort : longPort), {
      xmlns: `http://xml.juniper.net/junos/${device.version}/junos-interface`,
      "junos:style": isTerse ? "terse" : "normal"
    })
  }
}

// LLDP.

const portIdOf = (device: Switch, { neighbourPort }: Neighbour): string =>
  device.behaviour.junos.lldpWithoutPort ? "" : Xml.leaf("lldp-remote-port-id", neighbourPort)

const localPort = (device: Switch, port: string): string =>
  Xml.leaf(
    device.behaviour.junos.lldpWithoutPort ? "lldp-local-interface" : "lldp-local-port-id",
    device.behaviour.junos.lldpWithoutPort ? State.logical(port) : port
  )

const neighbour = (device: Switch, one: Neighbour): string =>
  Xml.around("lldp-neighbor-information", [
    localPort(device, one.port),
    Xml.leaf("lldp-local-parent-interface-name", "-"),
    Xml.leaf("lldp-remote-chassis-id-subtype", "Mac address"),
    Xml.leaf("lldp-remote-chassis-id", one.chassisId),
    ...(device.behaviour.junos.lldpWithoutPort ? [] : [Xml.leaf("lldp-remote-port-id-subtype", "Interface name")]),
    portIdOf(device, one),
    Xml.leaf("lldp-remote-port-description", one.neighbourPort),
    Xml.leaf("lldp-remote-system-name", one.systemName)
  ])

const neighbours: Request["run"] = ({ device }) => ({
  body: Xml.around(
    "lldp-neighbors-information",
    State.neighbours(device).map((one) => neighbour(device, one)),
    { "junos:style": "brief" }
  )
})

const details: Request["run"] = ({ device, request: given }) => {
  const wanted = Xml.textOf(given, "interface-device") ?? Xml.textOf(given, "interface-name")
  const name = wanted?.replace(/\.0$/, "")
  return {
    body: Xml.around(
      "lldp-neighbors-information",
      State.neighbours(device)
        .filter(({ port }) => name === undefined || port === name)
        .map((one) =>
          Xml.around("lldp-neighbor-information", [
            localPort(device, one.port),
            Xml.leaf("lldp-remote-chassis-id-subtype", "Mac address"),
            Xml.leaf("lldp-remote-chassis-id", one.chassisId),
            Xml.leaf("lldp-remote-port-id-subtype", "Interface name"),
            Xml.leaf("lldp-remote-port-id", one.neighbourPort),
            Xml.leaf("lldp-remote-port-description", one.neighbourPort),
            Xml.leaf("lldp-remote-system-name", one.systemName),
            Xml.around("lldp-system-description", Xml.leaf("lldp-remote-system-description", one.description)),
            Xml.leaf("lldp-ttl", one.ttl)
          ])
        ),
      { "junos:style": "detail" }
    )
  }
}

// Addresses that were learnt.

const elsTable = (device: Switch): string => {
  const stations = State.stations(device)
  const vlans = [...new Set(stations.map(({ vlan }) => vlan))]
  return Xml.around(
    "l2ng-l2ald-rtb-macdb",
    vlans.map((vlan) => {
      const own = stations.filter((station) => station.vlan === vlan)
      return Xml.around(
        "l2ng-l2ald-mac-entry-vlan",
        [
          Xml.leaf("mac-count-global", stations.length),
          Xml.leaf("learnt-mac-count", own.length),
          Xml.leaf("l2ng-l2-mac-routing-instance", "default-switch"),
          Xml.leaf("l2ng-l2-vlan-id", vlan),
          ...own.map(({ mac, port }) =>
            Xml.around("l2ng-mac-entry", [
              Xml.leaf("l2ng-l2-mac-vlan-name", State.vlanName(device, vlan)),
              Xml.leaf("l2ng-l2-mac-address", mac),
              Xml.leaf("l2ng-l2-mac-flags", "D"),
              Xml.leaf("l2ng-l2-mac-age", "-"),
              Xml.leaf("l2ng-l2-mac-logical-interface", State.logical(port)),
              Xml.leaf("l2ng-l2-mac-fwd-next-hop", 0),
              Xml.leaf("l2ng-l2-mac-rtr-id", 0)
            ])
          )
        ],
        { "junos:style": "brief-rtb" }
      )
    })
  )
}

const oldEntry = (vlan: string, mac: string, type: string, port: string) =>
  Xml.around("mac-table-entry", [
    Xml.leaf("mac-vlan", vlan),
    Xml.leaf("mac-address", mac),
    Xml.leaf("mac-type", type),
    Xml.leaf("mac-age", "0"),
    Xml.around("mac-interfaces-list", Xml.leaf("mac-interfaces", port))
  ])

/** An old switch shows an entry without a station for each VLAN. */
const oldTable = (device: Switch): string => {
  const stations = State.stations(device)
  const vlans = [...new Set(stations.map(({ vlan }) => vlan))]
  return Xml.around(
    "ethernet-switching-table-information",
    Xml.around(
      "ethernet-switching-table",
      [
        Xml.leaf("mac-table-count", stations.length + vlans.length),
        Xml.leaf("mac-table-learned", stations.length),
        Xml.leaf("mac-table-persistent", 0),
        ...vlans.flatMap((vlan) => [
          oldEntry(State.vlanName(device, vlan), "*", "Flood", "All-members"),
          ...stations
            .filter((station) => station.vlan === vlan)
            .map(({ mac, port }) => oldEntry(State.vlanName(device, vlan), mac, "Learn", State.logical(port)))
        ])
      ],
      { "junos:style": "brief" }
    )
  )
}

const macTable: Request["run"] = ({ device }) => ({
  body: device.behaviour.junos.macTable === "old" ? oldTable(device) : elsTable(device)
})

const arp: Request["run"] = ({ device }) => {
  const known = State.stations(device).filter(({ ip }) => ip !== undefined && !ip.includes(":"))
  return {
    body: Xml.around(
      "arp-table-information",
      [
        ...known.map(({ ip = "", mac, port, vlan }) =>
          Xml.around("arp-table-entry", [
            Xml.wide("mac-address", mac),
            Xml.wide("ip-address", ip),
            Xml.wide("interface-name", `${device.software.vlanPort(device.running, vlan)} [${State.logical(port)}]`),
            Xml.around("arp-table-entry-flags", Xml.leaf("none"))
          ])
        ),
        Xml.wide("arp-entry-count", String(known.length))
      ],
      { "junos:style": "no-resolve" }
    )
  }
}

const nd: Request["run"] = ({ device }) => {
  const known = State.stations(device).filter(({ ip }) => ip?.includes(":") === true)
  return {
    body: Xml.around("ipv6-nd-information", [
      ...known.map(({ ip = "", mac, vlan }) =>
        Xml.around("ipv6-nd-entry", [
          Xml.wide("ipv6-nd-neighbor-address", ip),
          Xml.wide("ipv6-nd-neighbor-l2-address", mac),
          Xml.wide("ipv6-nd-state", "reachable"),
          Xml.wide("ipv6-nd-interface-name", device.software.vlanPort(device.running, vlan))
        ])
      ),
      Xml.wide("ipv6-nd-total", String(known.length))
    ])
  }
}

const optics: Request["run"] = ({ device, request: given }) => {
  const name = Xml.textOf(given, "interface-name")
  return {
    body: Xml.around(
      "interface-information",
      State.optics(device)
        .filter((one) => name === undefined || one.name === name)
        .map(({ hasLight, name: port }) =>
          Xml.around("physical-interface", [
            Xml.wide("name", port),
            Xml.around("optics-diagnostics", [
              Xml.wide("laser-bias-current", "6.032"),
              Xml.wide("laser-output-power", "0.5850"),
              Xml.wide("laser-output-power-dbm", "-2.33"),
              Xml.leaf("module-temperature", "\n31 degrees C / 88 degrees F\n", { "junos:celsius": "31.4" }),
              Xml.wide("module-voltage", "3.2890"),
              Xml.wide("rx-signal-avg-optical-power", hasLight ? "0.4210" : "0.0000"),
              Xml.wide("rx-signal-avg-optical-power-dbm", hasLight ? "-3.76" : "- Inf")
            ])
          ])
        )
    )
  }
}

/** By the name of their element. */
export const requests: ReadonlyArray<readonly [string, Request]> = [
  ["get-interface-information", request("showState", interfaces)],
  ["get-lldp-neighbors-information", request("showLldp", neighbours)],
  ["get-lldp-interface-neighbors", request("showLldp", details)],
  ["get-lldp-interface-neighbors-information", request("showLldp", details)],
  ["get-ethernet-switching-table-information", request("showState", macTable)],
  ["get-arp-table-information", request("showState", arp)],
  ["get-ipv6-nd-information", request("showState", nd)],
  ["get-interface-optics-diagnostics-information", request("showState", optics)]
]
