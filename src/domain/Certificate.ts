/** Certificates of devices as the database keeps them and the API shows them (docs/security.md#certificate-authority). */
import { Schema } from "effect"

/** Why a certificate was taken back, in the words of RFC 5280. */
export const revocationReasons = ["unspecified", "keyCompromise", "superseded", "cessationOfOperation"] as const
export const RevocationReason = Schema.Literals(revocationReasons)
export type RevocationReason = typeof RevocationReason.Type

/** One that was signed here. `serial` is hexadecimal, times are ISO 8601 in UTC; `revoked_at` is null as long as it counts. */
export const DeviceCertificate = Schema.Struct({
  serial: Schema.String,
  hostname: Schema.String,
  address: Schema.String,
  issued_at: Schema.String,
  not_after: Schema.String,
  revoked_at: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(RevocationReason)
})
export type DeviceCertificate = typeof DeviceCertificate.Type

/** No certificate of this serial number was signed here. */
export class CertificateUnknown extends Schema.TaggedError<CertificateUnknown>()("CertificateUnknown", {
  serial: Schema.String
}) {
  override get message() {
    return `No certificate with serial number ${this.serial} was issued here`
  }
  get httpStatus() {
    return 404 as const
  }
}

/** The certificate does not count any more already. */
export class CertificateRevoked extends Schema.TaggedError<CertificateRevoked>()("CertificateRevoked", {
  serial: Schema.String
}) {
  override get message() {
    return `The certificate with serial number ${this.serial} is revoked already`
  }
  get httpStatus() {
    return 409 as const
  }
}
