/**
 * Certificates of devices as the database stores them and the API shows them (docs/security.md#certificate-authority), and the
 * doctor's findings about certificates.
 */
import { Schema } from "effect"
import { DAY, type Finding, lengthOf } from "./Finding.ts"

/** Reasons for a revocation, in the words of RFC 5280. */
const revocationReasons = ["unspecified", "keyCompromise", "superseded", "cessationOfOperation"] as const
export const RevocationReason = Schema.Literals(revocationReasons)
export type RevocationReason = typeof RevocationReason.Type

/**
 * A certificate that this server signed. `serial` is hexadecimal, times are ISO 8601 in UTC; `revoked_at` is null while the
 * certificate is valid.
 */
export const DeviceCertificate = Schema.Struct({
  serial: Schema.String,
  hostname: Schema.String,
  address: Schema.String,
  issued_at: Schema.String,
  not_after: Schema.String,
  revoked_at: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(RevocationReason)
}).annotate({ identifier: "DeviceCertificate" })
export type DeviceCertificate = typeof DeviceCertificate.Type

/** This server has signed no certificate with this serial number. */
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

/** The certificate has already been revoked. */
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

// Certificates that expire: those of devices, and the server's own.

export interface CertificateFact {
  readonly hostname: string
  readonly ends: string
  /** Seconds; negative after the end. */
  readonly left: number
}

/** The certificate by which callers know this server. */
export interface ServerTlsFact {
  /** Path of the file. */
  readonly path: string
  /** Why the server cannot use the files now; null when it can. */
  readonly problem: string | null
  /** The end of validity, and the seconds until then, negative after it; null when unknown. */
  readonly ends: string | null
  readonly left: number | null
}

const ENDING = 30 * DAY

/** The certificate of a device, which the server can renew. */
export const ofCertificate = ({ ends, hostname, left }: CertificateFact): ReadonlyArray<Finding> =>
  left >= ENDING
    ? []
    : [
        {
          kind: "certificate",
          level: left < 0 ? "bad" : "warn",
          about: hostname,
          since: null,
          what: left < 0 ? `Its certificate ended ${lengthOf(-left)} ago` : `Its certificate ends in ${lengthOf(left)}`,
          why: `It is good until ${ends}.`,
          next: "Renew it; the switch gets a new one, and keeps the old one until then.",
          repair: {
            says: `Renew the certificate of ${hostname}`,
            method: "POST",
            path: "/device_cert",
            body: { action: "RENEW", hostname }
          }
        }
      ]

/** The certificate of this server, which another party issues. */
export const ofServerTls = ({ ends, left, path, problem }: ServerTlsFact): ReadonlyArray<Finding> => {
  const finding = { kind: "certificate", about: "TLS_CERT", since: null, repair: null } as const
  if (problem !== null) {
    return [
      {
        ...finding,
        level: "bad",
        what: "The files of this server's own certificate cannot be used",
        why: `${problem}. The ones that were read before stay in force until the server stops, and it does not start with these.`,
        next: "Put a certificate with its chain and its key into the two files. They are read again within seconds."
      }
    ]
  }
  if (left === null || left >= ENDING) return []
  return [
    {
      ...finding,
      level: left < 0 ? "bad" : "warn",
      what:
        left < 0
          ? `This server's own certificate ended ${lengthOf(-left)} ago`
          : `This server's own certificate ends in ${lengthOf(left)}`,
      why: `The one in ${path} is good until ${ends}. Clients refuse it from then on.`,
      next: "Renew it where it comes from, and replace both files. They are read again within seconds."
    }
  ]
}
