/** The uplinks of devices, by which troubles with a common cause are grouped. */
import { Duration, Effect, Exit } from "effect"
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

/** Yields a function that finds the uplinks between devices that a caller may see. */
export const makeUplinks = Effect.gen(function* () {
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
  return (within: Within | undefined) =>
    Effect.map(all, (found) => (within === undefined ? found : visibleOf(found, within)))
})
