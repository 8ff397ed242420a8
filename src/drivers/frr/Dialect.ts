/** Commands, deadlines and needed programs of a Linux switch with FRRouting (docs/frr.md#commands). */
import type { DriverTimeouts } from "../Driver.ts"
import { Effect } from "effect"
import { CommandRejected } from "../DriverErrors.ts"

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

// Programs that a Linux switch has to have, and the packages of Debian that bring them (docs/frr.md#what-a-switch-needs).

const programs = {
  vtysh: { path: "vtysh", from: "frr" },
  "frr-reload.py": { path: "/usr/lib/frr/frr-reload.py", from: "frr-pythontools" },
  lldpcli: { path: "lldpcli", from: "lldpd" },
  ip: { path: "ip", from: "iproute2" },
  bridge: { path: "bridge", from: "iproute2" },
  setsid: { path: "setsid", from: "util-linux" }
} as const
export type Program = keyof typeof programs

const isProgram = (name: string): name is Program => Object.hasOwn(programs, name)

/** A line of shell that prints the missing programs, one in a line. */
export const lookForPrograms = Object.entries(programs)
  .map(([name, { path }]) => `command -v ${path} >/dev/null || echo ${name}`)
  .join("; ")

/** The programs that it has named. */
export const missingPrograms = (output: string): ReadonlySet<Program> => new Set(output.split("\n").filter(isProgram))

/** Fails with CommandRejected, which names program and package, when the switch lacks one of them. */
export const need = (
  {
    lacks,
    target: { hostname }
  }: { readonly lacks: ReadonlySet<Program>; readonly target: { readonly hostname: string } },
  ...needed: ReadonlyArray<Program>
): Effect.Effect<void, CommandRejected> => {
  const program = needed.find((one) => lacks.has(one))
  if (program === undefined) return Effect.void
  const message = `the switch has no ${program}: install the package ${programs[program].from} there`
  return Effect.fail(new CommandRejected({ hostname, command: program, message }))
}
