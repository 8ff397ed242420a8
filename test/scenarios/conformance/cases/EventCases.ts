/** Pages of events (docs/events.md#pages); streams are tested in test/http/events. */
import { absent, type Case, type Expected } from "../Case.ts"
import { eventKinds } from "../../../../src/domain/events/Event.ts"

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

// Alerts: what is in force, messages to receivers, and mutes (docs/alerts.md#looking-at-alerts).

const get = (name: string, path: string, status: number, body: Expected, given?: ReadonlyArray<string>): Case => ({
  name,
  ...(given === undefined ? {} : { given }),
  request: { method: "GET", path },
  reply: { status, body }
})
const post = (
  name: string,
  path: string,
  json: unknown,
  status: number,
  body: Expected,
  given?: ReadonlyArray<string>
): Case => ({
  name,
  ...(given === undefined ? {} : { given }),
  request: { method: "POST", path, ...(json === undefined ? {} : { json }) },
  reply: { status, body }
})

/** An alert whose message to a receiver was given up. */
const DEAD = [
  `insert into alert (rule, key, level, receivers, events, count, subjects, send_at, sent_at) values
    ('refused_commit', 'event 1', 'error', '{noc}', '[]', 2, '{}', now(), now())`,
  `insert into alert_delivery (id, alert_id, receiver, action, state, attempts, ended_at, answer) values
    ('msg_1', 1, 'noc', 'trigger', 'dead', 70, now(), 'ECONNREFUSED')`
]
const MUTE = [
  `insert into alert_mute (hostname, reason, begins_at, ends_at, created_by) values
    ('east-*', 'power', now(), now() + interval '1 hour', 'indy')`
]
const dead: Expected = { id: "msg_1", rule: "refused_commit", receiver: "noc", state: "dead", next_at: null }
const mute: Expected = { id: 1, hostname: "east-*", group: null, rule: null, is_in_force: true }

const messages: ReadonlyArray<Case> = [
  get(
    "the absence of rules, and the results of earlier ones",
    "/alerts",
    200,
    {
      data: {
        source: null,
        problem: null,
        receivers: [],
        rules: [],
        deliveries: { waiting: 0, dead: 1 },
        alerts: [{ id: 1, title: "refused commit, 2 events" }]
      }
    },
    DEAD
  ),
  post(
    "who has taken an alert on; one without an end is no longer open",
    "/alerts/1/acknowledge",
    { comment: "on it" },
    200,
    {
      data: { acknowledged_alert: { id: 1, acknowledged_by: "admin", acknowledged_comment: "on it", is_open: false } }
    },
    DEAD
  ),
  post("an error for an unknown alert", "/alerts/4711/acknowledge", {}, 404, { message: "Alert not found" }),
  post("which comment does not fit", "/alerts/1/acknowledge", { comment: "" }, 400, {
    message: "comment: expected 1 to 255 characters"
  }),
  get("dead messages", "/alerts/deliveries?state=dead", 200, { data: { deliveries: [dead] } }, DEAD),
  get("messages to a receiver", "/alerts/deliveries?receiver=chat", 200, { data: { deliveries: [] } }, DEAD),
  get("the next page, which is empty", "/alerts/deliveries?page=2&per_page=1", 200, { data: { deliveries: [] } }, DEAD),
  get("that this is no number of records", "/alerts/deliveries?per_page=1001", 400, {
    message: "Unable to filter deliveries: per_page argument must be integer between 1-1000"
  }),
  get("that this is no state", "/alerts/deliveries?state=lost", 400, {
    message: "state: expected one of waiting, sent, dead"
  }),
  post("that it is tried again", "/alerts/deliveries/msg_1/replay", undefined, 200, { data: { replayed: 1 } }, DEAD),
  post("an error for an unknown message", "/alerts/deliveries/msg_2/replay", undefined, 404, {
    message: "There is no dead delivery of that id"
  }),
  post("how many are tried again", "/alerts/replay", { receiver: "noc" }, 200, { data: { replayed: 1 } }, DEAD),
  post("why the name does not fit", "/alerts/replay", { receiver: 5 }, 400, {
    message: "receiver: expected 1 to 255 characters"
  }),
  post("an error for an unknown receiver", "/alerts/receivers/noc/test", undefined, 404, {
    message: "There is no receiver noc in alerts.yml"
  })
]

const wrong = (name: string, json: object, message: string): Case =>
  post(name, "/alerts/mutes", { group: "EAST_WING", reason: "power", minutes: 60, ...json }, 400, {
    message,
    data: absent
  })

const mutes: ReadonlyArray<Case> = [
  get("mutes", "/alerts/mutes", 200, { data: { mutes: [mute] } }, MUTE),
  post("the mute", "/alerts/mutes", { device: "east-*", reason: "power", minutes: 60, from: "2126-11-23 18:00" }, 201, {
    data: {
      added_mute: {
        id: 1,
        hostname: "east-*",
        begins_at: "2126-11-23T18:00:00",
        created_by: "admin",
        is_in_force: false
      }
    }
  }),
  post("that it is not said for which alerts", "/alerts/mutes", { reason: "power", minutes: 60 }, 400, {
    message: "Which alerts? Expected device, group or rule"
  }),
  wrong("that a mute ends", { minutes: 0 }, "minutes: expected a number from 1 to 43200"),
  wrong("that a mute has a reason", { reason: " " }, "reason: expected 1 to 255 characters"),
  wrong("that this is no time", { from: "tomorrow" }, "from: expected a time such as 2026-12-24 18:00, UTC"),
  {
    name: "the removed mute",
    given: MUTE,
    request: { method: "DELETE", path: "/alerts/mutes/1" },
    reply: { status: 200, body: { data: { removed_mute: mute } } }
  },
  {
    name: "an error for an unknown mute",
    request: { method: "DELETE", path: "/alerts/mutes/4711" },
    reply: { status: 404, body: { message: "Mute not found" } }
  }
]

export const alertCases: ReadonlyArray<Case> = [...messages, ...mutes]

// Saved views of lists (docs/api.md#saved-views).

const VIEW = [
  "truncate saved_view restart identity",
  `insert into saved_view (owner, list, name, query, shared) values
    ('admin', 'devices', 'South', 'filter[group]=SOUTH', false), ('maria', 'devices', 'Mine', '', false),
    ('maria', 'jobs', 'Nightly', 'show=failed', true)`
]
const south = { id: 1, owner: "admin", list: "devices", name: "South", query: "filter[group]=SOUTH", shared: false }
const nightly = { id: 3, owner: "maria", list: "jobs", name: "Nightly", query: "show=failed", shared: true }

export const viewCases: ReadonlyArray<Case> = [
  get("the caller's views and the shared ones", "/views", 200, { data: { views: [south, nightly] } }, VIEW),
  post("the saved view", "/views", { list: "devices", name: "East", query: "sort=hostname" }, 201, {
    data: { saved_view: { owner: "admin", name: "East", query: "sort=hostname", shared: false } }
  }),
  post("that a view has a name", "/views", { list: "devices", name: " ", query: "" }, 400, {
    message: "name: expected 1 to 60 characters",
    data: absent
  }),
  post("that a view is of a list", "/views", { list: "Devices!", name: "x", query: "" }, 400, {
    message: "list: expected 1 to 40 lower-case letters",
    data: absent
  }),
  {
    name: "the removed view",
    given: VIEW,
    request: { method: "DELETE", path: "/views/3" },
    reply: { status: 200, body: { data: { removed_view: nightly } } }
  },
  {
    name: "an error for another person's own view",
    given: VIEW,
    request: { method: "DELETE", path: "/views/2" },
    reply: { status: 404, body: { message: "View not found" } }
  }
]

// Reading the audit (docs/security.md#audit).

const paths = ["/audit", "/device/east-a1/audit", "/job/3/audit"]

/** Every way to read the audit, with a page and with a filter that does not fit. */
export const auditCases: ReadonlyArray<Case> = [
  ...paths.flatMap((path): ReadonlyArray<Case> => [
    {
      name: "a page of the audit",
      request: { method: "GET", path: `${path}?per_page=1` },
      reply: { status: 200, body: { status: "success", data: {} } }
    },
    {
      name: "why a filter does not fit",
      request: { method: "GET", path: `${path}?filter[color]=red` },
      reply: {
        status: 400,
        body: { message: "Unable to filter audit: color is not a valid attribute to filter on" }
      }
    }
  ]),
  {
    name: "that every event fits its seal",
    request: { method: "GET", path: "/audit/chain" },
    reply: {
      status: 200,
      body: { status: "success", data: { problem: null, event_id: null, checked_at: /^20\d\d-.*Z$/ } }
    }
  },
  {
    name: "no job of that id",
    request: { method: "GET", path: "/job/4711/audit" },
    reply: { status: 404, body: { message: "No job with id 4711 found" } }
  }
]
