/**
 * Work on a device other than changes of its configuration: certificates (docs/security.md#certificate-authority), erasing
 * (docs/jobs.md#device_erase), learnt tables, upgrades. Each step of an operation that changes the device claims its row first
 * (promise 1). A restarted job repeats a begun step, because installing and erasing may be done twice.
 */
import { Effect, Option, Result, Schedule, Schema } from "effect"
import { MOST_SHOWN_TOGETHER, type ShownOutput } from "../domain/checks/PluginQuestion.ts"
import type { Question, Reading, StateAnswer } from "../domain/checks/Readings.ts"
import { type FirmwareVerbs, offered, readTogether } from "../drivers/Verbs.ts"
import type { LearnedTables } from "../domain/DeviceReadings.ts"
import { type Operation, OperationStore } from "../store/OperationStore.ts"
import {
  callErrorText,
  type CertificateOrder,
  DeviceEntity,
  DeviceFailure,
  type Erased,
  type ExpectedImage,
  patiently
} from "./DeviceCalls.ts"
import type { SqlError } from "effect/sql"
import type { OperationPhase } from "../domain/DeviceActivity.ts"
import type { LoginError } from "./DeviceLogin.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import type { DriverError, NotOffered, ReadError } from "../drivers/DriverErrors.ts"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import type { Device } from "../domain/Device.ts"
import { capabilitiesOf } from "../domain/platforms/Platforms.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { CertificateStore } from "../store/CertificateStore.ts"

/** The errors of work on a session. */
export type WorkError = DriverError | LoginError | DeviceFailure

/** Runs work on a new session of the device; its errors become a DeviceFailure. */
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

/** The same work with an unavailable database as its failure. */
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

/** The device of an operation, and the store of its rows. */
export interface Worker {
  readonly operations: OperationStore["Service"]
  readonly deviceId: number
}

/** Gives the device its key and certificate, once per job. */
export const installCertificate = Effect.fn("OperationSteps.installCertificate")(function* (
  withSession: WithSession,
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
      // no key is copied if another process has taken over and copied its own
      yield* certificates.install(pair, claim(operations, operation, "copying"))
      yield* claim(operations, operation, "done")
    })
  )
  yield* again(work, () => begun)
})

/**
 * Removes the startup configuration, certificate and key, and reloads. A switch that becomes unreachable after the phase
 * `reloading` was claimed has been erased; whether it has restarted is then unknown.
 */
export const erase = Effect.fn("OperationSteps.erase")(function* (
  withSession: WithSession,
  { deviceId, operations }: Worker,
  jobId: number
): Effect.fn.Return<Erased, DeviceFailure> {
  const find = stored(operations.ofJob(jobId, deviceId, "erase"))
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
      yield* claim(operations, operation, "wiping")
      yield* reset.wipe
      yield* claim(operations, operation, "reloading")
      yield* reset.reload
      yield* claim(operations, operation, "done")
    })
  )
  return yield* again(work, () => begun).pipe(
    Effect.as({ reloadSeen: true }),
    Effect.catchIf(isLost, (error) =>
      Effect.flatMap(find, (found) =>
        isAt(found, "reloading") ? Effect.succeed({ reloadSeen: false }) : Effect.fail(error)
      )
    )
  )
})

/**
 * Reads the tables of a switch. Its neighbours only separate uplinks from edge ports, which links in the database do as well, so a
 * switch without them is still read.
 */
export const readTables = Effect.fnUntraced(function* (session: DriverSession, hostname: string) {
  const macs = yield* session.macTable
  const arps = yield* session.arpTable
  const neighbours = yield* Effect.catchTag(session.lldp, ["CommandRejected", "UnexpectedAnswer"], ({ message }) =>
    Effect.as(Effect.logInfo("The switch does not report its neighbours", { device: hostname, message }), {})
  )
  const names = Object.entries(neighbours).map(([port, heard]) => [port, heard.map((one) => one.hostname)] as const)
  return { macs, arps, neighbours: Object.fromEntries(names) } satisfies LearnedTables
})

const stateAnswer = Result.match({
  onSuccess: (reading: Reading): StateAnswer => ({ reading, problem: null }),
  onFailure: ({ _tag: type, message }: ReadError | NotOffered): StateAnswer => ({
    reading: null,
    problem: { type, message }
  })
})

/** Reads the state of a device; a question that fails does not keep the others from being answered. */
export const readState = Effect.fnUntraced(function* (
  session: DriverSession,
  hostname: string,
  questions: ReadonlyArray<Question>
) {
  const results = yield* readTogether(yield* offered(session, "readings", hostname), questions)
  return results.map(stateAnswer)
})

/**
 * Gives a device read-only commands; one that is refused does not keep the others from being shown. Texts leave this place without
 * secrets, because they are for plugins.
 */
export const showAll = Effect.fnUntraced(function* (
  session: DriverSession,
  hostname: string,
  commands: ReadonlyArray<string>
) {
  const { show } = yield* offered(session, "show", hostname)
  const outputs: Array<ShownOutput> = []
  let left = MOST_SHOWN_TOGETHER
  for (const command of commands) {
    const shown = left < 0 ? null : yield* Effect.result(show(command))
    if (shown !== null && Result.isSuccess(shown)) left -= shown.success.length
    outputs.push({ command, ...(shown === null || left < 0 ? TOO_MUCH : shownText(shown)) })
  }
  return outputs
})

const TOO_MUCH = {
  text: null,
  problem: {
    type: "UnexpectedAnswer",
    message: `the commands show more than ${MOST_SHOWN_TOGETHER} characters together`
  }
}

const shownText = Result.match({
  onSuccess: (text: string) => ({ text: maskSecrets(text), problem: null }),
  onFailure: ({ _tag: type, message }: ReadError) => ({ text: null, problem: { type, message } })
})

// The steps of an upgrade (docs/jobs.md#device_upgrade). Each can be repeated: a correct image is not fetched again, and an active
// one is not activated again.

const KIB = 1024

const firmwareOf = (session: DriverSession, hostname: string) => offered(session, "firmware", hostname)

/** Reads model, version and boot image of the device, and the room for an image. */
export const preflight = Effect.fn("FirmwareSteps.preflight")(function* (
  session: DriverSession,
  hostname: string,
  { file, image }: { readonly file: string | null; readonly image: ExpectedImage | null }
) {
  const firmware = yield* firmwareOf(session, hostname)
  const { model, os_version } = yield* session.facts
  const bootImage = yield* firmware.bootImage
  const freeKib = yield* firmware.makeRoom
  if (file !== null && image !== null) {
    const room = freeKib * KIB + (yield* firmware.sizeOf(file))
    if (room < image.size) {
      const needed = Math.ceil(image.size / KIB)
      const message = `${file} needs ${needed} KiB on the flash, ${Math.floor(room / KIB)} KiB are free`
      return yield* failure("CommandRejected", message)
    }
  }
  return { freeKib, bootImage, model, os_version }
})

/** Compares the file on the device with the image: `absent` also if the device has no checksum. */
const compare = Effect.fnUntraced(function* (firmware: FirmwareVerbs, file: string, image: ExpectedImage) {
  for (const kind of ["sha512", "md5"] as const) {
    const sum = yield* firmware.checksum(kind, file)
    if (Option.isSome(sum)) return sum.value === image[kind] ? "same" : "other"
  }
  return "absent"
})

/** Makes the device fetch the image unless it has it, and compares it with the expected one. A wrong image is removed. */
export const download = Effect.fn("FirmwareSteps.download")(function* (
  session: DriverSession,
  hostname: string,
  order: {
    readonly url: string
    readonly file: string
    readonly vrf: string | null
    readonly image: ExpectedImage | null
  }
) {
  const { file, image } = order
  const firmware = yield* firmwareOf(session, hostname)
  if (image !== null && (yield* firmware.sizeOf(file)) === image.size) {
    if ((yield* compare(firmware, file, image)) === "same") return
  }
  yield* firmware.fetch(order)
  if (image === null || (yield* compare(firmware, file, image)) === "same") return
  yield* firmware.remove(file)
  return yield* failure("UnexpectedAnswer", `Checksum mismatch of ${file} on the switch, file corrupt`)
})

/** Makes the image the one that boots next. */
export const activate = Effect.fn("FirmwareSteps.activate")(function* (
  session: DriverSession,
  hostname: string,
  file: string
) {
  const firmware = yield* firmwareOf(session, hostname)
  const alreadyActive = (yield* firmware.bootImage) === file
  if (!alreadyActive) yield* firmware.activate(file)
  return { alreadyActive }
})

/** Saves and reloads. Once the reload was sent, a connection that ends in any way is no failure. */
export const reboot = Effect.fn("FirmwareSteps.reboot")(function* (session: DriverSession, hostname: string) {
  const firmware = yield* firmwareOf(session, hostname)
  yield* session.save
  yield* firmware.reload
})

// Issues a certificate for a device and installs it there, for the renewal job and for the initialisation
// (docs/security.md#certificate-authority).

/** The device that gets a certificate; `discoveredAt`: its address while it is initialised, null for a managed device. */
export interface Holder {
  /** The job that gives it; a job gives a device one certificate, however often it is resumed. */
  readonly jobId: number
  readonly deviceId: number
  readonly hostname: string
  readonly address: string
  readonly discoveredAt: string | null
}

/** Why no certificate was installed, as the text of a failed task. `step` is the failed one. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", {
  step: Schema.Literals(["generate", "copy"]),
  text: Schema.String
}) {}

const HALF =
  "The copy had begun: the switch may hold the new certificate without its key, or the files of both on its flash. Renew it again.\n"

/** Issues and installs a certificate, once for a job and a device. */
export const giveCertificate = Effect.fn("DeviceCertificates.install")(function* (holder: Holder) {
  const operations = yield* OperationStore
  const certificates = yield* CertificateStore
  const authority = yield* CertificateAuthority
  const actorOf = yield* DeviceEntity.client

  const { address, deviceId, discoveredAt, hostname, jobId } = holder
  const find = operations.ofJob(jobId, deviceId, "certificate")
  if (Option.exists(yield* find, ({ phase }) => phase === "done")) return
  const issued = yield* Effect.mapError(authority.issue(hostname, address), ({ message }) => {
    const text = `CertificateError: Could not generate certificate for device ${hostname}: ${message}\n`
    return new NotInstalled({ step: "generate", text })
  })
  const { certificate, key, ...facts } = issued
  yield* certificates.record({ ...facts, jobId, deviceId, hostname, address })
  yield* patiently(actorOf(String(deviceId)).InstallCertificate({ certificate, key, discoveredAt, jobId })).pipe(
    Effect.catch((error) =>
      Effect.flatMap(find, (begun) => {
        const doubt = Option.isSome(begun) ? HALF : ""
        return Effect.fail(new NotInstalled({ step: "copy", text: `${doubt}${callErrorText(error)}` }))
      })
    )
  )
})

/** Why a device cannot be given a certificate, as a sentence; null when it can. */
export const certificateObstacle = Effect.fnUntraced(function* (device: Pick<Device, "hostname" | "platform">) {
  const { FRR_CERTIFICATE_DIRECTORY } = yield* ServerConfig

  const kind = capabilitiesOf(device)?.certificates ?? false
  if (kind === false) return `Unsupported device platform "${device.platform}" for device: ${device.hostname}`
  return kind === "files" && Option.isNone(FRR_CERTIFICATE_DIRECTORY)
    ? `Device ${device.hostname} keeps certificates as files, and FRR_CERTIFICATE_DIRECTORY names no directory for them`
    : null
})
