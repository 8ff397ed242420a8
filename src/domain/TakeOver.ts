/**
 * How soon the work of a replica that has ended, stands still or has lost its database goes on at another one, and by when the
 * first one sends nothing more (promise 1). All in seconds; the same in every replica. They belong together:
 *
 * - What is silent is taken over within `TAKE_OVER`: the silence, then a look at who is silent, then a look for messages.
 * - A claim is believed for less time than others wait. The last sign of life may be `SIGN` old when the claim is found good, so
 *   nobody takes the work over before `SILENT_REPLICA - SIGN` more; a process that is paused and goes on later asks first.
 * - Who cannot give signs stops its work after one more of them was not taken: `2 * SIGN`, before others begin with it.
 * - What it had locked in the database is free within `TAKE_OVER`, also when two of its transactions had waited for each other:
 *   `2 * IDLE_TRANSACTION`.
 * - A replica whose port refuses connections counts as gone after `REFUSED`, whatever its signs say. A claim is not believed for
 *   that long either.
 */

/** Between two signs of life of a replica and of a job that is worked on; a sign that takes as long again counts as not given. */
export const HEARTBEAT = 2

/** Without a sign for so long a replica loses its devices and executions to the others. */
export const SILENT_REPLICA = 6

/** Without a sign for so long a job gets a new attempt, whatever its replica says. */
export const SILENT_JOB = 7

/** Between two looks at which replicas there are. */
export const LOOK_FOR_REPLICAS = 1

/** Between two looks for jobs that nobody works on. */
export const LOOK_FOR_JOBS = 2

/** Between two looks for messages that are to be worked on. */
export const LOOK_FOR_MESSAGES = 1

/** Pings of a replica that refuses them, half a second apart (`effect/cluster/RunnerHealth`), until it counts as gone. */
export const REFUSED = 2.5

/** A claim that was found good is believed for so long (`WorkClaim` of `drivers/Driver.ts`). */
export const CLAIM_VALID = 2

/** PostgreSQL ends a transaction of which it has heard nothing for so long. */
export const IDLE_TRANSACTION = 4

/** By then another replica goes on with the work. */
export const TAKE_OVER = 10
