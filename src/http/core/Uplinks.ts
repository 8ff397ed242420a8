/** The uplinks of devices, by which troubles with a common cause are grouped. */
import { Context, Duration, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type Uplinks, uplinksOf } from "../../domain/CommonUplinks.ts"
import { edgesOf } from "../../domain/Topology.ts"
import { makeAttentionRows } from "../../store/AttentionRows.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { Within } from "../../store/Listing.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

/** Thousands of devices have tens of thousands of neighbours, and cables rarely change: many callers share an answer. */
const SHARED_FOR = Duration.seconds(10)

const visibleOf = (uplinks: Uplinks, { names }: Within): Uplinks =>
  new Map(
    [...uplinks].flatMap(([hostname, own]) =>
      names.has(hostname) ? [[hostname, new Set([...own].filter((name) => names.has(name)))] as const] : []
    )
  )

const make = Effect.gen(function* () {
  const rows = yield* makeAttentionRows
  const { neighbours } = yield* DeviceStore
  const { links } = yield* NetworkStore
  const all = yield* Effect.cachedWithTTL(
    Effect.gen(function* () {
      const nodes = yield* rows.cabled
      return uplinksOf(nodes, edgesOf(nodes, yield* links.all, yield* neighbours.ofKnown))
    }),
    (exit) => (Exit.isSuccess(exit) ? SHARED_FOR : Duration.zero)
  )
  return VisibleUplinks.of({
    within: (within) => Effect.map(all, (found) => (within === undefined ? found : visibleOf(found, within)))
  })
})

export class VisibleUplinks extends Context.Service<
  VisibleUplinks,
  {
    /** The uplinks between devices that a caller may see. */
    readonly within: (within: Within | undefined) => Effect.Effect<Uplinks, SqlError.SqlError>
  }
>()("switchyard/http/core/VisibleUplinks") {
  static readonly layer = Layer.effect(VisibleUplinks, make)
}
