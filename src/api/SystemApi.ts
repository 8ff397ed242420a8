/**
 * The server: plugins, version, health, status, findings and metrics (docs/plugins.md, docs/operations.md#health,
 * docs/operations.md#how-the-server-does, docs/monitoring.md).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SelftestRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization, RequestBody, ScrapeAuthorization } from "./Requests.ts"
import { documented, type EndpointDocument } from "./Documented.ts"
import { BadRequest, Enveloped, InternalError, ServiceUnavailable } from "./Answers.ts"
import { Finding } from "../domain/Finding.ts"

const PluginData = Schema.NullOr(
  Schema.Struct({
    plugins: Schema.Array(
      Schema.Struct({
        filename: Schema.String,
        vars: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      }).annotate({ identifier: "PluginEntry" })
    )
  })
)

const PluginState = Schema.Struct({
  filename: Schema.String,
  loaded: Schema.Boolean,
  // why it is not loaded
  problem: Schema.NullOr(Schema.String),
  hooks: Schema.Array(Schema.String),
  // functions for checks
  checks: Schema.Array(Schema.String),
  failed_calls: Schema.Int,
  // failed calls that are tried again
  retried_calls: Schema.Int,
  last_error: Schema.NullOr(Schema.String),
  last_error_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PluginState" })

const filewriter: typeof PluginState.Type = {
  filename: "filewriter.ts",
  loaded: true,
  problem: null,
  hooks: ["selftest", "new_managed_device", "allocated_ipv4"],
  checks: [],
  failed_calls: 0,
  retried_calls: 0,
  last_error: null,
  last_error_at: null
}

const plugins = HttpApiGroup.make("plugins").add(
  HttpApiEndpoint.get("list", "/plugins", {
    success: Enveloped(
      Schema.Struct({
        loaded_plugins: Schema.Array(Schema.String),
        plugindata: PluginData,
        plugin_states: Schema.Array(PluginState)
      })
    ),
    error: InternalError
  }).annotateMerge(
    documented({
      name: "listPlugins",
      summary: "List plugins",
      description: "Loaded plugins, the plugin file with its variables, and the results of the calls.",
      example: {
        response: {
          status: "success",
          data: {
            loaded_plugins: ["filewriter"],
            plugindata: { plugins: [{ filename: "filewriter.ts", vars: { logfile: "/tmp/filewriter.log" } }] },
            plugin_states: [filewriter]
          }
        }
      }
    })
  ),
  HttpApiEndpoint.put("selftest", "/plugins", {
    payload: SelftestRequest.schema,
    success: Enveloped(Schema.Struct({ result: Schema.Array(Schema.Boolean) })),
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "testPlugins",
        summary: "Test plugins",
        description: "Runs the selftest of each plugin; the last loaded comes first.",
        example: { request: { action: "selftest" }, response: { status: "success", data: { result: [true] } } }
      })
    )
)

/** Endpoints of plugins, all with a token. */
export class PluginsGroup extends plugins.middleware(Authorization) {}

/** A part of the server: `message` is the problem of one that is down. */
const Check = Schema.Struct({
  name: Schema.String,
  status: Schema.Literals(["UP", "DOWN"]),
  /** The problem of a part that is down. */
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "HealthCheck" })

const report = <S extends "UP" | "DOWN">(status: S) =>
  Schema.Struct({
    status: Schema.Literal(status),
    checks: Schema.Array(Check),
    // a note for the operator about something other than a fault
    remark: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: status === "UP" ? "HealthReport" : "FaultReport" })

/** Everything works. */
const Up = report("UP")
/** Some check failed; 503. */
const Down = report("DOWN").pipe(HttpApiSchema.status(503))
export type HealthReport = typeof Up.Type | typeof Down.Type

const PARTS = ["postgres", "schema", "settings", "templates", "jobs"]
const up = { response: { status: "UP", checks: PARTS.map((name) => ({ name, status: "UP" })) } }
const health = (name: string, summary: string, description: string): EndpointDocument => ({
  name,
  summary,
  description,
  example: up
})
const answers = { success: [Up, Down] as const }

const system = HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("version", "/system/version", {
    success: Enveloped(
      Schema.Struct({ version: Schema.String, git_version: Schema.String }).annotate({ identifier: "Version" })
    )
  }).annotateMerge(
    documented({
      name: "getVersion",
      summary: "Read the version",
      description: "Version of the program. No token is needed.",
      example: { response: { status: "success", data: { version: "0.1.0", git_version: "No git repo found" } } }
    })
  )
)

/** Endpoints that identify the program, open to everybody. */
export class SystemGroup extends system {}

const probes = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", answers).annotateMerge(
    documented(
      health(
        "getHealth",
        "Read the health",
        "All parts by name. 503 when one is down, with what is wrong. No token is needed."
      )
    )
  ),
  HttpApiEndpoint.get("live", "/health/live", answers).annotateMerge(
    documented(
      health(
        "getLiveness",
        "Is the process alive",
        "Answers as long as the process runs; nothing is checked. No token is needed."
      )
    )
  ),
  HttpApiEndpoint.get("ready", "/health/ready", answers).annotateMerge(
    documented(
      health(
        "getReadiness",
        "Can the server work",
        "503 unless the database takes a write, settings and templates are in force and the job engine takes work. No token is needed."
      )
    )
  ),
  HttpApiEndpoint.get("replicas", "/health/replicas", answers).annotateMerge(
    documented({
      name: "getReplicaHealth",
      summary: "Check whether all replicas work together",
      description:
        "Each replica of the last day by the address at which others reach it. 503 if one of them sends no heartbeat, or is unreachable for others. None where a server works alone. No token is needed.",
      example: { response: { status: "UP", checks: [{ name: "10.0.0.5:5050", status: "UP" }] } }
    })
  )
)

/** Probes for a load balancer, open to everybody; their paths have no version. */
export class HealthGroup extends probes {}

// Status of the server, for administrators (docs/operations.md#how-the-server-does).

const Seconds = Schema.Finite
const Bytes = Schema.Finite

const Process = Schema.Struct({
  uptime_seconds: Seconds,
  memory_bytes: Bytes,
  open_files: Schema.NullOr(Schema.Int),
  /** Delay of the event loop since the last request. */
  loop_lag_seconds: Schema.Struct({ median: Seconds, p99: Seconds }).annotate({ identifier: "LoopLag" }),
  /** The busy part of that time, 0 to 1. */
  loop_utilization: Schema.Finite
}).annotate({ identifier: "ProcessStatus" })

const Database = Schema.Struct({
  version: Schema.String,
  is_embedded: Schema.Boolean,
  size_bytes: Bytes,
  /** The newest change of its schema. */
  schema_version: Schema.Int,
  connections: Schema.Array(
    Schema.Struct({ state: Schema.String, count: Schema.Int }).annotate({ identifier: "ConnectionCount" })
  )
}).annotate({ identifier: "DatabaseStatus" })

const Queue = Schema.Struct({
  /** Unfinished jobs. */
  jobs: Schema.Array(
    Schema.Struct({ function_name: Schema.String, status: Schema.String, count: Schema.Int }).annotate({
      identifier: "QueuedJobs"
    })
  ),
  /** How long the oldest due job has waited; 0 without one. */
  oldest_seconds: Seconds
}).annotate({ identifier: "QueueStatus" })

const Replica = Schema.Struct({
  address: Schema.String,
  is_healthy: Schema.Boolean,
  /** Seconds since its last heartbeat. */
  heard_seconds: Seconds
}).annotate({ identifier: "ReplicaStatus" })

const Retained = Schema.Struct({
  /** change, config, event …: docs/operations.md#retention. */
  kind: Schema.String,
  rows: Schema.Int,
  /** Of its table with indexes; null for a kind that shares the table of another one. */
  bytes: Schema.NullOr(Bytes),
  oldest: Schema.NullOr(Schema.String),
  /** Rows that retention removes within a day. */
  due: Schema.Int,
  /** Rows that it has removed. */
  removed: Schema.Int,
  /** The time of this count; it is made every hour. */
  looked_at: Schema.String
}).annotate({ identifier: "RetainedRows" })

/** Values from the database are null while it is unreachable. */
export const ServerStatus = Schema.Struct({
  version: Schema.String,
  git_version: Schema.String,
  status: Schema.Literals(["UP", "DOWN"]),
  checks: Schema.Array(Check),
  /** A note for the operator about something other than a fault. */
  remark: Schema.NullOr(Schema.String),
  process: Process,
  /** Below DATA_DIR. */
  disk: Schema.NullOr(Schema.Struct({ free_bytes: Bytes, size_bytes: Bytes }).annotate({ identifier: "DiskStatus" })),
  database: Schema.NullOr(Database),
  queue: Schema.NullOr(Queue),
  /** Kinds of rows with a limited age; none before the first count. */
  retained: Schema.NullOr(Schema.Array(Retained)),
  dead_letters: Schema.NullOr(Schema.Int),
  /** Replicas that share the work; none where a server works alone. */
  replicas: Schema.NullOr(Schema.Array(Replica))
}).annotate({ identifier: "ServerStatus" })
export type ServerStatus = typeof ServerStatus.Type

const example: ServerStatus = {
  version: "0.2.0",
  git_version: "No git repo found",
  status: "UP",
  checks: [{ name: "postgres", status: "UP" }],
  remark: null,
  process: {
    uptime_seconds: 86_400,
    memory_bytes: 310_378_496,
    open_files: 61,
    loop_lag_seconds: { median: 0.0201, p99: 0.0312 },
    loop_utilization: 0.04
  },
  disk: { free_bytes: 52_428_800_000, size_bytes: 105_089_261_568 },
  database: {
    version: "18.4",
    is_embedded: false,
    size_bytes: 84_213_760,
    schema_version: 37,
    connections: [{ state: "idle", count: 9 }]
  },
  queue: { jobs: [{ function_name: "sync_devices", status: "RUNNING", count: 1 }], oldest_seconds: 0 },
  retained: [
    {
      kind: "job",
      rows: 812,
      bytes: 1_318_912,
      oldest: "2026-01-12T08:15:30.123",
      due: 4,
      removed: 96,
      looked_at: "2026-03-12T09:00:00.000"
    }
  ],
  dead_letters: 0,
  replicas: [{ address: "10.0.0.5:5050", is_healthy: true, heard_seconds: 1.2 }]
}

const found: typeof Finding.Type = {
  kind: "job",
  level: "bad",
  about: "job 812",
  since: "2026-03-02T09:12:07.031",
  what: "sync_devices has made no progress for 21 minutes",
  why: "A process works on it, and waits for a switch or another system that does not answer.",
  next: "Look at its devices. An abort finishes the running work, and begins nothing new.",
  repair: {
    says: "Abort job 812",
    method: "PUT",
    path: "/job/812",
    body: { action: "ABORT", abort_reason: "It made no progress" }
  }
}

const server = HttpApiGroup.make("server").add(
  HttpApiEndpoint.get("findings", "/system/findings", {
    success: Enveloped(Schema.Struct({ findings: Schema.Array(Finding) })),
    error: ServiceUnavailable
  }).annotateMerge(
    documented({
      name: "listFindings",
      summary: "List the findings of the doctor",
      description:
        "Jobs without progress, abandoned changes, devices with an unknown configuration, locks, expiring certificates, the age and bloat of the database, disk, clocks and undelivered alerts: since when, why, and the safe next step; the worst first. `repair` is a call of this API that repairs it after a user's consent. Empty without findings.",
      example: { response: { status: "success", data: { findings: [found] } } }
    })
  ),
  HttpApiEndpoint.get("status", "/system/status", { success: Enveloped(ServerStatus) }).annotateMerge(
    documented({
      name: "getServerStatus",
      summary: "Read the status of the server",
      description:
        "Health by parts, process, disk, database, unfinished jobs, stored rows of each kind, and replicas in one answer, never older than five seconds. 200 also while a part is down; values from the database are null while it is unreachable. The process is that of the answering replica.",
      example: { response: { status: "success", data: example } }
    })
  )
)

/** Endpoints about the server, all with a token. */
export class ServerGroup extends server.middleware(Authorization) {}

// Metrics for a monitoring system (docs/monitoring.md).

const Page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))

const metrics = HttpApiGroup.make("metrics").add(
  HttpApiEndpoint.get("metrics", "/metrics", { success: Page }).annotateMerge(
    documented({
      name: "getMetrics",
      summary: "Read the metrics",
      description:
        "All metrics for Prometheus, as OpenMetrics where the Accept header names it. No token is needed from an address in METRICS_NETWORKS.",
      example: { response: "# TYPE switchyard_database_up gauge\nswitchyard_database_up 1\n" }
    })
  )
)

/** The page of metrics; its path has no version. */
export class MetricsGroup extends metrics.middleware(ScrapeAuthorization) {}
