/**
 * Handlers of the server's status and findings (docs/operations.md#how-the-server-does). The status is computed once for all requests of
 * some seconds.
 */
import { Clock, DateTime, Duration, Effect, type FileSystem, Layer, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Permissions } from "../../access/Permissions.ts"
import { Api } from "../../api/Api.ts"
import { findingsOf, ofBlockade } from "../../domain/findings/Findings.ts"
import { readBuild } from "../../runtime/Build.ts"
import { makeProcessReading, type ProcessReading, readDisk } from "../../runtime/metrics/ProcessMetrics.ts"
import { OwnFaults } from "../../runtime/OwnFaults.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { isHeldUp } from "../../store/DatabaseErrors.ts"
import { failingWithoutDatabase } from "../../store/DatabaseClient.ts"
import { makeFindingFacts, makeFleetFigures, makeServerFigures } from "../../store/Figures.ts"
import { BlockadeWatch } from "../../store/ForeignLocks.ts"
import { answered } from "../core/HandlerErrors.ts"
import { makeHealthReport } from "./SystemHandlers.ts"
import { unsignedNow } from "../../jobs/requests/SignedCommits.ts"
import type { ActiveSettings } from "../../settings/ActiveSettings.ts"
import type { RepositoryStore } from "../../store/RepositoryStore.ts"
import { ofProtection } from "../../domain/findings/ProtectionFindings.ts"
import { hostsForCallers } from "../../runtime/OutboundHosts.ts"
import { isLoopback } from "../core/Client.ts"
import { checkTls } from "../core/TlsListener.ts"
import { enveloped } from "../../api/Answers.ts"
import type { ServerTlsFact } from "../../domain/Certificate.ts"
import type { ServerStatus } from "../../api/SystemApi.ts"

// The expiry of the TLS listener's certificate, from its present files (docs/operations.md#doctor).

/** Null without a TLS listener. */
const ownCertificate = Effect.gen(function* () {
  const { TLS_CERT, TLS_KEY } = yield* ServerConfig
  if (Option.isNone(TLS_CERT) || Option.isNone(TLS_KEY)) return null
  const path = TLS_CERT.value
  const looked = yield* checkTls({ cert: path, key: TLS_KEY.value })
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

// Secure defaults that this server does not use (docs/security.md#secure-defaults): readable at any time, and logged at the start.

const isOfThisMachine = (prefix: string): boolean => /^(?:127\.|::1(?:\/128)?$)/.test(prefix)

/** Addresses at which other machines reach the API; `clear` without TLS, unless a proxy in front is configured. */
const reachOf = ({ HOST, PORT, TLS_CERT, TLS_HOST, TLS_PORT, TRUSTED_PROXIES }: ServerSettings) => {
  const clear = isLoopback(HOST) || !TRUSTED_PROXIES.every(isOfThisMachine) ? null : `http://${HOST}:${PORT}`
  const encrypted = Option.isSome(TLS_CERT) && !isLoopback(TLS_HOST) ? `https://${TLS_HOST}:${TLS_PORT}` : null
  return { clear, reachable: isLoopback(HOST) ? encrypted : `http://${HOST}:${PORT}` }
}

/** Yields an effect that lists them now. */
const makeProtection = Effect.gen(function* () {
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

/** Logs one line for each at the start. */
export const ProtectionLines = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const { about, next, what } of yield* yield* makeProtection)
      yield* Effect.logWarning(`SECURITY: ${what} (${about}). ${next}`)
  })
)

const KEPT = Duration.seconds(5)
/** After this time the database is shown as unavailable. */
const PATIENCE = Duration.seconds(2)

const processOf = ({ loopLag, loopUtilization, memory, openFiles, uptime }: ProcessReading) => ({
  uptime_seconds: uptime,
  memory_bytes: memory.rss,
  open_files: openFiles,
  loop_lag_seconds: { median: loopLag.median, p99: loopLag.p99 },
  loop_utilization: loopUtilization
})

const makeStatus = Effect.gen(function* () {
  const build = yield* readBuild
  const { DATABASE_URL, DATA_DIR } = yield* ServerConfig
  const fleet = yield* makeFleetFigures
  const figures = yield* makeServerFigures
  const look = yield* makeHealthReport
  const readProcess = yield* makeProcessReading(DATA_DIR)

  const asked = Effect.all({ fleet: fleet.read, database: figures.database, replicas: figures.replicas }).pipe(
    failingWithoutDatabase,
    Effect.timeout(PATIENCE),
    Effect.tapCause((cause) => Effect.logDebug("The database does not say how the server does", cause)),
    Effect.catchCause(() => Effect.succeed(null))
  )

  return Effect.gen(function* (): Effect.fn.Return<ServerStatus> {
    const { found, health, reading } = yield* Effect.all(
      { found: asked, health: look, reading: readProcess },
      { concurrency: 3 }
    )
    const { checks, remark = null, status } = health
    const { git_version, version } = build
    return {
      version,
      git_version,
      status,
      checks,
      remark,
      process: processOf(reading),
      disk: reading.disk === null ? null : { free_bytes: reading.disk.free, size_bytes: reading.disk.size },
      database:
        found === null || found.database === null
          ? null
          : { ...found.database, is_embedded: Option.isNone(DATABASE_URL), connections: found.fleet.connections },
      queue:
        found === null
          ? null
          : {
              jobs: found.fleet.jobs.map(({ count, function_name, status }) => ({ function_name, status, count })),
              oldest_seconds: Math.max(0, ...found.fleet.jobs.map(({ age }) => age ?? 0))
            },
      retained: found?.fleet.retained ?? null,
      dead_letters: found?.fleet.deadLetters ?? null,
      replicas: found?.replicas ?? null
    }
  })
})

/** Handlers of `ServerGroup`. */
export const ServerLive = HttpApiBuilder.group(Api, "server", (handlers) =>
  Effect.gen(function* () {
    const status = yield* Effect.cachedWithTTL(yield* makeStatus, KEPT)
    const facts = yield* makeFindingFacts
    const protection = yield* makeProtection
    const { rules } = yield* Permissions
    const { DATA_DIR } = yield* ServerConfig
    const context = yield* Effect.context<FileSystem.FileSystem | ServerConfig>()
    const repositories = yield* Effect.context<ActiveSettings | RepositoryStore | ServerConfig>()
    const tls = Effect.provideContext(ownCertificate, context)
    const { blockade } = yield* BlockadeWatch
    const found = Effect.gen(function* () {
      const read = yield* facts.read
      const lacking = (yield* (yield* OwnFaults).now).map(({ fault: { message }, since }) => ({
        message,
        since: new Date(since).toISOString().slice(0, "2026-11-23T18:00:00".length)
      }))
      const { impliedFreeLines = [] } = (yield* rules) ?? {}
      const unsigned = Option.getOrNull(yield* Effect.provideContext(unsignedNow, repositories))
      const stuck = findingsOf({
        ...read,
        lacking,
        unsigned,
        impliedFreeLines,
        tls: yield* tls,
        disk: yield* readDisk(DATA_DIR)
      })
      return [...stuck, ...(yield* protection)]
    })
    // the holder of a lock is known even while the database cannot be asked for the other findings
    const findings = Effect.catchIf(found, isHeldUp, () => Effect.succeed([])).pipe(
      Effect.map((others) => {
        const held = blockade()
        return enveloped({ findings: [...(held === null ? [] : [ofBlockade(held.sentence)]), ...others] })
      })
    )
    return handlers.handle("status", () => Effect.map(status, enveloped)).handle("findings", () => answered(findings))
  })
)
