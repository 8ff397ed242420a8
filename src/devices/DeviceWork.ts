/** How work on a switch is run and repeated, for operations that are several commands on one login. */
import { Effect, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import type { Operation, OperationStore } from "../store/OperationStore.ts"
import type { OperationPhase } from "../domain/DeviceActivity.ts"
import { DeviceFailure } from "./DeviceFailure.ts"
import type { LoginError } from "./DeviceLogin.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import type { DriverError } from "../drivers/DriverErrors.ts"

/** What work on a session may fail with. */
export type WorkError = DriverError | LoginError | DeviceFailure

/** Runs work on a new session of the device; what goes wrong becomes a DeviceFailure. */
export type WithSession = <A>(
  work: (session: DriverSession, hostname: string) => Effect.Effect<A, WorkError>
) => Effect.Effect<A, DeviceFailure>

/** Failures of the way to the switch; another login may succeed. */
const LOST: ReadonlySet<string> = new Set(["ConnectionException", "CommandTimeout"])

/** Whether a new login may help. */
export const isLost = (error: { readonly type: string }): boolean => LOST.has(error.type)

/** Repeats work that may be done twice, after a lost connection, while `may` says so. */
export const again = <A, R>(
  work: Effect.Effect<A, DeviceFailure, R>,
  may: () => boolean = () => true
): Effect.Effect<A, DeviceFailure, R> =>
  Effect.retry(work, {
    times: 3,
    while: (error) => may() && isLost(error),
    schedule: Schedule.spaced("2 seconds")
  })

/** A failure with its text made from type and message. */
export const failure = (type: string, message: string): DeviceFailure =>
  new DeviceFailure({ type, message, text: `${type}: ${message}\n` })

/** The same work with a database that is away as its failure. */
export const stored = <A>(work: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, DeviceFailure> =>
  Effect.mapError(work, ({ message }) => failure("DatabaseError", message))

/** Claims a phase; fails when another process has taken the operation over. */
export const claim = Effect.fnUntraced(function* (
  operations: OperationStore["Service"],
  operation: Operation,
  phase: OperationPhase
) {
  if (yield* operations.claim(operation, phase)) return
  return yield* failure("OperationMoved", "another process has taken this operation over")
})
