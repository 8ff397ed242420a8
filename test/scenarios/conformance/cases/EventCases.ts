/** Pages of events (docs/events.md#pages); streams are tested in test/http/events. */
import { eventKinds } from "../../../../src/domain/events/Event.ts"
import type { Case } from "../Case.ts"

const refused = (query: string, message: string): Case => ({
  name: "which field does not fit",
  request: { method: "GET", path: `/events?${query}` },
  reply: { status: 400, body: { status: "error", message } }
})

const device = { hostname: "new-9", state: "UNMANAGED", device_type: "ACCESS", platform: "eos" }

export const eventCases: ReadonlyArray<Case> = [
  {
    name: "the events after a number",
    request: { method: "GET", path: "/events?limit=1" },
    reply: { status: 200, body: { status: "success", data: { truncated: null } } }
  },
  {
    name: "no events of a job that has none",
    request: { method: "GET", path: "/events?job=1&kind=firmware&since=0" },
    reply: { status: 200, body: { data: { events: [], more: false } } }
  },
  {
    name: "a device that becomes an event",
    request: { method: "POST", path: "/device", json: device },
    reply: { status: 200 },
    afterwards: [{ path: "/events?device=new-9&kind=device", body: { data: { truncated: null } } }]
  },
  refused("kind=weather&limit=5", `kind: there are no events of kind weather; there are ${[...eventKinds].join(", ")}`),
  refused("device=nobody", "device: there is no device nobody"),
  refused("device=east-a1,99999", "device: there is no device 99999"),
  refused("group=WEST", "group: Could not find a group with name WEST"),
  refused("job=4711", "job: there is no job with id 4711"),
  refused("job=x", "job: must be a whole number from 1 to 2147483647"),
  refused("since=-1", "since: must be a whole number from 0 to 9007199254740991"),
  refused("limit=1001", "limit: must be a whole number from 1 to 1000"),
  refused("kind=log", "kind: log are told and not kept; ask with 'Accept: text/event-stream'")
]
