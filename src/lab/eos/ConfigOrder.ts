/** The order in which the device prints the top level of its configuration. */
import { interfaceOrder } from "./InterfaceNames.ts"

/** Printed order of the top-level lines; what is not listed stands where `*` does. */
export const ORDER = [
  "boot",
  "aaa root",
  "username",
  "role",
  "daemon",
  "alias",
  "agent",
  "hardware",
  "transceiver",
  "load-interval",
  "service",
  "dhcp",
  "switch",
  "event-handler",
  "event-monitor",
  "logging",
  "prompt",
  "hostname",
  "ip name-server",
  "ip domain-name",
  "ip domain-list",
  "ip domain lookup",
  "dns",
  "ntp",
  "dot1x",
  "errdisable",
  "poe",
  "ptp",
  "radius-server",
  "tacacs-server",
  "sflow",
  "snmp-server",
  "spanning-tree",
  "lldp",
  "lacp",
  "aaa",
  "enable",
  "clock",
  "vlan",
  "vrf",
  "management",
  "interface",
  "mac",
  "ip virtual-router",
  "ip access-list",
  "ipv6 access-list",
  "ip routing",
  "ipv6 unicast-routing",
  "ip prefix-list",
  "ipv6 prefix-list",
  "ip community-list",
  "ip route",
  "ipv6 route",
  "mlag",
  "qos",
  "class-map",
  "policy-map",
  "route-map",
  "peer-filter",
  "*",
  "router",
  "banner",
  "end"
] as const

const RANK = new Map<string, number>(ORDER.map((prefix, index) => [prefix, index]))
const OTHER_RANK = ORDER.indexOf("*")

/** Where a top-level line stands in the printed configuration. */
export const rankOf = (text: string): number => {
  const words = (text.startsWith("no ") ? text.slice(3) : text).split(" ", 3)
  return RANK.get(words.join(" ")) ?? RANK.get(words.slice(0, 2).join(" ")) ?? RANK.get(words[0] ?? "") ?? OTHER_RANK
}

/** Order among lines of one rank: interfaces by kind and number, VLANs by number; 0 keeps the order of entry. */
export const minorOf = (text: string): number => {
  if (text.startsWith("interface ")) return interfaceOrder(text.slice(10))
  if (!text.startsWith("vlan ")) return 0
  const number = Number.parseInt(text.slice(5), 10)
  return Number.isNaN(number) ? 0 : number
}
