/** How long the certificate of this server's own TLS listener is good, from its files as they are now (docs/operations.md#doctor). */
import { Clock, DateTime, Effect, Option, Result } from "effect"
import type { ServerTlsFact } from "../../domain/Certificate.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { lookAtTls } from "../core/TlsFiles.ts"

/** Null for a server without a listener of this kind. */
export const ownCertificate = Effect.gen(function* () {
  const { TLS_CERT, TLS_KEY } = yield* ServerConfig
  if (Option.isNone(TLS_CERT) || Option.isNone(TLS_KEY)) return null
  const path = TLS_CERT.value
  const looked = yield* lookAtTls({ cert: path, key: TLS_KEY.value })
  const now = yield* Clock.currentTimeMillis
  return Result.match(looked, {
    onFailure: ({ variable, path: file, reason }): ServerTlsFact => ({
      path,
      problem: `${variable} (${file}): ${reason}`,
      ends: null,
      left: null
    }),
    onSuccess: ({ certificate: { validTo } }): ServerTlsFact => {
      const until = Option.getOrNull(DateTime.make(validTo))
      if (until === null) return { path, problem: null, ends: validTo, left: null }
      const ends = DateTime.formatIso(until).slice(0, "2026-11-23T18:00:00".length)
      return { path, problem: null, ends, left: (until.epochMilliseconds - now) / 1000 }
    }
  })
})
