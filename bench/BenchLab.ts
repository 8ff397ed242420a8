/** Starts the lab of a benchmark in a process of its own (`LabProcess.ts`). */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import * as readline from "node:readline"

const LabLine = Schema.fromJsonString(
  Schema.Struct({
    port: Schema.Int,
    switches: Schema.Array(Schema.Struct({ name: Schema.String, address: Schema.String }))
  })
)

/** A lab that is up. */
export type Lab = typeof LabLine.Type

/** A switch of the lab: its name and its management address. */
export type LabSwitch = Lab["switches"][number]

/**
 * So many managed access switches that take so many milliseconds to commit: plain ones, of all usual personalities, or with Junos.
 * Killed at the end. `place` are the last arguments of `LabProcess.ts`.
 */
export const startLab = (
  count: number,
  commitMs: number,
  kind: "plain" | "usual" | "junos" = "plain",
  place: ReadonlyArray<string> = []
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const script = path.join(import.meta.dirname, "LabProcess.ts")
      const args = ["--max-semi-space-size=32", script, String(count), String(commitMs), kind, ...place]
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      for await (const line of readline.createInterface({ input: child.stdout })) return { child, line }
      throw new Error("the lab ended")
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(Effect.flatMap(({ line }) => Effect.orDie(Schema.decodeEffect(LabLine)(line))))

/** Switches that one process plays without becoming what limits, and the first of the blocks of addresses. */
const IN_ONE_PROCESS = 5000
const FIRST_BLOCK = 32

/** The same of plain switches, played by as many processes as it takes, two at least: they share a port, each has a /16 of its own. */
export const startLabs = Effect.fnUntraced(function* (count: number, commitMs: number) {
  const processes = Math.max(2, Math.ceil(count / IN_ONE_PROCESS))
  const each = Math.ceil(count / processes)
  let port = 0
  const switches: Array<LabSwitch> = []
  for (let index = 0; index < processes; index++) {
    const place = [String(port), String(FIRST_BLOCK + index), `s${index + 1}`]
    const lab = yield* startLab(Math.min(each, count - switches.length), commitMs, "plain", place)
    port = lab.port
    switches.push(...lab.switches)
  }
  return { port, switches } satisfies Lab
})
