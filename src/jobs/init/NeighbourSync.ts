/**
 * Whether the neighbours of a new switch may be relied upon: managed, synchronized and not changed by hand
 * (docs/provisioning.md#neighbour-checks and docs/changes.md#hash-check). A neighbour whose running configuration is not the
 * stored one is marked unsynchronized.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { checkNeighbourStates } from "../../provisioning/NeighbourChecks.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { ProvedConfigStore } from "../../store/ConfigStore.ts"

const altered = (hostnames: ReadonlyArray<string>) =>
  new JobFailure({
    type: "Exception",
    message: `Configuration hash check failed for ${hostnames.join(" ")}`
  })

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const proved = yield* ProvedConfigStore
  const actorOf = yield* DeviceEntity.client

  /** A neighbour that cannot be asked stops the job, but nothing is known against its configuration. */
  const isAltered = Effect.fnUntraced(function* (device: Device) {
    if (device.confhash === null) return false
    const running = yield* patiently(actorOf(String(device.id)).ReadRunningConfig({ login: {} })).pipe(
      Effect.tapError((error) => Effect.logWarning(`${device.hostname} cannot be checked: ${error.message}`)),
      Effect.mapError(() => altered([device.hostname]))
    )
    return !(yield* proved.isRun(device, device.confhash, running))
  })

  const check = Effect.fn("NeighbourSync.check")(function* (
    hostnames: ReadonlyArray<string>,
    forType: "ACCESS" | "CORE" | "DIST",
    jobId: number
  ) {
    const rows = yield* devices.byHostnames(hostnames)
    const byName = new Map(rows.map((row) => [row.hostname, row]))
    const states = yield* Effect.fromResult(checkNeighbourStates(hostnames, byName, forType)).pipe(
      Effect.mapError((error) => new JobFailure({ type: error._tag, message: error.message }))
    )
    for (const warning of states.warnings) yield* Effect.logWarning(warning.message)
    const others = yield* Effect.filter(rows, isAltered, { concurrency: 4 })
    if (others.length === 0) return
    const names = others.map((row) => row.hostname)
    yield* events.unsynchronize(others, { cause: "confighash", by: "unknown", job_id: jobId })
    return yield* altered(names)
  })

  const findAltered = Effect.fn("NeighbourSync.findAltered")(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* devices.byHostnames([...new Set(hostnames)])
    const found = yield* Effect.filter(rows, (row) => Effect.orElseSucceed(isAltered(row), () => true), {
      concurrency: 4
    })
    return found.length === 0 ? [] : [altered(found.map(({ hostname }) => hostname))]
  })

  return NeighbourSync.of({ check, findAltered })
})

/** Checks neighbours before a switch is put between them. */
export class NeighbourSync extends Context.Service<
  NeighbourSync,
  {
    readonly check: (
      hostnames: ReadonlyArray<string>,
      forType: "ACCESS" | "CORE" | "DIST",
      jobId: number
    ) => Effect.Effect<void, JobFailure | SqlError.SqlError>
    /** What speaks against the configurations of these neighbours, one that cannot be read included; writes nothing. */
    readonly findAltered: (
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<JobFailure>, SqlError.SqlError>
  }
>()("switchyard/jobs/NeighbourSync") {
  static readonly layer = Layer.effect(NeighbourSync, make)
}
