/**
 * The handler of `GET /metrics` (docs/monitoring.md). The families are in `runtime/metrics`; this file asks the database and the process
 * for the others, and an unavailable database leaves the rest of the page readable.
 */
import { Duration, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { contentType, formatOf, write } from "../runtime/metrics/Exposition.ts"
import { watchProcess } from "../runtime/metrics/ProcessMetrics.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { functionOf } from "../domain/Job.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { type Figures, makeFleetFigures } from "../store/Figures.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { ActiveTemplates } from "../templates/ActiveTemplates.ts"
import {
  certificateEnd,
  countChecksFromZero,
  countRequestsFromZero,
  databaseConnections,
  databaseUp,
  deadLetters,
  devices,
  jobsUnfinished,
  makePlace,
  NO_ROUTE,
  type Place,
  queueAge,
  retainedBytes,
  retainedDue,
  retainedOldest,
  retainedRows,
  recordEventsLag,
  unreachableDevices
} from "../runtime/metrics/Metrics.ts"

// Metrics from the database: read once for all scrapes of some seconds, and with a time limit.

/** How long figures are reused. */
const KEPT = Duration.seconds(3)
/** A scrape usually has ten seconds, and must get the rest of the page. */
const PATIENCE = Duration.seconds(2)

const record = (place: Place, figures: Figures): void => {
  const { certificateEnd: end, connections, devices: found, jobs } = figures
  for (const { count, device_type, state, synchronized } of found)
    devices.record(place, count, state, device_type, String(synchronized))
  const unfinished = new Map<string, number>()
  for (const { count, function_name, status } of jobs) {
    const key = `${functionOf(function_name)} ${status}`
    unfinished.set(key, (unfinished.get(key) ?? 0) + count)
  }
  for (const [key, count] of unfinished) jobsUnfinished.record(place, count, ...key.split(" "))
  queueAge.record(place, Math.max(0, ...jobs.map(({ age }) => age ?? 0)))
  for (const { count, state } of connections) databaseConnections.record(place, count, state)
  for (const { bytes, due, kind, oldest, rows } of figures.retained) {
    retainedRows.record(place, rows, kind)
    retainedDue.record(place, due, kind)
    if (bytes !== null) retainedBytes.record(place, bytes, kind)
    if (oldest !== null) retainedOldest.record(place, Date.parse(`${oldest}Z`) / 1000, kind)
  }
  if (end !== null) certificateEnd.record(place, end)
  unreachableDevices.record(place, figures.unreachable)
  deadLetters.record(place, figures.deadLetters)
  recordEventsLag(place, figures.newestEvent)
}

/** Yields a function that writes the metrics of the database, or that it is unavailable. */
const makeFigures = Effect.gen(function* () {
  const { read } = yield* makeFleetFigures
  const asked = read.pipe(
    failingWithoutDatabase,
    Effect.timeout(PATIENCE),
    Effect.tapCause((cause) => Effect.logDebug("The database gives no figures for metrics", cause)),
    Effect.catchCause(() => Effect.succeed(null))
  )
  const figures = yield* Effect.cachedWithTTL(asked, KEPT)
  return (place: Place) =>
    Effect.map(figures, (found) => {
      databaseUp.record(place, found === null ? 0 : 1)
      if (found !== null) record(place, found)
    })
})

/**
 * Yields an effect that starts the counts of the checks in force at zero, in every scrape: their names come with a commit, and the first
 * check of a name on this replica may be one that fails. Without the database, or while templates are compiled, the next scrape does so.
 */
const makeChecksFromZero = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const templates = yield* ActiveTemplates
  const begun = Effect.gen(function* () {
    for (const ref of yield* repositories.refs("templates")) {
      const { checks } = yield* templates.snapshot(ref === "" ? null : ref)
      countChecksFromZero(checks.checks.map(({ check }) => check.name))
    }
  })
  return begun.pipe(
    failingWithoutDatabase,
    Effect.timeout(PATIENCE),
    Effect.tapCause((cause) => Effect.logDebug("The checks in force are not known for metrics", cause)),
    Effect.ignoreCause
  )
})

/** A stream has no schema of its answer. */
const STREAM = ["200"]

const countFromZero = Effect.sync(() => {
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path }, successes }) =>
      countRequestsFromZero(path, method, successes.size === 0 ? STREAM : [...successes.keys()].map(String))
  })
  countRequestsFromZero(NO_ROUTE, "GET", ["200"])
})

/** Handlers of `MetricsGroup`. */
export const MetricsLive = HttpApiBuilder.group(Api, "metrics", (handlers) =>
  Effect.gen(function* () {
    const { DATA_DIR } = yield* ServerConfig
    yield* countFromZero
    const recordFigures = yield* makeFigures
    const checksFromZero = yield* Effect.cachedWithTTL(yield* makeChecksFromZero, KEPT)
    const recordProcess = yield* watchProcess(DATA_DIR)
    return handlers.handle("metrics", ({ request }) =>
      Effect.gen(function* () {
        const asked = new Map()
        const place = makePlace(asked)
        yield* Effect.all([recordFigures(place), recordProcess(place), checksFromZero], { concurrency: 3 })
        const format = formatOf(request.headers["accept"])
        return HttpServerResponse.text(write(asked, format), { contentType: contentType(format) })
      })
    )
  })
)
