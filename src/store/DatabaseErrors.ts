/**
 * The meaning of errors of PostgreSQL, decided here once for all callers: the database is unreachable, TLS fails, or a value is refused.
 *
 * The database is unreachable if it does not answer, or answers that it cannot work now, which a healthy database does not do. Such an
 * error says nothing about the request or the job that received it: both may try again. `@effect/sql-pg` reports most of these states as
 * unknown, and a connection that is lost inside a transaction becomes a defect, because the ROLLBACK dies.
 */
import { Cause, Effect, Predicate, Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import { ownFault } from "../runtime/SystemErrors.ts"
import { BlockedByOther } from "./ForeignLocks.ts"
import { readFileSync } from "node:fs"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { IdentityTaken } from "../domain/DeviceIdentity.ts"

// TLS to the PostgreSQL that DATABASE_URL names. `@effect/sql-pg` reads only `sslmode`, treats three of its values alike
// and reads no files, so this file gives the parameters their meaning in libpq: `sslmode`, `sslrootcert`, `sslcert` and
// `sslkey`. The files are read once, at the start. This file also has the messages for failures of the handshake.

/** DATABASE_URL is invalid; the message is for the operator who starts the server. */
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

/** As in libpq: if an authority is given, `require` checks the signature. */
const writtenOptions = Effect.fnUntraced(function* (mode: (typeof CHECKED)[number], parameters: URLSearchParams) {
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

/** The TLS options of the client for this URL. */
export const tlsOptions = Effect.fn("DatabaseTls.make")(function* (
  url: Redacted.Redacted
): Effect.fn.Return<{ readonly ssl?: boolean | ConnectionOptions }, DatabaseUrlInvalid> {
  const { searchParams } = yield* parse(Redacted.value(url))
  const given = searchParams.get("sslmode")
  const mode = CHECKED.find((name) => name === given)
  if (mode !== undefined) return { ssl: yield* writtenOptions(mode, searchParams) }
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
      // the client's default: TLS with a full check, or no TLS if the server does not support it
      return {}
    default:
      return yield* refuse(`has an unknown sslmode: it is disable, allow, prefer, require, verify-ca or verify-full`)
  }
})

const HANDSHAKE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed, and not in sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is signed by an authority that is not in sslrootcert",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an authority that is not in sslrootcert",
  CERT_SIGNATURE_FAILURE: "its certificate is signed by an authority that is not in sslrootcert",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or the clock of this machine is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name than DATABASE_URL has"
}

/** The meaning of a failed connection attempt, if TLS failed. */
export const tlsMeaning = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error)) return undefined
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  const known = HANDSHAKE[code]
  if (known !== undefined) return `TLS refused: ${known}`
  if (cause.message === "The server does not support TLS") return "TLS refused: the database offers none"
  if (code.startsWith("ERR_SSL_")) return `TLS refused: ${cause.message}`
  if (code !== "28000") return undefined
  // these messages of PostgreSQL are English unless lc_messages is set; then only the SQLSTATE helps
  if (cause.message.includes("no encryption")) return "login refused: perhaps it is let in with TLS only (sslmode)"
  return cause.message.includes("valid client certificate")
    ? "login refused: the database wants a certificate (sslcert, sslkey)"
    : undefined
}

/** SQLSTATEs, or their classes by the first two characters, and their meanings (PostgreSQL 18, appendix A). */
export const AWAY_STATES: Readonly<Record<string, string>> = {
  "08": "connection exception",
  "25006": "read-only: in recovery, a standby, or configured so",
  "25P03": "connection ended: idle in a transaction for too long",
  "25P04": "connection ended: transaction took too long",
  "28": "login refused: password or access rules are being changed",
  "42501": "the user of the database may not: rights of our tables were taken away",
  "3D000": "database missing: it is being restored",
  "53": "out of disk, memory, connections or another resource",
  "55P03": "lock not available in the time that the database allows",
  "57": "stopped, starting, in recovery, or cancelled by an operator",
  "58": "error of the system below: input, output, missing file",
  XX001: "damaged data",
  XX002: "damaged index"
}

/** States of these classes with a more exact meaning. */
const EXACTLY: Readonly<Record<string, string>> = {
  "53100": "the disk of the database is full",
  "53200": "the database has no memory left",
  "53300": "the database takes no further connection: others have all of them",
  "53400": "a limit of the database's configuration is reached",
  "58000": "the operating system of the database reports an error, such as missing shared memory",
  "58030": "the disk of the database does not read or write",
  "58P01": "a file of the database is missing, or memory that its processes share"
}

/** The SQLSTATE of the error, if PostgreSQL sent it. */
export const sqlState = (error: SqlError.SqlError): string | undefined => {
  const { cause } = error.reason
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined
  const { code } = cause
  // socket errors also have a code, such as ECONNREFUSED
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Whether the database is unreachable; the statement may be repeated once it answers again. */
export const isDatabaseAway = (error: SqlError.SqlError): boolean => {
  const { _tag, operation } = error.reason
  if (_tag === "ConnectionError" || operation === "connect") return true
  const state = sqlState(error)
  return state !== undefined && (state in AWAY_STATES || state.slice(0, 2) in AWAY_STATES)
}

/** Whether a foreign lock blocks the statement; `meaning` names its holder. */
export const isHeldUp = ({ reason }: SqlError.SqlError): boolean => reason.cause instanceof BlockedByOther

/** The meaning of a database error for an operator, without the statement, which is in the log. */
export const meaning = (error: SqlError.SqlError): string => {
  const { _tag, cause, operation } = error.reason
  if (cause instanceof BlockedByOther) return cause.sentence
  const state = sqlState(error)
  const ofTls = tlsMeaning(cause)
  if (ofTls !== undefined) return state === undefined ? ofTls : `${ofTls} (SQLSTATE ${state})`
  if (state !== undefined) {
    return `${EXACTLY[state] ?? AWAY_STATES[state] ?? AWAY_STATES[state.slice(0, 2)] ?? "refused"} (SQLSTATE ${state})`
  }
  const own = ownFault(cause, "connection")
  if (own !== undefined) return own.message
  return _tag === "ConnectionError" || operation === "connect" ? "no connection" : "the answer cannot be used"
}

/** An error in words, with what its own sentence leaves out: PostgreSQL's words for a refused statement, as below a failed migration. */
export const sentenceWithCause = (error: { readonly message: string; readonly cause?: unknown }): string => {
  if (SqlError.isSqlError(error)) {
    const { cause } = error.reason
    return `${meaning(error)}${!isDatabaseAway(error) && cause instanceof Error ? `: ${cause.message}` : ""}`
  }
  const { cause, message } = error
  if (!(cause instanceof Error) || message.includes(cause.message)) return message
  const said = sentenceWithCause(cause)
  return message.includes(said) ? message : `${message}: ${said}`
}

/** The largest depth at which a database error is searched: the job engine wraps errors of its storage. */
const DEPTH = 4

const sqlErrorIn = (thrown: unknown, depth = DEPTH): SqlError.SqlError | undefined => {
  if (SqlError.isSqlError(thrown)) return thrown
  return depth > 0 && thrown instanceof Error ? sqlErrorIn(thrown.cause, depth - 1) : undefined
}

/** The error that shows that the database is unreachable, at any place in the cause, as a failure or a defect. */
export const databaseAwayIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    // a failure with such a cause has a message of its own
    const found = Cause.isFailReason(reason)
      ? sqlErrorIn(reason.error, 0)
      : sqlErrorIn(Cause.isDieReason(reason) ? reason.defect : undefined)
    if (found !== undefined && isDatabaseAway(found)) return found
  }
  return undefined
}

/**
 * Turns each defect that only means an unreachable database into a failure. A lost transaction is rolled back, so
 * other parts of its cause had no effect; an interruption stays an interruption.
 */
export const failWhenAway = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const away = databaseAwayIn(cause)
    if (away === undefined) return Effect.failCause(cause)
    return Cause.hasInterrupts(cause) ? Effect.failCause(withoutDefects(cause)) : Effect.fail(away)
  })

const withoutDefects = <E>(cause: Cause.Cause<E>): Cause.Cause<E> =>
  Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason))

// Refusals of the database: a violated constraint becomes a tagged error, a value that no column can hold becomes a sentence. The API
// must refuse such a value earlier, so such a sentence shows a defect of the API.

/** The unique constraint with this name was violated. */
const violates = (error: SqlError.SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Replaces a violation of the unique constraint with `toError()`; other errors pass. */
export const uniqueViolation =
  <E2>(constraint: string, toError: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<A, E | E2 | SqlError.SqlError, R> =>
    Effect.catchIf(
      effect,
      (error): error is E & SqlError.SqlError => SqlError.isSqlError(error) && violates(error, constraint),
      () => Effect.fail(toError())
    )

/** SQLSTATEs of class 22, and the fault of the value (PostgreSQL 18, appendix A). */
const REFUSED: Readonly<Record<string, string>> = {
  "22001": "a text is too long",
  "22003": "a number is too large or too small",
  "22007": "a date or time does not exist",
  "22008": "a date or time is out of range",
  "22021": "a text holds a character that cannot be stored",
  "22P02": "a value does not have the form of its field",
  "22P05": "a text holds a character that cannot be stored"
}

/** The fault of the value that the database refuses; undefined for other errors. */
export const refusedValue = (error: SqlError.SqlError): string | undefined => {
  const state = sqlState(error)
  return state?.startsWith("22") === true ? (REFUSED[state] ?? "a value cannot be stored") : undefined
}

/** The error that shows a refused value, at any place in the cause. */
export const refusedValueIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    const thrown = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (SqlError.isSqlError(thrown) && refusedValue(thrown) !== undefined) return thrown
  }
  return undefined
}

/** Constraints on values that only one record may have (migration 49), and their messages if the database names no other record. */
const IDENTITIES: Readonly<Record<string, string>> = {
  identity_claim_unique: "Another record has this value already",
  network_claim_apart: "The network overlaps that of a link or management domain"
}

/** `unique_violation` and `exclusion_violation`. */
const TAKEN: ReadonlySet<string | undefined> = new Set(["23505", "23P01"])

const identityConstraint = (error: SqlError.SqlError): string | undefined => {
  const { cause } = error.reason
  if (!TAKEN.has(sqlState(error)) || !Predicate.hasProperty(cause, "constraint")) return undefined
  return typeof cause.constraint === "string" && cause.constraint in IDENTITIES ? cause.constraint : undefined
}

/** The triggers name the record that has the value; messages of PostgreSQL itself name keys and constraints. */
const sentenceOf = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  const message = Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : ""
  return / is used already: | overlaps network /.test(message)
    ? message
    : (IDENTITIES[identityConstraint(error) ?? ""] ?? message)
}

/** Replaces the error of a value that another record has. */
export const identityViolation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, E | IdentityTaken | SqlError.SqlError, R> =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError.SqlError => SqlError.isSqlError(error) && identityConstraint(error) !== undefined,
    (error) => Effect.fail(new IdentityTaken({ message: sentenceOf(error) }))
  )
