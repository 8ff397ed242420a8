/** Alerts: rules and receivers, pending messages, and mutes (docs/alerts.md#looking-at-alerts). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"
import { deliveryFields } from "../domain/ListFields.ts"
import { documented, limited, listQuery, shown } from "./Documented.ts"
import { BadRequest, Enveloped, NotFound, Page } from "./Answers.ts"
import { isGlob } from "../domain/access/Glob.ts"
import * as Body from "../domain/fields/Body.ts"
import { optional, required } from "../domain/fields/Body.ts"
import { accept, boundedInteger } from "../domain/fields/Rules.ts"
import { lengthOf } from "../domain/fields/Values.ts"
import { isText } from "../domain/Text.ts"

// Bodies of requests about alerts (docs/alerts.md#mutes).

const MAX_NAME = 255
const MAX_MINUTES = 43_200

const isName = (sent: unknown): sent is string =>
  typeof sent === "string" && isText(sent, "line") && sent.trim() !== "" && lengthOf(sent) <= MAX_NAME
const isHostnameGlob = (sent: unknown): sent is string => isName(sent) && isGlob(sent)

/** A time in its written form, without a zone: UTC. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?$/

/** Epoch milliseconds of such a time; NaN for an invalid one. */
export const timeOf = (text: string): number =>
  TIME.test(text) ? Date.parse(`${text.replace(" ", "T").replace(/Z$/, "")}Z`) : Number.NaN

const isTime = (sent: unknown): sent is string => typeof sent === "string" && !Number.isNaN(timeOf(sent))

const REASON_RULE = `reason: expected 1 to ${MAX_NAME} characters`
const MINUTES_RULE = `minutes: expected a number from 1 to ${MAX_MINUTES}`

const name = (field: string) =>
  optional(
    Schema.String,
    accept(isName, () => `${field}: expected 1 to ${MAX_NAME} characters`)
  )

/** The devices, groups and rules without alerts, and the time of that. A missing field matches all. */
export const MuteRequest = Body.make(
  {
    device: optional(
      Schema.String,
      accept(isHostnameGlob, () => "device: expected a hostname, or a glob such as lhv-*")
    ),
    group: name("group"),
    rule: name("rule"),
    reason: required(
      Schema.String,
      () => REASON_RULE,
      accept(isName, () => REASON_RULE)
    ),
    minutes: required(
      Schema.Int,
      () => MINUTES_RULE,
      boundedInteger({ min: 1, max: MAX_MINUTES }, () => MINUTES_RULE)
    ),
    from: optional(
      Schema.String,
      accept(isTime, () => "from: expected a time such as 2026-12-24 18:00, UTC")
    )
  },
  {
    message: Body.firstOf,
    together: ({ device, group, rule }) =>
      device === undefined && group === undefined && rule === undefined
        ? ["Which alerts? Expected device, group or rule"]
        : []
  }
)
export type MuteRequest = typeof MuteRequest.schema.Type

const COMMENT_RULE = `comment: expected 1 to ${MAX_NAME} characters`

/** What whoever looks at it says about it. */
export const AcknowledgeRequest = Body.make(
  {
    comment: optional(
      Schema.String,
      accept(isName, () => COMMENT_RULE)
    )
  },
  { message: Body.firstOf }
)
export type AcknowledgeRequest = typeof AcknowledgeRequest.schema.Type

/** All dead messages, or those to one receiver. */
const ReplayRequest = Body.make({ receiver: name("receiver") }, { message: Body.firstOf })
type ReplayRequest = typeof ReplayRequest.schema.Type

const Text = Schema.NullOr(Schema.String)

const Alert = Schema.Struct({
  id: Schema.Int,
  rule: Schema.String,
  /** What alerts of this rule have in common, as a heading. */
  cause: Schema.String,
  level: Schema.String,
  title: Schema.String,
  count: Schema.Int,
  receivers: Schema.Array(Schema.String),
  opened_at: Schema.String,
  send_at: Schema.String,
  sent_at: Text,
  resolved_at: Text,
  /** Whether somebody has to look at it: its cause lasts, or nobody has acknowledged it within a day. */
  is_open: Schema.Boolean,
  acknowledged_at: Text,
  acknowledged_by: Text,
  acknowledged_comment: Text,
  /** Why, for each switch; switches with the same reason together. Only of open alerts. */
  reasons: Schema.Array(
    Schema.Struct({
      sentence: Schema.String,
      devices: Schema.Array(Schema.String),
      job_id: Schema.NullOr(Schema.Int),
      repository: Text
    }).annotate({ identifier: "AlertReason" })
  )
}).annotate({ identifier: "Alert" })

const Alerts = Schema.Struct({
  source: Schema.NullOr(Schema.Literals(["settings", "DATA_DIR"])),
  problem: Text,
  receivers: Schema.Array(
    Schema.Struct({ name: Schema.String, type: Schema.String, problem: Text }).annotate({ identifier: "AlertReceiver" })
  ),
  rules: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      level: Schema.String,
      to: Schema.Array(Schema.String),
      /** When whom it tells, for people. */
      sentence: Schema.String
    }).annotate({ identifier: "AlertRule" })
  ),
  deliveries: Schema.Struct({ waiting: Schema.Int, dead: Schema.Int, oldest_seconds: Schema.Finite }).annotate({
    identifier: "DeliveryCounts"
  }),
  alerts: Schema.Array(Alert)
}).annotate({ identifier: "AlertOverview" })

const Delivery = Schema.Struct({
  id: Schema.String,
  alert_id: Schema.Int,
  rule: Schema.String,
  receiver: Schema.String,
  action: Schema.Literals(["trigger", "resolve"]),
  state: Schema.Literals(["waiting", "sent", "dead"]),
  attempts: Schema.Int,
  created_at: Schema.String,
  next_at: Text,
  ended_at: Text,
  answer: Text
}).annotate({ identifier: "Delivery" })

const Mute = Schema.Struct({
  id: Schema.Int,
  hostname: Text,
  group: Text,
  rule: Text,
  reason: Schema.String,
  begins_at: Schema.String,
  ends_at: Schema.String,
  created_by: Schema.String,
  is_in_force: Schema.Boolean
}).annotate({ identifier: "Mute" })

const delivery: typeof Delivery.Type = {
  id: "msg_6f1d2a5f0a3c4a6f9d8e7b6c5a4f3e2d",
  alert_id: 7,
  rule: "job_not_success",
  receiver: "noc",
  action: "trigger",
  state: "dead",
  attempts: 76,
  created_at: "2026-11-20T09:11:26.319761",
  next_at: null,
  ended_at: "2026-11-23T09:11:26.319761",
  answer: "ECONNREFUSED"
}
const mute: typeof Mute.Type = {
  id: 1,
  hostname: "lhv-*",
  group: null,
  rule: null,
  reason: "CHG-77: new power supply",
  begins_at: "2026-11-23T18:00:00",
  ends_at: "2026-11-23T20:00:00",
  created_by: "indy",
  is_in_force: false
}

const alert: typeof Alert.Type = {
  id: 7,
  rule: "job_not_success",
  cause: "Jobs that did not succeed",
  level: "error",
  title: "Job 130 (sync_devices) ended: failed; failed: lhv-a1",
  count: 1,
  receivers: ["noc"],
  opened_at: "2026-11-20T09:11:26.319761",
  send_at: "2026-11-20T09:11:26.319761",
  sent_at: "2026-11-20T09:11:26.319761",
  resolved_at: null,
  is_open: true,
  acknowledged_at: null,
  acknowledged_by: null,
  acknowledged_comment: null,
  reasons: [{ sentence: "1 switch refused a line", devices: ["lhv-a1"], job_id: 130, repository: null }]
}

const list = HttpApiEndpoint.get("list", "/alerts", { success: Enveloped(Alerts) }).annotateMerge(
  documented({
    name: "getAlerts",
    summary: "Show alerts",
    description:
      "The rules and receivers in force, with their `source` (null without a file) and the problems of the file or a receiver; the numbers of waiting and dead messages; and all open alerts with the 100 newest. `sent_at` is null while the server waits for more events of a group; `reasons` say why an open alert is open, for each switch.",
    example: {
      response: {
        status: "success",
        data: {
          source: "settings",
          problem: null,
          receivers: [{ name: "noc", type: "webhook", problem: null }],
          rules: [
            {
              name: "job_not_success",
              level: "error",
              to: ["noc"],
              sentence: "When a job fails, fails in part or is stopped, tell noc: error."
            }
          ],
          deliveries: { waiting: 0, dead: 1, oldest_seconds: 0 },
          alerts: [alert]
        }
      }
    }
  })
)

const states = ["waiting", "sent", "dead"] as const

const deliveries = HttpApiEndpoint.get("deliveries", "/alerts/deliveries", {
  query: {
    state: Schema.optionalKey(
      Parameter.parameter(
        Schema.Literals(states),
        (sent) => {
          const state = states.find((one) => one === sent)
          return state === undefined
            ? Result.fail(`state: expected one of ${states.join(", ")}`)
            : Result.succeed(state)
        },
        shown("only these: waiting, sent or dead", "dead")
      )
    ),
    receiver: Schema.optionalKey(Parameter.text(shown("only those to this receiver", "noc")))
  },
  success: Page(Schema.Struct({ deliveries: Schema.Array(Delivery) })),
  error: BadRequest
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "listDeliveries",
      summary: "List messages to receivers",
      description:
        "One page, the newest first, with the headers of [lists](#lists). `answer` is the receiver's last answer, or why it could not be reached; `next_at` is the time of the next attempt.",
      list: deliveryFields,
      query: { ...listQuery(["filter[rule]", "job_not_success"]), ...limited },
      example: { response: { status: "success", data: { deliveries: [delivery] } } }
    })
  )

const acknowledge = HttpApiEndpoint.post("acknowledge", "/alerts/:id(^\\d+$)/acknowledge", {
  params: { id: Parameter.id },
  payload: AcknowledgeRequest.schema,
  success: Enveloped(Schema.Struct({ acknowledged_alert: Alert })),
  error: [BadRequest, NotFound]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "acknowledgeAlert",
      summary: "Take an alert on",
      description:
        "Says that the caller looks after it. It stays open until its cause has ended; an alert without an end closes. The newest acknowledgement stays.",
      example: {
        request: { comment: "power is back at noon" },
        response: {
          status: "success",
          data: {
            acknowledged_alert: {
              ...alert,
              acknowledged_at: "2026-11-20T09:15:02.319761",
              acknowledged_by: "indy",
              acknowledged_comment: "power is back at noon"
            }
          }
        }
      }
    })
  )

const replay = HttpApiEndpoint.post("replay", "/alerts/deliveries/:id/replay", {
  params: { id: Schema.String },
  success: Enveloped(Schema.Struct({ replayed: Schema.Int })),
  error: NotFound
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "replayDelivery",
      summary: "Try a dead message again",
      description: "The message keeps its id, so that a receiver that already has it can drop it.",
      example: { response: { status: "success", data: { replayed: 1 } } }
    })
  )

const replayAll = HttpApiEndpoint.post("replayAll", "/alerts/replay", {
  payload: ReplayRequest.schema,
  success: Enveloped(Schema.Struct({ replayed: Schema.Int })),
  error: BadRequest
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "replayDeliveries",
      summary: "Try all dead messages again",
      description: "With `receiver`, only those to one receiver.",
      example: { request: { receiver: "noc" }, response: { status: "success", data: { replayed: 12 } } }
    })
  )

const test = HttpApiEndpoint.post("test", "/alerts/receivers/:name/test", {
  params: { name: Schema.String },
  success: Enveloped(Schema.Struct({ is_taken: Schema.Boolean, answer: Schema.String })),
  error: NotFound
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "testReceiver",
      summary: "Send a test message",
      description:
        "Sends one message to a receiver immediately and returns its answer. The server tries once and stores nothing.",
      example: { response: { status: "success", data: { is_taken: true, answer: "200: ok" } } }
    })
  )

const mutes = HttpApiEndpoint.get("mutes", "/alerts/mutes", {
  success: Enveloped(Schema.Struct({ mutes: Schema.Array(Mute) }))
}).annotateMerge(
  documented({
    name: "listMutes",
    summary: "List mutes",
    description: "Present and future mutes.",
    example: { response: { status: "success", data: { mutes: [mute] } } }
  })
)

const addMute = HttpApiEndpoint.post("addMute", "/alerts/mutes", {
  payload: MuteRequest.schema,
  success: Enveloped(Schema.Struct({ added_mute: Mute })).pipe(HttpApiSchema.status(201)),
  error: BadRequest
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "createMute",
      summary: "Mute alerts for some time",
      description:
        "For the devices whose hostname matches `device`, those of a `group`, or a `rule`; all given fields have to match. No alert is sent later for events during the mute.",
      example: {
        request: { device: "lhv-*", reason: "CHG-77: new power supply", minutes: 120, from: "2026-11-23 18:00" },
        response: { status: "success", data: { added_mute: mute } }
      }
    })
  )

const removeMute = HttpApiEndpoint.delete("removeMute", "/alerts/mutes/:id(^\\d+$)", {
  params: { id: Parameter.id },
  success: Enveloped(Schema.Struct({ removed_mute: Mute })),
  error: NotFound
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "deleteMute",
      summary: "Remove a mute",
      description: "New events raise alerts again.",
      example: { response: { status: "success", data: { removed_mute: mute } } }
    })
  )

const endpoints = HttpApiGroup.make("alerts").add(
  list,
  acknowledge,
  deliveries,
  replay,
  replayAll,
  test,
  mutes,
  addMute,
  removeMute
)

/** Endpoints of alerts, all with a token. */
export class AlertsGroup extends endpoints.middleware(Authorization) {}
