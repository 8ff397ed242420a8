/**
 * Requests and the work of jobs share the one thread of the server, in turns of the event loop. The output of hundreds of switches, and the
 * database's answers for them, are processed in slices, and requests begin a few at a time, so neither delays the other for long. Most of a
 * job's work is outside the slices, so a slice is a fraction of the time that all other work took since the last slice; once a piece has
 * waited a quarter of a second, the slice is as long as that time, i.e. half of the processor, however many requests arrive.
 *
 * ```
 * a turn:  packets, answers of the database, steps of fibers │ requests begin │ a slice of background work │ next turn
 * ```
 *
 * Owner's note: `bench/README.md` has the gain for readers during a sync, and its cost for the sync. It can be removed when sessions with
 * switches run in a thread of their own.
 */
import { Context, Effect, Layer, Semaphore } from "effect"

/** Requests that begin in one turn. Each takes about a millisecond of the processor. */
const REQUESTS_IN_A_TURN = 4

/** The length of a slice, as a fraction of the time of all other work. */
const PART = 0.15

/** Milliseconds of a slice. A piece that has begun is not cut short, so a slice may be longer. */
const LEAST_SLICE = 0.5
const LONGEST_SLICE = 25

/** Milliseconds after which a piece that waits is late. */
const LATE = 250

/** Milliseconds after which one more may begin although work waits: the waiting ones may be waiting for their switches. */
const PACE = 25

/**
 * Beginnings of long work that run at once. The switch of the first device is dialled while the next devices are rendered; without
 * this bound all devices that a job works on at once would be rendered before the first.
 */
const BEGINNINGS_AT_ONCE = 32

/** A piece of work, and since when it waits. */
interface Piece {
  readonly run: () => void
  readonly since: number
}

/** The source of the milliseconds. */
export interface Processor {
  /** The time, from any starting point. */
  readonly now: () => number
  /** How long the event loop has been working. */
  readonly busy: () => number
}

const thisProcess: Processor = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active
}

/** The two queues of a process. */
const makeTurns = ({ busy, now }: Processor) => {
  let pieces: Array<Piece> = []
  const requests = new Set<() => void>()
  const newcomers = new Set<() => void>()
  let begun = 0
  let isPlanned = false
  let lastSlice = busy()
  let admittedAt = 0

  const plan = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(turn)
  }

  const runSlice = (): void => {
    const others = busy() - lastSlice
    const began = now()
    const isLate = began - (pieces[0]?.since ?? began) > LATE
    const end = began + Math.min(LONGEST_SLICE, Math.max(LEAST_SLICE, isLate ? others : others * PART))
    let done = 0
    try {
      do pieces[done++]?.run()
      while (done < pieces.length && now() < end)
    } finally {
      pieces = pieces.slice(done)
      lastSlice = busy()
    }
  }

  const beginRequests = (): void => {
    begun = 0
    for (const begin of requests) {
      if (begun === REQUESTS_IN_A_TURN) return
      requests.delete(begin)
      begun++
      begin()
    }
  }

  /** One in a turn: the work that it starts appears in the queue before the next. */
  const admit = (isIdle: boolean): void => {
    if (!isIdle && now() < admittedAt + PACE) return
    for (const enter of newcomers) {
      admittedAt = now()
      newcomers.delete(enter)
      return enter()
    }
  }

  const turn = (): void => {
    isPlanned = false
    try {
      beginRequests()
      const isIdle = pieces.length === 0
      if (!isIdle) runSlice()
      if (newcomers.size > 0) admit(isIdle)
    } finally {
      if (begun > 0 || requests.size > 0 || pieces.length > 0 || newcomers.size > 0) plan()
    }
  }

  const inTurn = (run: () => void): void => {
    if (pieces.length === 0) lastSlice = busy()
    pieces.push({ run, since: now() })
    plan()
  }

  const request = Effect.callback<void>((resume) => {
    const begin = () => resume(Effect.void)
    plan()
    if (requests.size === 0 && begun < REQUESTS_IN_A_TURN) {
      begun++
      return begin()
    }
    requests.add(begin)
    return Effect.sync(() => void requests.delete(begin))
  })

  const idle = Effect.callback<void>((resume) => {
    const enter = () => resume(Effect.void)
    newcomers.add(enter)
    plan()
    return Effect.sync(() => void newcomers.delete(enter))
  })
  const places = Semaphore.makeUnsafe(BEGINNINGS_AT_ONCE)
  const beginning = <A, E, R>(work: Effect.Effect<A, E, R>) => places.withPermit(Effect.andThen(idle, work))

  return { inTurn, beginning, request }
}

/** The turns of this process. */
export class BackgroundWork extends Context.Service<
  BackgroundWork,
  {
    /** Runs a piece of background work soon, after the earlier pieces. */
    readonly inTurn: (run: () => void) => void
    /**
     * Does the first part of something long, such as rendering and storing a change: 32 at once, and each only when no background work
     * waits or nothing was begun for 25 ms. So earlier work ends, and leaves memory, before more is begun than the processor can do.
     */
    readonly beginning: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Waits until a request may begin: not at all unless many begin at the same time. */
    readonly request: Effect.Effect<void>
  }
>()("switchyard/runtime/BackgroundWork") {
  static readonly layerOn = (processor: Processor) =>
    Layer.effect(
      BackgroundWork,
      Effect.sync(() => BackgroundWork.of(makeTurns(processor)))
    )

  static readonly layer = BackgroundWork.layerOn(thisProcess)
}

// Retries for work that runs for each of hundreds of devices at once and hardly ever fails. A schedule consists of some twenty closures,
// which every such work would carry for its whole life; here it is made only after the first failure.

/** The work, repeated as `retry` says; `retry` is called only after the first failure, and receives it. */
export const rareRetry = <A, E, E2, R>(
  work: Effect.Effect<A, E, R>,
  retry: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R>
): Effect.Effect<A, E2, R> =>
  Effect.catch(work, (error) => {
    let isFirst = true
    return retry(
      Effect.suspend(() => {
        if (!isFirst) return work
        isFirst = false
        return Effect.fail(error)
      })
    )
  })
