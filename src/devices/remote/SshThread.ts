/**
 * One SSH worker as the main thread sees it: sends calls and hands the answers to the fibers that wait for them. When the
 * worker ends, whatever the reason, every call that is under way and every later one fails with `ThreadEnded`.
 */
import { type Context, Effect, Schema } from "effect"
import { Worker } from "node:worker_threads"
import type { FromWorker, LogLine, ToWorker, WorkerStart } from "./Messages.ts"
import type { Answer } from "./Operation.ts"
import { relog } from "./RemoteLog.ts"

/** The worker has ended: what became of the call is not known. */
export class ThreadEnded extends Schema.TaggedError<ThreadEnded>()("ThreadEnded", {}) {}

/** How a worker ended: what brought it down, if it was an exception, and the calls that were under way. */
export interface ThreadEnd {
  readonly exitCode: number
  readonly error: Error | null
  readonly calls: number
}

export interface SshThread {
  /** Does an operation on a session; an interruption waits until the worker has ended its work. */
  readonly call: (session: number, operation: string, args: unknown) => Effect.Effect<Answer, ThreadEnded>
  /** Says goodbye on all sessions and ends the worker; forces it after some seconds. */
  readonly stop: Effect.Effect<void>
}

const STOP_MILLIS = 5_000

/** A call that is under way, with the services of its caller, whose log lines its own are. */
interface Waiting {
  readonly settle: (result: Effect.Effect<Answer, ThreadEnded>) => void
  readonly context: Context.Context<never>
}

/** A worker with the drivers of all platforms. */
export const newWorker = (workerData: WorkerStart): Worker =>
  new Worker(new URL("./workerMain.ts", import.meta.url), { workerData, name: "ssh" })

/** Makes a thread of a worker. `ended` is told once when it has ended, with null if that was asked for. */
export const make = (
  worker: Worker,
  context: Context.Context<never>,
  ended: (end: ThreadEnd | null) => void
): SshThread => {
  const waiting = new Map<number, Waiting>()
  const whenEnded = new Set<() => void>()
  let state: "running" | "stopping" | "ended" = "running"
  let error: Error | null = null
  let lastId = 0

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- is about windows, not threads
  const send = (message: ToWorker): void => worker.postMessage(message)

  const answered = (id: number, answer: Answer) => {
    const call = waiting.get(id)
    waiting.delete(id)
    // a worker that stops interrupts what nobody else has interrupted
    const cutShort = answer._tag === "Interrupted" && state === "stopping"
    call?.settle(cutShort ? Effect.fail(new ThreadEnded()) : Effect.succeed(answer))
  }

  const logged = (line: LogLine) => {
    const caller = line.call === null ? undefined : waiting.get(line.call)
    Effect.runForkWith(caller?.context ?? context)(relog(line))
  }

  const finish = (exitCode: number) => {
    const end = { exitCode, error, calls: waiting.size }
    const asked = state === "stopping"
    state = "ended"
    ended(asked ? null : end)
    for (const { settle } of waiting.values()) settle(Effect.fail(new ThreadEnded()))
    waiting.clear()
    for (const tell of whenEnded) tell()
  }

  worker.on("message", (message: FromWorker) =>
    message._tag === "Answer" ? answered(message.id, message.answer) : logged(message)
  )
  worker.on("error", (thrown: Error) => {
    error = thrown
  })
  worker.on("exit", finish)

  const interrupt = (id: number, caller: Context.Context<never>) =>
    Effect.callback<void>((resume) => {
      if (!waiting.has(id)) return resume(Effect.void)
      waiting.set(id, { settle: () => resume(Effect.void), context: caller })
      send({ _tag: "Interrupt", id })
    })

  const call: SshThread["call"] = (session, operation, args) =>
    Effect.contextWith((caller: Context.Context<never>) =>
      Effect.callback<Answer, ThreadEnded>((resume) => {
        if (state === "ended") return resume(Effect.fail(new ThreadEnded()))
        const id = ++lastId
        send({ _tag: "Call", id, session, operation, args })
        waiting.set(id, { settle: resume, context: caller })
        return interrupt(id, caller)
      })
    )

  const stop = Effect.callback<void>((resume) => {
    if (state === "ended") return resume(Effect.void)
    whenEnded.add(() => resume(Effect.void))
    if (state === "stopping") return
    state = "stopping"
    send({ _tag: "Stop" })
    const force = setTimeout(() => void worker.terminate(), STOP_MILLIS)
    whenEnded.add(() => clearTimeout(force))
  })

  return { call, stop }
}
