/**
 * The revocation list for whoever checks the certificates of devices: `GET /api/v1.0/certificate_authority/crl`, DER, without a
 * token (docs/security.md#revocation). A list is signed when a certificate was revoked since, and once a day; in between
 * everybody gets the same one.
 */
import { DateTime, Effect, Layer, Ref } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import { CertificateStore, type RevokedRow } from "../../store/CertificateStore.ts"

/** How long a list is given out, and how long it counts. */
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
