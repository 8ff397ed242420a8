/**
 * The certificate authority of this server on disk (CAFILE, CAKEYFILE) and the folder in which the certificates of devices
 * are kept (CERTPATH), as contract engine.md §12 has them. Files with keys can be read by the server's own user only.
 */
import { Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import * as Certificates from "./Certificates.ts"

/** A file of the authority is missing or cannot be used; the message names it. */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String
}) {}

/** There is an authority already; a new one would make every certificate of it worthless. */
export class AuthorityExists extends Schema.TaggedError<AuthorityExists>()("AuthorityExists", {
  message: Schema.String
}) {}

const PRIVATE = { mode: 0o600 } as const
const unavailable = (message: string) => new AuthorityUnavailable({ message })

export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { CAFILE, CAKEYFILE, CERTPATH } = yield* ServerConfig

  const isKind = (path: string, kind: "File" | "Directory") =>
    files.stat(path).pipe(
      Effect.map(({ type }) => type === kind),
      Effect.orElseSucceed(() => false)
    )

  const required = Effect.fnUntraced(function* (path: string, what: string) {
    if (!(yield* isKind(path, "File"))) return yield* unavailable(`Specified ${what} is not a file: ${path}`)
    return yield* Effect.mapError(files.readFileString(path), () => unavailable(`The ${what} cannot be read: ${path}`))
  })

  const load = Effect.gen(function* () {
    const certificate = yield* required(CAFILE, "cafile")
    const key = Redacted.make(yield* required(CAKEYFILE, "cakeyfile"))
    return { key, certificate } satisfies Certificates.Authority
  })

  const exists = Effect.map(Effect.all([isKind(CAFILE, "File"), isKind(CAKEYFILE, "File")]), (found) =>
    found.includes(true)
  )

  const unwritable = (path: string) => Effect.mapError(() => unavailable(`${path} cannot be written`))

  /** Writes beside the file and moves it there, so that nobody reads half of one. */
  const write = Effect.fnUntraced(function* (path: string, text: string, options?: typeof PRIVATE) {
    const draft = `${path}.new`
    yield* files.makeDirectory(paths.dirname(path), { recursive: true })
    yield* files.writeFileString(draft, text, options)
    yield* files.rename(draft, path)
  })

  return {
    /** The authority's certificate (PEM) and what it says; none when there is no authority. */
    show: Effect.gen(function* () {
      if (!(yield* isKind(CAFILE, "File"))) return Option.none()
      const certificate = yield* required(CAFILE, "cafile")
      return Option.some({ certificate, ...(yield* Certificates.factsOf(certificate)) })
    }),

    /** True when certificates can be issued, as far as the files are there. */
    exists,

    /** Makes an authority where there is none, and the folder of certificates. Fails with AuthorityExists. */
    create: Effect.fn("CertificateAuthority.create")(function* (commonName: string) {
      if (yield* exists) {
        return yield* new AuthorityExists({ message: `There is a certificate authority already: ${CAFILE}` })
      }
      for (const file of [CAKEYFILE, CAFILE]) {
        yield* files.makeDirectory(paths.dirname(file), { recursive: true }).pipe(unwritable(file))
      }
      const made = yield* Certificates.makeAuthority(commonName)
      yield* write(CAKEYFILE, Redacted.value(made.key), PRIVATE).pipe(unwritable(CAKEYFILE))
      yield* write(CAFILE, made.certificate).pipe(unwritable(CAFILE))
      yield* files.makeDirectory(CERTPATH, { recursive: true }).pipe(unwritable(CERTPATH))
    }),

    /** A new key and certificate for a host at this address; both are kept in CERTPATH too. */
    issue: Effect.fn("CertificateAuthority.issue")(function* (hostname: string, address: string) {
      const authority = yield* load
      if (!(yield* isKind(CERTPATH, "Directory"))) return yield* unavailable("Specified certpath is not a directory")
      const issued = yield* Certificates.issue(authority, hostname, address)
      const file = (kind: string) => paths.join(CERTPATH, `${hostname}.${kind}`)
      yield* write(file("key"), Redacted.value(issued.key), PRIVATE).pipe(unwritable(file("key")))
      yield* write(file("crt"), issued.certificate).pipe(unwritable(file("crt")))
      return issued
    })
  }
})
