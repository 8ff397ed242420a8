/** The process of a plugin while it runs: what goes in and comes out, how much memory it takes, and its end with the reason for it. */
import { Deferred, Effect } from "effect"
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { readFile } from "node:fs"
import { fileURLToPath } from "node:url"
import { type HookName, hookNames, PluginError, type PluginVariables } from "./Plugin.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { ownFault } from "../runtime/SystemErrors.ts"
import * as PluginAnswers from "./PluginAnswers.ts"
import type { CallLine, SetupLine } from "./worker/Lines.ts"

export interface ProcessOptions {
  readonly name: string
  /** Its module. */
  readonly file: URL
  readonly vars: PluginVariables
  /** Takes secrets out of texts. */
  readonly hide: (text: string) => string
  /** How long each call may take. */
  readonly seconds: number
  /** Of its heap. */
  readonly megabytes: number
}

type Wait = Deferred.Deferred<boolean | null, PluginError>

/** A process that runs, or has run. */
export interface RunningPlugin {
  readonly loaded: Deferred.Deferred<ReadonlyArray<HookName>, PluginError>
  readonly ask: (call: Omit<CallLine, "type" | "id">) => Wait
  /** Ends it; every call that waits fails for this reason. */
  readonly end: (reason: string) => void
}

const PROGRAM = fileURLToPath(ownModule("./worker/processMain", import.meta.url))

/** What a process takes beside the heap of its plugin, in megabytes. */
const OWN_MEMORY = 192
const MEMORY_LOOK_MILLIS = 250
const PAGE = 4096
const MEGABYTE = 1_048_576

const LONGEST_TEXT = 500
const LAST_WORDS = 2000

/** A text of a plugin as it may be shown. */
const shown = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they would forge lines of the log
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, LONGEST_TEXT)

const tooMuch = (megabytes: number) => `it needed more than ${megabytes} MB of memory`

/** Looks from time to time how much memory it takes, where the system tells; yields how to stop that. */
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
    // it has ended, and all of its group
  }
}

/** A process that could not be started, because there are no descriptors, has no streams. */
const streamsOf = (child: Partial<Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr">>) => child

/** What the process writes, and how it ends by itself. */
const listen = (
  child: ChildProcessWithoutNullStreams,
  { megabytes }: ProcessOptions,
  read: (piece: string) => boolean,
  end: (reason: string) => void
): void => {
  let lastWords = ""
  // first: one that nobody hears would end the server
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
    settle: (id: number, result: Effect.Effect<boolean | null, PluginError>): void => {
      const wait = waiting.get(id)
      waiting.delete(id)
      if (wait !== undefined) Deferred.doneUnsafe(wait, result)
    },
    ids: () => [...waiting.keys()]
  }
}

/** Starts the process. `log` gets what the plugin writes, `ended` is called once, when it is of no use any more. */
export const start = (options: ProcessOptions, log: (text: string) => void, ended: () => void): RunningPlugin => {
  const { file, hide, megabytes, name, seconds, vars } = options
  // nothing of the server's environment; a group of its own, so that programs which it has started end with it
  const child = spawn(process.execPath, [PROGRAM], { env: {}, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const loaded = Deferred.makeUnsafe<ReadonlyArray<HookName>, PluginError>()
  const waiting = makeWaiting()
  const reader = PluginAnswers.make()
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

  const use = (answer: PluginAnswers.Answer) => {
    if (over !== undefined) return
    if (answer.type === "loaded") Deferred.doneUnsafe(loaded, Effect.succeed(answer.hooks))
    else if (answer.type === "done") waiting.settle(answer.id, Effect.succeed(answer.value))
    else if (answer.type === "failed") waiting.settle(answer.id, failure(answer.error, answer.retry))
    else if (answer.type === "log") log(shown(hide(answer.text)))
    else end(answer.type === "refused" ? answer.error : answer.reason)
  }
  listen(child, options, (piece) => over !== undefined || reader.read(piece, use), end)
  child.unref()

  const write = (line: SetupLine | CallLine) => void streamsOf(child).stdin?.write(`${JSON.stringify(line)}\n`)
  write({ type: "setup", name, file: file.href, vars, hooks: hookNames, seconds, megabytes })
  return {
    loaded,
    end,
    ask: (call) => {
      const [id, wait] = waiting.add()
      reader.asked()
      if (over === undefined) write({ type: "call", id, ...call })
      else waiting.settle(id, failure(over))
      return wait
    }
  }
}
