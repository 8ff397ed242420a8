/**
 * The second half of step 1, the same for access and fabric devices: renders the base configuration, pushes it, and decides by the
 * address on which the switch answers whether it moved (docs/provisioning.md#moving-to-the-new-address). If the switch did not
 * move, it and all rows are unchanged.
 */
import { Effect, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import { ManagementAccess } from "../../devices/ManagementAccess.ts"
import {
  type DeviceResult,
  deviceResult,
  type JobFailure,
  type JobTask,
  subtaskFailed,
  taskFailed,
  taskOk
} from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import { can, platformOf } from "../../domain/platforms/Platforms.ts"
import { renderError } from "../../drivers/DriverErrors.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DerivedSecretStore, SecretTexts } from "../../store/SecretStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { CandidateConfigs } from "../../templates/CandidateConfigs.ts"
import {
  aborted,
  beginStep,
  checkpoint,
  finishProgress,
  type InitJob,
  isAbort,
  keepProgress,
  MAIN,
  say
} from "./Progress.ts"
import type { JobEngine } from "../engine/JobEngine.ts"
import type { JobWindows } from "../requests/JobWindows.ts"
import { notAccepted, UNSIGNED } from "../requests/SignedCommits.ts"
import { inTransaction, refusedAsFailure } from "../engine/JobHandler.ts"
import { type BasePushed, DeviceEntity, isAway, patiently } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { IdentityStore } from "../../store/IdentityStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { certificateObstacle, giveCertificate } from "../../devices/Operations.ts"
import { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import { FACTS_TASK } from "../../domain/DeviceReadings.ts"
import { restoreRows } from "./Rows.ts"
import { passGate } from "../../drivers/LoadChecks.ts"
import { originOf } from "../../templates/Provenance.ts"

// The task list of init step 1, with the names and meanings that clients use for their messages (docs/provisioning.md#access-step-1
// and docs/provisioning.md#entries-of-the-result).

const CERTIFICATE = "ztp_device_cert"
const RENDER = "Generate initial device config"
const PUSH = "Push base management config"

/** The certificate entry of a server that has no certificate authority. */
const noCertificate = (hostname: string): JobTask =>
  taskOk(CERTIFICATE, `No certificate was installed for ${hostname}: this server has no certificate authority`)

/** The result of the certificate step; `failed` only where the initialisation needs a certificate. */
const certificateTask = (text: string, failed: boolean): JobTask =>
  failed ? taskFailed(CERTIFICATE, text) : taskOk(CERTIFICATE, text)

/** The switch has no certificate and this server insists on one; nothing else was sent. */
const notCertified = (certificate: JobTask): DeviceResult =>
  deviceResult([taskFailed(MAIN, subtaskFailed(CERTIFICATE)), certificate])

/** Nothing may be sent: `text` is the reason with its type. */
const notAllowed = (text: string): DeviceResult =>
  deviceResult([taskFailed(MAIN, `Everything that was written was taken back.\n${text}\n`)])

/** The switch moved. Clients read success from entries whose result is exactly the empty text. */
const moved = (certificate: JobTask, config: string): DeviceResult =>
  deviceResult([taskOk(MAIN, ""), certificate, taskOk(RENDER, config), taskOk(PUSH, ""), taskOk(FACTS_TASK, "")])

/** The base configuration could not be rendered; nothing was sent. */
const notRendered = (certificate: JobTask, text: string): DeviceResult =>
  deviceResult([taskFailed(MAIN, subtaskFailed(RENDER)), certificate, taskFailed(RENDER, text)])

/** The base configuration holds lines that are not configuration; nothing was sent. `text` ends in `Type: message` and a newline. */
const notPushed = (certificate: JobTask, config: string, text: string): DeviceResult =>
  deviceResult([
    taskFailed(MAIN, subtaskFailed(PUSH)),
    certificate,
    taskOk(RENDER, config),
    taskFailed(PUSH, text),
    taskOk(FACTS_TASK, { facts: null })
  ])

/** The switch answers on its old address only, so everything was taken back. */
const notMoved = (certificate: JobTask, config: string, hostname: string, pushed: BasePushed): DeviceResult => {
  const rejected = pushed.failure?.trimEnd() ?? ""
  const message = `InitError: Device ${hostname} did not commit new base management config`
  const text = rejected === "" ? `${message}\n` : `${rejected}\n${message}: ${rejected.split("\n").at(-1)}\n`
  return notPushed(certificate, config, text)
}

// The certificate of a switch that is being initialised: issued for its new name and address, and installed while it still answers
// on the old address (docs/provisioning.md#access-step-1). A server without an authority installs none; only with VERIFY_TLS_DEVICE
// the initialisation then fails.

/** Yields the task entry; a failed one ends the initialisation. */
const installCertificate = Effect.fn("InitCertificate.install")(function* (
  jobId: number,
  device: Device,
  decided: InitDecision
) {
  const { VERIFY_TLS_DEVICE } = yield* ServerConfig
  const authority = yield* CertificateAuthority

  const { newHostname: hostname, oldAddress, primary } = decided
  // the switch may have moved already, and got its certificate before the move
  if (decided.stage === "pushing") {
    return certificateTask(`The certificate of ${hostname} was seen to before the server restarted`, false)
  }
  if (!can(device, "certificates")) {
    const text = `Install device certificate not supported on platform: ${device.platform}`
    return certificateTask(text, false)
  }
  const obstacle = yield* certificateObstacle({ ...device, hostname })
  if (obstacle !== null) return certificateTask(obstacle, false)
  if (!(yield* authority.exists)) {
    const none = noCertificate(hostname)
    return VERIFY_TLS_DEVICE ? { ...none, failed: true } : none
  }
  const holder = { jobId, deviceId: device.id, hostname, address: primary.ip, discoveredAt: oldAddress }
  return yield* giveCertificate(holder).pipe(
    Effect.as(certificateTask(`Device certificate installed for ${hostname}`, false)),
    Effect.catchTag("NotInstalled", ({ text }) => Effect.succeed(certificateTask(text, VERIFY_TLS_DEVICE)))
  )
})

// The two ends of step 1, each in one transaction with its record (docs/provisioning.md#moving-to-the-new-address): the switch has
// moved and becomes INIT, or everything is restored.

/** The steps that follow the move. */
interface AfterMove {
  readonly step2DelaySeconds: number
  /** Starts other jobs, in the transaction in which the device becomes INIT. */
  readonly afterwards: Effect.Effect<void, JobFailure | SqlError.SqlError, JobEngine | JobWindows>
}

const endStep1 = Effect.fnUntraced(function* (
  job: InitJob,
  hostname: string,
  result: DeviceResult,
  { lost }: InitDecision
) {
  const jobs = yield* JobStore

  const replacement = lost.interfaces.length + lost.links.length === 0 ? {} : { replacement: { lost } }
  yield* (yield* job.aborting) ? keepProgress(job) : finishProgress(job, replacement)
  const done = !result.failed
  yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: done, changed: done, score: null })
})

/** Everything is restored. */
const takeBack = Effect.fn("InitEnd.takeBack")(function* (job: InitJob, decided: InitDecision, result: DeviceResult) {
  yield* restoreRows(job, decided)
  yield* job.memo.write({ ...decided, stage: "done" })
  yield* endStep1(job, decided.previousHostname, result, decided)
}, inTransaction)

/** The device is INIT, and step 2 follows. */
const moveOn = Effect.fn("InitEnd.moveOn")(function* (
  job: InitJob,
  decided: InitDecision,
  { newAddressAnswers, oldAddressAnswers }: BasePushed,
  result: DeviceResult,
  after: AfterMove
) {
  const states = yield* DeviceStates
  const { hostKeys } = yield* IdentityStore
  const certificates = yield* CertificateStore

  const { device_type, infraIp, primary, secondary } = decided
  const event = {
    type: "INIT_STEP1_PUSHED",
    newAddressAnswers,
    oldAddressAnswers,
    previousHostname: decided.previousHostname,
    device_type,
    management_ip: primary.ip,
    secondary_management_ip: secondary?.ip ?? null,
    infra_ip: infraIp,
    ipv4_network: primary.network,
    step2DelaySeconds: after.step2DelaySeconds
  } as const
  yield* states.apply(decided.deviceId, event, { by: job.user, jobId: job.id })
  yield* hostKeys.provisioned(decided.deviceId)
  // the switch that was replaced still has their keys
  if (decided.before.replaced !== null) yield* certificates.revokeOfDevice(decided.deviceId, "superseded", job.id)
  if (yield* job.aborting) {
    const message = `The job was aborted when ${decided.newHostname} had moved: step 2 follows, and nothing else is begun`
    yield* say(job, "aborted", message)
  } else yield* after.afterwards
  yield* job.memo.write({ ...decided, stage: "done" })
  yield* endStep1(job, decided.newHostname, result, decided)
}, inTransaction)

// Moves a switch to its new address, and finds out where it answers (docs/provisioning.md#moving-to-the-new-address). If a switch
// may have got the configuration before a restart, it is looked for first.

/** Seconds for which a switch that may have got the configuration already is looked for, before it is sent again. */
const FIRST_LOOK = 3

/** Pushes this base configuration. Yields where the switch answers afterwards. */
const pushBase = Effect.fn("InitPush.push")(function* (
  job: InitJob,
  device: Device,
  decided: InitDecision,
  text: string
) {
  const config = yield* ServerConfig
  const actorOf = yield* DeviceEntity.client

  const send = (seconds: number, lookOnly: boolean) =>
    actorOf(String(device.id)).PushBase({
      sessionName: Candidate.ofJob(job.id),
      jobId: job.id,
      config: text,
      newHostname: decided.newHostname,
      oldAddress: decided.oldAddress,
      newAddress: decided.primary.ip,
      seconds,
      lookOnly
    })
  const look = (seconds: number) => patiently(send(seconds, true))
  if (decided.stage === "pushing") {
    yield* say(job, "look", `Looking where ${decided.newHostname} answers after the restart of the server`)
    const seen = yield* look(FIRST_LOOK)
    if (seen.newAddressAnswers) return seen
    if (!seen.oldAddressAnswers) return yield* look(config.INIT_MGMT_TIMEOUT)
    // the restart may have come with signatures required
    const unsigned = yield* notAccepted
    if (Option.isSome(unsigned)) return { ...seen, failure: `${UNSIGNED}: ${unsigned.value}\n` }
  }
  const { newHostname, oldAddress, primary } = decided
  yield* beginStep(job, "push", `Moving ${newHostname} from ${oldAddress} to ${primary.ip}`)
  yield* job.memo.write({ ...decided, stage: "pushing" })
  // an actor that was lost on the way may have pushed: look where the switch answers
  return yield* Effect.catchIf(send(config.INIT_MGMT_TIMEOUT, false), isAway, () => look(config.INIT_MGMT_TIMEOUT))
})

const carryOut = Effect.fnUntraced(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
  const devices = yield* DeviceStore
  const configs = yield* CandidateConfigs
  const access = yield* ManagementAccess
  const derivedSecrets = yield* DerivedSecretStore
  const texts = yield* SecretTexts
  const plugins = yield* PluginActions

  const device = yield* devices.get(decided.deviceId)
  if (decided.stage === "prepared") {
    // after the push the switch would answer only on an address that must not get the login
    const allowed = yield* Effect.result(access.check(decided.newHostname, decided.primary.ip, "INIT"))
    if (Result.isFailure(allowed)) {
      if (allowed.failure._tag === "SqlError") return yield* allowed.failure
      return yield* takeBack(job, decided, notAllowed(`AddressOutside: ${allowed.failure.message}`))
    }
    const unsigned = yield* notAccepted
    if (Option.isSome(unsigned)) return yield* takeBack(job, decided, notAllowed(`${UNSIGNED}: ${unsigned.value}`))
    yield* checkpoint(job, `Installing the certificate of ${decided.newHostname}`)
  }
  const certificate = yield* installCertificate(job.id, device, decided)
  if (certificate.failed) return yield* takeBack(job, decided, notCertified(certificate))
  // a switch that may have moved already is looked for first, even after an abort
  const step = decided.stage === "prepared" ? beginStep : say
  yield* step(job, "render", `Rendering the base configuration of ${decided.newHostname}`)
  const rendered = yield* configs.renderInit(device, {
    hostname: decided.newHostname,
    device_type: decided.device_type,
    addresses: decided.variables
  })
  if (Result.isFailure(rendered)) {
    const { message, type } = rendered.failure
    return yield* takeBack(job, decided, notRendered(certificate, `${type}: ${message}\n`))
  }
  const { text } = rendered.success
  const derived = yield* rendered.success.secrets
  yield* derivedSecrets.note(device.id, derived)
  // the device may have another name when its record is written
  const shown = texts.hide(text, derived)
  const platform = platformOf(device.platform)
  if (decided.stage === "prepared" && platform !== undefined) {
    const from = (line: string) => originOf(rendered.success, platform.name, line)
    const candidate = { hostname: decided.newHostname, platform, text, mode: "replace", originOf: from } as const
    const passed = yield* Effect.result(passGate(candidate))
    if (Result.isFailure(passed)) {
      return yield* takeBack(job, decided, notPushed(certificate, shown, renderError(passed.failure)))
    }
  }
  const pushed = yield* pushBase(job, device, decided, text)
  if (pushed.aborted) yield* checkpoint(job, `Committing the base configuration on ${decided.newHostname}`)
  if (pushed.oldAddressAnswers && !pushed.newAddressAnswers) {
    return yield* takeBack(job, decided, notMoved(certificate, shown, decided.newHostname, pushed))
  }
  yield* moveOn(job, decided, pushed, moved(certificate, shown), after)
  yield* plugins.runPatiently
})

/**
 * Completes a prepared initialisation: the device is INIT or everything is restored. After an abort no step begins any more; a
 * switch that has got its configuration continues to step 2.
 */
export const moveSwitch = Effect.fn("InitMove.run")(function* (job: InitJob, decided: InitDecision, after: AfterMove) {
  yield* carryOut(job, decided, after).pipe(
    Effect.catchIf(isAbort, ({ message }) => takeBack(job, decided, aborted(message, true)))
  )
}, refusedAsFailure)
