/**
 * A program in the network of a site, such as the server: it has the machine's files, and ends when the scope does or this
 * process dies.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { Effect, type Scope } from "effect"
import { type Fabric, FabricError } from "./Fabric.ts"

const WHILE_INPUT = path.join(import.meta.dirname, "while-input.sh")

/** So many of the last lines are told when the program ends too early. */
const LAST_LINES = 30

export interface SiteProgram {
  /** Program and arguments. */
  readonly command: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** What one of its lines has when it is ready. */
  readonly ready: string
  /** Is told every line that it prints. */
  readonly hear: (line: string) => void
}

const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
  })

/** Starts a program and waits until it is ready. Fails with its last lines when it ends before. */
export const start = Effect.fn("SiteProgram.start")(function* (
  fabric: Fabric,
  { command, env, hear, ready }: SiteProgram
): Effect.fn.Return<void, FabricError, Scope.Scope> {
  const [program = "", ...words] = fabric.inSite(["sh", WHILE_INPUT, ...command])
  // Ctrl-C reaches us alone: the program ends with its input
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, words, { env, stdio: "pipe", detached: true })),
    ended
  )
  child.stdin.on("error", () => undefined)
  yield* Effect.callback<void, FabricError>((resume) => {
    const last: Array<string> = []
    const listen = (line: string) => {
      if (last.push(line) > LAST_LINES) last.shift()
      hear(line)
      if (line.includes(ready)) resume(Effect.void)
    }
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", listen)
    child.once("close", () =>
      resume(Effect.fail(new FabricError({ command: command.join(" "), output: last.join("\n") })))
    )
  })
})
