/**
 * Issues a certificate for a device and installs it there, for the renewal job and for the initialisation
 * (docs/security.md#certificate-authority).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import { DeviceEntity, patiently } from "./DeviceCalls.ts"
import type { Device } from "../domain/Device.ts"
import { capabilitiesOf } from "../domain/platforms/Platforms.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { CertificateStore } from "../store/CertificateStore.ts"
import { OperationStore } from "../store/OperationStore.ts"
import { callErrorText } from "./CallErrorText.ts"

/** Whom the certificate is for; `discoveredAt`: where it answers while it is initialised, null when it is managed. */
export interface Holder {
  /** The job that gives it; a job gives a device one certificate, however often it is resumed. */
  readonly jobId: number
  readonly deviceId: number
  readonly hostname: string
  readonly address: string
  readonly discoveredAt: string | null
}

/** Why no certificate was installed, as the text of a failed task. `step` is what did not work. */
export class NotInstalled extends Schema.TaggedError<NotInstalled>()("NotInstalled", {
  step: Schema.Literals(["generate", "copy"]),
  text: Schema.String
}) {}

const HALF =
  "The copy had begun: the switch may hold the new certificate without its key, or the files of both on its flash. Renew it again.\n"

const make = Effect.gen(function* () {
  const operations = yield* OperationStore
  const certificates = yield* CertificateStore
  const authority = yield* CertificateAuthority
  const actorOf = yield* DeviceEntity.client
  const { FRR_CERTIFICATE_DIRECTORY } = yield* ServerConfig

  const install = Effect.fn("DeviceCertificates.install")(function* (holder: Holder) {
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

  const obstacle = (device: Pick<Device, "hostname" | "platform">) => {
    const kind = capabilitiesOf(device)?.certificates ?? false
    if (kind === false) return `Unsupported device platform "${device.platform}" for device: ${device.hostname}`
    return kind === "files" && Option.isNone(FRR_CERTIFICATE_DIRECTORY)
      ? `Device ${device.hostname} keeps certificates as files, and FRR_CERTIFICATE_DIRECTORY names no directory for them`
      : null
  }

  return DeviceCertificates.of({ install, obstacle, exists: authority.exists })
})

/** Certificates of devices. */
export class DeviceCertificates extends Context.Service<
  DeviceCertificates,
  {
    /** Issues and installs one, once for a job and a device. */
    readonly install: (holder: Holder) => Effect.Effect<void, NotInstalled | SqlError.SqlError>
    /** Why a device can be given none, as a sentence; null when it can. */
    readonly obstacle: (device: Pick<Device, "hostname" | "platform">) => string | null
    /** Whether this server has an authority that can issue any. */
    readonly exists: Effect.Effect<boolean>
  }
>()("switchyard/jobs/DeviceCertificates") {
  static readonly layer = Layer.effect(DeviceCertificates, make)
}
