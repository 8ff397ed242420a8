/** Certificates of devices: renewal, list and revocation, the authority, and the revocation list (docs/api.md#certificates). */
import { DateTime, Effect, Layer, Option, Ref } from "effect"
import { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import type { RevocationReason } from "../../domain/Certificate.ts"
import type { RenewalRequest } from "../../domain/requests/OperationRequests.ts"
import { hostnameOrGroup, targetOf, windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { CertificateStore, type RevokedRow } from "../../store/CertificateStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { makeSelectDevices } from "../provisioning/DeviceTargets.ts"
import { BadRequest, enveloped, jobStartedOnDevices, NotFound } from "../../api/Answers.ts"
import { RenewCert } from "../../domain/jobs/UpkeepJobs.ts"

/** POST device_cert. */
export const makeRenewal = Effect.gen(function* () {
  const selectDevices = yield* makeSelectDevices
  const requests = yield* JobRequests
  return Effect.fn("Renewal.start")(function* (request: RenewalRequest, user: string) {
    const { count } = yield* selectDevices(targetOf(request))
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

// The revocation list: `GET /api/v1.0/certificate_authority/crl`, DER, without a token (docs/security.md#revocation). It is signed after
// each revocation and once a day; the signed list is reused in between.

/** How long a list is reused, and how long it is valid. */
const GIVEN_HOURS = 24
const VALID_HOURS = 7 * 24

interface SignedList {
  readonly serials: string
  readonly until: DateTime.Utc
  readonly der: Buffer
}

const serialsOf = (rows: ReadonlyArray<RevokedRow>): string => rows.map(({ serial }) => serial).join(",")

/** The route of the list. */
export const RevocationFile = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const authority = yield* CertificateAuthority
    const certificates = yield* CertificateStore
    const known = yield* Ref.make<SignedList | null>(null)

    const signed = Effect.gen(function* () {
      const rows = yield* certificates.revoked
      const now = yield* DateTime.now
      const last = yield* Ref.get(known)
      if (last !== null && last.serials === serialsOf(rows) && DateTime.isLessThan(now, last.until)) return last.der
      const der = yield* authority.revocationList({
        thisUpdate: now,
        nextUpdate: DateTime.add(now, { hours: VALID_HOURS }),
        revoked: rows.map(({ reason, revoked_at, serial }) => ({
          serial,
          reason,
          revokedAt: DateTime.makeUnsafe(revoked_at)
        }))
      })
      yield* Ref.set(known, { serials: serialsOf(rows), until: DateTime.add(now, { hours: GIVEN_HOURS }), der })
      return der
    })

    const serve = Effect.gen(function* () {
      if (!(yield* authority.exists)) return HttpServerResponse.empty({ status: 404 })
      return HttpServerResponse.uint8Array(yield* signed, { contentType: "application/pkix-crl" })
    })
    const unavailable = (error: { readonly message: string }) =>
      Effect.as(
        Effect.logWarning("The revocation list could not be made", { error: error.message }),
        HttpServerResponse.empty({ status: 503 })
      )
    yield* router.add("GET", "/api/v1.0/certificate_authority/crl", Effect.catch(serve, unavailable))
  })
).pipe(Layer.provide(CertificateAuthority.layer))
