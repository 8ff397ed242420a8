/** Plugins, version and health (docs/plugins.md and docs/operations.md#health). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SelftestRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { documented, type EndpointDocument } from "./Documented.ts"
import { BadRequest, Enveloped, InternalError } from "./Answers.ts"

const PluginData = Schema.NullOr(
  Schema.Struct({
    plugins: Schema.Array(
      Schema.Struct({
        filename: Schema.String,
        vars: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      })
    )
  })
)

const PluginState = Schema.Struct({
  filename: Schema.String,
  loaded: Schema.Boolean,
  // why it is not loaded
  problem: Schema.NullOr(Schema.String),
  hooks: Schema.Array(Schema.String),
  failed_calls: Schema.Int,
  // that failed and are tried again
  retried_calls: Schema.Int,
  last_error: Schema.NullOr(Schema.String),
  last_error_at: Schema.NullOr(Schema.String)
})

const filewriter: typeof PluginState.Type = {
  filename: "filewriter.ts",
  loaded: true,
  problem: null,
  hooks: ["selftest", "new_managed_device", "allocated_ipv4"],
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
      summary: "List plugins",
      description: "Loaded plugins, the plugin file with its variables, and what became of the calls.",
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
        summary: "Test plugins",
        description: "Runs the selftest of each plugin; the last loaded comes first.",
        example: { request: { action: "selftest" }, response: { status: "success", data: { result: [true] } } }
      })
    )
)

/** Endpoints of plugins, all with a token. */
export class PluginsGroup extends plugins.middleware(Authorization) {}

const report = <S extends "UP" | "DOWN">(status: S) =>
  Schema.Struct({
    status: Schema.Literal(status),
    checks: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        status: Schema.Literals(["UP", "DOWN"]),
        // what is wrong with a part that is down
        message: Schema.optionalKey(Schema.String)
      })
    ),
    // what somebody should know of, and is no fault
    remark: Schema.optionalKey(Schema.String)
  })

/** Everything works. */
export const Up = report("UP")
/** Some check failed; 503. */
export const Down = report("DOWN").pipe(HttpApiSchema.status(503))
export type HealthReport = typeof Up.Type | typeof Down.Type

const PARTS = ["postgres", "schema", "settings", "templates", "jobs"]
const up = { response: { status: "UP", checks: PARTS.map((name) => ({ name, status: "UP" })) } }
const health = (summary: string, description: string): EndpointDocument => ({ summary, description, example: up })
const answers = { success: [Up, Down] as const }

const system = HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("version", "/system/version", {
    success: Enveloped(Schema.Struct({ version: Schema.String, git_version: Schema.String }))
  }).annotateMerge(
    documented({
      summary: "Read the version",
      description: "Version of the program. No token is needed.",
      example: { response: { status: "success", data: { version: "0.1.0", git_version: "No git repo found" } } }
    })
  )
)

/** Endpoints that tell which program this is, open to everybody. */
export class SystemGroup extends system {}

const probes = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("health", "/health", answers).annotateMerge(
    documented(
      health("Read the health", "All parts by name. 503 when one is down, with what is wrong. No token is needed.")
    )
  ),
  HttpApiEndpoint.get("live", "/health/live", answers).annotateMerge(
    documented(
      health("Is the process alive", "Answers as long as the process runs; nothing is checked. No token is needed.")
    )
  ),
  HttpApiEndpoint.get("ready", "/health/ready", answers).annotateMerge(
    documented(
      health(
        "Can the server work",
        "503 unless the database takes a write, settings and templates are in force and the job engine takes work. No token is needed."
      )
    )
  ),
  HttpApiEndpoint.get("replicas", "/health/replicas", answers).annotateMerge(
    documented({
      summary: "Do all replicas work together",
      description:
        "Each replica of the last day by the address where others reach it. 503 when one of them is not heard of, or others do not reach it. None where a server works alone. No token is needed.",
      example: { response: { status: "UP", checks: [{ name: "10.0.0.5:5050", status: "UP" }] } }
    })
  )
)

/** Probes for a load balancer, open to everybody; their paths have no version. */
export class HealthGroup extends probes {}
