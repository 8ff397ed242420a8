/**
 * X.509: the certificate of an authority, the certificates of devices that it signs, and its revocation list
 * (docs/security.md#certificate-authority). Keys come from the platform's cryptography, the form of certificates from node-forge. No files here.
 */
import { Data, DateTime, Effect, Predicate, Redacted } from "effect"
import forge from "node-forge"
import { createPrivateKey, generateKeyPair, randomBytes, sign } from "node:crypto"
import { isIP } from "node:net"
import type { RevocationReason } from "../domain/Certificate.ts"

/** A certificate could not be created; `message` gives the reason and holds no key. */
export class CertificateFailed extends Data.TaggedError("CertificateFailed")<{ readonly message: string }> {
  get httpStatus() {
    return 500 as const
  }
}

/** A private key and its certificate, both PEM, and the facts of the certificate; times in ISO 8601, UTC. */
export interface IssuedCertificate {
  readonly key: Redacted.Redacted
  readonly certificate: string
  /** Hexadecimal. */
  readonly serial: string
  readonly issuedAt: string
  readonly notAfter: string
}

/** The signing key and certificate of an authority, both PEM. */
export interface Authority {
  readonly key: Redacted.Redacted
  readonly certificate: string
}

/** The facts of a certificate; `not_after` in ISO 8601, UTC. */
export interface CertificateFacts {
  readonly subject: string
  readonly not_after: string
}

const AUTHORITY_DAYS = 7300
const DEVICE_BITS = 2048
const AUTHORITY_BITS = 3072
const SERIAL_BYTES = 16
/** Type of an address among the names of a certificate. */
const IP_NAME = 7

const failed = (what: string) => (cause: unknown) =>
  new CertificateFailed({ message: `${what}: ${cause instanceof Error ? cause.message : "unknown reason"}` })

/** An RSA key as PKCS#1 PEM, with the public half. */
const newKey = (bits: number) =>
  Effect.callback<{ readonly key: string; readonly publicKey: string }, CertificateFailed>((resume) => {
    generateKeyPair(
      "rsa",
      {
        modulusLength: bits,
        publicExponent: 65_537,
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs1", format: "pem" }
      },
      (error, publicKey, key) =>
        resume(error === null ? Effect.succeed({ key, publicKey }) : Effect.fail(failed("no key could be made")(error)))
    )
  })

/** A positive random number in hexadecimal. */
const newSerial = (): string => {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString("hex")
}

interface CertificateRequest {
  readonly commonName: string
  readonly publicKey: string
  readonly now: DateTime.Utc
  /** Its validity in days. */
  readonly days: number
}

const blank = ({ commonName, days, now, publicKey }: CertificateRequest): forge.pki.Certificate => {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = newSerial()
  certificate.validity.notBefore = DateTime.toDateUtc(now)
  certificate.validity.notAfter = DateTime.toDateUtc(DateTime.add(now, { days }))
  certificate.setSubject([{ name: "commonName", value: commonName }])
  return certificate
}

/** A new authority under this name. */
export const makeAuthority = Effect.fn("Certificates.makeAuthority")(function* (commonName: string) {
  const { key, publicKey } = yield* newKey(AUTHORITY_BITS)
  const now = yield* DateTime.now
  const certificate = yield* Effect.try({
    try: () => {
      const made = blank({ commonName, publicKey, now, days: AUTHORITY_DAYS })
      made.setIssuer(made.subject.attributes)
      made.setExtensions([
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
        { name: "subjectKeyIdentifier" }
      ])
      made.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create())
      return forge.pki.certificateToPem(made)
    },
    catch: failed("the authority's certificate could not be made")
  })
  return { key: Redacted.make(key), certificate } satisfies Authority
})

/**
 * A new key with a certificate for this host at this address (IPv4 or IPv6), signed by the authority and valid for this number of
 * days, but no longer than the authority itself.
 */
export const issue = Effect.fn("Certificates.issue")(function* (
  authority: Authority,
  hostname: string,
  address: string,
  days: number
) {
  if (isIP(address) === 0) return yield* new CertificateFailed({ message: `${address} is no IP address` })
  const { key, publicKey } = yield* newKey(DEVICE_BITS)
  const now = yield* DateTime.now
  return yield* Effect.try({
    try: (): IssuedCertificate => {
      const signer = forge.pki.certificateFromPem(authority.certificate)
      const made = blank({ commonName: hostname, publicKey, now, days })
      if (made.validity.notAfter > signer.validity.notAfter) made.validity.notAfter = signer.validity.notAfter
      made.setIssuer(signer.subject.attributes)
      made.setExtensions([{ name: "subjectAltName", altNames: [{ type: IP_NAME, ip: address }] }])
      made.sign(forge.pki.privateKeyFromPem(Redacted.value(authority.key)), forge.md.sha256.create())
      return {
        key: Redacted.make(key),
        certificate: forge.pki.certificateToPem(made),
        serial: made.serialNumber,
        issuedAt: DateTime.formatIso(now),
        notAfter: made.validity.notAfter.toISOString()
      }
    },
    // forge may quote unreadable input, which could be the key
    catch: () => new CertificateFailed({ message: "the authority's key or certificate cannot be used" })
  })
})

/** Reads a certificate (PEM). */
export const factsOf = (certificate: string): Effect.Effect<CertificateFacts, CertificateFailed> =>
  Effect.try({
    try: () => {
      const read = forge.pki.certificateFromPem(certificate)
      const subject = read.subject.attributes.map(({ shortName, value }) => `${shortName}=${String(value)}`).join(", ")
      return { subject, not_after: read.validity.notAfter.toISOString() }
    },
    catch: failed("the certificate cannot be read")
  })

// The list of revoked certificates (RFC 5280, version 2), as DER. Node-forge's ASN.1 encodes it, the platform's cryptography signs it.

/** A revoked certificate; `serial` in hexadecimal. */
interface Revoked {
  readonly serial: string
  readonly revokedAt: DateTime.Utc
  readonly reason: RevocationReason
}

/** The time of the list, the latest time of the next one, and its entries. */
export interface ListOrder {
  readonly thisUpdate: DateTime.Utc
  readonly nextUpdate: DateTime.Utc
  readonly revoked: ReadonlyArray<Revoked>
}

const { asn1 } = forge
const { Class, Type } = asn1

/** CRLReason of RFC 5280; an unspecified reason is omitted. */
const REASONS: Readonly<Record<RevocationReason, number | null>> = {
  unspecified: null,
  keyCompromise: 1,
  superseded: 4,
  cessationOfOperation: 5
}

const OIDS = {
  sha256WithRsa: "1.2.840.113549.1.1.11",
  number: "2.5.29.20",
  reason: "2.5.29.21",
  authorityKey: "2.5.29.35"
} as const

/** The last year that fits into UTCTime. */
const LAST_UTC_YEAR = 2049

const sequence = (...parts: ReadonlyArray<forge.asn1.Asn1>) =>
  asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, [...parts])
const oid = (id: string) => asn1.create(Class.UNIVERSAL, Type.OID, false, asn1.oidToDer(id).getBytes())
const octets = (value: forge.asn1.Asn1) =>
  asn1.create(Class.UNIVERSAL, Type.OCTETSTRING, false, asn1.toDer(value).getBytes())
const extension = (id: string, value: forge.asn1.Asn1) => sequence(oid(id), octets(value))

/** A positive number from its hexadecimal digits. */
const integer = (hex: string) => {
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  const positive = Number.parseInt(even.slice(0, 2), 16) > 0x7f ? `00${even}` : even
  return asn1.create(Class.UNIVERSAL, Type.INTEGER, false, forge.util.hexToBytes(positive))
}

const time = (at: DateTime.Utc) => {
  const date = DateTime.toDateUtc(at)
  return date.getUTCFullYear() > LAST_UTC_YEAR
    ? asn1.create(Class.UNIVERSAL, Type.GENERALIZEDTIME, false, asn1.dateToGeneralizedTime(date))
    : asn1.create(Class.UNIVERSAL, Type.UTCTIME, false, asn1.dateToUtcTime(date))
}

const algorithm = () => sequence(oid(OIDS.sha256WithRsa), asn1.create(Class.UNIVERSAL, Type.NULL, false, ""))

const entry = ({ reason, revokedAt, serial }: Revoked) => {
  const code = REASONS[reason]
  const why =
    code === null
      ? []
      : [
          sequence(
            extension(OIDS.reason, asn1.create(Class.UNIVERSAL, Type.ENUMERATED, false, String.fromCharCode(code)))
          )
        ]
  return sequence(integer(serial), time(revokedAt), ...why)
}

const KEY_ID = 0
const EXTENSIONS = 0

/** The key identifier in the authority's certificate; a certificate from another tool may have none. */
const subjectKeyOf = (authority: forge.pki.Certificate): string | null => {
  const found: unknown = authority.getExtension("subjectKeyIdentifier")
  return Predicate.hasProperty(found, "subjectKeyIdentifier") && typeof found.subjectKeyIdentifier === "string"
    ? forge.util.hexToBytes(found.subjectKeyIdentifier)
    : null
}

const extensionsOf = (authority: forge.pki.Certificate, thisUpdate: DateTime.Utc) => {
  const keyId = subjectKeyOf(authority)
  return asn1.create(Class.CONTEXT_SPECIFIC, EXTENSIONS, true, [
    sequence(
      ...(keyId === null
        ? []
        : [extension(OIDS.authorityKey, sequence(asn1.create(Class.CONTEXT_SPECIFIC, KEY_ID, false, keyId)))]),
      // grows from one list to the next, also between replicas
      extension(OIDS.number, integer(DateTime.toEpochMillis(thisUpdate).toString(16)))
    )
  ])
}

/** The list, signed with the authority's key (RSA). */
export const makeRevocationList = Effect.fn("RevocationList.make")(
  (authority: Authority, { nextUpdate, revoked, thisUpdate }: ListOrder) =>
    Effect.try({
      try: () => {
        const certificate = forge.pki.certificateFromPem(authority.certificate)
        const body = sequence(
          integer("01"),
          algorithm(),
          forge.pki.distinguishedNameToAsn1(certificate.subject),
          time(thisUpdate),
          time(nextUpdate),
          ...(revoked.length === 0 ? [] : [sequence(...revoked.map(entry))]),
          extensionsOf(certificate, thisUpdate)
        )
        const key = createPrivateKey(Redacted.value(authority.key))
        const signed = sign("sha256", Buffer.from(asn1.toDer(body).getBytes(), "latin1"), key)
        // the first byte is the number of unused bits in the last byte
        const signature = asn1.create(Class.UNIVERSAL, Type.BITSTRING, false, `\0${signed.toString("latin1")}`)
        return Buffer.from(asn1.toDer(sequence(body, algorithm(), signature)).getBytes(), "latin1")
      },
      // the cause may quote unreadable input, which could be the key
      catch: () => new CertificateFailed({ message: "the revocation list could not be signed" })
    })
)
