/** Handlers of plugins, version and health (contract api-rest.md §10 and §11). */
import { Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, InternalError } from "../../api/Failures.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { readBody } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { has } from "../../domain/fields/Values.ts"
import { Build } from "../../runtime/Build.ts"
import { Plugins } from "../../plugins/Plugins.ts"
import { type Part, Readiness } from "../../jobs/engine/Readiness.ts"

/** Handlers of `PluginsGroup`. */
export const PluginsLive = HttpApiBuilder.group(Api, "plugins", (handlers) =>
  Effect.gen(function* () {
    const plugins = yield* Plugins
    const list = Effect.mapBoth(plugins.loaded, {
      onSuccess: enveloped,
      onFailure: ({ message }) => new InternalError({ message: `Error retrieving plugins ${message}` })
    })
    const selftest = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const body = yield* readBody(request)
      if (!has(body, "action")) return yield* new BadRequest({ message: "No action specified" })
      const { action } = body
      if (typeof action !== "string" || action.toLowerCase() !== "selftest") {
        return yield* new BadRequest({ message: "Unknown action specified" })
      }
      return enveloped({ result: yield* plugins.selftest })
    })
    return handlers.handle("list", () => list).handleRaw("selftest", ({ request }) => answered(selftest(request)))
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

const report = (parts: ReadonlyArray<Part>): Effect.Effect<HealthReport> =>
  Effect.map(Effect.forEach(parts, look, { concurrency: "unbounded" }), (checks) =>
    checks.every(({ status }) => status === "UP") ? { status: "UP", checks } : { status: "DOWN", checks }
  )

/** Handlers of `HealthGroup`. */
export const HealthLive = HttpApiBuilder.group(Api, "health", (handlers) =>
  Effect.gen(function* () {
    const { parts } = yield* Readiness
    const checked = yield* Effect.cachedWithTTL(report(parts), CHECK_KEPT)
    return handlers
      .handle("health", () => checked)
      .handle("ready", () => checked)
      .handle("live", () => Effect.succeed({ status: "UP" as const, checks: [] }))
  })
)
