/**
 * Calculations off the API's thread: each call runs alone in a worker thread, under a budget of processor time that is measured in that
 * thread, so that a busy machine does not reduce it. A thread that exceeds its budget is ended; synchronous code can be stopped in no other
 * way. Carries promise 8: no request and no commit delays others.
 */
import { childEnvironment } from "./SecretSources.ts"
import * as FairPlaces from "./FairPlaces.ts"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Pool, Schema, Scope } from "effect"
import { type Rpc, RpcClient, RpcClientError, type RpcGroup } from "effect/rpc"
import { Worker } from "node:worker_threads"
import { untilMended } from "./OwnFaults.ts"
import { type OwnFault, ownFault, ownFaultOf } from "./SystemErrors.ts"

/** The calculation did not finish: its budget of time or memory is used up, or its thread ended for another reason. */
class CalculationStopped extends Schema.TaggedError<CalculationStopped>()("CalculationStopped", {
  reason: Schema.Literals(["time", "memory", "ended"]),
  message: Schema.String
}) {}

/** Too many calculations wait; trying again after some seconds can help. */
export class ThreadsBusy extends Schema.TaggedError<ThreadsBusy>()("ThreadsBusy", { retryAfterSeconds: Schema.Int }) {
  override get message() {
    return "The server has too much to calculate at the moment, try again later"
  }
}

export interface ThreadPoolOptions {
  /** The module that calls `ThreadProgram.serve`. */
  readonly program: URL
  /** The name of the threads in a debugger. */
  readonly name: string
  /** The highest number of threads. */
  readonly threads: number
  /** How many calls may wait for a thread; persons take turns (`FairPlaces.ts`). */
  readonly waiting: number
  /** Memory of a thread's heap; a call that needs more is stopped. */
  readonly megabytes: number
}

/** The limits of one call in its thread. */
export interface Budget {
  readonly cpuMillis: number
}

/** A client of one thread, whose calls may fail with `RpcClientError`. */
type ThreadClient<Rpcs extends Rpc.Any> = RpcClient.RpcClient<Rpcs, RpcClientError.RpcClientError>

interface ThreadPool<Rpcs extends Rpc.Any> {
  /** Runs `use` with a thread of its own. It runs to its end even if its caller has stopped waiting. */
  readonly run: <A, E>(
    budget: Budget,
    use: (client: ThreadClient<Rpcs>) => Effect.Effect<A, E | RpcClientError.RpcClientError>
  ) => Effect.Effect<A, Exclude<E, RpcClientError.RpcClientError> | CalculationStopped | ThreadsBusy>
}

/** How often the processor time of a thread is checked. */
const LOOK = Duration.millis(10)
/** A thread that cannot even report its time is inside one long step of the engine, such as a regular expression. */
const SILENCE = Duration.seconds(10)
const IDLE = Duration.minutes(5)
const RETRY_AFTER_SECONDS = 2

interface Thread<Rpcs extends Rpc.Any> {
  readonly client: ThreadClient<Rpcs>
  /** Milliseconds of processor time since the start of the thread; none if the thread does not report it. */
  readonly used: Effect.Effect<Option.Option<number>>
  readonly end: Effect.Effect<void>
  readonly ranOutOfMemory: () => boolean
}

const isClientError = (error: unknown): error is RpcClientError.RpcClientError =>
  error instanceof RpcClientError.RpcClientError

const isStopped = Schema.is(CalculationStopped)

const usedBy = (worker: Worker): Effect.Effect<Option.Option<number>> =>
  Effect.promise(() =>
    worker.cpuUsage().then(
      ({ system, user }) => (system + user) / 1000,
      () => Number.NaN
    )
  ).pipe(Effect.timeoutOption(SILENCE))

/** Why a thread could not be started: a fault of this server's machine, or a defect. */
const unstarted = (error: unknown): Effect.Effect<never, OwnFault> => {
  const what = "No thread can be started"
  const named = /\b(?:EMFILE|ENFILE|ENOMEM|EAGAIN)\b/.exec(error instanceof Error ? error.message : "")
  const fault = ownFault(error, "process", what) ?? ownFaultOf(named?.[0], "process", what)
  return fault === undefined ? Effect.die(error) : Effect.fail(fault)
}

/** Starts a thread and waits until it accepts calls, so that its start does not count in a caller's budget. */
const startOnce = <Rpcs extends Rpc.Any>(
  group: RpcGroup.RpcGroup<Rpcs>,
  { megabytes, name, program }: ThreadPoolOptions
): Effect.Effect<Thread<Rpcs>, OwnFault, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<Worker, OwnFault>()
    let current: Worker | undefined
    let isOutOfMemory = false
    const begin = (): Worker => {
      try {
        return new Worker(program, {
          name,
          env: childEnvironment(process.env, { network: false }),
          resourceLimits: { maxOldGenerationSizeMb: megabytes }
        })
      } catch (error) {
        Deferred.doneUnsafe(ready, unstarted(error))
        throw error
      }
    }
    const spawn = (): Worker => {
      const worker = begin()
      worker.once("message", () => Deferred.doneUnsafe(ready, Effect.succeed(worker)))
      worker.on("error", (error) => {
        isOutOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
        // for a thread that could not load its program; without effect once it accepts calls
        Deferred.doneUnsafe(ready, unstarted(error))
      })
      current = worker
      return worker
    }
    const protocol = RpcClient.layerProtocolWorker({ size: 1 }).pipe(Layer.provide(NodeWorker.layer(spawn)))
    const services = yield* Effect.orDie(Layer.build(protocol))
    const client = yield* Effect.provideContext(RpcClient.make(group), services)
    const worker = yield* Deferred.await(ready)
    return {
      client,
      used: usedBy(worker),
      end: Effect.promise(() => (current ?? worker).terminate()),
      ranOutOfMemory: () => isOutOfMemory
    }
  })

/** The same, repeated for as long as this server's machine cannot start a thread. */
const start = <Rpcs extends Rpc.Any>(group: RpcGroup.RpcGroup<Rpcs>, options: ThreadPoolOptions) =>
  untilMended<Thread<Rpcs>, never, Scope.Scope>(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const thread = yield* startOnce(group, options).pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
      return thread
    })
  )

/** Fails when the thread has used more than its budget from now on; otherwise never ends. */
const watch = Effect.fnUntraced(function* <Rpcs extends Rpc.Any>({ used }: Thread<Rpcs>, { cpuMillis }: Budget) {
  const stopped = new CalculationStopped({
    reason: "time",
    message: `it took more than ${cpuMillis} ms of processor time`
  })
  const before = yield* used
  if (Option.isNone(before)) return yield* stopped
  for (;;) {
    yield* Effect.sleep(LOOK)
    const now = yield* used
    if (Option.isNone(now) || now.value - before.value > cpuMillis) return yield* stopped
  }
})

/** A pool of threads for the calls of a group. No thread is started before the first call. */
export const make = Effect.fnUntraced(function* <Rpcs extends Rpc.Any>(
  group: RpcGroup.RpcGroup<Rpcs>,
  options: ThreadPoolOptions
): Effect.fn.Return<ThreadPool<Rpcs>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const pool = yield* Pool.makeWithTTL({
    acquire: start(group, options),
    min: 0,
    max: options.threads,
    timeToLive: IDLE
  })
  const places = FairPlaces.make({ what: options.name, places: options.threads, waiting: options.waiting })

  const ended = (thread: Thread<Rpcs>): CalculationStopped =>
    thread.ranOutOfMemory()
      ? new CalculationStopped({ reason: "memory", message: `it needed more than ${options.megabytes} MB` })
      : new CalculationStopped({ reason: "ended", message: "its thread ended" })

  const run: ThreadPool<Rpcs>["run"] = (budget, use) => {
    const work = Effect.gen(function* () {
      const thread = yield* Pool.get(pool)
      const called = Effect.catchIf(use(thread.client), isClientError, () => Effect.fail(ended(thread)))
      return yield* Effect.raceFirst(called, watch(thread, budget)).pipe(
        Effect.tapError((error) =>
          isStopped(error) ? Effect.andThen(thread.end, Pool.invalidate(pool, thread)) : Effect.void
        )
      )
    }).pipe(Effect.scoped)
    const placed = Effect.catchTag(places.within(work), "PlacesFull", () =>
      Effect.fail(new ThreadsBusy({ retryAfterSeconds: RETRY_AFTER_SECONDS }))
    )
    return Effect.flatMap(Effect.forkIn(placed, scope), Fiber.join)
  }

  return { run }
})
