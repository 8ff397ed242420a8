/**
 * The SSH workers of this process. One is started at once, because that takes half a second that the first job should not
 * wait for, the others when they are needed. A session goes to the worker with the fewest; the sessions of a worker that died
 * are lost, and the next one goes to a new worker.
 */
import { Context, Effect, Layer, References } from "effect"
import type { Scope } from "effect"
import type { WorkerLimits } from "./Messages.ts"
import * as Operations from "./DriverOperations.ts"
import type { Answer } from "./Operation.ts"
import * as SshThread from "./SshThread.ts"

export interface SshThreadsOptions {
  /** How many workers there may be, at least 1. */
  readonly threads: number
  /** What each of them keeps; the handshakes are those of all workers together, 16 by default. */
  readonly limits: Omit<WorkerLimits, "maxHandshakes"> & { readonly maxHandshakes?: number }
  /** How a worker is started. Default: with the drivers of all platforms. */
  readonly newWorker?: typeof SshThread.newWorker
}

/** A place for one session in a worker. */
export interface SessionPlace {
  /** Does an operation there. */
  readonly call: (operation: string, args: unknown) => Effect.Effect<Answer, SshThread.ThreadEnded>
}

interface Slot {
  readonly thread: SshThread.SshThread
  sessions: number
}

const DEFAULT_HANDSHAKES = 16

const make = Effect.fnUntraced(function* (options: SshThreadsOptions) {
  const context = yield* Effect.context<never>()
  const logLevel = yield* References.MinimumLogLevel
  const newWorker = options.newWorker ?? SshThread.newWorker
  const allHandshakes = options.limits.maxHandshakes ?? DEFAULT_HANDSHAKES
  const maxHandshakes = Math.max(1, Math.floor(allHandshakes / options.threads))
  /** Workers that take sessions, and all that have not ended. */
  const slots = new Set<Slot>()
  const living = new Set<SshThread.SshThread>()
  let lastSession = 0

  const started = (): Slot => {
    const worker = newWorker({ logLevel, limits: { ...options.limits, maxHandshakes } })
    const thread = SshThread.make(worker, context, (end) => {
      living.delete(thread)
      slots.delete(slot)
      if (end !== null) Effect.runForkWith(context)(Effect.logError("An SSH worker ended; its sessions are lost", end))
    })
    const slot: Slot = { thread, sessions: 0 }
    living.add(thread)
    slots.add(slot)
    return slot
  }

  const leastBusy = (): Slot => {
    const [least] = [...slots].toSorted((a, b) => a.sessions - b.sessions)
    return least === undefined || (least.sessions > 0 && slots.size < options.threads) ? started() : least
  }

  const take = Effect.sync(() => {
    const slot = leastBusy()
    slot.sessions++
    return { slot, session: ++lastSession }
  })

  yield* Effect.sync(started)
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      slots.clear()
      return Effect.forEach([...living], ({ stop }) => stop, { concurrency: "unbounded", discard: true })
    })
  )

  const place = Effect.map(
    Effect.acquireRelease(take, ({ session, slot }) =>
      Operations.close
        .ask((args) => slot.thread.call(session, Operations.close.name, args))()
        .pipe(
          Effect.catchTag("ThreadEnded", () => Effect.void),
          Effect.ensuring(Effect.sync(() => slot.sessions--))
        )
    ),
    ({ session, slot }): SessionPlace => ({
      call: (operation, args) => slot.thread.call(session, operation, args)
    })
  )

  return SshThreads.of({ place })
})

/** The SSH workers of this process. */
export class SshThreads extends Context.Service<
  SshThreads,
  {
    /** A place for a session. When its scope ends, the session that was opened there is closed, with its goodbye. */
    readonly place: Effect.Effect<SessionPlace, never, Scope.Scope>
  }
>()("switchyard/devices/remote/SshThreads") {
  static readonly layer = (options: SshThreadsOptions): Layer.Layer<SshThreads> =>
    Layer.effect(SshThreads, make(options))
}
