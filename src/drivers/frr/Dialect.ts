/** What is asked of a Linux switch with FRRouting, and how long it may take (docs/frr.md#commands). */
import type { DriverTimeouts } from "../Driver.ts"

/** Seconds. Loading compares twice and starts Python; a commit runs the whole difference through vtysh. */
export const timeouts: DriverTimeouts = {
  connect: 20,
  firstPrompt: 30,
  show: 30,
  runningConfig: 90,
  load: 330,
  commit: 630,
  save: 90
}

export const commands = {
  version: "vtysh -c 'show version' 2>/dev/null | head -n 1",
  links: "ip -details -json link show",
  speeds: 'for port in /sys/class/net/*; do echo "${port##*/} $(cat "$port/speed" 2>/dev/null || echo 0)"; done',
  descriptions: "vtysh -c 'show interface description json' 2>/dev/null || true",
  bridges: "bridge -json fdb show",
  stations: "ip -json neigh show",
  neighbours: "lldpcli -f json0 show neighbors details",
  machine: [
    "hostname",
    "hostname -f 2>/dev/null || hostname",
    "cat /sys/class/dmi/id/product_name 2>/dev/null || uname -m",
    "cat /sys/class/dmi/id/product_serial 2>/dev/null || cat /etc/machine-id",
    "cut -d ' ' -f 1 /proc/uptime"
  ]
} as const
