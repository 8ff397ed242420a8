/**
 * X.509 certificates: a certificate authority of its own and the certificates of devices that it signs
 * (docs/security.md#certificate-authority). Keys come from the platform's cryptography, the certificate's form from node-forge.
 * No files here.
 */
import { Data, DateTime, Effect, Redacted } from "effect"
import forge from "node-forge"
import { generateKeyPair, randomBytes } from "node:crypto"
import { isIP } from "node:net"

/** A certificate could not be made; `message` says why and holds no key. */
export class CertificateFailed extends Data.TaggedError("CertificateFailed")<{ readonly message: string }> {
  get httpStatus() {
    return 500 as const
  }
}

/** A private key and its certificate, both PEM. */
export interface IssuedCertificate {
  readonly key: Redacted.Redacted
  readonly certificate: string
}

/** The signing key and certificate of an authority, both PEM. */
export interface Authority {
  readonly key: Redacted.Redacted
  readonly certificate: string
}

/** What a certificate says of itself; `not_after` in ISO 8601, UTC. */
export interface CertificateFacts {
  readonly subject: string
  readonly not_after: string
}

const DAYS = 7300
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
}

const blank = ({ commonName, now, publicKey }: CertificateRequest): forge.pki.Certificate => {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = newSerial()
  certificate.validity.notBefore = DateTime.toDateUtc(now)
  certificate.validity.notAfter = DateTime.toDateUtc(DateTime.add(now, { days: DAYS }))
  certificate.setSubject([{ name: "commonName", value: commonName }])
  return certificate
}

/** A new authority under this name. */
export const makeAuthority = Effect.fn("Certificates.makeAuthority")(function* (commonName: string) {
  const { key, publicKey } = yield* newKey(AUTHORITY_BITS)
  const now = yield* DateTime.now
  const certificate = yield* Effect.try({
    try: () => {
      const made = blank({ commonName, publicKey, now })
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

/** A new key with a certificate for this host at this address (IPv4 or IPv6), signed by the authority. */
export const issue = Effect.fn("Certificates.issue")(function* (
  authority: Authority,
  hostname: string,
  address: string
) {
  if (isIP(address) === 0) return yield* new CertificateFailed({ message: `${address} is no IP address` })
  const { key, publicKey } = yield* newKey(DEVICE_BITS)
  const now = yield* DateTime.now
  const certificate = yield* Effect.try({
    try: () => {
      const made = blank({ commonName: hostname, publicKey, now })
      made.setIssuer(forge.pki.certificateFromPem(authority.certificate).subject.attributes)
      made.setExtensions([{ name: "subjectAltName", altNames: [{ type: IP_NAME, ip: address }] }])
      made.sign(forge.pki.privateKeyFromPem(Redacted.value(authority.key)), forge.md.sha256.create())
      return forge.pki.certificateToPem(made)
    },
    // forge may quote what it could not read, and that could be the key
    catch: () => new CertificateFailed({ message: "the authority's key or certificate cannot be used" })
  })
  return { key: Redacted.make(key), certificate } satisfies IssuedCertificate
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
