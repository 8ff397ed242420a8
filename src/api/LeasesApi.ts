/** Routes for leases of DHCP servers (docs/provisioning.md#dhcp-hook). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Lease, LeaseQueue, LeaseReport } from "../domain/requests/LeaseRequests.ts"
import { BadRequest, Enveloped } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization, RequestBody } from "./Requests.ts"

const sent = { ztp_mac: "0800275C091F", dhcp_ip: "10.0.0.20", platform: "eos" }

const taken: Lease = {
  ...sent,
  outcome: "taken",
  step: "create",
  message: "New device mac-0800275C091F with id 45 at 10.0.0.20",
  host: "dhcp1",
  since: "2026-03-02T09:12:07",
  reported_at: "2026-03-02T09:12:07"
}

const waits: Lease = {
  ...taken,
  outcome: "waits",
  message:
    "1000 unknown devices have registered within the last hour (UNKNOWN_DEVICES_PER_HOUR); the next one is taken in 1200 seconds"
}

const endpoints = HttpApiGroup.make("leases").add(
  HttpApiEndpoint.post("reportLease", "/dhcp_leases", {
    payload: LeaseReport.schema,
    success: Enveloped(Schema.Struct({ lease: Lease })),
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "reportLease",
        summary: "Report a lease",
        description:
          "A DHCP server's hook makes this call for every lease of a switch. An unknown switch becomes a device in state DHCP_BOOT; one in DHCP_BOOT is discovered, or at once if `again` says that it asked before; a new address of one in DISCOVERED is stored; others need nothing. The answer is 200 also for a lease that is `refused` for good or `waits` (too many unknown devices), with the reason in `message`. A repetition with the same `report` has no second effect.",
        example: {
          request: { ...sent, report: "0b9f7f2e-52e4-4f0c-8a7e-0c4c1d1f6a51", host: "dhcp1", waiting: 0 },
          response: { status: "success", data: { lease: taken } }
        }
      })
    ),
  HttpApiEndpoint.get("leases", "/dhcp_leases", {
    success: Enveloped(Schema.Struct({ leases: Schema.Array(Lease), queues: Schema.Array(LeaseQueue) }))
  }).annotateMerge(
    documented({
      name: "listLeases",
      summary: "List leases that were refused or wait",
      description:
        "The last lease of each switch whose report was refused or has to wait, of the last day, the newest first. `queues` are DHCP servers with leases that they have not reported yet, as of their last report.",
      example: {
        response: {
          status: "success",
          data: { leases: [waits], queues: [{ host: "dhcp1", waiting: 12, reported_at: waits.reported_at }] }
        }
      }
    })
  )
)

/** Endpoints of leases, all with a token. */
export class LeasesGroup extends endpoints.middleware(Authorization) {}
