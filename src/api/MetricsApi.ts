/** Metrics for a monitoring system (docs/monitoring.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ScrapeAuthorization } from "./Authorization.ts"
import { documented } from "./Documented.ts"

const Page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))

const metrics = HttpApiGroup.make("metrics").add(
  HttpApiEndpoint.get("metrics", "/metrics", { success: Page }).annotateMerge(
    documented({
      summary: "Read the metrics",
      description:
        "All metrics for Prometheus, as OpenMetrics where the Accept header names it. No token is needed from an address in METRICS_NETWORKS.",
      example: { response: "# TYPE switchyard_database_up gauge\nswitchyard_database_up 1\n" }
    })
  )
)

/** The page of metrics; its path has no version. */
export class MetricsGroup extends metrics.middleware(ScrapeAuthorization) {}
