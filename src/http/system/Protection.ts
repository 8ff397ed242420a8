/** Which of the safe defaults do not count in this server (docs/security.md#secure-defaults): read at any time, and told at the start. */
import { Effect, Layer, Option } from "effect"
import { Permissions } from "../../access/Permissions.ts"
import { ofProtection } from "../../domain/findings/ProtectionFindings.ts"
import { hostsForCallers } from "../../runtime/OutboundHosts.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { isLoopback } from "../core/Loopback.ts"

const isOfThisMachine = (prefix: string): boolean => /^(?:127\.|::1(?:\/128)?$)/.test(prefix)

/** Where others than this machine reach the API; `clear` without TLS, where no proxy in front of it is named. */
const reachOf = ({ HOST, PORT, TLS_CERT, TLS_HOST, TLS_PORT, TRUSTED_PROXIES }: ServerSettings) => {
  const clear = isLoopback(HOST) || !TRUSTED_PROXIES.every(isOfThisMachine) ? null : `http://${HOST}:${PORT}`
  const encrypted = Option.isSome(TLS_CERT) && !isLoopback(TLS_HOST) ? `https://${TLS_HOST}:${TLS_PORT}` : null
  return { clear, reachable: isLoopback(HOST) ? encrypted : `http://${HOST}:${PORT}` }
}

/** An effect that looks now. */
export const makeProtection = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { rules } = yield* Permissions
  return Effect.map(rules, (found) =>
    ofProtection({
      ...reachOf(config),
      tokens: config.JWT_ENABLED,
      unlimited: found !== null ? null : config.PERMISSIONS_DISABLED ? "disabled" : "no file",
      anyAddress: config.MANAGEMENT_NETWORKS === "" && !config.SECURE_DEFAULTS,
      anyKey: config.HOST_KEY_POLICY === "first-use",
      anyHost: Option.isNone(hostsForCallers(config))
    })
  )
})

/** One line for each at the start. */
export const ProtectionLines = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const { about, next, what } of yield* yield* makeProtection)
      yield* Effect.logWarning(`SECURITY: ${what} (${about}). ${next}`)
  })
)
