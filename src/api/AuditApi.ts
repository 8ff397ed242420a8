/** The audit: who did what, when and through what (docs/security.md#audit). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AuditEvent } from "../domain/AuditEvent.ts"
import { Authorization } from "./Authorization.ts"
import { documented, listQuery } from "./Documented.ts"
import { Enveloped, Page } from "./Envelope.ts"
import { BadRequest, NotFound } from "./Failures.ts"
import { hostname } from "./PathParameters.ts"
import { RequestParameters } from "./Requests.ts"

const Events = Schema.Struct({ events: Schema.Array(AuditEvent) })

const example: AuditEvent = {
  id: 2041,
  at: "2026-03-02T09:11:26.319761",
  kind: "device",
  action: "updated",
  actor: "indy",
  way: "jwt",
  address: "192.0.2.7",
  device_id: 12,
  hostname: "lhv-a1",
  job_id: null,
  data: { key: 12, before: { description: null }, after: { description: "room 5" } }
}
const response = { status: "success", data: { events: [example] } }

const Chain = Schema.Struct({
  /** Events that fit their seals, from the oldest on. */
  checked: Schema.Int,
  /** What does not fit; null when the audit is whole. */
  problem: Schema.NullOr(Schema.String),
  /** The event at which the chain breaks. */
  event_id: Schema.NullOr(Schema.Int),
  /** When the oldest event that is there was written. */
  since: Schema.NullOr(Schema.String),
  /** Older events that were removed by AUDIT_DAYS. */
  removed: Schema.Int,
  checked_at: Schema.String
})

const endpoints = HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit", { success: Page(Events), error: BadRequest }).annotateMerge(
    documented({
      summary: "List the audit",
      description:
        "One page of the events that match, the newest first; `X-Total-Count` is their number. `filter[kind]`, `filter[action]`, `filter[actor]`, `filter[hostname]`, `filter[job.id]`, `filter[at][contains]=2026-03-02`.",
      query: listQuery(["filter[actor]", "indy"]),
      example: { response }
    })
  ),
  HttpApiEndpoint.get("chain", "/audit/chain", { success: Enveloped(Chain) }).annotateMerge(
    documented({
      summary: "Check the chain of the audit",
      description:
        "Compares every event with its seal, as `switchyard audit verify` does, and names the first that was changed, removed or put in. What was found is given out for a minute.",
      example: {
        response: {
          status: "success",
          data: {
            checked: 2041,
            problem: null,
            event_id: null,
            since: "2025-03-02T08:00:11",
            removed: 311,
            checked_at: "2026-03-02T09:12:00.000Z"
          }
        }
      }
    })
  ),
  HttpApiEndpoint.get("device", "/device/:hostname/audit", {
    params: hostname,
    success: Page(Events),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "Read the history of a device",
        description:
          "Who changed what, by which commit and with which job; also of a device that is deleted. As `GET /audit` otherwise.",
        query: listQuery(["filter[kind]", "change"]),
        example: { response }
      })
    ),
  HttpApiEndpoint.get("job", "/job/:id(^\\d+$)/audit", {
    params: { id: Schema.String },
    success: Page(Events),
    error: [BadRequest, NotFound]
  }).annotateMerge(
    documented({
      summary: "Read the history of a job",
      description: "Who started and aborted it, how it ended, and what it changed. As `GET /audit` otherwise.",
      query: listQuery(["filter[action]", "ended"]),
      example: { response }
    })
  )
)

/** Endpoints of the audit, all with a token. */
export class AuditGroup extends endpoints.middleware(Authorization) {}
