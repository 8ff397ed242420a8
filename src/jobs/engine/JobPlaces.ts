/**
 * How many jobs run at once, by the kind of their work: what waits for somebody else (a slow image server, a switch that does
 * not answer yet) takes no place from jobs that configure switches.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { KindOfWork } from "../../domain/jobs/JobDefinition.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"

/** Kinds of work, each with the setting that says how many of its jobs run at once. */
const SETTINGS = {
  devices: "JOB_CONCURRENCY",
  firmware: "FIRMWARE_JOB_CONCURRENCY",
  discovery: "DISCOVERY_JOB_CONCURRENCY"
} as const satisfies Record<KindOfWork, keyof ServerSettings>

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const places = {
    devices: Semaphore.makeUnsafe(config[SETTINGS.devices]),
    firmware: Semaphore.makeUnsafe(config[SETTINGS.firmware]),
    discovery: Semaphore.makeUnsafe(config[SETTINGS.discovery])
  } satisfies Record<KindOfWork, Semaphore.Semaphore>
  return JobPlaces.of({ within: (kind, work) => (kind === null ? work : places[kind].withPermits(1)(work)) })
})

/** The places of this process. */
export class JobPlaces extends Context.Service<
  JobPlaces,
  {
    /** Does a job's work in a place of its kind, waiting for one as long as it takes; null needs none. */
    readonly within: <A, E, R>(kind: KindOfWork | null, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("switchyard/jobs/JobPlaces") {
  static readonly layer = Layer.effect(JobPlaces, make)
}
