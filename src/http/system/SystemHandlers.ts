/** Handlers of plugins, version and health (docs/plugins.md and docs/operations.md#health). */
import { Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Answers.ts"
import { answered } from "../core/Unavailable.ts"
import { Build } from "../../runtime/Build.ts"
import { Plugins } from "../../plugins/Plugins.ts"
import { makeHealthReport } from "./HealthReport.ts"
import { makeReplicaReport } from "./ReplicaReport.ts"

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
