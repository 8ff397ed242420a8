/** Handlers of plugins, version and health (docs/plugins.md and docs/operations.md#health). */
import { Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Permissions } from "../../access/Permissions.ts"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { Tokens } from "../core/Tokens.ts"
import { answered } from "../core/Unavailable.ts"
import { Build } from "../../runtime/Build.ts"
import { Plugins } from "../../plugins/Plugins.ts"
import { type Part, Readiness } from "../../jobs/engine/Readiness.ts"

/** Handlers of `PluginsGroup`. */
export const PluginsLive = HttpApiBuilder.group(Api, "plugins", (handlers) =>
  Effect.gen(function* () {
    const plugins = yield* Plugins
    return handlers
      .handle("list", () => answered(Effect.map(plugins.loaded, enveloped)))
      .handle("selftest", () => Effect.map(plugins.selftest, (result) => enveloped({ result })))
  })
)

/** Handlers of `SystemGroup`. */
export const SystemLive = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.map(Effect.service(Build), ({ git_version, version }) =>
    handlers.handle("version", () => Effect.succeed(enveloped({ version, git_version })))
  )
)

const CHECK_TIMEOUT = Duration.seconds(2)
const CHECK_KEPT = Duration.seconds(5)

const look = ({ check, name }: Part) =>
  check.pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`The check of ${name} met a defect`, defect), Effect.fail("it failed"))
    ),
    Effect.timeoutOrElse({ duration: CHECK_TIMEOUT, orElse: () => Effect.fail("no answer within 2 seconds") }),
    Effect.match({
      onSuccess: () => ({ name, status: "UP" as const }),
      onFailure: (message) => ({ name, status: "DOWN" as const, message })
    })
  )

const report = Effect.fnUntraced(function* (
  parts: ReadonlyArray<Part>,
  remarking: Effect.Effect<string | null>
): Effect.fn.Return<HealthReport> {
  const checks = yield* Effect.forEach(parts, look, { concurrency: "unbounded" })
  const found = yield* remarking
  const remark = found === null ? {} : { remark: found }
  return checks.every(({ status }) => status === "UP")
    ? { status: "UP", checks, ...remark }
    : { status: "DOWN", checks, ...remark }
})

/** Handlers of `HealthGroup`. */
export const HealthLive = HttpApiBuilder.group(Api, "health", (handlers) =>
  Effect.gen(function* () {
    const { parts } = yield* Readiness
    const { remark } = yield* Permissions
    const { required } = yield* Tokens
    const checked = yield* Effect.cachedWithTTL(report(parts, required ? remark : Effect.succeed(null)), CHECK_KEPT)
    return handlers
      .handle("health", () => checked)
      .handle("ready", () => checked)
      .handle("live", () => Effect.succeed({ status: "UP" as const, checks: [] }))
  })
)
