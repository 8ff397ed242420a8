/**
 * A fair queue in front of every pool of a bounded size (docs/security.md#persons): waiting calls are served by turns of persons, not of
 * requests, so that twenty calls of one person delay another person's first call by one at most. When too many wait, the last call of the
 * person with the most waiting calls is refused, which is never another person's first. Also the shares of places that are held for long.
 * Carries promise 8.
 */
import { Effect, Schema, Semaphore } from "effect"
import { Person } from "../domain/access/Identity.ts"

/** Too many calls wait for this already; trying again later can help. */
export class PlacesFull extends Schema.TaggedError<PlacesFull>()("PlacesFull", { what: Schema.String }) {
  override get message() {
    return `Too much of this is asked for at the moment (${this.what}), try again later`
  }
  get httpStatus() {
    return 503 as const
  }
}

/** The waiting calls, in the order in which they are served. Pure but for its own state. */
export const makeFairOrder = <A>() => {
  /** Persons in the order of their turns; each with their waiting calls, the first in front. */
  const queues = new Map<string, Array<A>>()
  let size = 0

  const longest = (): string | undefined => {
    let found: string | undefined
    for (const [person, { length }] of queues) {
      if (found === undefined || length >= (queues.get(found)?.length ?? 0)) found = person
    }
    return found
  }

  const remove = (person: string, item: A): boolean => {
    const queue = queues.get(person)
    const index = queue?.indexOf(item) ?? -1
    if (queue === undefined || index < 0) return false
    queue.splice(index, 1)
    size -= 1
    if (queue.length === 0) queues.delete(person)
    return true
  }

  return {
    size: () => size,
    waitingOf: (person: string) => queues.get(person)?.length ?? 0,
    /**
     * Lets an item wait where at most `most` wait. Yields the item that must leave for it: the item itself if its own person has the most
     * waiting, null if there is room.
     */
    add: (person: string, item: A, most: number): A | null => {
      let displaced: A | null = null
      if (size >= most) {
        const other = longest()
        const theirs = other === undefined ? [] : (queues.get(other) ?? [])
        const last = theirs.at(-1)
        if (other === undefined || last === undefined || theirs.length <= (queues.get(person)?.length ?? 0)) return item
        remove(other, last)
        displaced = last
      }
      const queue = queues.get(person)
      if (queue === undefined) queues.set(person, [item])
      else queue.push(item)
      size += 1
      return displaced
    },
    /** The next item, of the person whose turn it is among those who may have another place; that person's next turn is the last. */
    take: (mayHave: (person: string) => boolean = () => true): { person: string; item: A } | undefined => {
      for (const [person, queue] of queues) {
        const [item] = queue
        if (item === undefined || !mayHave(person)) continue
        remove(person, item)
        const rest = queues.get(person)
        if (rest !== undefined) {
          queues.delete(person)
          queues.set(person, rest)
        }
        return { person, item }
      }
      return undefined
    },
    remove
  }
}

interface FairPlacesOptions {
  /** The use of the places, as a refusal names it. */
  readonly what: string
  readonly places: number
  /** How many calls of all persons may wait for a place. */
  readonly waiting: number
  /** How many places one person has at most, for work that holds its place for long; without it all of them. */
  readonly ofOne?: number
}

interface Waiting {
  readonly give: () => void
  readonly refuse: () => void
  hasPlace: boolean
}

interface FairPlaces {
  /** Runs the work in a place of the present person, when it is their turn. */
  readonly within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | PlacesFull, R>
}

/** Places of this process. */
export const make = ({ ofOne, places, waiting, what }: FairPlacesOptions): FairPlaces => {
  const order = makeFairOrder<Waiting>()
  const inWork = new Map<string, number>()
  let taken = 0

  const mayHave = (person: string): boolean => ofOne === undefined || (inWork.get(person) ?? 0) < ofOne

  const occupy = (person: string): void => {
    taken += 1
    inWork.set(person, (inWork.get(person) ?? 0) + 1)
  }

  const serve = (): void => {
    for (;;) {
      const next = taken < places ? order.take(mayHave) : undefined
      if (next === undefined) return
      occupy(next.person)
      next.item.hasPlace = true
      next.item.give()
    }
  }

  const leave = (person: string): void => {
    taken -= 1
    const left = (inWork.get(person) ?? 1) - 1
    if (left === 0) inWork.delete(person)
    else inWork.set(person, left)
    serve()
  }

  /** Waits for a place; returns it when the caller no longer wants it. */
  const enter = (person: string): Effect.Effect<void, PlacesFull> =>
    Effect.suspend(() => {
      let mine: Waiting | undefined
      return Effect.callback<void, PlacesFull>((resume) => {
        const item: Waiting = {
          hasPlace: false,
          give: () => resume(Effect.void),
          refuse: () => resume(Effect.fail(new PlacesFull({ what })))
        }
        mine = item
        // a caller that finds a free place does not count as waiting
        const displaced = order.add(
          person,
          item,
          taken < places && mayHave(person) ? Number.POSITIVE_INFINITY : waiting
        )
        displaced?.refuse()
        serve()
      }).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            if (mine?.hasPlace === true) leave(person)
            else if (mine !== undefined) order.remove(person, mine)
          })
        )
      )
    })

  return {
    within: (work) =>
      Effect.flatMap(Person, (person) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.andThen(
            restore(enter(person)),
            Effect.ensuring(
              restore(work),
              Effect.sync(() => leave(person))
            )
          )
        )
      )
  }
}

/**
 * Whether a person who holds `own` of `all` held places may have another one of `most`: at most a quarter, and never more than is still
 * free, so that a few persons cannot take them all.
 */
export const mayHoldAnother = ({
  all,
  most,
  own
}: {
  readonly own: number
  readonly all: number
  readonly most: number
}) => all < most && (own === 0 || (own < Math.ceil(most / 4) && own < most - all))

/** Separate places for each key, such as a device; empty ones are removed. */
export const makeKeyed = (options: FairPlacesOptions) => {
  const byKey = new Map<string, { readonly places: FairPlaces; users: number }>()
  return {
    within: <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | PlacesFull, R> =>
      Effect.suspend(() => {
        const entry = byKey.get(key) ?? { places: make(options), users: 0 }
        byKey.set(key, entry)
        entry.users += 1
        return Effect.ensuring(
          entry.places.within(work),
          Effect.sync(() => {
            entry.users -= 1
            if (entry.users === 0) byKey.delete(key)
          })
        )
      })
  }
}

// Turns by key: effects of one key run one after the other, those of different keys concurrently.

/** Runs effects of one key one after the other; keeps nothing for unused keys. */
export const makeTurns = () => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const entry = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
        entry.users += 1
        turns.set(key, entry)
        return entry
      }),
      ({ turn }) => turn.withPermits(1)(effect),
      (entry) =>
        Effect.sync(() => {
          entry.users -= 1
          if (entry.users === 0) turns.delete(key)
        })
    )
}
