/** Handlers of plugins, version and health (contract api-rest.md §10 and §11). */
import { Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, InternalError } from "../../api/Failures.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { readBody } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { has } from "../core/Values.ts"
import { Build } from "../ports/Build.ts"
import { Plugins } from "../ports/Plugins.ts"

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

const report = (up: boolean): HealthReport => {
  const checks = [{ name: "postgres", status: up ? ("UP" as const) : ("DOWN" as const) }]
  return up ? { status: "UP", checks } : { status: "DOWN", checks }
}

/** Handlers of `HealthGroup`. */
export const HealthLive = HttpApiBuilder.group(Api, "health", (handlers) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const answers = sql`select 1`.pipe(
      Effect.timeout(CHECK_TIMEOUT),
      Effect.match({ onSuccess: () => true, onFailure: () => false })
    )
    const checked = yield* Effect.cachedWithTTL(answers, CHECK_KEPT)
    return handlers
      .handle("health", () => Effect.map(checked, report))
      .handle("ready", () => Effect.map(checked, report))
      .handle("live", () => Effect.succeed({ status: "UP" as const, checks: [] }))
  })
)
