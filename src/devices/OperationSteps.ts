/**
 * What operators ask of one device beside changes of its configuration (docs/api.md#bouncing-ports,
 * docs/security.md#certificate-authority and docs/jobs.md#device_erase). Each step of an operation that changes the device
 * first claims its row (promise 1); what a restarted job finds begun is done again, because installing and erasing may be done
 * twice.
 */
import { Effect, Option } from "effect"
import { offered } from "../drivers/Verbs.ts"
import type { LearnedTables } from "../domain/DeviceReadings.ts"
import type { Operation, OperationStore } from "../store/OperationStore.ts"
import type { DeviceFailure } from "./DeviceFailure.ts"
import * as DeviceWork from "./DeviceWork.ts"
import type { Bounce, CertificateOrder, Erased } from "./OperationCalls.ts"
import type * as PortBounce from "./PortBounce.ts"

/** Who does the operation, and on which device. */
export interface Worker {
  readonly operations: OperationStore["Service"]
  readonly deviceId: number
}

/** Gives the device its key and certificate, once per job. */
export const installCertificate = Effect.fn("OperationSteps.installCertificate")(function* (
  withSession: DeviceWork.WithSession,
  { deviceId, operations }: Worker,
  { jobId, ...pair }: CertificateOrder
) {
  let begun = false
  const work = withSession(
    Effect.fnUntraced(function* (session, hostname) {
      const certificates = yield* offered(session, "certificates", hostname)
      const row = { device_id: deviceId, job_id: jobId, kind: "certificate", phase: "copying", detail: {} } as const
      const operation = yield* operations.begin(row)
      begun = true
      if (operation.phase === "done") return
      // nobody copies a key after another process has taken over and copied its own
      yield* certificates.install(pair, DeviceWork.claim(operations, operation, "copying"))
      yield* DeviceWork.claim(operations, operation, "done")
    })
  )
  yield* DeviceWork.again(work, () => begun)
})

/**
 * Removes the startup configuration, certificate and key, and reloads. A switch that is not to be reached any more after it
 * was about to be told to reload has been erased; whether it has restarted is then not known.
 */
export const erase = Effect.fn("OperationSteps.erase")(function* (
  withSession: DeviceWork.WithSession,
  { deviceId, operations }: Worker,
  jobId: number
): Effect.fn.Return<Erased, DeviceFailure> {
  const find = DeviceWork.stored(operations.ofJob(jobId, deviceId, "erase"))
  const before = yield* find
  const isAt = (found: Option.Option<Operation>, phase: Operation["phase"]) =>
    Option.exists(found, (operation) => operation.phase === phase)
  if (isAt(before, "done")) return { reloadSeen: true }
  let begun = Option.isSome(before)
  const work = withSession(
    Effect.fnUntraced(function* (session, hostname) {
      const reset = yield* offered(session, "reset", hostname)
      const row = { device_id: deviceId, job_id: jobId, kind: "erase", phase: "wiping", detail: {} } as const
      const operation = yield* operations.begin(row)
      begun = true
      yield* DeviceWork.claim(operations, operation, "wiping")
      yield* reset.wipe
      yield* DeviceWork.claim(operations, operation, "reloading")
      yield* reset.reload
      yield* DeviceWork.claim(operations, operation, "done")
    })
  )
  return yield* DeviceWork.again(work, () => begun).pipe(
    Effect.as({ reloadSeen: true }),
    Effect.catchIf(DeviceWork.isLost, (error) =>
      Effect.flatMap(find, (found) =>
        isAt(found, "reloading") ? Effect.succeed({ reloadSeen: false }) : Effect.fail(error)
      )
    )
  )
})

/**
 * Reads what a switch has learnt. Who its neighbours are only tells uplinks from edge ports, which links in the database do as well: so
 * a switch that does not say it is read all the same.
 */
export const readTables = (withSession: DeviceWork.WithSession) =>
  withSession(
    Effect.fnUntraced(function* (session, hostname) {
      const macs = yield* session.macTable
      const arps = yield* session.arpTable
      const neighbours = yield* Effect.catchTag(session.lldp, ["CommandRejected", "UnexpectedAnswer"], ({ message }) =>
        Effect.as(Effect.logInfo("The switch does not tell its neighbours", { device: hostname, message }), {})
      )
      const names = Object.entries(neighbours).map(([port, heard]) => [port, heard.map((one) => one.hostname)] as const)
      return { macs, arps, neighbours: Object.fromEntries(names) } satisfies LearnedTables
    })
  )

/** How to log in for an operation; `discoveredAt` to a device that is not managed yet. */
export interface Sessions {
  readonly reading: DeviceWork.WithSession
  readonly changing: DeviceWork.WithSession
  readonly discoveredAt: (address: string) => DeviceWork.WithSession
}

/** Handlers of `operationCalls`. */
export const handlers = (
  worker: Worker,
  { changing, discoveredAt, reading }: Sessions,
  ports: ReturnType<typeof PortBounce.make>
) => ({
  ReadInterfaces: () => reading((session) => session.interfaces),
  ReadOptics: () => reading((session) => session.optics),
  ReadNeighbourDetails: () => reading((session) => session.lldpDetail),
  ReadTables: () => readTables(reading),
  BouncePorts: ({ payload }: { readonly payload: Bounce }) => ports.bounce(payload),
  FinishBounce: () => Effect.map(ports.finish, (raised) => ({ ports: raised })),
  InstallCertificate: ({
    payload
  }: {
    readonly payload: CertificateOrder & { readonly discoveredAt: string | null }
  }) => {
    const login = payload.discoveredAt === null ? changing : discoveredAt(payload.discoveredAt)
    return installCertificate(login, worker, payload)
  },
  EraseDevice: ({ payload }: { readonly payload: { readonly jobId: number } }) => erase(changing, worker, payload.jobId)
})
