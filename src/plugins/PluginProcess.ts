/**
 * One plugin in a process of its own (docs/plugins.md#what-a-plugin-cannot-harm): started on demand, ended when it takes too long, and
 * started again by the next call. Its faults are errors of its present calls, and have no other effect.
 */
import { Deferred, Duration, Effect, Option, Schema, type Scope } from "effect"
import { type CheckStep, type Delivery, type HookName, hookNames, PluginError, type PluginVariables } from "./Plugin.ts"
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { readFile } from "node:fs"
import { fileURLToPath } from "node:url"
import { ownModule } from "../runtime/OwnModule.ts"
import { ownFault } from "../runtime/SystemErrors.ts"
import type { CallLine, CheckLine, SetupLine } from "./worker/Lines.ts"
import { cleanedValue } from "../domain/Text.ts"

// The lines that the process of a plugin may write: of a bounded length and of a known form. Any other output ends it.

/** Characters of a line; the texts in them are shorter. */
export const LONGEST = 16_384

/** The same for answers to checks. */
export const LONGEST_OF_CHECK = 1_048_576

/** Lines between two calls: a call has one answer and some lines of log. */
const MOST = 200

const Answer = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("loaded"),
    hooks: Schema.Array(Schema.Literals(hookNames)),
    checks: Schema.Array(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("refused"), error: Schema.String }),
  Schema.Struct({ type: Schema.Literal("done"), id: Schema.Int, value: Schema.NullOr(Schema.Boolean) }),
  Schema.Struct({ type: Schema.Literal("found"), id: Schema.Int, value: Schema.Unknown }),
  Schema.Struct({ type: Schema.Literal("failed"), id: Schema.Int, error: Schema.String, retry: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("log"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ended"), reason: Schema.String })
])
export type Answer = typeof Answer.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** Receives the output piece by piece. */
export interface AnswerReader {
  /** Resets the count of lines, because a call was made. */
  readonly asked: () => void
  /** Passes each answer to `use`; yields false if the process must be ended, and later output is ignored. */
  readonly read: (piece: string, use: (answer: Answer) => void) => boolean
}

/** A reader of lines of at most so many characters. */
export const makeAnswerReader = (longest = LONGEST): AnswerReader => {
  let rest = ""
  let lines = 0
  return {
    asked: () => {
      lines = 0
    },
    read: (piece, use) => {
      const parts = (rest + piece).split("\n")
      rest = parts.pop() ?? ""
      for (const part of parts) {
        const answer = part.length > longest || ++lines > MOST ? Option.none() : decode(part)
        if (Option.isNone(answer)) return false
        // it goes to the log and to the database
        use(cleanedValue(answer.value, "lines").value)
      }
      return rest.length <= longest
    }
  }
}

// The process of a plugin while it runs: its input and output, its memory, and its end with the reason.

export interface ProcessOptions {
  readonly name: string
  /** Its module. */
  readonly file: URL
  readonly vars: PluginVariables
  /** Removes secrets from texts. */
  readonly hide: (text: string) => string
  /** How long each call may take. */
  readonly seconds: number
  /** Of its heap. */
  readonly megabytes: number
  /** The most characters of a line that it may write; default `LONGEST`. */
  readonly longest?: number
}

type Wait = Deferred.Deferred<unknown, PluginError>

/** What a plugin has. */
export interface Loaded {
  readonly hooks: ReadonlyArray<HookName>
  /** The names of its functions for checks. */
  readonly checks: ReadonlyArray<string>
}

type Asked = Omit<CallLine, "id"> | Omit<CheckLine, "id">

/** A running or ended process. */
export interface RunningPlugin {
  readonly loaded: Deferred.Deferred<Loaded, PluginError>
  readonly ask: (asked: Asked) => Wait
  /** Ends it; every waiting call fails for this reason. */
  readonly end: (reason: string) => void
}

const PROGRAM = fileURLToPath(ownModule("./worker/processMain", import.meta.url))

/** The memory of a process in addition to its plugin's heap, in megabytes. */
const OWN_MEMORY = 192
const MEMORY_LOOK_MILLIS = 250
const PAGE = 4096
const MEGABYTE = 1_048_576

const LONGEST_TEXT = 500
const LAST_WORDS = 2000

/** A plugin's text in the form for logs and answers. */
const shown = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they would forge lines of the log
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, LONGEST_TEXT)

const tooMuch = (megabytes: number) => `it needed more than ${megabytes} MB of memory`

/** Watches the memory of the process, if the system shows it; yields a function that stops the watch. */
const watchMemory = ({ pid }: ChildProcess, megabytes: number, end: (reason: string) => void): (() => void) => {
  const look = () =>
    readFile(`/proc/${pid}/statm`, "utf8", (error, text) => {
      const pages = error === null ? Number(text.split(" ")[1]) : 0
      if (pages * PAGE > (megabytes + OWN_MEMORY) * MEGABYTE) end(tooMuch(megabytes))
    })
  const timer = setInterval(look, MEMORY_LOOK_MILLIS).unref()
  return () => clearInterval(timer)
}

const endGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // it has ended, with all of its group
  }
}

/** A process that could not be started, because there are no descriptors, has no streams. */
const streamsOf = (child: Partial<Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr">>) => child

/** Reads the output of the process, and notices its end. */
const listen = (
  child: ChildProcessWithoutNullStreams,
  { megabytes }: ProcessOptions,
  read: (piece: string) => boolean,
  end: (reason: string) => void
): void => {
  let lastWords = ""
  // first, because an error event without a listener would end the server
  child.on("error", (error) =>
    end(
      ownFault(error, "process", "its process could not be started")?.message ??
        `its process could not be started: ${error.message}`
    )
  )
  const { stderr, stdin, stdout } = streamsOf(child)
  const gone = (signal: NodeJS.Signals | null) =>
    /heap out of memory|invalid table size/.test(lastWords)
      ? tooMuch(megabytes)
      : `its process ended${signal === null ? "" : ` (${signal})`}`
  stdout?.setEncoding("utf8").on("data", (piece: string) => {
    if (!read(piece)) end("it wrote what is no answer")
  })
  stderr?.setEncoding("utf8").on("data", (piece: string) => {
    lastWords = (lastWords + piece).slice(-LAST_WORDS)
  })
  stdin?.on("error", () => end("its process ended"))
  child.on("close", (_, signal) => end(gone(signal)))
}

/** Calls that wait for their answers. */
const makeWaiting = () => {
  const waiting = new Map<number, Wait>()
  let last = 0
  return {
    add: (): readonly [id: number, wait: Wait] => {
      const wait: Wait = Deferred.makeUnsafe()
      waiting.set(++last, wait)
      return [last, wait]
    },
    settle: (id: number, result: Effect.Effect<unknown, PluginError>): void => {
      const wait = waiting.get(id)
      waiting.delete(id)
      if (wait !== undefined) Deferred.doneUnsafe(wait, result)
    },
    ids: () => [...waiting.keys()]
  }
}

/** Starts the process. `log` receives the plugin's lines, `ended` is called once, when the process is no longer usable. */
export const start = (options: ProcessOptions, log: (text: string) => void, ended: () => void): RunningPlugin => {
  const { file, hide, longest = LONGEST, megabytes, name, seconds, vars } = options
  // nothing of the server's environment; a group of its own, so that programs that it has started end with it
  const child = spawn(process.execPath, [PROGRAM], { env: {}, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const loaded = Deferred.makeUnsafe<Loaded, PluginError>()
  const waiting = makeWaiting()
  const reader = makeAnswerReader(longest)
  let over: string | undefined

  const failure = (text: string, retry = true) =>
    Effect.fail(new PluginError({ plugin: name, message: shown(hide(text)), retry }))

  const end = (reason: string) => {
    if (over !== undefined) return
    over = reason
    stopLooking()
    endGroup(child)
    ended()
    Deferred.doneUnsafe(loaded, failure(reason))
    for (const id of waiting.ids()) waiting.settle(id, failure(reason))
  }
  const stopLooking = watchMemory(child, megabytes, end)

  const use = (answer: Answer) => {
    if (over !== undefined) return
    if (answer.type === "loaded") Deferred.doneUnsafe(loaded, Effect.succeed(answer))
    else if (answer.type === "done" || answer.type === "found") waiting.settle(answer.id, Effect.succeed(answer.value))
    else if (answer.type === "failed") waiting.settle(answer.id, failure(answer.error, answer.retry))
    else if (answer.type === "log") log(shown(hide(answer.text)))
    else end(answer.type === "refused" ? answer.error : answer.reason)
  }
  listen(child, options, (piece) => over !== undefined || reader.read(piece, use), end)
  child.unref()

  const write = (line: SetupLine | CallLine | CheckLine) =>
    void streamsOf(child).stdin?.write(`${JSON.stringify(line)}\n`)
  write({ type: "setup", name, file: file.href, vars, hooks: hookNames, seconds, megabytes, longest })
  return {
    loaded,
    end,
    ask: (asked) => {
      const [id, wait] = waiting.add()
      reader.asked()
      if (over === undefined) write({ ...asked, id })
      else waiting.settle(id, failure(over))
      return wait
    }
  }
}

export interface PluginProcessOptions extends ProcessOptions {
  /** The time for loading, and for each call. */
  readonly seconds: number
}

export interface PluginProcess {
  /** What the plugin has; starts it if it does not run. */
  readonly loaded: Effect.Effect<Loaded, PluginError>
  /** The answer of the hook; null if it is neither true nor false. */
  readonly call: (hook: HookName, event: unknown, delivery: Delivery) => Effect.Effect<boolean | null, PluginError>
  /**
   * Whatever a step of a check answers, with its secrets hidden. One check at a time; the process of one that is interrupted ends, because
   * the plugin may never come back from it.
   */
  readonly check: (step: CheckStep) => Effect.Effect<unknown, PluginError>
}

/** A value with the secrets hidden in all of its texts. */
const hidden = (value: unknown, hide: (text: string) => string): unknown => {
  if (typeof value === "string") return hide(value)
  if (Array.isArray(value)) return value.map((one) => hidden(one, hide))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), hidden(one, hide)]))
}

/** Makes the plugin's process, which ends with the scope. It starts on demand. */
export const make = Effect.fnUntraced(function* (
  options: PluginProcessOptions
): Effect.fn.Return<PluginProcess, never, Scope.Scope> {
  const { name, seconds } = options
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const log = (text: string) => void runFork(Effect.logInfo(`Plugin ${name}: ${text}`))
  let running: RunningPlugin | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => running?.end("the server is stopping")))

  const current = Effect.sync(() => {
    const ended = () => {
      running = undefined
    }
    running ??= start(options, log, ended)
    return running
  })

  /** Ends a process that does not answer in time, with everything that it does. */
  const inTime = <A>(process: RunningPlugin, what: string, answer: Deferred.Deferred<A, PluginError>) =>
    Effect.timeoutOrElse(Deferred.await(answer), {
      duration: Duration.seconds(seconds),
      orElse: () =>
        Effect.suspend(() => {
          const message = `${what} took longer than ${seconds} seconds`
          process.end(message)
          return Effect.fail(new PluginError({ plugin: name, message, retry: true }))
        })
    })

  const loading = (process: RunningPlugin) => inTime(process, "loading it", process.loaded)

  const loaded = Effect.flatMap(current, loading)

  const call = Effect.fn("PluginProcess.call")(function* (hook: HookName, event: unknown, delivery: Delivery) {
    const process = yield* current
    yield* loading(process)
    const { again, attempt, id } = delivery
    const asked = process.ask({ type: "call", hook, event, delivery: { id, attempt, again } })
    const value = yield* inTime(process, hook, asked)
    return typeof value === "boolean" ? value : null
  })

  const check = Effect.fn("PluginProcess.check")(function* (step: CheckStep) {
    const process = yield* current
    return yield* loading(process).pipe(
      Effect.andThen(Effect.suspend(() => inTime(process, step.check, process.ask({ type: "check", ...step })))),
      Effect.map((value) => hidden(value, options.hide)),
      Effect.onInterrupt(() => Effect.sync(() => process.end("nobody waits for it any more")))
    )
  })

  return { loaded, call, check }
})
