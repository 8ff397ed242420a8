/** Parts of readings that drivers of several platforms make alike: names in order, states in common words, counts, the answer of ping. */
import { Result } from "effect"
import type { PingQuestion, ReadingItem, ReadingItems, ReadingKind } from "../domain/checks/Readings.ts"
import { compareNames } from "../domain/platforms/Platforms.ts"

/** A value, or what an answer lacks. */
export type Found<A> = Result.Result<A, string>

/** The items of a reading, or what the answer lacks. */
export type Items<Kind extends ReadingKind> = Found<ReadingItems<Kind>>

/** By name, in natural order. */
export const inOrder = <A>(items: Iterable<readonly [string, A]>): Readonly<Record<string, A>> =>
  Object.fromEntries([...items].toSorted(([a], [b]) => compareNames(a, b)))

/** All items, or what the first bad one lacks. */
export const collect = <A>(
  entries: Iterable<readonly [name: string, item: Found<A>]>
): Found<Readonly<Record<string, A>>> => {
  const items = new Map<string, A>()
  for (const [name, item] of entries) {
    if (Result.isFailure(item)) return Result.fail(`${item.failure} at ${name}`)
    items.set(name, item.success)
  }
  return Result.succeed(inOrder(items))
}

/** A state of BGP or OSPF as all platforms name it. */
export const stateOf = (shown: string): string => {
  const state = shown.toLowerCase().replace(/[ /(].*$/, "")
  if (state.startsWith("estab")) return "established"
  if (/^2-?ways?$/.test(state)) return "2-way"
  return state.replace(/^exch(?=start)/, "ex")
}

/** How often each name is there. */
export const countsOf = (names: ReadonlyArray<string>): Readonly<Record<string, { readonly count: number }>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return inOrder([...counts].map(([name, count]) => [name, { count }] as const))
}

/** Neighbours by port and name; two without a name on one port are numbered. */
export const neighbourItems = (
  ports: Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>
): ReadingItems<"neighbours"> => {
  const items: Record<string, ReadingItem<"neighbours">> = {}
  for (const [port, heard] of Object.entries(ports)) {
    for (const { hostname, port: other } of heard) {
      const name = `${port} ${hostname === "" ? "unnamed" : hostname}`
      let key = name
      for (let number = 2; Object.hasOwn(items, key); number++) key = `${name} ${number}`
      items[key] = { hostname: hostname === "" ? null : hostname, port: other === "" ? null : other }
    }
  }
  return items
}

const HUNDRED = 100

/** From the answer of `ping` of Linux, which switches have too. An address without a route gets no answer. */
export const pingOf = (shown: string, { count, to }: PingQuestion): Items<"ping"> => {
  const counted = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(shown)
  if (counted === null && !/unreachable/i.test(shown)) return Result.fail("it counts no packets")
  const sent = counted === null ? count : Number(counted[1])
  const received = counted === null ? 0 : Number(counted[2])
  const average = /(?:rtt|round-trip) min\/avg\/max\S* = [\d.]+\/([\d.]+)\//.exec(shown)?.[1]
  const loss = sent === 0 ? HUNDRED : ((sent - received) / sent) * HUNDRED
  return Result.succeed({
    [to]: {
      sent,
      received,
      loss_percent: Math.round(loss * 10) / 10,
      rtt_ms: received === 0 || average === undefined ? null : Number(average)
    }
  })
}
