/**
 * The list of certificates that this authority has taken back (RFC 5280, version 2), as DER. Its form comes from node-forge's
 * ASN.1, the signature from the platform's cryptography. No files here.
 */
import { DateTime, Effect, Predicate, Redacted } from "effect"
import forge from "node-forge"
import { createPrivateKey, sign } from "node:crypto"
import type { RevocationReason } from "../domain/Certificate.ts"
import { type Authority, CertificateFailed } from "./Certificates.ts"

/** A certificate that does not count any more; `serial` in hexadecimal. */
export interface Revoked {
  readonly serial: string
  readonly revokedAt: DateTime.Utc
  readonly reason: RevocationReason
}

/** From when on the list counts, when the next one is there at the latest, and what stands in it. */
export interface ListOrder {
  readonly thisUpdate: DateTime.Utc
  readonly nextUpdate: DateTime.Utc
  readonly revoked: ReadonlyArray<Revoked>
}

const { asn1 } = forge
const { Class, Type } = asn1

/** CRLReason of RFC 5280; what is unspecified is left out. */
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

/** Years from here on do not fit into UTCTime. */
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

/** As the authority's certificate names its key; one that was made elsewhere may have no name for it. */
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
      // grows from one list to the next, whichever replica makes it
      extension(OIDS.number, integer(DateTime.toEpochMillis(thisUpdate).toString(16)))
    )
  ])
}

/** The list, signed with the authority's key (RSA). */
export const make = Effect.fn("RevocationList.make")(
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
        // the first byte says how many bits of the last one do not count
        const signature = asn1.create(Class.UNIVERSAL, Type.BITSTRING, false, `\0${signed.toString("latin1")}`)
        return Buffer.from(asn1.toDer(sequence(body, algorithm(), signature)).getBytes(), "latin1")
      },
      // the cause may quote what could not be read, and that could be the key
      catch: () => new CertificateFailed({ message: "the revocation list could not be signed" })
    })
)
