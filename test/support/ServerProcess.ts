/** The engine in a child process (`engineProcess.ts`), to be driven by commands, stopped by a signal or killed. */
import { Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { createInterface } from "node:readline"
import type { Bounce } from "../../src/devices/DeviceCalls.ts"
import { finalStatuses } from "../../src/domain/Job.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { bundleOfTestProgram } from "../../scripts/build-server.mjs"
import { environmentOf } from "./Program.ts"

export interface ServerProcess {
  /** Refreshes a repository and waits for it. */
  readonly refresh: (name: "settings" | "templates") => Effect.Effect<void>
  /** Starts a job and yields its id. */
  readonly start: (name: string, args: Readonly<Record<string, unknown>>) => Effect.Effect<number>
  /** The same for a server that may refuse it. `memo` contains further data of the function in addition to its arguments. */
  readonly tryStart: (
    name: string,
    args: Readonly<Record<string, unknown>> | null,
    memo?: unknown
  ) => Effect.Effect<number, CommandRefused>
  readonly abort: (id: number) => Effect.Effect<void>
  readonly tryAbort: (id: number) => Effect.Effect<void, CommandRefused>
  /** Bounces ports of a device; `down` and `up` are the rendered halves. */
  readonly bounce: (deviceId: number, order: Bounce) => Effect.Effect<void>
  /** Kills it this instant: kill -9. */
  readonly killNow: () => void
  /** Such as SIGSTOP and SIGCONT, between which it stands still. */
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** SIGTERM. */
  readonly terminate: () => void
  /** The exit code, null after a signal that it did not survive. */
  readonly ended: Effect.Effect<number | null>
  /** Its last log lines. */
  readonly log: () => string
}

/** The server could not carry out its command. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {}

const LOG_LINES = 2_000

/** To the command of this number; 0 says that the server takes commands. */
const Answer = Schema.fromJsonString(
  Schema.Struct({
    number: Schema.Int,
    id: Schema.optionalKey(Schema.Int),
    error: Schema.optionalKey(Schema.String)
  })
)

/** The program, of which a run makes a bundle. */
export const ENGINE = path.join(import.meta.dirname, "engineProcess.ts")

/** Starts the process and waits until it takes commands; it is killed when the scope closes. */
export const launch = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>
): Effect.fn.Return<ServerProcess, never, Scope.Scope> {
  const child = spawn(process.execPath, [bundleOfTestProgram(ENGINE)], {
    env: environmentOf(env),
    stdio: "pipe"
  })
  const lines: Array<string> = []
  const keep = (line: string) => {
    lines.push(line)
    if (lines.length > LOG_LINES) lines.shift()
  }
  const waiting = new Map<number, (answer: typeof Answer.Type) => void>()
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("@")) {
      const answer = Schema.decodeSync(Answer)(line.slice(1))
      waiting.get(answer.number)?.(answer)
      waiting.delete(answer.number)
    } else keep(line)
  })
  createInterface({ input: child.stderr }).on("line", keep)
  // a process that was killed takes no more input, which its commands learn from `ended`
  child.stdin.on("error", () => undefined)
  const answerTo = (number: number) =>
    Effect.promise(
      () =>
        new Promise<typeof Answer.Type>((resolve, reject) => {
          waiting.set(number, resolve)
          void ended.then(() => reject(new Error("the server process ended before it answered")))
        })
    )
  let count = 0
  const attempt = (command: unknown) =>
    Effect.suspend(() => {
      count += 1
      const number = count
      child.stdin.write(`${JSON.stringify({ number, command })}\n`)
      return Effect.flatMap(answerTo(number), ({ error, id }) =>
        error === undefined ? Effect.succeed(id ?? 0) : Effect.fail(new CommandRefused({ message: error }))
      )
    })
  const command = (order: unknown) => Effect.orDie(attempt(order))
  yield* Effect.addFinalizer(() => Effect.sync(() => void child.kill("SIGKILL")))
  yield* answerTo(0)
  return {
    refresh: (name) => Effect.asVoid(command({ refresh: name })),
    start: (name, args) => command({ start: name, args }),
    tryStart: (name, args, memo) => attempt({ start: name, args, ...(memo === undefined ? {} : { memo }) }),
    abort: (id) => Effect.asVoid(command({ abort: id })),
    tryAbort: (id) => Effect.asVoid(attempt({ abort: id })),
    bounce: (id, order) => Effect.asVoid(command({ bounce: id, ...order })),
    killNow: () => void child.kill("SIGKILL"),
    signal: (name) => Effect.sync(() => void child.kill(name)),
    terminate: () => void child.kill("SIGTERM"),
    ended: Effect.promise(() => ended),
    log: () => lines.join("\n")
  }
})

/** Kills the server as soon as it is due: checks every millisecond, without a fiber between the switch and the signal. */
export const killWhen = (server: ServerProcess, due: () => boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setInterval(() => {
      if (!due()) return
      clearInterval(timer)
      server.killNow()
      resume(Effect.void)
    }, 1)
    return Effect.sync(() => clearInterval(timer))
  })

/** Waits until a job has ended, whichever server runs it, and yields its record. */
export const untilEnded = Effect.fnUntraced(function* (id: number) {
  const jobs = yield* JobStore
  while (!finalStatuses.includes(yield* jobs.status(id))) yield* Effect.sleep(20)
  return yield* jobs.get(id)
})
