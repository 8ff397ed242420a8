/** Ports of access switches (docs/api.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Interface, InterfaceData, PortChanges, PortData } from "../domain/Interface.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { documented, shown, shownAs } from "./Documented.ts"
import { Enveloped, InternalError, NotFound, PreconditionFailed } from "./Answers.ts"

const hostname = { hostname: Schema.String }

/** The data of a port; the keys of older releases and of other tools are among them. */
const data = shownAs(Schema.NullOr(InterfaceData), Schema.NullOr(PortData.wire))

const ListedInterface = Schema.Struct({ ...Interface.fields, data, indexnum: Schema.Int }).annotate({
  identifier: "Interface"
})

/** The changed parts of a port. */
export const ChangedInterface = Schema.Struct({
  configtype: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(data)
}).annotate({ identifier: "ChangedInterface" })

const Preview = Schema.Struct({
  updated: Schema.Record(Schema.String, ChangedInterface),
  /** Refusals, with the same sentences. */
  errors: Schema.Array(Schema.String),
  /** A unified diff; empty when the configuration stays the same. */
  diff: Schema.String
}).annotate({ identifier: "InterfacePreview" })

const Exported = Schema.Struct({
  interfaces: Schema.Record(
    Schema.String,
    Schema.Struct({
      configtype: Schema.String,
      data
    }).annotate({ identifier: "ExportedInterface" })
  )
}).annotate({ identifier: "ExportedInterfaces" })

const part = (description: string, example: string) => Schema.optionalKey(Parameter.flag(shown(description, example)))

/** The parts that a download leaves out. */
const exportQuery = {
  include_uplinks: part("with ACCESS_UPLINK ports; false when absent", "false"),
  include_downlinks: part("with ACCESS_DOWNLINK ports; true when absent", "true"),
  include_descriptions: part("with descriptions; true when absent", "true")
}

const port = { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "STUDENT", description: "room 5" } }

const endpoints = HttpApiGroup.make("interfaces").add(
  HttpApiEndpoint.get("list", "/device/:hostname/interfaces", {
    params: hostname,
    success: Enveloped(
      Schema.Struct({
        interfaces: Schema.Array(ListedInterface),
        hostname: Schema.String,
        /** A different text as soon as any port changes; for `If-Match` of a change. */
        version: Schema.String
      })
    ),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "listInterfaces",
      summary: "List a device's interfaces",
      description:
        "Ports in the order of their numbers. Only access switches have ports here; those of other devices are in the settings. `version` changes as soon as any port changes: a `PUT` with it as `If-Match` is refused if another caller was faster.",
      example: {
        response: {
          status: "success",
          data: {
            interfaces: [{ device_id: 13, name: "Ethernet1", ...port, indexnum: 2 }],
            hostname: "lhv-a1",
            version: "6d1f0c2a9b8e7d54"
          }
        }
      }
    })
  ),
  HttpApiEndpoint.put("update", "/device/:hostname/interfaces", {
    params: hostname,
    payload: PortChanges.checked,
    success: Enveloped(Schema.Struct({ updated: Schema.Record(Schema.String, ChangedInterface) })),
    error: [NotFound, PreconditionFailed, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "updateInterfaces",
        summary: "Change interfaces",
        description:
          "Keys of `data` that are sent are set, null removes them, the others stay; `data: null` empties it. Each interface is handled separately: valid entries are stored even when others are invalid, and then the answer is 400 with `message.errors` and `message.updated`. With a VLAN name that the device does not have, the VLANs stay while configtype changes. With an earlier `version` as `If-Match`, 412 names the author of a later change, and nothing is changed.",
        example: {
          request: { interfaces: { Ethernet1: { configtype: "ACCESS_UNTAGGED", data: port.data } } },
          response: { status: "success", data: { updated: { Ethernet1: port } } }
        }
      })
    ),
  HttpApiEndpoint.post("preview", "/device/:hostname/interfaces/preview", {
    params: hostname,
    payload: PortChanges.checked,
    success: Enveloped(Preview),
    error: [NotFound, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "previewInterfaces",
        summary: "Preview a change of interfaces",
        description:
          "Takes the body of the `PUT` and stores nothing: `diff` compares the configuration that is generated now with the one after the change, `updated` and `errors` are those of the `PUT`. Secrets are masked.",
        example: {
          request: { interfaces: { Ethernet1: { data: { description: "room 7" } } } },
          response: {
            status: "success",
            data: {
              updated: { Ethernet1: { data: { description: "room 7" } } },
              errors: [],
              diff: "@@ -12,3 +12,3 @@\n interface Ethernet1\n-   description room 5\n+   description room 7\n    switchport\n"
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("export", "/device/:hostname/interfaces_export", {
    params: hostname,
    query: exportQuery,
    success: HttpApiSchema.WithHeaders(Exported, { "content-disposition": Schema.String }),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "exportInterfaces",
      summary: "Download a device's interfaces",
      description: "The body for a later PUT, as an attachment without envelope.",
      example: { response: { interfaces: { Ethernet1: port } } }
    })
  )
)

/** Endpoints of interfaces, all with a token. */
export class InterfacesGroup extends endpoints.middleware(Authorization) {}
