/**
 * The memory that request bodies take, all together. A body takes its share as it arrives and gives it back when its request
 * has been answered. When the memory is used up, the largest body that is still arriving is refused: somebody who holds large
 * bodies keeps nobody else from sending a small one. Bodies of callers without a token have a part of their own.
 */
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import { ServiceUnavailable } from "../../api/Answers.ts"
import { ServerConfig } from "../../ServerConfig.ts"

/** Who sends a body: somebody with a token, or anybody. */
export type Sender = "caller" | "anybody"

/** What one body takes of the memory. */
export interface BodyShare {
  /** Takes more bytes; fails when there are none and no larger body is arriving. */
  readonly grow: (bytes: number) => Effect.Effect<void, ServiceUnavailable>
  /** Fails when the body has to go, so that smaller ones have room. */
  readonly refused: Effect.Effect<never, ServiceUnavailable>
  /** The whole body is there: it is not refused any more. */
  readonly arrived: Effect.Effect<void>
}

/** Anybody may fill this part of the memory. */
const ANYBODYS_PART = 1 / 8

const refusal = () => new ServiceUnavailable({ message: "Too many large requests are being sent, try again later" })

interface Allocation {
  bytes: number
  readonly mustGo: Deferred.Deferred<never, ServiceUnavailable>
}

const makePart = (limit: number) => {
  const arriving = new Set<Allocation>()
  let total = 0

  const release = (allocation: Allocation): void => {
    arriving.delete(allocation)
    total -= allocation.bytes
    allocation.bytes = 0
  }

  const largestBut = (own: Allocation): Allocation | undefined =>
    [...arriving].reduce<Allocation | undefined>(
      (best, allocation) => (allocation !== own && allocation.bytes > (best?.bytes ?? 0) ? allocation : best),
      undefined
    )

  const grow = Effect.fnUntraced(function* (own: Allocation, bytes: number) {
    const hasRoom = () => total + bytes <= limit
    while (!hasRoom()) {
      const largest = largestBut(own)
      if (largest === undefined || largest.bytes < own.bytes + bytes) {
        release(own)
        return yield* refusal()
      }
      release(largest)
      yield* Deferred.fail(largest.mustGo, refusal())
    }
    own.bytes += bytes
    total += bytes
  })

  const share: Effect.Effect<BodyShare, never, Scope.Scope> = Effect.gen(function* () {
    const allocation: Allocation = { bytes: 0, mustGo: yield* Deferred.make<never, ServiceUnavailable>() }
    arriving.add(allocation)
    yield* Effect.addFinalizer(() => Effect.sync(() => release(allocation)))
    return {
      grow: (bytes) => grow(allocation, bytes),
      refused: Deferred.await(allocation.mustGo),
      arrived: Effect.sync(() => void arriving.delete(allocation))
    }
  })
  return share
}

const make = Effect.map(ServerConfig, ({ BODY_MEMORY }) => {
  const parts = {
    caller: makePart(BODY_MEMORY * (1 - ANYBODYS_PART)),
    anybody: makePart(BODY_MEMORY * ANYBODYS_PART)
  }
  return BodyMemory.of({ share: (sender) => parts[sender] })
})

/** Who reads a body takes a share first. */
export class BodyMemory extends Context.Service<
  BodyMemory,
  {
    /** A share of no bytes yet, given back with the scope. */
    readonly share: (sender: Sender) => Effect.Effect<BodyShare, never, Scope.Scope>
  }
>()("switchyard/http/core/BodyMemory") {
  static readonly layer = Layer.effect(BodyMemory, make)
}
