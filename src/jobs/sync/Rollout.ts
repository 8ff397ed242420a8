/**
 * How a change is rolled out over many devices: in which order and in what portions, and when it is stopped. Canaries go
 * first and none of them may fail; after that the rollout stops when the limit of failed devices is reached, or when somebody
 * aborts the job. Goes beyond the reference, which knows neither.
 */
import { Deferred, Effect } from "effect"
import type { Stop } from "../../domain/jobs/ChangeJobs.ts"

/** Devices that are worked on together; the next stage begins when all of them have ended. */
export interface Stage {
  readonly isCanary: boolean
  readonly hostnames: ReadonlyArray<string>
}

/** The part of a job's arguments that says how to roll out. */
export interface RolloutOptions {
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

/** What stops a rollout beside an abort. */
export interface Limits {
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
  /** Why the rollout is to stop; null while it goes on. */
  readonly stop: () => Stop | null
  /** A device has failed, said once or several times. */
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
