/**
 * The text of all metrics for Prometheus, as OpenMetrics or in its own older format. Effect writes the older one; OpenMetrics names the
 * family of a counter without `_total` and has an end.
 */
import { Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import {
  changeMetrics,
  databaseMetrics,
  type Definition,
  eventMetrics,
  fleetMetrics,
  httpMetrics,
  jobMetrics,
  makePlace,
  registryOfProcess,
  sshMetrics
} from "./Metrics.ts"
import { processMetrics } from "./ProcessMetrics.ts"

/** Every metric of the server. */
export const definitions: ReadonlyArray<Definition> = [
  ...httpMetrics,
  ...jobMetrics,
  ...fleetMetrics,
  ...changeMetrics,
  ...sshMetrics,
  ...databaseMetrics,
  ...eventMetrics,
  ...processMetrics
].map(({ definition }) => definition)

const OPEN_METRICS = "application/openmetrics-text"
const TYPES = {
  openmetrics: `${OPEN_METRICS}; version=1.0.0; charset=utf-8`,
  text: "text/plain; version=0.0.4; charset=utf-8"
} as const
type Format = keyof typeof TYPES

/** The format that an Accept header asks for: OpenMetrics where it is named and not excluded. */
export const formatOf = (accept: string | undefined): Format => {
  const named = (accept ?? "").split(",").find((item) => item.trim().toLowerCase().startsWith(OPEN_METRICS))
  return named === undefined || /;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(named) ? "text" : "openmetrics"
}

/** The content type of a format. */
export const contentType = (format: Format): string => TYPES[format]

const names: ReadonlySet<string> = new Set(definitions.map(({ name }) => name))

/** Families without series are on the page as well, so that a reader does not take a correct name for a wrong one. */
const withoutSeries = (registry: Metric.MetricRegistry): string => {
  const present = new Set([...registry.values()].map(({ id }) => id))
  return definitions
    .filter(({ name }) => !present.has(name))
    .map(({ help, kind, name }) => `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`)
    .join("")
}

const asOpenMetrics = (text: string): string =>
  `${text.replaceAll(/^# (HELP|TYPE) (\S+)_total /gm, "# $1 $2 ").replaceAll(/le="(\d+)"/g, 'le="$1.0"')}# EOF\n`

/** The page: the counters of this process, and the values that `asked` contains for this answer. */
export const write = (asked: Metric.MetricRegistry, format: Format): string => {
  const registry: Metric.MetricRegistry = new Map(
    [...registryOfProcess(), ...asked].filter(([, { id }]) => names.has(id))
  )
  const text = PrometheusMetrics.formatUnsafe(makePlace(registry)) + withoutSeries(registry)
  return format === "openmetrics" ? asOpenMetrics(text) : text
}
