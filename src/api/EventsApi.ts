/** Events of the network, in pages or live (docs/events.md), and the audit (docs/security.md#audit). */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AuditEvent, LiveEvent } from "../domain/events/Event.ts"
import { Authorization, hostname, RequestParameters } from "./Requests.ts"
import { MAX_INTEGER } from "../domain/fields/Values.ts"
import { auditFields } from "../domain/ListFields.ts"
import { documented, integers, limited, listQuery } from "./Documented.ts"
import { BadRequest, Enveloped, NotFound, Page, TooManyRequests } from "./Answers.ts"

const Events = Schema.Struct({
  events: Schema.Array(LiveEvent),
  /** The number from which to continue. */
  next: Schema.Int,
  /** Whether more events exist now. */
  more: Schema.Boolean,
  /** The oldest event that still exists, when the client asked for older, removed ones. */
  truncated: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "EventPage" })

const example: LiveEvent = {
  id: 90_412,
  at: "2026-03-02T09:11:26.319761",
  kind: "job",
  action: "running",
  actor: "indy",
  way: "jwt",
  address: null,
  device_id: 12,
  hostname: "lhv-a1",
  job_id: 618,
  data: { function: "sync_devices", status: "RUNNING", scheduled_by: "indy" },
  is_audit: false,
  object: null
}

const endpoints = HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("list", "/events", {
    success: Enveloped(Events),
    error: [BadRequest, TooManyRequests]
  }).annotateMerge(
    documented({
      name: "listEvents",
      summary: "Read or follow events",
      description:
        "A page of the events after `since`, the oldest first; `next` is the number from which to continue. With `Accept: text/event-stream`, a stream of server-sent events instead: new events, or those after `Last-Event-ID` or `since`.",
      query: {
        kind: { description: "only these kinds; a list with commas, or repeated", example: "device,job" },
        device: { description: "only of these devices, by hostname or id", example: "lhv-a1" },
        group: { description: "only of the devices of this group", example: "EAST_WING" },
        job: { description: "only of this job", example: "618", schema: integers(1, MAX_INTEGER) },
        since: {
          description: "only events after this number",
          example: "90411",
          schema: integers(0, Number.MAX_SAFE_INTEGER)
        },
        limit: { description: "most events", example: "100", schema: integers(1, 1000, 100) }
      },
      example: {
        response: { status: "success", data: { events: [example], next: 90_412, more: false, truncated: null } }
      }
    })
  )
)

/** Endpoints of events, all with a token. */
export class EventsGroup extends endpoints.middleware(Authorization) {}

// The audit: the actor, the action, the time and the way in (docs/security.md#audit).

const AuditEvents = Schema.Struct({ events: Schema.Array(AuditEvent) })

const auditExample: AuditEvent = {
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
const response = { status: "success", data: { events: [auditExample] } }

const Chain = Schema.Struct({
  /** Events that match their seals, from the oldest on. */
  checked: Schema.Int,
  /** The mismatch; null when the audit is intact. */
  problem: Schema.NullOr(Schema.String),
  /** The event at which the chain breaks. */
  event_id: Schema.NullOr(Schema.Int),
  /** The time of the oldest event that still exists. */
  since: Schema.NullOr(Schema.String),
  /** Older events that were removed by AUDIT_DAYS. */
  removed: Schema.Int,
  checked_at: Schema.String
}).annotate({ identifier: "AuditChain" })

const auditEndpoints = HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit", { success: Page(AuditEvents), error: BadRequest }).annotateMerge(
    documented({
      name: "listAuditEvents",
      summary: "List the audit",
      description:
        "One page of the events that match, the newest first; `X-Total-Count` is their number. `filter[kind]`, `filter[action]`, `filter[actor]`, `filter[hostname]`, `filter[job.id]`, `filter[at][contains]=2026-03-02`.",
      list: auditFields,
      query: { ...listQuery(["filter[actor]", "indy"]), ...limited },
      example: { response }
    })
  ),
  HttpApiEndpoint.get("chain", "/audit/chain", { success: Enveloped(Chain) }).annotateMerge(
    documented({
      name: "checkAuditChain",
      summary: "Check the chain of the audit",
      description:
        "Compares every event with its seal, as `switchyard audit verify` does, and names the first that was changed, removed or inserted. The result is cached for a minute.",
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
    success: Page(AuditEvents),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listDeviceAuditEvents",
        summary: "Read the history of a device",
        description:
          "Changes with their author, commit and job; also for a deleted device. Otherwise like `GET /audit`.",
        list: auditFields,
        query: { ...listQuery(["filter[kind]", "change"]), ...limited },
        example: { response }
      })
    ),
  HttpApiEndpoint.get("job", "/job/:id(^\\d+$)/audit", {
    params: { id: Parameter.id },
    success: Page(AuditEvents),
    error: [BadRequest, NotFound]
  }).annotateMerge(
    documented({
      name: "listJobAuditEvents",
      summary: "Read the history of a job",
      description: "The users who started and aborted it, its end, and its changes. Otherwise like `GET /audit`.",
      list: auditFields,
      query: { ...listQuery(["filter[action]", "ended"]), ...limited },
      example: { response }
    })
  )
)

/** Endpoints of the audit, all with a token. */
export class AuditGroup extends auditEndpoints.middleware(Authorization) {}
