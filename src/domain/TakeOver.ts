/**
 * How soon another replica takes over the work of a replica that has ended, has stopped responding or has lost its database, and by
 * when the first one sends nothing more (promise 1). All in seconds; the same in every replica. The values depend on each other:
 * - A silent replica is taken over within `TAKE_OVER`: the silence, then a check for silent replicas, then a check for messages.
 * - A claim is trusted for less time than others wait. The last heartbeat may be `HEARTBEAT` old when the claim is validated, so no
 *   process takes the work over for another `SILENT_REPLICA - HEARTBEAT`; a process that was paused and continues later checks its
 *   claim first.
 * - A process that cannot write heartbeats stops its work after the second one has failed: `2 * HEARTBEAT`, before others begin with it.
 * - Its locks in the database are released within `TAKE_OVER`, also when two of its transactions had waited for each other:
 *   `2 * IDLE_TRANSACTION`.
 * - A replica whose port refuses connections counts as dead after `REFUSED`, whatever its heartbeats say. A claim is not trusted for
 *   that long either.
 */

/** Between two heartbeats of a replica and of a running job; a heartbeat that takes as long again counts as failed. */
export const HEARTBEAT = 2

/** After so long without a heartbeat a replica loses its devices and executions to the others. */
export const SILENT_REPLICA = 6

/** After so long without a heartbeat a job gets a new attempt, whatever the state of its replica. */
export const SILENT_JOB = 7

/** Between two checks for replicas. */
export const LOOK_FOR_REPLICAS = 1

/** Between two checks for jobs without a running process. */
export const LOOK_FOR_JOBS = 2

/** Between two checks for messages to process. */
export const LOOK_FOR_MESSAGES = 1

/** Pings to a replica that refuses them, half a second apart (`effect/cluster/RunnerHealth`), until it counts as dead. */
export const REFUSED = 2.5

/** How long a validated claim is trusted (`WorkClaim` of `drivers/Driver.ts`). */
export const CLAIM_VALID = 2

/** PostgreSQL ends a transaction that has been idle for so long. */
export const IDLE_TRANSACTION = 4

/** By then another replica continues the work. */
export const TAKE_OVER = 10
