/**
 * Calls to device actors that outlast a change of replicas. While an actor moves, because its replica stops or was lost, a
 * call to it fails although nothing is wrong with the device: then it is tried again until the actor is back, or until the
 * caller itself is stopped and leaves the rest to the process that takes over its job.
 */
import { Effect, Schedule } from "effect"
import { rareRetry } from "../runtime/BackgroundWork.ts"

interface TaggedError {
  readonly _tag: string
}

/** Failures of the way to the actor; trying again helps. Those of the cluster's storage mean a database that is away. */
const AWAY: ReadonlySet<string> = new Set([
  "EntityNotAssignedToRunner",
  "RunnerNotRegistered",
  "RunnerUnavailable",
  "AlreadyProcessingMessage",
  "MailboxFull",
  "PersistenceError"
])

const PAUSE = Schedule.spaced("500 millis")

/** The actor could not be reached, or was lost during the call: the device's part in it is not known. */
export const isAway = ({ _tag }: TaggedError): boolean => AWAY.has(_tag)

/** The call, repeated for as long as its actor cannot be reached. The device's own failures end it as before. */
export const patiently = <A, E extends TaggedError, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  rareRetry(call, Effect.retry({ while: isAway, schedule: PAUSE }))
