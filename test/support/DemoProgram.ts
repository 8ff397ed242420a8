/** The demo as a user starts it, to its end. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { freePort } from "./FreePort.ts"
import { ofThisProcess, program } from "./Program.ts"

const whileInput = path.resolve(import.meta.dirname, "../../src/fabric/while-input.sh")

export interface DemoOptions {
  /** Words of the command line behind `demo`. */
  readonly words?: ReadonlyArray<string>
  /** The starter of the program, such as `setpriv`. */
  readonly before?: ReadonlyArray<string>
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs the demo; it ends when this process does, which holds the input of what runs it. */
export const runDemo = Effect.fnUntraced(function* ({ before = [], variables = {}, words = [] }: DemoOptions = {}) {
  const port = yield* freePort
  return yield* Effect.callback<{ readonly code: number | null; readonly said: string }>((resume) => {
    const line = [whileInput, ...before, process.execPath, program, "demo", ...words, "--exit", "--port", String(port)]
    const child = spawn("sh", line, { env: { ...ofThisProcess, ...variables } })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
    child.on("close", (code) => resume(Effect.succeed({ code, said })))
    return Effect.sync(() => child.stdin.end())
  })
})
