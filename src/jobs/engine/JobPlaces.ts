/**
 * Limits how many jobs run at once, by kind of work: a job that waits for another machine (a slow image server, a switch that does
 * not answer yet) takes no place from jobs that configure switches. `ServiceClasses.ts` decides which job gets a free place: one
 * person's dry run does not wait behind 300 scheduled ones.
 */
import { Clock, DateTime, Effect } from "effect"
import type { KindOfWork } from "../../domain/jobs/JobDefinition.ts"
import { classNames, makePlaces, serviceClasses, type Waiter } from "../../domain/jobs/ServiceClasses.ts"
import { jobsWaiting } from "../../runtime/metrics/Metrics.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import {
  describeHolder,
  DEVICES_LOCK,
  finalStatuses,
  JobFailure,
  type LockHolder,
  type LockWait,
  type PlaceWait
} from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

/** Kinds of work, each with the setting that says how many of its jobs run at once. */
const SETTINGS = {
  devices: "JOB_CONCURRENCY",
  firmware: "FIRMWARE_JOB_CONCURRENCY",
  discovery: "DISCOVERY_JOB_CONCURRENCY"
} as const satisfies Record<KindOfWork, keyof ServerSettings>

/** Shorter waits are not written. */
const NOTED_AFTER = "1 second"

/** A job that asks for a place. */
interface JobWaiter extends Waiter {
  readonly id: number
}

interface Entry extends JobWaiter {
  readonly enter: () => void
}

const waitFor = ({ serviceClass }: Waiter, places: number): PlaceWait => ({
  reason: "place",
  class: serviceClass,
  places,
  message: `Waits for one of ${places} places. It is ${classNames[serviceClass]}: jobs of people begin first, then scheduled jobs, then upkeep, and each person has their turn`
})

/** The places of one kind. */
const makeKind = (kind: KindOfWork, count: number, waits: JobScheduleStore["Service"]["waits"]) => {
  const places = makePlaces<Entry>(count)

  const fill = (): void => {
    for (let entry = places.next(); entry !== undefined; entry = places.next()) entry.enter()
    for (const one of serviceClasses) jobsWaiting.set(places.waiting(one), kind, one)
  }

  const note = (waiter: JobWaiter) =>
    waiter.hasBegun
      ? Effect.never
      : waits.waitFor(waiter.id, waitFor(waiter, count)).pipe(
          Effect.tapCause((cause) => Effect.logDebug("It could not be written that the job waits for a place", cause)),
          Effect.ignore,
          Effect.delay(NOTED_AFTER),
          Effect.andThen(Effect.never)
        )

  return <A, E, R>(waiter: JobWaiter, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let entry: Entry | undefined
      const leave = Effect.sync(() => {
        if (entry !== undefined && places.remove(entry)) fill()
      })
      const enter = Effect.callback<void>((resume) => {
        entry = { ...waiter, enter: () => resume(Effect.void) }
        places.add(entry)
        fill()
      })
      return Effect.ensuring(Effect.andThen(Effect.raceFirst(enter, note(waiter)), work), leave)
    })
}

/** The places of this process. */
export const makeJobPlaces = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { waits } = yield* JobScheduleStore
  const places = {
    devices: makeKind("devices", config[SETTINGS.devices], waits),
    firmware: makeKind("firmware", config[SETTINGS.firmware], waits),
    discovery: makeKind("discovery", config[SETTINGS.discovery], waits)
  } satisfies Record<KindOfWork, ReturnType<typeof makeKind>>
  return {
    /** Does a job's work in a place of its kind, waiting for one as long as it takes; null needs none. */
    within: <A, E, R>(kind: KindOfWork | null, waiter: JobWaiter, work: Effect.Effect<A, E, R>) =>
      kind === null ? work : places[kind](waiter, work)
  }
})

// The lock of all jobs that configure devices (docs/changes.md#locks-and-waiting and docs/changes.md#emergencies). A job that finds
// it taken waits for its turn before it begins, and its record names the holder. The lock ends with its job (`JobStates.ts`).

/** How often the next job in the queue checks the lock, and how often the jobs behind it. */
const POLL_NEXT = "300 millis"
const POLL_BEHIND = "2 seconds"

const lockWait = (holder: LockHolder, since: number): LockWait => ({
  reason: "lock",
  lock: DEVICES_LOCK,
  job_id: holder.job_id,
  function_name: holder.function_name,
  since: holder.since,
  waits_since: DateTime.formatIso(DateTime.makeUnsafe(since)).slice(0, 19),
  message: `Waits for the lock ${DEVICES_LOCK}: ${describeHolder(holder)}`
})

/** Null if the job has the lock, else the reason. */
const attempt = Effect.fnUntraced(function* (id: number) {
  const { locks } = yield* JobScheduleStore
  return yield* locks.acquire(DEVICES_LOCK, id).pipe(
    Effect.as(null),
    Effect.catchTag("JobLockBusy", (busy) => Effect.succeed(busy))
  )
})

/**
 * Waits until the job has the lock, or must stop. Fails with JoblockError if it stays taken for LOCK_WAIT seconds.
 */
export const acquireDevicesLock = Effect.fn("DevicesLock.acquire")(function* (id: number) {
  const jobs = yield* JobStore
  const { waits } = yield* JobScheduleStore
  const { LOCK_WAIT } = yield* ServerConfig

  let shown: LockHolder | null = null
  const since = yield* Clock.currentTimeMillis
  for (let busy = yield* attempt(id); busy !== null; busy = yield* attempt(id)) {
    const { holder } = busy
    if (shown?.job_id !== holder.job_id || shown.isWaiting !== holder.isWaiting) {
      yield* waits.waitFor(id, lockWait(holder, since))
      yield* Effect.logInfo("The job waits for a lock", { for: holder.job_id })
      shown = holder
    }
    if ((yield* Clock.currentTimeMillis) - since >= LOCK_WAIT * 1000) {
      return yield* new JobFailure({ type: "JoblockError", message: busy.message })
    }
    yield* Effect.sleep(busy.isNext ? POLL_NEXT : POLL_BEHIND)
    const status = yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)
    if (status === "ABORTING" || finalStatuses.includes(status)) return
  }
})
