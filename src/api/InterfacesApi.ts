/** Ports of access switches (contract api-devices.md §11.1–§11.3). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { configTypes, Interface } from "../domain/Interface.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { bodyFailures, InternalError, NotFound } from "./Failures.ts"

const hostname = { hostname: Schema.String }

/** Data keys of a port. Null removes a key; every other key is ignored. */
export const InterfaceDataInput = Schema.Struct({
  untagged_vlan: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Int]))),
  tagged_vlan_list: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Union([Schema.String, Schema.Int])))),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  enabled: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  aggregate_id: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  vxlan: Schema.optionalKey(Schema.NullOr(Schema.String)),
  neighbor: Schema.optionalKey(Schema.NullOr(Schema.String)),
  neighbor_id: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  bpdu_filter: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  redundant_link: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  tags: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  cli_append_str: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Changes by interface name. */
export const InterfacesInput = Schema.Struct({
  interfaces: Schema.Record(
    Schema.String,
    Schema.Struct({
      configtype: Schema.optionalKey(Schema.NullOr(Schema.Literals(configTypes))),
      data: Schema.optionalKey(Schema.NullOr(InterfaceDataInput))
    })
  )
})

const Changed = Schema.Struct({
  configtype: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

const Exported = Schema.Struct({
  interfaces: Schema.Record(
    Schema.String,
    Schema.Struct({
      configtype: Schema.String,
      data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
})

const port = { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "STUDENT", description: "room 5" } }

const endpoints = HttpApiGroup.make("interfaces").add(
  HttpApiEndpoint.get("list", "/device/:hostname/interfaces", {
    params: hostname,
    success: Enveloped(
      Schema.Struct({
        interfaces: Schema.Array(Schema.Struct({ ...Interface.fields, indexnum: Schema.Int })),
        hostname: Schema.String
      })
    ),
    error: NotFound
  }).annotateMerge(
    documented({
      summary: "List a device's interfaces",
      description:
        "Ports in the order of their numbers. Only access switches have any; the others' are in the settings.",
      example: {
        response: {
          status: "success",
          data: { interfaces: [{ device_id: 13, name: "Ethernet1", ...port, indexnum: 2 }], hostname: "lhv-a1" }
        }
      }
    })
  ),
  HttpApiEndpoint.put("update", "/device/:hostname/interfaces", {
    params: hostname,
    payload: InterfacesInput,
    success: Enveloped(Schema.Struct({ updated: Schema.Record(Schema.String, Changed) })),
    error: [...bodyFailures, NotFound, InternalError]
  }).annotateMerge(
    documented({
      summary: "Change interfaces",
      description:
        "Keys of `data` that are sent are set, null removes them, the others stay; `data: null` empties it. Each interface is handled on its own: what is good is stored even when something else is not, and then the answer is 400 with `message.errors` and `message.updated`. A VLAN name that the device does not have leaves the VLANs as they were while configtype changes.",
      example: {
        request: { interfaces: { Ethernet1: { configtype: "ACCESS_UNTAGGED", data: port.data } } },
        response: { status: "success", data: { updated: { Ethernet1: port } } }
      }
    })
  ),
  HttpApiEndpoint.get("export", "/device/:hostname/interfaces_export", {
    params: hostname,
    success: HttpApiSchema.WithHeaders(Exported, { "content-disposition": Schema.String }),
    error: NotFound
  }).annotateMerge(
    documented({
      summary: "Download a device's interfaces",
      description: "The body for a later PUT, as an attachment without envelope.",
      query: {
        include_uplinks: { description: "with ACCESS_UPLINK ports; false when absent", example: "false" },
        include_downlinks: { description: "with ACCESS_DOWNLINK ports; true when absent", example: "true" },
        include_descriptions: { description: "with descriptions; true when absent", example: "true" }
      },
      example: { response: { interfaces: { Ethernet1: port } } }
    })
  )
)

/** Endpoints of interfaces, all with a token. */
export class InterfacesGroup extends endpoints.middleware(Authorization) {}
