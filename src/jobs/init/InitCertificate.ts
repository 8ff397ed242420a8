/**
 * The certificate of a switch that is being initialised: made for the name and the address that it will have, and installed
 * while it still answers on the old one (docs/provisioning.md#access-step-1). A server without an authority installs none; only
 * with VERIFY_TLS_DEVICE the initialisation fails for want of a certificate.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { JobTask } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import { can } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceCertificates } from "../upkeep/DeviceCertificates.ts"
import * as InitTasks from "./InitTasks.ts"

const make = Effect.gen(function* () {
  const { VERIFY_TLS_DEVICE } = yield* ServerConfig
  const certificates = yield* DeviceCertificates

  const install = Effect.fn("InitCertificate.install")(function* (
    jobId: number,
    device: Device,
    decided: InitDecision
  ): Effect.fn.Return<JobTask, SqlError.SqlError> {
    const { newHostname: hostname, oldAddress, primary } = decided
    // the switch may have moved already, and with the move it had its certificate
    if (decided.stage === "pushing") {
      return InitTasks.certificateTask(`The certificate of ${hostname} was seen to before the server restarted`, false)
    }
    if (!can(device, "certificates")) {
      const text = `Install device certificate not supported on platform: ${device.platform}`
      return InitTasks.certificateTask(text, false)
    }
    const obstacle = certificates.obstacle({ ...device, hostname })
    if (obstacle !== null) return InitTasks.certificateTask(obstacle, false)
    if (!(yield* certificates.exists)) {
      const none = InitTasks.noCertificate(hostname)
      return VERIFY_TLS_DEVICE ? { ...none, failed: true } : none
    }
    const holder = { jobId, deviceId: device.id, hostname, address: primary.ip, discoveredAt: oldAddress }
    return yield* certificates.install(holder).pipe(
      Effect.as(InitTasks.certificateTask(`Device certificate installed for ${hostname}`, false)),
      Effect.catchTag("NotInstalled", ({ text }) => Effect.succeed(InitTasks.certificateTask(text, VERIFY_TLS_DEVICE)))
    )
  })

  return InitCertificate.of({ install })
})

/** Certificates of switches that are being initialised. */
export class InitCertificate extends Context.Service<
  InitCertificate,
  {
    /** Yields the task entry; a failed one ends the initialisation. */
    readonly install: (
      jobId: number,
      device: Device,
      decided: InitDecision
    ) => Effect.Effect<JobTask, SqlError.SqlError>
  }
>()("switchyard/jobs/InitCertificate") {
  static readonly layer = Layer.effect(InitCertificate, make)
}
