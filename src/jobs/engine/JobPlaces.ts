/**
 * How many jobs run at once, by the kind of their work: what waits for somebody else (a slow image server, a switch that does
 * not answer yet) takes no place from jobs that configure switches.
 */
import { Effect, Schema, Semaphore } from "effect"
import { functionOf, type JobFunction, jobFunctions } from "../../domain/Job.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"

/** Kinds of work, each with the setting that says how many of its jobs run at once. */
const SETTINGS = {
  devices: "JOB_CONCURRENCY",
  firmware: "FIRMWARE_JOB_CONCURRENCY",
  discovery: "DISCOVERY_JOB_CONCURRENCY"
} as const satisfies Record<string, keyof ServerSettings>
export type KindOfWork = keyof typeof SETTINGS

/** The kind of each job function; null for one that needs no place. */
export const kindOfWork: Readonly<Record<JobFunction, KindOfWork | null>> = {
  sync_devices: "devices",
  // works in the place of the job that waits for it: timers run on the switches, so it must not queue
  confirm_devices: null,
  apply_config: "devices",
  init_access_device_step1: "devices",
  init_fabric_device_step1: "devices",
  init_device_step2: "devices",
  update_facts: "devices",
  update_interfacedb: "devices",
  renew_cert: "devices",
  device_erase: "devices",
  device_upgrade: "devices",
  device_drift: "devices",
  revert_job: "devices",
  discover_device: "discovery",
  get_firmware: "firmware",
  get_firmware_chksum: "firmware",
  remove_file: "firmware",
  // refreshes of a repository take turns, and those that wait share the next one (`RefreshTurns.ts`)
  refresh_repo: null
}

const isFunction = Schema.is(Schema.Literals(jobFunctions))

const kindOf = (name: string): KindOfWork | null => (isFunction(name) ? kindOfWork[name] : "devices")

/** Yields what does a job's work in a place of its kind, waiting for one as long as it takes. */
export const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const config = yield* ServerConfig
  const places = {
    devices: Semaphore.makeUnsafe(config[SETTINGS.devices]),
    firmware: Semaphore.makeUnsafe(config[SETTINGS.firmware]),
    discovery: Semaphore.makeUnsafe(config[SETTINGS.discovery])
  } satisfies Record<KindOfWork, Semaphore.Semaphore>

  return Effect.fnUntraced(function* <A, E, R>(jobId: number, work: Effect.Effect<A, E, R>) {
    const kind = yield* Effect.match(jobs.head(jobId), {
      onSuccess: ({ function_name }) => kindOf(functionOf(function_name)),
      onFailure: () => "devices" as const
    })
    return yield* kind === null ? work : places[kind].withPermits(1)(work)
  })
})
