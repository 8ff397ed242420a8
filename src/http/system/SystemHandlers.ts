/**
 * Handlers of plugins, version, health and change windows (docs/plugins.md, docs/operations.md#health and docs/windows.md). A health report
 * is reused for five seconds.
 */
import { Clock, Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered } from "../core/HandlerErrors.ts"
import { readBuild } from "../../runtime/Build.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { SILENT_REPLICA } from "../../domain/TakeOver.ts"
import { meaning } from "../../store/DatabaseErrors.ts"
import { failingWithoutDatabase } from "../../store/DatabaseClient.ts"
import { makeServerFigures, type ReplicaFigure } from "../../store/Figures.ts"
import { Permissions } from "../../access/Permissions.ts"
import { lacking } from "../../runtime/OwnFaults.ts"
import { BlockadeWatch, type Watch } from "../../store/ForeignLocks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { enveloped } from "../../api/Answers.ts"
import { type Part, Readiness } from "./Readiness.ts"
import { loadedPlugins, PluginRegistry } from "../../plugins/PluginRegistry.ts"
import type { PluginCallStore } from "../../store/PluginCallStore.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { permitted } from "../../access/Permit.ts"
import { ChangeWindows, judgeDevices } from "../../access/ChangeWindows.ts"
import { requiringSettings, SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { showFreeze, showVerdict, showWindow } from "../../domain/access/Windows.ts"

// Checks all parts of the server (docs/operations.md#health).

const CHECK_SECONDS = 2
const TICKS = 8

/**
 * Ends when an answer takes too long. It counts ticks: a process that was blocked for seconds first receives the waiting answers, and does
 * not mistake its own delay for a silent part.
 */
const patience = Effect.repeat(Effect.sleep(Duration.millis((CHECK_SECONDS * 1000) / TICKS)), { times: TICKS - 1 })

type Check = HealthReport["checks"][number]

/** A check of a part, which remembers its last result. */
const makeLook = ({ check, name, staysGood }: Part, { blockade }: Watch): Effect.Effect<Check> => {
  let wasGood = false
  const silent = Effect.suspend(() => {
    const held = blockade()
    if (staysGood === true && wasGood && held === null) return Effect.void
    return Effect.fail(`no answer within ${CHECK_SECONDS} seconds${held === null ? "" : `: ${held.sentence}`}`)
  })
  const answered = check.pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`The check of ${name} met a defect`, defect), Effect.fail("it failed"))
    ),
    Effect.tap(() => Effect.sync(() => (wasGood = true))),
    Effect.tapError(() => Effect.sync(() => (wasGood = false)))
  )
  return Effect.raceFirst(answered, Effect.andThen(patience, silent)).pipe(
    Effect.match({
      onSuccess: () => ({ name, status: "UP" as const }),
      onFailure: (message) => ({ name, status: "DOWN" as const, message })
    })
  )
}

const healthReport = Effect.fnUntraced(function* (
  looks: ReadonlyArray<Effect.Effect<Check>>,
  remarking: Effect.Effect<string | null>
): Effect.fn.Return<HealthReport> {
  const checks = yield* Effect.all(looks, { concurrency: "unbounded" })
  const found = yield* remarking
  const remark = found === null ? {} : { remark: found }
  return checks.every(({ status }) => status === "UP")
    ? { status: "UP", checks, ...remark }
    : { status: "DOWN", checks, ...remark }
})

/** Yields an effect that checks all parts now. */
export const makeHealthReport = Effect.gen(function* () {
  const { parts } = yield* Readiness
  const { remark } = yield* Permissions
  const { JWT_ENABLED } = yield* ServerConfig
  const watch = yield* BlockadeWatch
  const remarking = Effect.gen(function* () {
    const ofPermissions = JWT_ENABLED ? yield* remark : null
    // other replicas may be able to do the work that this machine cannot, and this one serves other requests
    const { limited } = yield* lacking
    const ofMachine = limited === null ? null : `Some work waits: ${limited.replace(/\.$/, "")}`
    // a server whose statements wait is ready: another server would wait for the same lock
    const held = watch.blockade()
    const ofLock = held === null ? null : `Some work waits for a lock in the database: ${held.sentence}`
    return [ofLock, ofMachine, ofPermissions].filter((one) => one !== null).join(". ") || null
  })
  return healthReport(
    parts.map((part) => makeLook(part, watch)),
    remarking
  )
})

// The replicas and their state, from the database (docs/operations.md#replicas).

const PATIENCE = Duration.seconds(2)

/** A replica that disappeared is reported for this long. */
const FORGOTTEN_SECONDS = 86_400

const wrong = ({ heard_seconds, is_healthy }: ReplicaFigure): string | null => {
  if (heard_seconds > SILENT_REPLICA) return `not heard of for ${Math.round(heard_seconds)} seconds`
  return is_healthy ? null : "other replicas do not reach it"
}

/** The report of these replicas. */
const report = (replicas: ReadonlyArray<ReplicaFigure>): HealthReport => {
  const checks = replicas
    .filter(({ heard_seconds }) => heard_seconds < FORGOTTEN_SECONDS)
    .map((replica) => {
      const message = wrong(replica)
      const name = replica.address
      return message === null ? { name, status: "UP" as const } : { name, status: "DOWN" as const, message }
    })
  return checks.every(({ status }) => status === "UP") ? { status: "UP", checks } : { status: "DOWN", checks }
}

const away = (why: string): HealthReport => ({
  status: "DOWN",
  checks: [{ name: "postgres", status: "DOWN", message: `the database does not answer: ${why}` }]
})

/** Yields an effect that asks the database now. */
const makeReplicaReport = Effect.map(makeServerFigures, ({ replicas }) =>
  failingWithoutDatabase(replicas).pipe(
    Effect.map(report),
    Effect.catchTag("SqlError", (error) => Effect.succeed(away(meaning(error)))),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(away("no answer within 2 seconds")) })
  )
)

/** Handlers of `PluginsGroup`. */
export const PluginsLive = HttpApiBuilder.group(Api, "plugins", (handlers) =>
  Effect.gen(function* () {
    const { selftest } = yield* PluginRegistry
    const services = yield* Effect.context<PluginRegistry | PluginCallStore>()
    return handlers
      .handle("list", () => answered(Effect.map(Effect.provideContext(loadedPlugins, services), enveloped)))
      .handle("selftest", () => Effect.map(selftest, (result) => enveloped({ result })))
  })
)

/** Handlers of `SystemGroup`. */
export const SystemLive = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.map(readBuild, ({ git_version, version }) =>
    handlers.handle("version", () => Effect.succeed(enveloped({ version, git_version })))
  )
)

const CHECK_KEPT = Duration.seconds(5)
const REPLICAS_KEPT = Duration.seconds(1)

/** Handlers of `HealthGroup`. */
export const HealthLive = HttpApiBuilder.group(Api, "health", (handlers) =>
  Effect.gen(function* () {
    const checked = yield* Effect.cachedWithTTL(yield* makeHealthReport, CHECK_KEPT)
    const replicas = yield* Effect.cachedWithTTL(yield* makeReplicaReport, REPLICAS_KEPT)
    return handlers
      .handle("health", () => checked)
      .handle("replicas", () => replicas)
      .handle("ready", () => checked)
      .handle("live", () => Effect.succeed({ status: "UP" as const, checks: [] }))
  })
)

// Handlers of change windows: the rules in force, and their verdict on a device or a group (docs/windows.md#looking-at-windows).

interface Question {
  readonly device?: string
  readonly group?: string
}

const makeWindows = Effect.gen(function* () {
  const windows = yield* ChangeWindows
  const services = yield* Effect.context<ChangeWindows | CallerDevices>()
  const asked = yield* CallerDevices
  const settings = yield* SettingsView
  const devices = yield* DeviceStore

  const devicesOf = Effect.fnUntraced(function* ({ device, group }: Question) {
    if (device !== undefined) return [yield* devices.getByHostname(device)]
    return group === undefined ? null : yield* devices.byHostnames((yield* settings.group(group)).hostnames)
  })

  const verdict = Effect.fnUntraced(function* (question: Question, at: number) {
    // to a caller of some devices other devices are unknown
    if (question.device !== undefined) yield* permitted({ devices: yield* asked.known([question.device]) })
    const rows = yield* devicesOf(question)
    if (rows === null) return null
    yield* asked.permit(rows, {})
    return showVerdict(yield* Effect.provideContext(judgeDevices(rows, at), services), rows.length)
  }, requiringSettings)

  return Effect.fn("Windows.show")(function* (question: Question) {
    const at = yield* Clock.currentTimeMillis
    const { problem, rules } = yield* windows.inForce
    return enveloped({
      in_force: rules !== null,
      problem,
      windows: (rules?.windows ?? []).map((window) => showWindow(window, at)),
      freezes: (rules?.freezes ?? []).map((freeze) => showFreeze(freeze, at)),
      asked: yield* verdict(question, at)
    })
  })
})

/** Handlers of `WindowsGroup`. */
export const WindowsLive = HttpApiBuilder.group(Api, "windows", (handlers) =>
  Effect.map(makeWindows, (show) => handlers.handle("list", ({ query }) => answered(show(query))))
)
