/** Programs that a Linux switch has to have, and the packages of Debian that bring them (docs/frr.md#what-a-switch-needs). */
import { Effect } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import type { Remote } from "./Remote.ts"

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

/** A line of shell that names those that are not there, one in a line. */
export const lookForPrograms = Object.entries(programs)
  .map(([name, { path }]) => `command -v ${path} >/dev/null || echo ${name}`)
  .join("; ")

/** What it has named. */
export const missingPrograms = (told: string): ReadonlySet<Program> => new Set(told.split("\n").filter(isProgram))

/** Fails with CommandRejected, which names program and package, when the switch lacks one of them. */
export const need = (
  { lacks, target: { hostname } }: Pick<Remote, "lacks" | "target">,
  ...needed: ReadonlyArray<Program>
): Effect.Effect<void, CommandRejected> => {
  const program = needed.find((one) => lacks.has(one))
  if (program === undefined) return Effect.void
  const message = `the switch has no ${program}: install the package ${programs[program].from} there`
  return Effect.fail(new CommandRejected({ hostname, command: program, message }))
}
