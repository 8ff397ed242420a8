/**
 * How requests and the work of jobs share the one thread of the server: in turns of the event loop. What hundreds of switches
 * say at the same time is done in slices, and requests begin a few at a time, so neither keeps the other waiting for long. A
 * slice may be as long as everything else took since the last one: background work that has something to do is given at
 * least half of the processor, however many people ask.
 *
 * ```
 * a turn:  answers of the database, packets, steps of fibers │ requests begin │ a slice of background work │ next turn
 * ```
 *
 * Owner's note: `bench/README.md` says what it earns for readers during a sync, and what the sync pays for it. It goes when
 * sessions with switches run in a thread of their own.
 */
import { Context, Effect, Layer } from "effect"

/** Requests that begin in one turn. Each takes a millisecond of the processor, all in all. */
const REQUESTS_IN_A_TURN = 4

/** Milliseconds of a slice. What has begun is not cut short, so a slice may be longer. */
const LEAST_SLICE = 1
const LONGEST_SLICE = 25

/** The two queues of a process. */
const makeTurns = () => {
  let pieces: Array<() => void> = []
  const requests = new Set<() => void>()
  let begun = 0
  let isPlanned = false
  let lastSlice = performance.eventLoopUtilization()

  const plan = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(turn)
  }

  const runSlice = (): void => {
    const others = performance.eventLoopUtilization(lastSlice).active
    const end = performance.now() + Math.min(LONGEST_SLICE, Math.max(LEAST_SLICE, others))
    let done = 0
    try {
      do pieces[done++]?.()
      while (done < pieces.length && performance.now() < end)
    } finally {
      pieces = pieces.slice(done)
      lastSlice = performance.eventLoopUtilization()
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

  const turn = (): void => {
    isPlanned = false
    try {
      beginRequests()
      if (pieces.length > 0) runSlice()
    } finally {
      if (begun > 0 || requests.size > 0 || pieces.length > 0) plan()
    }
  }

  const inTurn = (piece: () => void): void => {
    if (pieces.length === 0) lastSlice = performance.eventLoopUtilization()
    pieces.push(piece)
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

  return { inTurn, request }
}

/** The turns of this process. */
export class BackgroundWork extends Context.Service<
  BackgroundWork,
  {
    /** Does a piece of background work soon, after those that came before it. */
    readonly inTurn: (piece: () => void) => void
    /** Waits until a request may begin: not at all unless many begin at the same time. */
    readonly request: Effect.Effect<void>
  }
>()("switchyard/runtime/BackgroundWork") {
  static readonly layer = Layer.effect(
    BackgroundWork,
    Effect.sync(() => BackgroundWork.of(makeTurns()))
  )
}
