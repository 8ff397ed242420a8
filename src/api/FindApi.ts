/** Finding machines, devices and ports by one field, and reading the tables that it looks in (docs/api.md#find). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { ReadTablesRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization } from "./Authorization.ts"
import { documented, shown } from "./Documented.ts"
import { Enveloped, JobStartedOnDevices } from "./Envelope.ts"
import { BadRequest, ServiceUnavailable } from "./Failures.ts"
import { RequestBody, RequestParameters } from "./Requests.ts"

const Hit = Schema.Struct({
  kind: Schema.Literals(["mac", "arp", "device", "port", "vlan"]),
  hostname: Schema.String,
  port: Schema.NullOr(Schema.String),
  vlan: Schema.NullOr(Schema.Int),
  mac: Schema.NullOr(Schema.String),
  ip: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  first_seen: Schema.NullOr(Schema.String),
  last_seen: Schema.NullOr(Schema.String),
  on_uplink: Schema.NullOr(Schema.Boolean)
})

const Findings = Schema.Struct({
  hits: Schema.Array(Hit),
  truncated: Schema.Boolean,
  tables: Schema.Struct({
    devices: Schema.Int,
    read: Schema.Int,
    oldest: Schema.NullOr(Schema.String),
    newest: Schema.NullOr(Schema.String)
  })
})
/** An answer of `GET /find`. */
export type Findings = typeof Findings.Type

const seen = { first_seen: "2026-11-02T07:14:05", last_seen: "2026-11-23T13:00:02" }

const endpoints = HttpApiGroup.make("find").add(
  HttpApiEndpoint.get("find", "/find", {
    query: {
      // what is wrong with it, also when it is left out, is said in one place
      q: Schema.optionalKey(Parameter.text(shown("what is looked for", "00:50:56:aa:12")))
    },
    success: Enveloped(Findings),
    error: [BadRequest, ServiceUnavailable]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "Find a machine, a device or a port",
        description:
          "By a MAC address in any spelling or how it begins, an IP address, a serial number, a hostname, the description of a port or a device, or a VLAN by id or name. A MAC address is learnt by every switch on the way: the port that leads to no other device comes first. `tables` says how many managed devices have been read, and when.",
        example: {
          response: {
            status: "success",
            data: {
              hits: [
                {
                  kind: "mac",
                  hostname: "lhv-a1",
                  port: "Ethernet3",
                  vlan: 110,
                  mac: "00:50:56:AA:12:07",
                  ip: "10.110.0.57",
                  description: "meeting room 2",
                  ...seen,
                  on_uplink: false
                }
              ],
              truncated: false,
              tables: { devices: 12, read: 12, oldest: "2026-11-23T13:00:01", newest: "2026-11-23T13:00:04" }
            }
          }
        }
      })
    ),
  HttpApiEndpoint.post("readTables", "/device_read_tables", {
    payload: ReadTablesRequest.schema,
    success: JobStartedOnDevices,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Read MAC address and ARP tables",
        description:
          "Starts a job that reads which machines managed devices have learnt, for `GET /find`. All devices when no selector is given. `MAC_INTERVAL` does so by itself.",
        example: {
          request: { group: "EAST_WING" },
          response: { status: "success", data: "Scheduled job to read tables of group EAST_WING", job_id: 817 }
        }
      })
    )
)

/** Endpoints of finding, all with a token. */
export class FindGroup extends endpoints.middleware(Authorization) {}
