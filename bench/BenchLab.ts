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

/** So many managed access switches that take so many milliseconds to commit, plain ones or of all usual personalities; killed at the end. */
export const startLab = (count: number, commitMs: number, kind: "plain" | "usual" = "plain") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const script = path.join(import.meta.dirname, "LabProcess.ts")
      const args = ["--max-semi-space-size=32", script, String(count), String(commitMs), kind]
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      for await (const line of readline.createInterface({ input: child.stdout })) return { child, line }
      throw new Error("the lab ended")
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(Effect.flatMap(({ line }) => Effect.orDie(Schema.decodeEffect(LabLine)(line))))
