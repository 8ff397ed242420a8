/** Events of the network, by pages or as they happen (docs/events.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { LiveEvent } from "../domain/events/LiveEvent.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, TooManyRequests } from "./Failures.ts"

const Events = Schema.Struct({
  events: Schema.Array(LiveEvent),
  /** The number to go on from. */
  next: Schema.Int,
  /** Whether there is more by now. */
  more: Schema.Boolean,
  /** The oldest event that is there, when older ones were asked for that are gone. */
  truncated: Schema.NullOr(Schema.Int)
})

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
      summary: "Read or follow events",
      description:
        "A page of the events after `since`, the oldest first; `next` is the number to go on from. With `Accept: text/event-stream` a stream of server-sent events instead: from now on, or after `Last-Event-ID` or `since`.",
      query: {
        kind: { description: "only these kinds; a list with commas, or repeated", example: "device,job" },
        device: { description: "only of these devices, by hostname or id", example: "lhv-a1" },
        group: { description: "only of the devices of this group", example: "EAST_WING" },
        job: { description: "only of this job", example: "618" },
        since: { description: "only events after this number", example: "90411" },
        limit: { description: "how many at most, 1 to 1000; 100 when absent", example: "100" }
      },
      example: {
        response: { status: "success", data: { events: [example], next: 90_412, more: false, truncated: null } }
      }
    })
  )
)

/** Endpoints of events, all with a token. */
export class EventsGroup extends endpoints.middleware(Authorization) {}
