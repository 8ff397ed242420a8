/** Links between devices, and management domains of DIST pairs (docs/api.md#linknets, docs/api.md#management-domains). */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Linknet, LinknetBody, LinknetChange, LinknetChoice } from "../domain/Linknet.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { mgmtDomainFields } from "../domain/ListFields.ts"
import * as Documented from "./Documented.ts"
import { documented, listQuery } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, NotFound, Page } from "./Answers.ts"
import { MgmtDomain, MgmtDomainBody, MgmtDomainChange } from "../domain/MgmtDomain.ts"

const Deleted = Enveloped(Schema.Struct({ deleted_linknet: Linknet }))
const one = { response: { status: "success", data: { linknets: [Documented.linknet] } } }
const deleted = { status: "success", data: { deleted_linknet: Documented.linknet } }

const linknets = HttpApiGroup.make("linknets").add(
  HttpApiEndpoint.get("list", "/linknets", {
    success: Enveloped(Schema.Struct({ linknets: Schema.Array(Linknet) }))
  }).annotateMerge(
    documented({
      name: "listLinknets",
      summary: "List links",
      description: "All links by id, without filters and pages.",
      example: one
    })
  ),
  HttpApiEndpoint.get("get", "/linknet/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Enveloped(Schema.Struct({ linknets: Schema.Array(Linknet) })),
    error: NotFound
  }).annotateMerge(
    documented({ name: "getLinknet", summary: "Read one link", description: "The list has one record.", example: one })
  ),
  HttpApiEndpoint.post("create", "/linknets", {
    payload: LinknetBody.checked,
    success: Enveloped(Linknet).pipe(HttpApiSchema.status(201)),
    error: Conflict
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "createLinknet",
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
    params: { id: Parameter.id },
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
        name: "updateLinknet",
        summary: "Change a link",
        description:
          "The network is a /29, /30 or /31 that contains both addresses. Both devices become unsynchronized if something changed.",
        example: {
          request: { device_b_port: "Ethernet3" },
          response: { status: "success", data: { updated_linknet: Documented.linknet } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/linknet/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Deleted,
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "deleteLinknet",
        summary: "Delete a link",
        description: "Both devices become unsynchronized. A body is ignored.",
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
        name: "deleteLinknetByBody",
        replacedBy: "deleteLinknet",
        summary: "Delete a link (old form)",
        description: "Like DELETE of the link itself, with the id in the body.",
        example: { request: { id: 25 }, response: deleted }
      })
    )
)

/** Endpoints of links, all with a token. */
export class LinknetsGroup extends linknets.middleware(Authorization) {}

// Management domains (docs/api.md#management-domains).

/** A management domain with the hostnames of its two devices. */
const MgmtDomainRecord = Schema.Struct({
  ...MgmtDomain.fields,
  device_a: Schema.String,
  device_b: Schema.String
}).annotate({ identifier: "MgmtDomain" })

const domainRecord: typeof MgmtDomainRecord.Type = {
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
const oneDomain = { response: { status: "success", data: { mgmtdomains: [domainRecord] } } }

const mgmtDomains = HttpApiGroup.make("mgmtdomains").add(
  HttpApiEndpoint.get("list", "/mgmtdomains", {
    success: Page(Schema.Struct({ mgmtdomains: Schema.Array(MgmtDomainRecord) })),
    error: BadRequest
  }).annotateMerge(
    documented({
      name: "listMgmtDomains",
      summary: "List management domains",
      description: "One page of the management domains that match.",
      list: mgmtDomainFields,
      query: listQuery(["filter[vlan]", "600"]),
      example: oneDomain
    })
  ),
  HttpApiEndpoint.get("get", "/mgmtdomain/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Enveloped(Schema.Struct({ mgmtdomains: Schema.Array(MgmtDomainRecord) })),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getMgmtDomain",
      summary: "Read one management domain",
      description: "The list has one record.",
      example: oneDomain
    })
  ),
  HttpApiEndpoint.post("create", "/mgmtdomains", {
    payload: MgmtDomainBody.checked,
    success: Enveloped(Schema.Struct({ added_mgmtdomain: MgmtDomainRecord })),
    error: Conflict
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "createMgmtDomain",
        summary: "Create a management domain",
        description: "Both devices become unsynchronized.",
        example: {
          request: { device_a: "lhv-dist1", device_b: "lhv-dist2", vlan: 600, ipv4_gw: "10.0.6.1/24" },
          response: { status: "success", data: { added_mgmtdomain: domainRecord } }
        }
      })
    ),
  HttpApiEndpoint.put("update", "/mgmtdomain/:id(^\\d+$)", {
    params: { id: Parameter.id },
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
        name: "updateMgmtDomain",
        summary: "Change a management domain",
        description: "Both devices become unsynchronized if something changed.",
        example: {
          request: { vlan: 600 },
          response: { status: "success", data: { updated_mgmtdomain: domainRecord } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/mgmtdomain/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Enveloped(Schema.Struct({ deleted_mgmtdomain: MgmtDomainRecord })),
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "deleteMgmtDomain",
        summary: "Delete a management domain",
        description: "Both devices become unsynchronized. Allowed even while access switches use it.",
        example: { response: { status: "success", data: { deleted_mgmtdomain: domainRecord } } }
      })
    )
)

/** Endpoints of management domains, all with a token. */
export class MgmtDomainsGroup extends mgmtDomains.middleware(Authorization) {}
