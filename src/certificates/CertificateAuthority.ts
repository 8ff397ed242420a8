/**
 * The certificate authority of this server on disk (CAFILE, CAKEYFILE) and the folder of the certificates of devices (CERTPATH)
 * (docs/security.md#certificate-authority). Only the server's own user can read files with keys.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, type PlatformError, Redacted, Schema } from "effect"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { fileSentence, ownFault } from "../runtime/SystemErrors.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import * as Certificates from "./Certificates.ts"
import { createPrivateKey } from "node:crypto"

// The file of the authority's key: encrypted (PKCS #8) with CAKEY_PASSPHRASE, or else with a passphrase that is derived from the server's
// own key (docs/security.md#certificate-authority). An unencrypted key, which earlier releases and some sites created, is read unchanged and
// rewritten only on request: `switchyard secret rotate` encrypts it.

/** The file holds no key, or the key is encrypted with another passphrase. */
export class KeyUnreadable extends Schema.TaggedError<KeyUnreadable>()("KeyUnreadable", { message: Schema.String }) {}

const PURPOSE = "key of the certificate authority"
const CIPHER = "aes-256-cbc"

type Passphrases = readonly [now: string | undefined, ...earlier: ReadonlyArray<string>]

const madeOf = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(key)).toString("base64url")

/** The passphrase of a new file, and those of existing files; empty if replicas could not share one. */
export const passphrases = (
  key: SecretKey["Service"],
  { CAKEY_PASSPHRASE }: Pick<ServerSettings, "CAKEY_PASSPHRASE">
): Passphrases => {
  const own = madeOf(key.keyFor(PURPOSE))
  const previous = key.previousFor(PURPOSE).map(madeOf)
  if (Option.isSome(CAKEY_PASSPHRASE)) return [Redacted.value(CAKEY_PASSPHRASE.value), own, ...previous]
  return [key.isShared ? own : undefined, own, ...previous]
}

/** Whether the text of a file is an encrypted key. */
const isEncrypted = (pem: string): boolean => pem.includes("ENCRYPTED")

/** The text of the file for this key (PEM). */
export const encrypted = ([passphrase]: Passphrases, key: Redacted.Redacted): string =>
  passphrase === undefined
    ? Redacted.value(key)
    : createPrivateKey(Redacted.value(key))
        .export({ type: "pkcs8", format: "pem", cipher: CIPHER, passphrase })
        .toString()

/** The key of a file's text as unencrypted PEM. Fails with KeyUnreadable if no passphrase opens it. */
export const decrypted = Effect.fnUntraced(function* (known: Passphrases, pem: string) {
  if (!isEncrypted(pem)) return Redacted.make(pem)
  for (const passphrase of known) {
    const opened = yield* Effect.option(
      Effect.try({
        try: () =>
          createPrivateKey({ key: pem, passphrase: passphrase ?? "" }).export({ type: "pkcs1", format: "pem" }),
        catch: () => new KeyUnreadable({ message: "another passphrase" })
      })
    )
    if (Option.isSome(opened)) return Redacted.make(opened.value.toString())
  }
  return yield* new KeyUnreadable({
    message: "it is encrypted with another passphrase: see CAKEY_PASSPHRASE and SECRET_KEY"
  })
})

/** A file of the authority is missing or cannot be used; the message names it. */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String
}) {
  get httpStatus() {
    return 500 as const
  }
}

/** An authority already exists; a new one would invalidate all its certificates. */
export class AuthorityExists extends Schema.TaggedError<AuthorityExists>()("AuthorityExists", {
  message: Schema.String
}) {
  get httpStatus() {
    return 409 as const
  }
}

const PRIVATE = { mode: 0o600 } as const
const NEW_FOLDER = { recursive: true, mode: 0o700 } as const
const unavailable = (message: string) => new AuthorityUnavailable({ message })
const failing = (path: string, done: string) => (error: PlatformError.PlatformError) => {
  const message = fileSentence(error, { done, file: path })
  const fault = ownFault(error, "file", `${path} cannot be ${done}`)
  return fault === undefined ? Effect.fail(unavailable(message)) : Effect.die(fault)
}
const unwritable = (path: string) => Effect.catch(failing(path, "written"))

/** File access of the authority. */
const makeFiles = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path

  const isKind = (path: string, kind: "File" | "Directory") =>
    files.stat(path).pipe(
      Effect.map(({ type }) => type === kind),
      Effect.orElseSucceed(() => false)
    )

  const required = Effect.fnUntraced(function* (path: string, what: string) {
    if (!(yield* isKind(path, "File"))) return yield* unavailable(`Specified ${what} is not a file: ${path}`)
    return yield* Effect.catch(files.readFileString(path), failing(path, "read"))
  })

  /** Writes a temporary file and renames it, so no process reads half a file. */
  const write = Effect.fnUntraced(
    function* (path: string, text: string, options?: typeof PRIVATE) {
      const draft = `${path}.new`
      yield* files.makeDirectory(paths.dirname(path), NEW_FOLDER)
      yield* files.writeFileString(draft, text, options)
      yield* files.rename(draft, path)
    },
    (written, path) => written.pipe(unwritable(path))
  )

  const makeFolder = (path: string) => files.makeDirectory(path, NEW_FOLDER).pipe(unwritable(path))

  const makeFolderOf = (file: string) => files.makeDirectory(paths.dirname(file), NEW_FOLDER).pipe(unwritable(file))

  return { isKind, required, write, makeFolder, makeFolderOf, join: paths.join, relative: paths.relative }
})

const make = Effect.gen(function* () {
  const files = yield* makeFiles
  const { CAFILE, CAKEYFILE, CERTIFICATE_DAYS, CERTPATH, DATA_DIR, ...config } = yield* ServerConfig
  const accepted = passphrases(yield* SecretKey, config)

  const exists = Effect.map(Effect.all([files.isKind(CAFILE, "File"), files.isKind(CAKEYFILE, "File")]), (found) =>
    found.includes(true)
  )

  const show = Effect.gen(function* () {
    if (!(yield* files.isKind(CAFILE, "File"))) return Option.none()
    const certificate = yield* files.required(CAFILE, "cafile")
    return Option.some({ certificate, ...(yield* Certificates.factsOf(certificate)) })
  })

  const create = Effect.fn("CertificateAuthority.create")(function* (commonName: string) {
    if (yield* exists) {
      return yield* new AuthorityExists({ message: `There is a certificate authority already: ${CAFILE}` })
    }
    yield* Effect.forEach([CAKEYFILE, CAFILE], files.makeFolderOf)
    const made = yield* Certificates.makeAuthority(commonName)
    yield* files.write(CAKEYFILE, encrypted(accepted, made.key), PRIVATE)
    // at another place, other programs of the site may read it
    const isOurs = !files.relative(DATA_DIR, CAFILE).startsWith("..")
    yield* files.write(CAFILE, made.certificate, isOurs ? PRIVATE : undefined)
    yield* files.makeFolder(CERTPATH)
  })

  const ownKey = Effect.gen(function* () {
    const text = yield* files.required(CAKEYFILE, "cakeyfile")
    return yield* Effect.mapError(decrypted(accepted, text), ({ message }) =>
      unavailable(`The cakeyfile cannot be read: ${CAKEYFILE}: ${message}`)
    )
  })

  const signer = Effect.gen(function* () {
    const certificate = yield* files.required(CAFILE, "cafile")
    return { key: yield* ownKey, certificate } satisfies Certificates.Authority
  })

  const encrypt = Effect.fn("CertificateAuthority.encrypt")(function* () {
    if (!(yield* files.isKind(CAKEYFILE, "File"))) return false
    const key = yield* ownKey
    yield* files.write(CAKEYFILE, encrypted(accepted, key), PRIVATE)
    return true
  })

  const issue = Effect.fn("CertificateAuthority.issue")(function* (hostname: string, address: string) {
    const authority = yield* signer
    if (!(yield* files.isKind(CERTPATH, "Directory"))) {
      return yield* unavailable("Specified certpath is not a directory")
    }
    const issued = yield* Certificates.issue(authority, hostname, address, CERTIFICATE_DAYS)
    yield* files.write(files.join(CERTPATH, `${hostname}.key`), Redacted.value(issued.key), PRIVATE)
    yield* files.write(files.join(CERTPATH, `${hostname}.crt`), issued.certificate, PRIVATE)
    return issued
  })

  const revocationList = Effect.fn("CertificateAuthority.revocationList")((order: Certificates.ListOrder) =>
    Effect.flatMap(signer, (authority) => Certificates.makeRevocationList(authority, order))
  )

  return CertificateAuthority.of({ show, exists, create, issue, encrypt: encrypt(), revocationList })
})

type Failure = AuthorityUnavailable | Certificates.CertificateFailed

/** The authority that signs the certificates of devices. */
export class CertificateAuthority extends Context.Service<
  CertificateAuthority,
  {
    /** The authority's certificate (PEM) and its facts; `None` if no authority exists. */
    readonly show: Effect.Effect<
      Option.Option<Certificates.CertificateFacts & { readonly certificate: string }>,
      Failure
    >
    /** True if the files for issuing certificates exist. */
    readonly exists: Effect.Effect<boolean>
    /** Creates an authority if none exists, and the folder of certificates. */
    readonly create: (commonName: string) => Effect.Effect<void, Failure | AuthorityExists>
    /** Encrypts the key file, again or for the first time; false if it does not exist. */
    readonly encrypt: Effect.Effect<boolean, Failure>
    /** A new key and certificate for a host at this address; both are also stored in CERTPATH. */
    readonly issue: (hostname: string, address: string) => Effect.Effect<Certificates.IssuedCertificate, Failure>
    /** A signed list of revoked certificates, as DER. */
    readonly revocationList: (order: Certificates.ListOrder) => Effect.Effect<Buffer, Failure>
  }
>()("switchyard/certificates/CertificateAuthority") {
  static readonly layer = Layer.effect(CertificateAuthority, make)
}
