/**
 * The task list of init step 1 under the names and with the meanings that clients derive their messages from
 * (docs/provisioning.md#access-step-1 and docs/provisioning.md#entries-of-the-result).
 */
import type { BasePushed } from "../../devices/DeviceCalls.ts"
import { FACTS_TASK } from "../../domain/DeviceReadings.ts"
import { type DeviceResult, deviceResult, type JobTask, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"

const MAIN = "push_base_management"
const CERTIFICATE = "ztp_device_cert"
const RENDER = "Generate initial device config"
const PUSH = "Push base management config"

/** The certificate entry of a server that has no certificate authority. */
export const noCertificate = (hostname: string): JobTask =>
  taskOk(CERTIFICATE, `No certificate was installed for ${hostname}: this server has no certificate authority`)

/** What became of the certificate; `failed` only where the initialisation needs one. */
export const certificateTask = (text: string, failed: boolean): JobTask =>
  failed ? taskFailed(CERTIFICATE, text) : taskOk(CERTIFICATE, text)

/** The switch has no certificate and this server insists on one; nothing else was sent. */
export const notCertified = (certificate: JobTask): DeviceResult =>
  deviceResult([taskFailed(MAIN, subtaskFailed(CERTIFICATE)), certificate])

/** The job was aborted before the switch was told to move; `message` says before which step. `isUndone`: rows were written. */
export const aborted = (message: string, isUndone: boolean): DeviceResult => {
  const state = isUndone
    ? "Everything that was written was taken back, and the device runs what it ran before."
    : "Nothing was written, and the device runs what it ran before."
  return deviceResult([taskFailed(MAIN, `${state}\nJobAborted: ${message}\n`)])
}

/** The address that the switch was to get must not get the fleet's login; nothing was sent. */
export const notAllowed = (message: string): DeviceResult =>
  deviceResult([taskFailed(MAIN, `Everything that was written was taken back.\nAddressOutside: ${message}\n`)])

/** The switch moved. Clients read success from entries whose result is exactly the empty text. */
export const moved = (certificate: JobTask, config: string): DeviceResult =>
  deviceResult([taskOk(MAIN, ""), certificate, taskOk(RENDER, config), taskOk(PUSH, ""), taskOk(FACTS_TASK, "")])

/** The base configuration could not be rendered; nothing was sent. */
export const notRendered = (certificate: JobTask, text: string): DeviceResult =>
  deviceResult([taskFailed(MAIN, subtaskFailed(RENDER)), certificate, taskFailed(RENDER, text)])

/** The base configuration holds what is no configuration; none of it was sent. `text` ends in `Type: message` and a newline. */
export const notPushed = (certificate: JobTask, config: string, text: string): DeviceResult =>
  deviceResult([
    taskFailed(MAIN, subtaskFailed(PUSH)),
    certificate,
    taskOk(RENDER, config),
    taskFailed(PUSH, text),
    taskOk(FACTS_TASK, { facts: null })
  ])

/** The switch answers on its old address only, so everything was taken back. */
export const notMoved = (certificate: JobTask, config: string, hostname: string, pushed: BasePushed): DeviceResult => {
  const rejected = pushed.failure?.trimEnd() ?? ""
  const message = `InitError: Device ${hostname} did not commit new base management config`
  const text = rejected === "" ? `${message}\n` : `${rejected}\n${message}: ${rejected.split("\n").at(-1)}\n`
  return notPushed(certificate, config, text)
}
