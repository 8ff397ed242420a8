/**
 * TLS to the PostgreSQL that DATABASE_URL names. `@effect/sql-pg` reads `sslmode` only, takes three of its values for the same
 * and knows no files, so its parameters get here the meaning that they have for libpq: `sslmode`, `sslrootcert`, `sslcert` and
 * `sslkey`. The files are read once, at the start. What may go wrong in the handshake is put into words here too.
 */
import { Effect, Redacted, Schema } from "effect"
import { readFileSync } from "node:fs"
import { type ConnectionOptions, createSecureContext } from "node:tls"

/** DATABASE_URL asks for something that cannot be done; the message is for the operator who starts the server. */
export class DatabaseUrlInvalid extends Schema.TaggedError<DatabaseUrlInvalid>()("DatabaseUrlInvalid", {
  message: Schema.String
}) {}

const FILES = ["sslrootcert", "sslcert", "sslkey"] as const

const CHECKED = ["require", "verify-ca", "verify-full"] as const

const refuse = (message: string) => new DatabaseUrlInvalid({ message: `DATABASE_URL ${message}` })

const parse = (url: string) =>
  Effect.try({
    try: () => new URL(url),
    // the text itself holds a password
    catch: () =>
      refuse(
        url.includes(",")
          ? "is no URL: it takes one host; for several, give an address that moves to the one that writes"
          : "is no URL such as postgres://user:password@host:5432/name"
      )
  })

const read = (name: string, file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (cause) =>
      refuse(
        `names a file that cannot be read: ${name}=${file} (${cause instanceof Error ? cause.message : "unknown"})`
      )
  }).pipe(
    Effect.filterOrFail(
      (text) => text.includes("-----BEGIN "),
      () => refuse(`names a file that is not in PEM: ${name}=${file}`)
    )
  )

/** As libpq does: with an authority given, `require` checks who signed. */
const options = Effect.fnUntraced(function* (mode: (typeof CHECKED)[number], parameters: URLSearchParams) {
  const of = (name: (typeof FILES)[number]) => parameters.get(name) ?? ""
  const [authority, certificate, key] = [of("sslrootcert"), of("sslcert"), of("sslkey")]
  if ((certificate === "") !== (key === "")) return yield* refuse("needs both sslcert and sslkey, or neither")
  const isGiven = authority !== "" && authority !== "system"
  const files = {
    ...(isGiven ? { ca: yield* read("sslrootcert", authority) } : {}),
    ...(certificate === "" ? {} : { cert: yield* read("sslcert", certificate), key: yield* read("sslkey", key) })
  }
  yield* Effect.try({
    try: () => createSecureContext(files),
    catch: (cause) =>
      refuse(
        `names certificates that cannot be used (${FILES.filter((name) => of(name) !== "").join(", ")}): ${
          cause instanceof Error ? cause.message : "unknown"
        }`
      )
  })
  const found: ConnectionOptions = {
    ...files,
    rejectUnauthorized: mode !== "require" || authority !== "",
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined })
  }
  return found
})

/** What the client needs to know of TLS for this URL. */
export const make = Effect.fn("DatabaseTls.make")(function* (
  url: Redacted.Redacted
): Effect.fn.Return<{ readonly ssl?: boolean | ConnectionOptions }, DatabaseUrlInvalid> {
  const { searchParams } = yield* parse(Redacted.value(url))
  const given = searchParams.get("sslmode")
  const mode = CHECKED.find((name) => name === given)
  if (mode !== undefined) return { ssl: yield* options(mode, searchParams) }
  const file = FILES.find((name) => searchParams.has(name))
  if (file !== undefined && given !== "disable") {
    return yield* refuse(`has ${file} but no sslmode that uses it: give sslmode=verify-full, verify-ca or require`)
  }
  switch (given) {
    case null:
    case "disable":
      return { ssl: false }
    case "prefer":
    case "allow":
      // the client's own: TLS with a full check, and none when the server says that it has none
      return {}
    default:
      return yield* refuse(`has an unknown sslmode: it is disable, allow, prefer, require, verify-ca or verify-full`)
  }
})

const HANDSHAKE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself, and not in sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an authority that is not in sslrootcert",
  CERT_SIGNATURE_FAILURE: "its certificate is signed by an authority that is not in sslrootcert",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or the clock of this machine is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name than DATABASE_URL has"
}

/** What a failed attempt to connect says of TLS, if that is what failed. */
export const meaning = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error)) return undefined
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  const known = HANDSHAKE[code]
  if (known !== undefined) return `TLS refused: ${known}`
  if (cause.message === "The server does not support TLS") return "TLS refused: the database offers none"
  if (code.startsWith("ERR_SSL_")) return `TLS refused: ${cause.message}`
  if (code !== "28000") return undefined
  // these sentences of PostgreSQL are English unless lc_messages says otherwise; then the SQLSTATE has to do
  if (cause.message.includes("no encryption")) return "login refused: perhaps it is let in with TLS only (sslmode)"
  return cause.message.includes("valid client certificate")
    ? "login refused: the database wants a certificate (sslcert, sslkey)"
    : undefined
}
