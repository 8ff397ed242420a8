/** The handler of `GET /metrics` (docs/monitoring.md). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { contentType, formatOf, write } from "../../runtime/metrics/Exposition.ts"
import { makePlace } from "../../runtime/metrics/Family.ts"
import { watchProcess } from "../../runtime/metrics/ProcessMetrics.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeFigures } from "./Figures.ts"

/** Handlers of `MetricsGroup`. */
export const MetricsLive = HttpApiBuilder.group(Api, "metrics", (handlers) =>
  Effect.gen(function* () {
    const { DATA_DIR } = yield* ServerConfig
    const tellFigures = yield* makeFigures
    const tellProcess = yield* watchProcess(DATA_DIR)
    return handlers.handle("metrics", ({ request }) =>
      Effect.gen(function* () {
        const asked = new Map()
        const place = makePlace(asked)
        yield* Effect.all([tellFigures(place), tellProcess(place)], { concurrency: 2 })
        const format = formatOf(request.headers["accept"])
        return HttpServerResponse.text(write(asked, format), { contentType: contentType(format) })
      })
    )
  })
)
