/**
 * Starts the renewal of device certificates, lists and revokes them, and shows or creates the authority
 * (docs/api.md#certificates).
 */
import { Effect, Option } from "effect"
import { enveloped, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import type { RevocationReason } from "../../domain/Certificate.ts"
import { RenewCert } from "../../domain/jobs/RenewCert.ts"
import { hostnameOrGroup, targetOf } from "../../domain/requests/DeviceSelector.ts"
import type { RenewalRequest } from "../../domain/requests/OperationRequests.ts"
import { windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { DeviceTargets } from "../provisioning/DeviceTargets.ts"

/** POST device_cert. */
export const makeRenewal = Effect.gen(function* () {
  const targets = yield* DeviceTargets
  const requests = yield* JobRequests
  return Effect.fn("Renewal.start")(function* (request: RenewalRequest, user: string) {
    const { count } = yield* targets.select(targetOf(request))
    const action = request.action.toUpperCase()
    if (action !== "RENEW") return yield* new BadRequest({ message: `Unknown action specified: ${action}` })
    const job = yield* requests.start(
      RenewCert,
      { ...hostnameOrGroup(request), ...windowArguments(request) },
      {
        user,
        comment: request.comment,
        ticketRef: request.ticket_ref
      }
    )
    return jobStartedOnDevices("Scheduled job to renew certificates", job, count)
  })
})

/** GET and POST certificate_authority. */
export const makeAuthority = Effect.gen(function* () {
  const authority = yield* CertificateAuthority
  const events = yield* EventStore

  const show = Effect.gen(function* () {
    const found = yield* authority.show
    if (Option.isNone(found)) return yield* new NotFound({ message: "This server has no certificate authority" })
    return enveloped({ certificate_authority: found.value })
  })

  const create = Effect.fn("Authority.create")(function* (name: string, user: string) {
    yield* authority.create(name)
    yield* events.append({ kind: "certificate_authority", action: "created", isAudit: true, data: { name } })
    yield* Effect.logInfo("A certificate authority was created", { name, by: user })
    return yield* show
  })

  return { show, create }
})

/** GET certificates and POST certificate/<serial>/revoke. */
export const makeCertificates = Effect.gen(function* () {
  const store = yield* CertificateStore
  return {
    list: (hostname: string | undefined) =>
      Effect.map(store.list(hostname), (certificates) => enveloped({ certificates })),
    revoke: Effect.fn("Certificates.revoke")(function* (serial: string, reason: RevocationReason, user: string) {
      const certificate = yield* store.revoke(serial, reason)
      yield* Effect.logWarning("SECURITY: a certificate was revoked", {
        device: certificate.hostname,
        serial,
        reason,
        by: user
      })
      return enveloped({ certificate })
    })
  }
})
