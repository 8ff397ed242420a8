/**
 * In which order jobs that wait get what is free: people before schedules before upkeep, and among the jobs of one class each
 * person in turn, so that nobody waits behind all jobs of somebody else (docs/jobs.md#who-goes-first). No class starves: of
 * `SHARE + 1` jobs that begin while a lower class waits, one is of that class. Pure; `JobPlaces.ts` hands the places out.
 */

/** From the first to the last: a person waits for the job; it was to begin at a later time; nobody waits for it. */
export const serviceClasses = ["person", "schedule", "upkeep"] as const
export type ServiceClass = (typeof serviceClasses)[number]

/** How a sentence names a job of the class. */
export const classNames: Readonly<Record<ServiceClass, string>> = {
  person: "a job that a person has just started",
  schedule: "a scheduled job",
  upkeep: "upkeep"
}

/** So many jobs of higher classes pass one of a lower class that waits; then it is its turn. */
export const SHARE = 4

/** Of so many places one is kept for people, because jobs that are under way are not put aside. */
const PLACES_BESIDE_A_KEPT_ONE = 4

/** How many of these places jobs of lower classes leave to people. */
export const keptForPeople = (places: number): number =>
  places < 2 ? 0 : Math.max(1, Math.floor(places / (PLACES_BESIDE_A_KEPT_ONE + 1)))

/** Something that waits for a place. */
export interface Waiter {
  readonly serviceClass: ServiceClass
  /** For whom it is done; each of them has their turn. */
  readonly person: string
  /** It had a place before a restart and may hold a lock: it goes before all others. */
  readonly hasBegun: boolean
}

/** Those who wait for places of one kind, and those who have them. */
interface Places<W extends Waiter> {
  /** Takes one into the line; it may be its turn at once. */
  readonly add: (waiter: W) => void
  /** Takes one out, from the line or from its place. True when it was there. */
  readonly remove: (waiter: W) => boolean
  /** Gives a place to whose turn it is; undefined when no place is free for anybody who waits. */
  readonly next: () => W | undefined
  /** How many wait. */
  readonly waiting: (serviceClass: ServiceClass) => number
}

export const makePlaces = <W extends Waiter>(places: number): Places<W> => {
  const line = new Set<W>()
  const placed = new Set<W>()
  const passed: Record<ServiceClass, number> = { person: 0, schedule: 0, upkeep: 0 }
  /** When each person had their last turn, counted in turns. */
  const served = new Map<string, number>()
  let turns = 0

  const waitingIn = (serviceClass: ServiceClass) => [...line].filter((one) => one.serviceClass === serviceClass)

  /** Those of lower classes that run may not take the places that are kept for people. */
  const hasRoomFor = (serviceClass: ServiceClass): boolean => {
    if (serviceClass === "person") return true
    const lower = [...placed].filter((one) => one.serviceClass !== "person").length
    return lower < places - keptForPeople(places)
  }

  /** Of those whose person was served longest ago, the one that came first. */
  const inTurn = (waiters: ReadonlyArray<W>): W | undefined =>
    waiters.reduce<W | undefined>((best, one) => {
      if (best === undefined) return one
      return (served.get(one.person) ?? -1) < (served.get(best.person) ?? -1) ? one : best
    }, undefined)

  const choose = (): W | undefined => {
    const begun = [...line].find(({ hasBegun }) => hasBegun)
    if (begun !== undefined) return begun
    const able = serviceClasses.filter((one) => hasRoomFor(one) && waitingIn(one).length > 0)
    const due = able.find((one) => passed[one] >= SHARE) ?? able[0]
    return due === undefined ? undefined : inTurn(waitingIn(due))
  }

  const note = ({ person, serviceClass }: W): void => {
    passed[serviceClass] = 0
    for (const lower of serviceClasses.slice(serviceClasses.indexOf(serviceClass) + 1)) {
      passed[lower] = waitingIn(lower).length === 0 ? 0 : passed[lower] + 1
    }
    served.set(person, turns++)
    if (line.size === 0) served.clear()
  }

  return {
    add: (waiter) => void line.add(waiter),
    remove: (waiter) => line.delete(waiter) || placed.delete(waiter),
    next: () => {
      if (placed.size >= places) return undefined
      const chosen = choose()
      if (chosen === undefined) return undefined
      line.delete(chosen)
      placed.add(chosen)
      note(chosen)
      return chosen
    },
    waiting: (serviceClass) => waitingIn(serviceClass).length
  }
}
