/**
 * What operators ask of one EOS switch beside changes of its configuration, as commands (contract engine.md §11 to §13,
 * device-cli.md §3.10). Each step of an operation that changes the switch first claims its row (promise 1); what a restarted
 * job finds begun is done again, because copying and erasing may be done twice.
 */
import { Effect, Option, Redacted } from "effect"
import type { Operation, OperationStore } from "../store/OperationStore.ts"
import type { DeviceFailure } from "./DeviceFailure.ts"
import * as DeviceWork from "./DeviceWork.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import { CommandRejected } from "../drivers/DriverErrors.ts"
import type { Bounce, CertificateOrder, Erased, KeyPair } from "./OperationCalls.ts"
import * as PortBounce from "./PortBounce.ts"

/** Name of the certificate and the key on the switch, as templates refer to them. */
const CERTIFICATE = "cnaasnms.crt"
const KEY = "cnaasnms.key"

const RELOAD_SECONDS = 60
const COPY_SECONDS = 60

const tolerant = { tolerateErrors: true } as const

const copied = Effect.fnUntraced(function* (session: DriverSession, hostname: string, command: string) {
  const answer = yield* session.run(command, { ...tolerant, timeout: COPY_SECONDS })
  if (answer.includes("Copy completed successfully")) return
  const message = `Unable to copy cert into certstore on device: ${hostname}: ${answer.trim()}`
  return yield* new CommandRejected({ hostname, command, message })
})

const upload = (session: DriverSession, hostname: string, name: string, text: string) =>
  session.putFile(`/mnt/flash/${name}`, Buffer.from(text)).pipe(
    Effect.catchTag("CommandRejected", ({ command, message }) =>
      Effect.fail(
        new CommandRejected({
          hostname,
          command,
          message: `Unable to copy cert file to device: ${hostname}: ${message}`
        })
      )
    )
  )

const CLEAN_ATTEMPTS = 2

/** Takes both files off the flash. A file that is not there may be refused; a key that stays is told. */
const clean = Effect.fnUntraced(function* (session: DriverSession, hostname: string) {
  for (let attempt = 1; attempt <= CLEAN_ATTEMPTS; attempt += 1) {
    for (const name of [KEY, CERTIFICATE]) yield* session.run(`delete flash:${name}`, tolerant)
    const listed = yield* session.run("dir flash:", tolerant)
    if (!listed.includes(KEY)) return
  }
  const message = `The private key stays on the flash of ${hostname} as ${KEY}: delete it there`
  return yield* new CommandRejected({ hostname, command: `delete flash:${KEY}`, message })
})

/** Who does the operation, and on which device. */
export interface Worker {
  readonly operations: OperationStore["Service"]
  readonly deviceId: number
}

/**
 * Copies key and certificate to the switch and into its stores. They do not stay on the flash, whatever happens. With
 * `claimed` in front of each step, nobody copies a key after another process has taken over and copied its own.
 */
const install = (
  session: DriverSession,
  hostname: string,
  { certificate, key }: KeyPair,
  claimed: Effect.Effect<void, DeviceWork.WorkError>
) =>
  Effect.gen(function* () {
    const steps = Effect.all([
      Effect.andThen(claimed, upload(session, hostname, KEY, Redacted.value(key))),
      Effect.andThen(claimed, upload(session, hostname, CERTIFICATE, certificate)),
      Effect.andThen(claimed, copied(session, hostname, `copy flash:${CERTIFICATE} certificate:`)),
      Effect.andThen(claimed, copied(session, hostname, `copy flash:${KEY} sslkey:`))
    ])
    const installed = yield* Effect.result(steps)
    // a connection that is gone fails here too, and may be tried again; otherwise what went wrong first is told
    yield* clean(session, hostname)
    yield* Effect.fromResult(installed)
  })

/** Gives the device its key and certificate, once per job. */
export const installCertificate = Effect.fn("OperationSteps.installCertificate")(function* (
  withSession: DeviceWork.WithSession,
  { deviceId, operations }: Worker,
  { jobId, ...pair }: CertificateOrder
) {
  let begun = false
  const work = withSession(
    Effect.fnUntraced(function* (session, hostname) {
      const row = { device_id: deviceId, job_id: jobId, kind: "certificate", phase: "copying", detail: {} } as const
      const operation = yield* operations.begin(row)
      begun = true
      if (operation.phase === "done") return
      yield* install(session, hostname, pair, DeviceWork.claim(operations, operation, "copying"))
      yield* DeviceWork.claim(operations, operation, "done")
    })
  )
  yield* DeviceWork.again(work, () => begun)
})

const wipe = Effect.fnUntraced(function* (session: DriverSession) {
  yield* session.run("write erase now")
  yield* session.run(`delete certificate:${CERTIFICATE}`, tolerant)
  yield* session.run(`delete sslkey:${KEY}`, tolerant)
})

/** Once the reload was sent, no end is a failure. */
const reload = (session: DriverSession) =>
  session
    .run("reload force", { timeout: RELOAD_SECONDS, expectDisconnect: true })
    .pipe(
      Effect.catchTags({ CommandTimeout: () => Effect.void, ConnectionException: () => Effect.void }),
      Effect.andThen(session.abandon)
    )

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
    Effect.fnUntraced(function* (session) {
      const row = { device_id: deviceId, job_id: jobId, kind: "erase", phase: "wiping", detail: {} } as const
      const operation = yield* operations.begin(row)
      begun = true
      yield* DeviceWork.claim(operations, operation, "wiping")
      yield* wipe(session)
      yield* DeviceWork.claim(operations, operation, "reloading")
      yield* reload(session)
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

/** Handlers of `operationCalls`; `discoveredAt` logs in to a device that is not managed yet. */
export const handlers = (
  worker: Worker,
  withSession: DeviceWork.WithSession,
  discoveredAt: (address: string) => DeviceWork.WithSession,
  ports: ReturnType<typeof PortBounce.make>
) => ({
  ReadInterfaces: () => withSession((session) => session.interfaces),
  ReadNeighbourDetails: () => withSession((session) => session.lldpDetail),
  BouncePorts: ({ payload }: { readonly payload: Bounce }) => ports.bounce(payload),
  FinishBounce: () => Effect.map(ports.finish, (raised) => ({ ports: raised })),
  InstallCertificate: ({
    payload
  }: {
    readonly payload: CertificateOrder & { readonly discoveredAt: string | null }
  }) => {
    const login = payload.discoveredAt === null ? withSession : discoveredAt(payload.discoveredAt)
    return installCertificate(login, worker, payload)
  },
  EraseDevice: ({ payload }: { readonly payload: { readonly jobId: number } }) =>
    erase(withSession, worker, payload.jobId)
})
