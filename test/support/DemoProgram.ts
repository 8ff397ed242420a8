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

/** Runs the demo until the scope ends, and yields its address once the story has ended well. Dies with its output if it ends earlier. */
export const serveDemo = Effect.gen(function* () {
  const port = yield* freePort
  const line = [whileInput, process.execPath, program, "demo", "--port", String(port)]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("sh", line, { env: ofThisProcess })),
    (started) =>
      Effect.callback<void>((resume) => {
        if (started.exitCode !== null) return resume(Effect.void)
        started.on("close", () => resume(Effect.void))
        started.stdin.end()
      })
  )
  yield* Effect.callback<void>((resume) => {
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += String(chunk)
        if (/^Serving on/m.test(said)) resume(Effect.void)
      })
    child.on("close", () => resume(Effect.die(new Error(said))))
  })
  return `http://127.0.0.1:${port}`
})

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
