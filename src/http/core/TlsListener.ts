/** The TLS listener, if TLS_CERT and TLS_KEY are set: a server whose certificate is exchanged when its files change. */
import { Effect, Option } from "effect"
import type { ServerOptions } from "node:http"
import * as https from "node:https"
import { ServerConfig } from "../../ServerConfig.ts"
import type { Listener } from "./Listening.ts"
import { readTls, type TlsPaths, TlsUnusable, watchTls } from "./TlsFiles.ts"

/** Both files, or none; one alone is a mistake. */
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

/** Milliseconds within which a connection has to say who it wants to be. */
const HANDSHAKE_TIMEOUT = 20_000

/** The listener on TLS_HOST and TLS_PORT, with these options of Node, or none. Fails with TlsUnusable. */
export const makeTlsListener = Effect.fn("TlsListener.make")(function* (common: ServerOptions) {
  const { TLS_CERT, TLS_HOST: host, TLS_KEY, TLS_PORT: port } = yield* ServerConfig
  const paths = yield* pathsOf({ cert: Option.getOrUndefined(TLS_CERT), key: Option.getOrUndefined(TLS_KEY) })
  if (paths === undefined) return []
  const loaded = yield* readTls(paths)
  const server = https.createServer({ ...loaded.options, ...common, handshakeTimeout: HANDSHAKE_TIMEOUT })
  yield* watchTls(paths, loaded, (options) => server.setSecureContext(options))
  return [{ server: () => server, where: { host, port }, scheme: "https" }] satisfies ReadonlyArray<Listener>
})
