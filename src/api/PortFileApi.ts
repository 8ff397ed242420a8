/** Ports of several switches at once, as comma-separated values (docs/api.md#several-ports-at-once). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Body from "../domain/fields/Body.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import * as Rules from "../domain/fields/Rules.ts"
import { BadRequest, Enveloped, Forbidden, InternalError, PreconditionFailed } from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { ChangedInterface } from "./InterfacesApi.ts"
import { Authorization, RequestBody } from "./Requests.ts"

const text = (name: string) =>
  Rules.accept(
    (sent): sent is string => typeof sent === "string",
    () => `${name} must be a text`
  )

/** A file of ports, and whether it is only tried. */
export const PortFileRequest = Body.make(
  {
    csv: Body.required(Schema.String, () => "csv must be a text", text("csv")),
    dry_run: Body.otherwise(
      Schema.Boolean,
      false,
      Rules.flag(() => "dry_run must be a boolean")
    ),
    version: Body.optional(Schema.String, (sent, place) =>
      sent === "" ? Result.fail("version must be that of a dry run") : text("version")(sent, place)
    )
  },
  { message: (errors) => ({ errors }) }
)

const Changed = Schema.Struct({
  /** False after a dry run, and if there are errors. */
  stored: Schema.Boolean,
  errors: Schema.Array(
    Schema.Struct({ line: Schema.Int, column: Schema.String, message: Schema.String }).annotate({
      identifier: "PortFileError"
    })
  ),
  /** By hostname and port. */
  updated: Schema.Record(Schema.String, Schema.Record(Schema.String, ChangedInterface)),
  /** Of a dry run: switches with the same change together. */
  diffs: Schema.Array(
    Schema.Struct({ hostnames: Schema.Array(Schema.String), diff: Schema.String }).annotate({
      identifier: "PortFileDiff"
    })
  ),
  version: Schema.String
}).annotate({ identifier: "PortFileResult" })

const csv =
  "switch,port,profile,vlan,description\r\nlhv-a1,Ethernet1-12,accesspoint,,\r\nlhv-a2,Ethernet5,,PRINTER,room 5\r\n"
const updated = {
  "lhv-a2": {
    Ethernet5: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "PRINTER", description: "room 5" } }
  }
}

const endpoints = HttpApiGroup.make("ports").add(
  HttpApiEndpoint.post("bulk", "/interfaces/bulk", {
    payload: PortFileRequest.schema,
    success: Enveloped(Changed),
    error: [BadRequest, Forbidden, PreconditionFailed, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "changePorts",
        summary: "Change ports of several switches",
        description:
          "Takes ports as comma-separated values and stores all of them or none. A mistake anywhere is 400 with every mistake by its line and column. `dry_run` stores nothing: it answers 200 with `errors`, or with `diffs`, the differences of the generated configurations, and a `version`. If that is sent with the change, 412 means that a port has changed since. The caller needs the rights of `PUT /device/:hostname/interfaces` for each switch and port.",
        example: {
          request: { csv, dry_run: true },
          response: {
            status: "success",
            data: {
              stored: false,
              errors: [],
              updated,
              diffs: [
                {
                  hostnames: ["lhv-a2"],
                  diff: "@@ -12,3 +12,4 @@\n interface Ethernet5\n+   description room 5\n-   switchport access vlan 10\n+   switchport access vlan 30\n"
                }
              ],
              version: "6d1f0c2a9b8e7d54"
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("file", "/interfaces.csv", {
    query: {
      hostnames: Schema.optionalKey(
        Parameter.text(shown("names of access switches, separated by commas", "lhv-a1,lhv-a2"))
      )
    },
    success: HttpApiSchema.WithHeaders(Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })), {
      "content-disposition": Schema.String
    }),
    error: [BadRequest, Forbidden]
  }).annotateMerge(
    documented({
      name: "exportPorts",
      summary: "Download ports of several switches",
      description:
        "Ports as comma-separated values, in the form that `POST /interfaces/bulk` takes. Secrets are masked, and a masked text that is sent back stays what it is.",
      example: {
        response:
          "switch,port,use,vlan,tagged,description,enabled,tags,vxlan,neighbor,aggregate_id,bpdu_filter,redundant_link\r\nlhv-a2,Ethernet5,ACCESS_UNTAGGED,PRINTER,,room 5,,,,,,,\r\n"
      }
    })
  )
)

/** Endpoints of files of ports, all with a token. */
export class PortFileGroup extends endpoints.middleware(Authorization) {}
