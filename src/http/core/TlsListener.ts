/**
 * The TLS listener. Certificate and key are read from TLS_CERT and TLS_KEY at the start, and again when the files change, for new
 * connections. Invalid files are never used: at the start they stop the server, later the previous ones stay in force. The key appears in
 * no error and in no log (docs/security.md#tls).
 */
import { DateTime, Effect, FileSystem, Option, Result, Schedule, Schema } from "effect"
import { reasonOf } from "../../runtime/SystemErrors.ts"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContextOptions } from "node:tls"
import type { ServerOptions } from "node:http"
import * as https from "node:https"
import { ServerConfig } from "../../ServerConfig.ts"
import type { Listener } from "./Listening.ts"

/** A file of the TLS listener cannot be used; the server does not start. */
class TlsUnusable extends Schema.TaggedError<TlsUnusable>()("TlsUnusable", {
  variable: Schema.Literals(["TLS_CERT", "TLS_KEY"]),
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.variable} (${this.path}) cannot be used: ${this.reason}. Give a PEM certificate with its chain in TLS_CERT and its private key in TLS_KEY, or neither`
  }
}

/** The paths of the two files. */
interface TlsPaths {
  readonly cert: string
  readonly key: string
}

/** The content of the files. */
type Pair = TlsPaths

/** Forward secrecy and authenticated encryption only; the first three are those of TLS 1.3. */
const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256"
].join(":")

const optionsOf = (pair: Pair): SecureContextOptions => ({
  ...pair,
  minVersion: "TLSv1.2",
  ciphers: CIPHERS,
  honorCipherOrder: true
})

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** A valid pair of files: options of a server, and the certificate. */
interface Loaded {
  readonly pair: Pair
  readonly options: SecureContextOptions
  readonly certificate: X509Certificate
}

const load = (paths: TlsPaths, pair: Pair): Result.Result<Loaded, TlsUnusable> => {
  const unusable = (variable: "TLS_CERT" | "TLS_KEY", reason: string) =>
    Result.fail(new TlsUnusable({ variable, path: variable === "TLS_CERT" ? paths.cert : paths.key, reason }))
  const certificate = attempt(() => new X509Certificate(pair.cert))
  if (certificate === undefined) return unusable("TLS_CERT", "it is no PEM certificate")
  const key = attempt(() => createPrivateKey(pair.key))
  if (key === undefined) return unusable("TLS_KEY", "it is no PEM private key without a passphrase")
  if (!certificate.checkPrivateKey(key))
    return unusable("TLS_KEY", `it is not the key of the certificate in ${paths.cert}`)
  const options = optionsOf(pair)
  return attempt(() => createSecureContext(options)) === undefined
    ? unusable("TLS_CERT", "the certificate or its chain is too weak or broken")
    : Result.succeed({ pair, options, certificate })
}

const read = Effect.fnUntraced(function* (paths: TlsPaths) {
  const files = yield* FileSystem.FileSystem
  const text = (variable: "TLS_CERT" | "TLS_KEY", path: string) =>
    Effect.mapError(
      files.readFileString(path),
      (error) => new TlsUnusable({ variable, path, reason: `it cannot be read: ${reasonOf(error)}` })
    )
  return { cert: yield* text("TLS_CERT", paths.cert), key: yield* text("TLS_KEY", paths.key) }
})

const warnWhenOutdated = Effect.fnUntraced(function* ({ cert }: TlsPaths, { certificate }: Loaded) {
  const until = DateTime.make(certificate.validTo)
  if (Option.isSome(until) && DateTime.isLessThan(until.value, yield* DateTime.now)) {
    yield* Effect.logWarning("The certificate in TLS_CERT has expired: clients refuse it", {
      path: cert,
      until: certificate.validTo
    })
  }
})

/** Reads and checks the files. */
const readTls = Effect.fn("TlsFiles.read")(function* (paths: TlsPaths) {
  const loaded = yield* Effect.flatMap(read(paths), (pair) => Effect.fromResult(load(paths, pair)))
  yield* warnWhenOutdated(paths, loaded)
  return loaded
})

/** The present content of the files, whether it is in force or not. */
export const checkTls = (paths: TlsPaths) =>
  Effect.result(Effect.flatMap(read(paths), (pair) => Effect.fromResult(load(paths, pair))))

const BETWEEN_LOOKS = "2 seconds"

/**
 * Watches the files while the scope is open, and puts new ones in force. Invalid files are reported once, if they are still invalid at the
 * next look, because the two files are replaced one after the other.
 */
const watchTls = Effect.fn("TlsFiles.watch")(function* (
  paths: TlsPaths,
  first: Loaded,
  putInForce: (options: SecureContextOptions) => void
) {
  let inForce = first.pair
  let wrong = ""
  let warned = ""
  const look = Effect.gen(function* () {
    const found = yield* Effect.result(read(paths))
    if (Result.isSuccess(found) && found.success.cert === inForce.cert && found.success.key === inForce.key) {
      wrong = warned = ""
      return
    }
    const loaded = Result.flatMap(found, (pair) => load(paths, pair))
    if (Result.isSuccess(loaded)) {
      inForce = loaded.success.pair
      wrong = warned = ""
      putInForce(loaded.success.options)
      const { subject, validTo } = loaded.success.certificate
      yield* Effect.logInfo("The certificate in TLS_CERT was read again", { subject, until: validTo })
      return yield* warnWhenOutdated(paths, loaded.success)
    }
    const { message } = loaded.failure
    if (wrong === message && warned !== message) {
      warned = message
      yield* Effect.logWarning(`The former certificate and key stay in force: ${message}`)
    }
    wrong = message
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(BETWEEN_LOOKS)))
})

/** Both files or none; one alone is an error. */
const pathsOf = ({
  cert,
  key
}: {
  readonly cert: string | undefined
  readonly key: string | undefined
}): Effect.Effect<TlsPaths | undefined, TlsUnusable> => {
  if (cert !== undefined && key !== undefined) return Effect.succeed({ cert, key })
  if (cert === undefined && key === undefined) return Effect.succeed(undefined)
  const [variable, other] = cert === undefined ? (["TLS_CERT", "TLS_KEY"] as const) : (["TLS_KEY", "TLS_CERT"] as const)
  return Effect.fail(new TlsUnusable({ variable, path: "no file", reason: `it is not set, but ${other} is` }))
}

/** Milliseconds for the TLS handshake. */
const HANDSHAKE_TIMEOUT = 20_000

/** The listener on TLS_HOST and TLS_PORT, with these options of Node, or none. Fails with TlsUnusable. */
export const makeTlsListener = Effect.fn("TlsListener.make")(function* (common: ServerOptions) {
  const { TLS_CERT, TLS_HOST: host, TLS_KEY, TLS_PORT: port } = yield* ServerConfig
  const paths = yield* pathsOf({ cert: Option.getOrUndefined(TLS_CERT), key: Option.getOrUndefined(TLS_KEY) })
  if (paths === undefined) return []
  const loaded = yield* readTls(paths)
  const server = https.createServer({ ...loaded.options, ...common, handshakeTimeout: HANDSHAKE_TIMEOUT })
  yield* watchTls(paths, loaded, (options) => server.setSecureContext(options))
  return [
    { server: () => server, where: { host, port, settings: { host: "TLS_HOST", port: "TLS_PORT" } }, scheme: "https" }
  ] satisfies ReadonlyArray<Listener>
})
