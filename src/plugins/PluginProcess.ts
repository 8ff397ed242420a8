/**
 * One plugin in a process of its own (docs/plugins.md#what-a-plugin-cannot-harm): started when it is needed, ended when it takes too long,
 * needs too much memory or says what nobody can understand. All of it is an error of the calls that are being made, and of nothing
 * else; the next call starts it again.
 */
import { Deferred, Duration, Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readFile } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Delivery, type HookName, hookNames, PluginError, type PluginVariables } from "./Plugin.ts"
import * as PluginAnswers from "./PluginAnswers.ts"
import type { CallLine, SetupLine } from "./worker/Lines.ts"

export interface PluginProcessOptions {
  readonly name: string
  /** Its module. */
  readonly file: URL
  readonly vars: PluginVariables
  /** Takes secrets out of texts. */
  readonly hide: (text: string) => string
  /** How long it may take to load, and for each call. */
  readonly seconds: number
  /** Of its heap. */
  readonly megabytes: number
}

export interface PluginProcess {
  /** The hooks that it has; starts it when it does not run. */
  readonly hooks: Effect.Effect<ReadonlyArray<HookName>, PluginError>
  /** What the hook says; null when that is neither true nor false. */
  readonly call: (hook: HookName, event: unknown, delivery: Delivery) => Effect.Effect<boolean | null, PluginError>
}

const PROGRAM = fileURLToPath(new URL("./worker/processMain.ts", import.meta.url))

/** What a process takes beside the heap of its plugin, in megabytes. */
const OWN_MEMORY = 192
const MEMORY_LOOK_MILLIS = 250
const PAGE = 4096

const LONGEST_TEXT = 500
const LAST_WORDS = 2000

type Wait = Deferred.Deferred<boolean | null, PluginError>

/** A process that runs, or has run. */
interface Running {
  readonly loaded: Deferred.Deferred<ReadonlyArray<HookName>, PluginError>
  readonly ask: (line: Omit<CallLine, "type" | "id">) => Wait
  /** Ends it; every call that waits fails for this reason. */
  readonly end: (reason: string) => void
}

/** A text of a plugin as it may be shown. */
const shown = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they would forge lines of the log
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, LONGEST_TEXT)

const endGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // it has ended, and all of its group
  }
}

/** Ends it when it takes more memory than it may, where the system tells. */
const watchMemory = (child: ChildProcess, megabytes: number, end: (reason: string) => void) => {
  const look = () =>
    readFile(`/proc/${child.pid}/statm`, "utf8", (error, text) => {
      const pages = error === null ? Number(text.split(" ")[1]) : 0
      if (pages * PAGE > (megabytes + OWN_MEMORY) * 1_048_576) end(`it needed more than ${megabytes} MB of memory`)
    })
  const timer = setInterval(look, MEMORY_LOOK_MILLIS).unref()
  return () => clearInterval(timer)
}

const startProcess = (options: PluginProcessOptions, log: (text: string) => void, ended: () => void): Running => {
  const { file, hide, megabytes, name, seconds, vars } = options
  // nothing of the server's environment; a group of its own, so that programs which it has started end with it
  const child = spawn(process.execPath, [PROGRAM], { env: {}, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const loaded = Deferred.makeUnsafe<ReadonlyArray<HookName>, PluginError>()
  const waiting = new Map<number, Wait>()
  const reader = PluginAnswers.make()
  let last = 0
  let lastWords = ""
  let isOver = false

  const failure = (text: string, retry = true) =>
    Effect.fail(new PluginError({ plugin: name, message: shown(hide(text)), retry }))

  const end = (reason: string) => {
    if (isOver) return
    isOver = true
    stopLooking()
    endGroup(child)
    ended()
    Deferred.doneUnsafe(loaded, failure(reason))
    for (const wait of waiting.values()) Deferred.doneUnsafe(wait, failure(reason))
    waiting.clear()
  }
  const stopLooking = watchMemory(child, megabytes, end)

  const settle = (id: number, result: Effect.Effect<boolean | null, PluginError>) => {
    const wait = waiting.get(id)
    if (wait !== undefined) Deferred.doneUnsafe(wait, result)
    waiting.delete(id)
  }
  const use = (answer: PluginAnswers.Answer) => {
    if (isOver) return
    switch (answer.type) {
      case "loaded":
        return void Deferred.doneUnsafe(loaded, Effect.succeed(answer.hooks))
      case "refused":
        return end(answer.error)
      case "done":
        return settle(answer.id, Effect.succeed(answer.value))
      case "failed":
        return settle(answer.id, failure(answer.error, answer.retry))
      case "log":
        return log(shown(hide(answer.text)))
      case "ended":
        return end(answer.reason)
    }
  }
  const gone = (signal: NodeJS.Signals | null) =>
    /heap out of memory|invalid table size/.test(lastWords)
      ? `it needed more than ${megabytes} MB of memory`
      : `its process ended${signal === null ? "" : ` (${signal})`}`

  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    if (!isOver && !reader.read(piece, use)) end("it wrote what is no answer")
  })
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    lastWords = (lastWords + piece).slice(-LAST_WORDS)
  })
  child.stdin.on("error", () => end("its process ended"))
  child.on("error", (error) => end(`its process could not be started: ${error.message}`))
  child.on("close", (_, signal) => end(gone(signal)))
  child.unref()

  const write = (line: SetupLine | CallLine) => void child.stdin.write(`${JSON.stringify(line)}\n`)
  write({ type: "setup", name, file: file.href, vars, hooks: hookNames, seconds, megabytes })
  return {
    loaded,
    end,
    ask: (line) => {
      const wait = Deferred.makeUnsafe<boolean | null, PluginError>()
      if (isOver) Deferred.doneUnsafe(wait, failure("its process ended"))
      else {
        const id = ++last
        waiting.set(id, wait)
        reader.asked()
        write({ type: "call", id, ...line })
      }
      return wait
    }
  }
}

/** Makes the plugin's process; it is ended with the scope. No process is started before it is needed. */
export const make = Effect.fnUntraced(function* (
  options: PluginProcessOptions
): Effect.fn.Return<PluginProcess, never, Scope.Scope> {
  const { name, seconds } = options
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const log = (text: string) => void runFork(Effect.logInfo(`Plugin ${name}: ${text}`))
  let running: Running | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => running?.end("the server is stopping")))

  const current = Effect.sync(() => {
    const known =
      running ??
      startProcess(options, log, () => {
        if (running === known) running = undefined
      })
    running = known
    return known
  })

  /** Whoever does not answer in time is ended, with everything that it does. */
  const inTime =
    (process: Running, what: string) =>
    <A>(work: Effect.Effect<A, PluginError>): Effect.Effect<A, PluginError> =>
      Effect.timeoutOrElse(work, {
        duration: Duration.seconds(seconds),
        orElse: () =>
          Effect.suspend(() => {
            const message = `${what} took longer than ${seconds} seconds`
            process.end(message)
            return Effect.fail(new PluginError({ plugin: name, message, retry: true }))
          })
      })

  const hooks = Effect.flatMap(current, (process) => inTime(process, "loading it")(Deferred.await(process.loaded)))

  const call = Effect.fn("PluginProcess.call")(function* (hook: HookName, event: unknown, delivery: Delivery) {
    const process = yield* current
    yield* inTime(process, "loading it")(Deferred.await(process.loaded))
    const { again, attempt, id } = delivery
    const wait = process.ask({ hook, event, delivery: { id, attempt, again } })
    return yield* inTime(process, hook)(Deferred.await(wait))
  })

  return { hooks, call }
})
