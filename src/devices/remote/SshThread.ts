/**
 * One SSH worker as the main thread sees it: sends calls and hands the answers to the fibers that wait for them. When the
 * worker ends, whatever the reason, every call that is under way and every later one fails with `ThreadEnded`.
 */
import { type Context, Effect, Schema } from "effect"
import { Worker } from "node:worker_threads"
import { goOn } from "../../BackgroundWork.ts"
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

class WorkerThread implements SshThread {
  readonly #worker: Worker
  readonly #context: Context.Context<never>
  readonly #ended: (end: ThreadEnd | null) => void
  readonly #waiting = new Map<number, Waiting>()
  readonly #whenEnded = new Set<() => void>()
  #state: "running" | "stopping" | "ended" = "running"
  #error: Error | null = null
  #lastId = 0

  constructor(worker: Worker, context: Context.Context<never>, ended: (end: ThreadEnd | null) => void) {
    this.#worker = worker
    this.#context = context
    this.#ended = ended
    worker.on("message", (message: FromWorker) =>
      message._tag === "Answer" ? this.#answered(message.id, message.answer) : this.#logged(message)
    )
    worker.on("error", (thrown: Error) => {
      this.#error = thrown
    })
    worker.on("exit", (exitCode) => this.#finish(exitCode))
  }

  readonly call: SshThread["call"] = (session, operation, args) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<Answer, ThreadEnded>((resume) => {
        if (this.#state === "ended") return resume(Effect.fail(new ThreadEnded()))
        const id = ++this.#lastId
        this.#send({ _tag: "Call", id, session, operation, args })
        this.#waiting.set(id, { settle: resume, context })
        return this.#interrupt(id, context)
      })
    )

  readonly stop = Effect.callback<void>((resume) => {
    if (this.#state === "ended") return resume(Effect.void)
    this.#whenEnded.add(() => resume(Effect.void))
    if (this.#state === "stopping") return
    this.#state = "stopping"
    this.#send({ _tag: "Stop" })
    const force = setTimeout(() => void this.#worker.terminate(), STOP_MILLIS)
    this.#whenEnded.add(() => clearTimeout(force))
  })

  #send(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- is about windows, not threads
    this.#worker.postMessage(message)
  }

  #interrupt(id: number, context: Context.Context<never>): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (!this.#waiting.has(id)) return resume(Effect.void)
      this.#waiting.set(id, { settle: () => resume(Effect.void), context })
      this.#send({ _tag: "Interrupt", id })
    })
  }

  #answered(id: number, answer: Answer): void {
    const call = this.#waiting.get(id)
    this.#waiting.delete(id)
    // a worker that stops interrupts what nobody else has interrupted
    const cutShort = answer._tag === "Interrupted" && this.#state === "stopping"
    if (call !== undefined) goOn(() => call.settle(cutShort ? Effect.fail(new ThreadEnded()) : Effect.succeed(answer)))
  }

  #logged(line: LogLine): void {
    const caller = line.call === null ? undefined : this.#waiting.get(line.call)
    Effect.runForkWith(caller?.context ?? this.#context)(relog(line))
  }

  #finish(exitCode: number): void {
    const end = { exitCode, error: this.#error, calls: this.#waiting.size }
    const wasAsked = this.#state === "stopping"
    this.#state = "ended"
    this.#ended(wasAsked ? null : end)
    for (const { settle } of this.#waiting.values()) settle(Effect.fail(new ThreadEnded()))
    this.#waiting.clear()
    for (const tell of this.#whenEnded) tell()
  }
}

/** A worker with the drivers of all platforms. */
export const newWorker = (workerData: WorkerStart): Worker =>
  new Worker(new URL("./workerMain.ts", import.meta.url), { workerData, name: "ssh" })

/**
 * The thread of a worker that was just started. Log lines that belong to no call are logged with `context`. `ended` is told
 * once, when the worker has ended: how, or null if that was asked for.
 */
export const make = (
  worker: Worker,
  context: Context.Context<never>,
  ended: (end: ThreadEnd | null) => void
): SshThread => new WorkerThread(worker, context, ended)
