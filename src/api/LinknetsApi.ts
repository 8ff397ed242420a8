/** Links between devices (docs/api.md#linknets). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Linknet, LinknetBody, LinknetChange, LinknetChoice } from "../domain/Linknet.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import * as Documented from "./Documented.ts"
import { documented } from "./Documented.ts"
import { Conflict, Enveloped, NotFound } from "./Answers.ts"

const numericId = { id: Schema.String }
const Deleted = Enveloped(Schema.Struct({ deleted_linknet: Linknet }))
const one = { response: { status: "success", data: { linknets: [Documented.linknet] } } }
const deleted = { status: "success", data: { deleted_linknet: Documented.linknet } }

const endpoints = HttpApiGroup.make("linknets").add(
  HttpApiEndpoint.get("list", "/linknets", {
    success: Enveloped(Schema.Struct({ linknets: Schema.Array(Linknet) }))
  }).annotateMerge(
    documented({
      summary: "List links",
      description: "All links by id. There are no filters and no pages.",
      example: one
    })
  ),
  HttpApiEndpoint.get("get", "/linknet/:id(^\\d+$)", {
    params: numericId,
    success: Enveloped(Schema.Struct({ linknets: Schema.Array(Linknet) })),
    error: NotFound
  }).annotateMerge(documented({ summary: "Read one link", description: "The list has one record.", example: one })),
  HttpApiEndpoint.post("create", "/linknets", {
    payload: LinknetBody.checked,
    success: Enveloped(Linknet).pipe(HttpApiSchema.status(201)),
    error: Conflict
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Create a link",
        description:
          "A link between CORE and DIST devices gets the next free /31 of the setting `underlay.infra_link_net` unless a /31 is given; other links have no addresses. Both devices become unsynchronized.",
        example: {
          request: {
            device_a: "lhv-dist1",
            device_a_port: "Ethernet3",
            device_b: "lhv-core1",
            device_b_port: "Ethernet3"
          },
          response: { status: "success", data: Documented.linknet }
        }
      })
    ),
  HttpApiEndpoint.put("update", "/linknet/:id(^\\d+$)", {
    params: numericId,
    payload: LinknetChange.checked,
    success: [
      Enveloped(Schema.Struct({ updated_linknet: Linknet })),
      Enveloped(Schema.Struct({ unchanged_linknet: Linknet }))
    ],
    error: [NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Change a link",
        description:
          "The network is a /29, /30 or /31, and both addresses lie in it. Both devices become unsynchronized when something changed.",
        example: {
          request: { device_b_port: "Ethernet3" },
          response: { status: "success", data: { updated_linknet: Documented.linknet } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/linknet/:id(^\\d+$)", {
    params: numericId,
    success: Deleted,
    error: NotFound
  }).annotateMerge(
    documented({
      summary: "Delete a link",
      description: "Both devices become unsynchronized. A body is not looked at.",
      example: { response: deleted }
    })
  ),
  HttpApiEndpoint.delete("removeById", "/linknets", {
    payload: LinknetChoice.schema,
    success: Deleted,
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Delete a link (old form)",
        description: "As DELETE of the link itself, with the id in the body.",
        example: { request: { id: 25 }, response: deleted }
      })
    )
)

/** Endpoints of links, all with a token. */
export class LinknetsGroup extends endpoints.middleware(Authorization) {}
