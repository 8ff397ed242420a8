/** Management domains (docs/api.md#management-domains). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { MgmtDomain, MgmtDomainBody, MgmtDomainChange } from "../domain/MgmtDomain.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { documented, listQuery } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, NotFound, Page } from "./Answers.ts"

/** A management domain with the hostnames of its two devices. */
export const MgmtDomainRecord = Schema.Struct({
  ...MgmtDomain.fields,
  device_a: Schema.String,
  device_b: Schema.String
})

const numericId = { id: Schema.String }
const record: typeof MgmtDomainRecord.Type = {
  id: 10,
  ipv4_gw: "10.0.6.1/24",
  ipv6_gw: null,
  device_a_id: 9,
  device_a_ip: null,
  device_b_id: 12,
  device_b_ip: null,
  site_id: null,
  vlan: 600,
  description: null,
  esi_mac: null,
  device_a: "lhv-dist1",
  device_b: "lhv-dist2"
}
const one = { response: { status: "success", data: { mgmtdomains: [record] } } }

const endpoints = HttpApiGroup.make("mgmtdomains").add(
  HttpApiEndpoint.get("list", "/mgmtdomains", {
    success: Page(Schema.Struct({ mgmtdomains: Schema.Array(MgmtDomainRecord) })),
    error: BadRequest
  }).annotateMerge(
    documented({
      summary: "List management domains",
      description: "One page of the management domains that match.",
      query: listQuery(["filter[vlan]", "600"]),
      example: one
    })
  ),
  HttpApiEndpoint.get("get", "/mgmtdomain/:id(^\\d+$)", {
    params: numericId,
    success: Enveloped(Schema.Struct({ mgmtdomains: Schema.Array(MgmtDomainRecord) })),
    error: NotFound
  }).annotateMerge(
    documented({ summary: "Read one management domain", description: "The list has one record.", example: one })
  ),
  HttpApiEndpoint.post("create", "/mgmtdomains", {
    payload: MgmtDomainBody.checked,
    success: Enveloped(Schema.Struct({ added_mgmtdomain: MgmtDomainRecord })),
    error: Conflict
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Create a management domain",
        description: "Both devices become unsynchronized.",
        example: {
          request: { device_a: "lhv-dist1", device_b: "lhv-dist2", vlan: 600, ipv4_gw: "10.0.6.1/24" },
          response: { status: "success", data: { added_mgmtdomain: record } }
        }
      })
    ),
  HttpApiEndpoint.put("update", "/mgmtdomain/:id(^\\d+$)", {
    params: numericId,
    payload: MgmtDomainChange.schema,
    success: [
      Enveloped(Schema.Struct({ updated_mgmtdomain: MgmtDomainRecord })),
      Enveloped(Schema.Struct({ unchanged_mgmtdomain: MgmtDomainRecord }))
    ],
    error: Conflict
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Change a management domain",
        description: "Both devices become unsynchronized when something changed.",
        example: {
          request: { vlan: 600 },
          response: { status: "success", data: { updated_mgmtdomain: record } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/mgmtdomain/:id(^\\d+$)", {
    params: numericId,
    success: Enveloped(Schema.Struct({ deleted_mgmtdomain: MgmtDomainRecord })),
    error: NotFound
  }).annotateMerge(
    documented({
      summary: "Delete a management domain",
      description: "Both devices become unsynchronized. Not refused while access switches use it.",
      example: { response: { status: "success", data: { deleted_mgmtdomain: record } } }
    })
  )
)

/** Endpoints of management domains, all with a token. */
export class MgmtDomainsGroup extends endpoints.middleware(Authorization) {}
