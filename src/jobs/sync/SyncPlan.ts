/** How a sync confirms and when it stops, from its arguments and the server's mode (docs/changes.md#confirm-modes). Pure. */
import { type Stop, type SyncArguments, SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { DeviceUpgrade } from "../../domain/jobs/UpkeepJobs.ts"
import type { DeviceType } from "../../domain/Device.ts"
import type { ConfirmMode } from "./ChangeCalls.ts"
import { Deferred, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { functionOf } from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

/** The devices that are confirmed together: one, those of a stage, or all of the job. */
type ConfirmScope = "device" | "stage" | "job"

export interface SyncPlan extends Limits {
  readonly mode: ConfirmMode
  readonly scope: ConfirmScope
  /** Waiting devices are taken back when others fail; after an abort they always are. */
  readonly takesBack: boolean
}

const scopeOf = (args: SyncArguments, mode: ConfirmMode): ConfirmScope => {
  if (args.dry_run || mode === 0) return "device"
  if (mode === 2) return "job"
  return args.revert_on_failure ? "stage" : "device"
}

/** The plan; `configured` is COMMIT_CONFIRMED_MODE. */
export const planOf = (args: SyncArguments, configured: number): SyncPlan => {
  const wanted = args.confirm_mode_override ?? configured
  // two jobs that each wait for all of their devices could wait for each other
  const mode = wanted === 0 ? 0 : wanted === 2 && !args.urgent ? 2 : 1
  const scope = scopeOf(args, mode)
  const takesBack = args.revert_on_failure ?? mode === 2
  return {
    mode: scope === "device" ? (mode === 0 ? 0 : 1) : 2,
    scope,
    takesBack,
    // with take-back the first failure stops the rollout, unless max_failures is set
    maxFailures: args.dry_run ? null : (args.max_failures ?? (takesBack && mode !== 2 ? 1 : null)),
    allOrNothing: scope === "job" && takesBack
  }
}

// The rollout of a change over many devices: its order, its stages, and its stop. Canaries come first and none of them may fail;
// after that the rollout stops when the limit of failed devices is reached, or when a user aborts the job.

/** Devices that are worked on together; the next stage begins when all of them have ended. */
interface Stage {
  readonly isCanary: boolean
  readonly hostnames: ReadonlyArray<string>
}

/** The part of a job's arguments that says how to roll out. */
interface RolloutOptions {
  readonly batch_size?: number
  readonly canary?: number | ReadonlyArray<string>
}

/** At most so many failed devices are named in a sentence. */
const NAMED = 5

const portions = (hostnames: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(hostnames.length / size) }, (_, index) =>
    hostnames.slice(index * size, (index + 1) * size)
  )

/** Names given as canaries that are not among the selected devices. */
export const unknownCanaries = (selected: ReadonlyArray<string>, canary: RolloutOptions["canary"]) =>
  typeof canary === "object" ? canary.filter((hostname) => !selected.includes(hostname)) : []

/** What is known of a device before the first push. */
interface Candidate {
  readonly hostname: string
  readonly device_type: DeviceType
  readonly synchronized: boolean
}

/** A mistake costs least on an access switch, and most in the core. */
const RANKS: Readonly<Record<DeviceType, number>> = { ACCESS: 0, UNKNOWN: 1, DIST: 2, CORE: 3 }

/**
 * The canaries for a number: only devices of the least important type in scope, even if they are fewer. Devices that answered last time
 * come first, then those in sync, then by name; so the same scope gives the same canaries.
 */
export const canariesOf = (
  selected: ReadonlyArray<Candidate>,
  count: number,
  unreachable: ReadonlySet<string>
): ReadonlyArray<string> => {
  const least = Math.min(...selected.map(({ device_type }) => RANKS[device_type]))
  const doubts = ({ hostname, synchronized }: Candidate) => (unreachable.has(hostname) ? 2 : 0) + (synchronized ? 0 : 1)
  return selected
    .filter(({ device_type }) => RANKS[device_type] === least)
    .toSorted((one, other) => doubts(one) - doubts(other) || (one.hostname < other.hostname ? -1 : 1))
    .slice(0, count)
    .map(({ hostname }) => hostname)
}

/** The stages of a rollout over these devices, none of them empty; the same devices and options give the same stages. */
export const stagesOf = (selected: ReadonlyArray<string>, options: RolloutOptions): ReadonlyArray<Stage> => {
  const { batch_size, canary } = options
  const first = new Set(typeof canary === "object" ? canary : selected.slice(0, canary ?? 0))
  const canaries = selected.filter((hostname) => first.has(hostname))
  const rest = selected.filter((hostname) => !first.has(hostname))
  return [
    ...(canaries.length === 0 ? [] : [{ isCanary: true, hostnames: canaries }]),
    ...portions(rest, batch_size ?? Math.max(1, rest.length)).map((hostnames) => ({ isCanary: false, hostnames }))
  ]
}

/** `a, b and 3 more`. */
const named = (hostnames: ReadonlyArray<string>): string => {
  const shown = hostnames.slice(0, NAMED).join(", ")
  return hostnames.length > NAMED ? `${shown} and ${hostnames.length - NAMED} more` : shown
}

/** The limits that stop a rollout, apart from an abort. */
interface Limits {
  /** The rollout stops when so many devices have failed; null never. */
  readonly maxFailures: number | null
  /** One failure stops it, because the change is for all devices or for none. */
  readonly allOrNothing: boolean
}

const reached = (failures: ReadonlySet<string>, { allOrNothing, maxFailures }: Limits): string | null => {
  const names = named([...failures])
  const failed = `${failures.size === 1 ? "Device" : "Devices"} ${names} failed`
  if (maxFailures === null) return allOrNothing ? `${failed}, and confirm mode 2 changes all devices or none` : null
  return failures.size < maxFailures ? null : `${failed}, and max_failures is ${maxFailures}`
}

/** Watches a running rollout. */
export interface Guard {
  /** Why the rollout must stop; null while it continues. */
  readonly stop: () => Stop | null
  /** Records a failed device; repeated calls count once. */
  readonly failed: (hostname: string, isCanary: boolean) => Effect.Effect<void>
  readonly aborted: Effect.Effect<void>
  /** Other reasons to stop. */
  readonly halt: (message: string) => Effect.Effect<void>
  /** Yields when the rollout is to stop. */
  readonly stopped: Effect.Effect<Stop>
}

/** A guard; `before` is why the rollout was stopped already, `known` the devices that had failed before a restart. */
export const makeGuard = Effect.fnUntraced(function* (
  limits: Limits,
  before: Stop | null,
  known: ReadonlyArray<string>
): Effect.fn.Return<Guard> {
  const failures = new Set(known)
  const stopped = yield* Deferred.make<Stop>()
  let stop: Stop | null = null
  const end = (reason: Stop) =>
    Effect.suspend(() => {
      if (stop !== null) return Effect.void
      stop = reason
      return Effect.asVoid(Deferred.succeed(stopped, reason))
    })
  const halt = (message: string) => end({ aborted: false, message })
  if (before !== null) yield* end(before)
  const already = reached(failures, limits)
  if (failures.size > 0 && already !== null) yield* halt(already)
  return {
    stop: () => stop,
    failed: (hostname, isCanary) =>
      Effect.suspend(() => {
        failures.add(hostname)
        const message = isCanary ? `The canary ${hostname} failed` : reached(failures, limits)
        return message === null ? Effect.void : halt(message)
      }),
    aborted: end({ aborted: true, message: "The job was aborted" }),
    halt,
    stopped: Deferred.await(stopped)
  }
})

// Pauses and resumes rollouts (docs/jobs.md#pause). A change that runs on a switch is completed; no further one is begun. The row
// of the job records the pause, so it also holds after a restart.

/** The job cannot be held, or is not held. */
class PauseRefused extends Schema.TaggedError<PauseRefused>()("PauseRefused", { message: Schema.String }) {}

/** Why a job of this function and with these arguments cannot be held; null when it can. */
const unfitness = (name: string, start_arguments: unknown, configured: number): string | null => {
  if (name === DeviceUpgrade.name) return null
  if (name !== SyncDevices.name) return "only jobs of sync_devices and device_upgrade can be paused"
  const args = Schema.decodeUnknownOption(SyncDevices.Args)(start_arguments)
  if (Option.isNone(args)) return "its arguments cannot be read"
  return planOf(args.value, configured).scope === "job"
    ? "in confirm mode 2 all devices wait for each other while their timers run, so it can only be aborted"
    : null
}

/** Functions that pause and resume rollouts. `unfit`: why the job with this number can never be paused; null if it can while it runs. */
export const makePauses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { COMMIT_CONFIRMED_MODE } = yield* ServerConfig
  const jobs = yield* JobStore
  const { waits } = yield* JobScheduleStore

  const unfit = Effect.fn("SyncPause.unfit")(function* (id: number) {
    const { function_name, start_arguments } = yield* jobs.head(id)
    return unfitness(functionOf(function_name), start_arguments, COMMIT_CONFIRMED_MODE)
  })

  const pause = Effect.fn("SyncPause.pause")(function* (id: number, by: string, why: string | null) {
    const refused = (because: string) => new PauseRefused({ message: `Job ${id} cannot be paused: ${because}` })
    const status = yield* jobs.lockStatus(id)
    const because = yield* unfit(id)
    if (because !== null) return yield* refused(because)
    if (status !== "RUNNING") return yield* refused(`it is ${status}, and must be RUNNING`)
    if (yield* waits.isPausedNow(id)) return yield* refused("it is paused already")
    yield* waits.pause(id, by, why)
    yield* Effect.logInfo(`Job ${id}: paused by ${by}`)
  }, sql.withTransaction)

  const resume = Effect.fn("SyncPause.resume")(function* (id: number, by: string) {
    yield* jobs.lockStatus(id)
    if (!(yield* waits.isPausedNow(id))) {
      return yield* new PauseRefused({ message: `Job ${id} cannot be resumed: it is not paused` })
    }
    yield* waits.resume(id)
    yield* Effect.logInfo(`Job ${id}: resumed by ${by}`)
  }, sql.withTransaction)

  return { unfit, pause, resume }
})
