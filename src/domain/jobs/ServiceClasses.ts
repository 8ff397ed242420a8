/**
 * The order in which waiting jobs get free places: people before schedules before upkeep, and among the jobs of one class each
 * person in turn, so that no person waits for all jobs of another (docs/jobs.md#who-goes-first). No class starves: of `SHARE +
 * 1` jobs that begin while a lower class waits, one is of that class. Pure; `JobPlaces.ts` assigns the places.
 */

/** From the first to the last: a person waits for the job; it was scheduled for a later time; no person waits for it. */
export const serviceClasses = ["person", "schedule", "upkeep"] as const
export type ServiceClass = (typeof serviceClasses)[number]

/** The name of the class in a sentence. */
export const classNames: Readonly<Record<ServiceClass, string>> = {
  person: "a job that a person has just started",
  schedule: "a scheduled job",
  upkeep: "upkeep"
}

/** So many jobs of higher classes pass a waiting job of a lower class; then it is its turn. */
export const SHARE = 4

/** Of so many places one is reserved for people, because running jobs are not interrupted. */
const SHARED_PLACES_PER_RESERVED = 4

/** The number of these places that jobs of lower classes do not take. */
export const reservedForPeople = (places: number): number =>
  places < 2 ? 0 : Math.max(1, Math.floor(places / (SHARED_PLACES_PER_RESERVED + 1)))

/** A job that waits for a place. */
export interface Waiter {
  readonly serviceClass: ServiceClass
  /** The person that the job works for; persons take turns. */
  readonly person: string
  /** It had a place before a restart and may hold a lock: it has priority over all others. */
  readonly hasBegun: boolean
}

/** The waiting jobs of one kind of place, and the holders of its places. */
interface Places<W extends Waiter> {
  /** Adds a job to the queue; it may get a place immediately. */
  readonly add: (waiter: W) => void
  /** Removes a job from the queue or from its place. True when it was found. */
  readonly remove: (waiter: W) => boolean
  /** Gives a place to the next job; undefined when no place is free for any waiting job. */
  readonly next: () => W | undefined
  /** The length of the queue. */
  readonly waiting: (serviceClass: ServiceClass) => number
}

export const makePlaces = <W extends Waiter>(places: number): Places<W> => {
  const line = new Set<W>()
  const placed = new Set<W>()
  const passed: Record<ServiceClass, number> = { person: 0, schedule: 0, upkeep: 0 }
  /** The last turn of each person, counted in turns. */
  const served = new Map<string, number>()
  let turns = 0

  const waitingIn = (serviceClass: ServiceClass) => [...line].filter((one) => one.serviceClass === serviceClass)

  /** Running jobs of lower classes may not take the places that are reserved for people. */
  const hasRoomFor = (serviceClass: ServiceClass): boolean => {
    if (serviceClass === "person") return true
    const lower = [...placed].filter((one) => one.serviceClass !== "person").length
    return lower < places - reservedForPeople(places)
  }

  /** Of the jobs whose person was served longest ago, the first that came. */
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
