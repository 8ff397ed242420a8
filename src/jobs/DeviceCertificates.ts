/** Issues a certificate for a device and installs it there, for the renewal job and for the initialisation (engine.md §12). */
import { Effect } from "effect"
import * as CertificateAuthority from "../certificates/CertificateAuthority.ts"
import { DeviceEntity } from "../devices/DeviceCalls.ts"
import { patiently } from "../devices/PatientCall.ts"
import { JobFailure } from "../domain/Job.ts"
import { callErrorText } from "./CallErrorText.ts"

/** Whom the certificate is for; `discoveredAt`: where it answers while it is initialised, null when it is managed. */
export interface Holder {
  readonly deviceId: number
  readonly hostname: string
  readonly address: string
  readonly discoveredAt: string | null
}

/** Why no certificate was installed, as the text of a failed task. `step` is what did not work. */
export interface NotInstalled {
  readonly step: "generate" | "copy"
  readonly text: string
}

export const make = Effect.gen(function* () {
  const authority = yield* CertificateAuthority.make
  const actorOf = yield* DeviceEntity.client

  const install = Effect.fn("DeviceCertificates.install")(function* (holder: Holder) {
    const { address, deviceId, discoveredAt, hostname } = holder
    const issued = yield* Effect.mapError(authority.issue(hostname, address), ({ message }): NotInstalled => {
      const text = `CertificateError: Could not generate certificate for device ${hostname}: ${message}\n`
      return { step: "generate", text }
    })
    yield* patiently(actorOf(String(deviceId)).InstallCertificate({ ...issued, discoveredAt })).pipe(
      Effect.mapError((error): NotInstalled => ({ step: "copy", text: callErrorText(error) }))
    )
  })

  return { install, exists: authority.exists }
})

/** The failure of a job that names a device for whose platform there are no certificates. */
export const unsupported = (platform: string | null, hostname: string) =>
  new JobFailure({ type: "ValueError", message: `Unsupported device platform "${platform}" for device: ${hostname}` })
