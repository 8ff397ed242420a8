/**
 * Handlers of alerts: alerts and rules in force, messages, mutes and tests (docs/alerts.md#looking-at-alerts). Each change is noted in the
 * audit.
 */
import { Clock, Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Api } from "../api/Api.ts"
import type { Data } from "../api/Calls.ts"
import { answered } from "./core/HandlerErrors.ts"
import { type AlertEvent, type AlertMessage, titleOf } from "../domain/events/alerts/AlertMessage.ts"
import { ruleSentence, ruleTitle } from "../domain/words/RuleSentence.ts"
import { failureGroups } from "../domain/JobFailures.ts"
import { toId } from "../domain/fields/Values.ts"
import { AlertRulesInForce } from "../events/AlertMaking.ts"
import { deliver, remarkOf } from "../events/Receivers.ts"
import { receiverGuard } from "../runtime/OutboundHosts.ts"
import { ServerConfig } from "../ServerConfig.ts"
import {
  AlertNotFound,
  AlertStore,
  type DeliveryState,
  type ListedDelivery,
  MuteNotFound
} from "../store/AlertStore.ts"
import { makeJobProgress } from "../store/JobResults.ts"
import { EventStore } from "../store/EventStore.ts"
import { makeListPage } from "./listing/ListPage.ts"
import * as Lists from "./listing/Lists.ts"
import { Caller } from "../api/Requests.ts"
import { enveloped } from "../api/Answers.ts"
import { type AcknowledgeRequest, type MuteRequest, timeOf } from "../api/AlertsApi.ts"

/** The rules in force have no receiver of this name. */
class ReceiverNotFound extends Schema.TaggedError<ReceiverNotFound>()("ReceiverNotFound", {
  name: Schema.String
}) {
  override get message() {
    return `There is no receiver ${this.name} in alerts.yml`
  }
  get httpStatus() {
    return 404 as const
  }
}

const ALERTS = 100
const MINUTE = 60_000

const testMessage = (at: number): AlertMessage => ({
  id: `msg_${randomUUID().replaceAll("-", "")}`,
  alert: 0,
  action: "test",
  rule: "test",
  level: "info",
  title: "Test of switchyard: this receiver gets alerts",
  at: new Date(at).toISOString(),
  count: 0,
  events: []
})

type Reason = Data<"GET /alerts">["alerts"][number]["reasons"][number]

/** The jobs of one answer whose failures are read; the reasons of others are their titles. */
const MOST_JOBS = 20

/** Why alerts are open, for each switch: what their events say, and for jobs the groups of their failures. */
const makeReasons = Effect.gen(function* () {
  const progress = yield* makeJobProgress

  const ofJob = Effect.fnUntraced(function* ({
    data,
    job_id,
    text
  }: AlertEvent): Effect.fn.Return<ReadonlyArray<Reason>, SqlError.SqlError> {
    const devices = job_id === null ? [] : yield* progress.of(job_id)
    const job = {
      function_name: String(data?.["function"] ?? ""),
      hasEnded: true,
      isRunning: false,
      seconds: null,
      parallel: 1
    }
    const groups = failureGroups(devices, job, new Map())
    if (groups.length === 0) {
      const exception: unknown = data?.["exception"]
      const sentence = typeof exception === "string" ? `${text}: ${exception}` : text
      return [{ sentence, devices: [], job_id, repository: null }]
    }
    return groups.map(({ devices, sentence }) => ({ sentence, devices, job_id, repository: null }))
  })

  const ofEvent = ({ data, hostname, job_id, kind, text }: AlertEvent): Reason => {
    const repository: unknown = kind === "repository" ? data?.["repository"] : undefined
    return {
      sentence: text,
      devices: hostname === null ? [] : [hostname],
      job_id,
      repository: typeof repository === "string" ? repository : null
    }
  }

  return (events: ReadonlyArray<AlertEvent>, jobs: boolean) =>
    Effect.map(
      Effect.forEach(events, (event) =>
        jobs && event.kind === "job" && event.action === "ended" ? ofJob(event) : Effect.succeed([ofEvent(event)])
      ),
      (reasons) => reasons.flat()
    )
})

/** An alert as the API shows it. */
const makeShown = Effect.gen(function* () {
  const alerts = yield* AlertStore
  const reasons = yield* makeReasons
  type Stored = Effect.Success<ReturnType<typeof alerts.list>>[number]
  return ({ events, title, ...alert }: Stored, readsJob: boolean) =>
    Effect.map(alert.is_open ? reasons(events, readsJob) : Effect.succeed([]), (reasons) => ({
      ...alert,
      cause: ruleTitle(alert.rule),
      title: titleOf(title, alert.rule, alert.count, events),
      reasons
    }))
})

/** Reads: alerts, deliveries, and a test of a receiver. */
const makeAlertView = Effect.gen(function* () {
  const { alertSecrets } = yield* ServerConfig
  const inForce = yield* AlertRulesInForce
  const alerts = yield* AlertStore
  const shown = yield* makeShown
  const { deliveries } = alerts
  const page = yield* makeListPage<ListedDelivery>(Lists.deliveries, {
    perPage: 50,
    totalCount: "matching",
    limitCounts: true,
    sort: "-created_at"
  })

  return {
    list: Effect.gen(function* () {
      const { problem, rules, source } = yield* inForce.inForce
      return enveloped({
        source,
        problem,
        receivers: (rules?.receivers ?? []).map((receiver) => ({
          name: receiver.name,
          type: receiver.type,
          problem: remarkOf(alertSecrets, receiver)
        })),
        rules: (rules?.rules ?? []).map((rule) => ({
          name: rule.name,
          level: rule.level,
          to: rule.to,
          sentence: ruleSentence(rule)
        })),
        deliveries: yield* deliveries.counts,
        alerts: yield* Effect.forEach(yield* alerts.list(ALERTS), (alert, place) => shown(alert, place < MOST_JOBS))
      })
    }),
    deliveries: Effect.fn("Alerts.deliveries")(function* (
      request: HttpServerRequest.HttpServerRequest,
      asked: { readonly state?: DeliveryState; readonly receiver?: string }
    ) {
      const filters = Object.entries(asked).map(([field, value]) => ({ field, contains: false, value }))
      const { headers, rows } = yield* page(request, filters)
      return HttpApiSchema.withHeaders({ body: enveloped({ deliveries: rows }), headers })
    }),
    test: Effect.fn("Alerts.test")(function* (name: string) {
      const config = yield* ServerConfig
      const { rules } = yield* inForce.inForce
      const receiver = rules?.receivers.find((one) => one.name === name)
      if (receiver === undefined) return yield* new ReceiverNotFound({ name })
      const message = testMessage(yield* Clock.currentTimeMillis)
      const { _tag, answer } = yield* deliver(
        alertSecrets,
        receiver,
        message,
        config.ALERT_TIMEOUT * 1000,
        receiverGuard(config)
      )
      return enveloped({ is_taken: _tag === "Sent", answer })
    })
  }
})

/** Writes: messages sent again, and mutes. */
const makeAlertChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { acknowledge, deliveries, mutes } = yield* AlertStore
  const shown = yield* makeShown
  const events = yield* EventStore
  const note = (action: string, data: Readonly<Record<string, unknown>>) =>
    events.append({ kind: "alert", action, isAudit: true, data })

  return {
    acknowledge: Effect.fn("Alerts.acknowledge")(function* (digits: string, { comment }: AcknowledgeRequest) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new AlertNotFound())
      const acknowledged_alert = yield* shown(yield* acknowledge(id, (yield* Caller).name, comment ?? null), true)
      const { rule, title } = acknowledged_alert
      yield* note("acknowledged", { alert: id, rule, title, comment: comment ?? null })
      return enveloped({ acknowledged_alert })
    }, sql.withTransaction),
    replay: Effect.fn("Alerts.replay")(function* (id: string) {
      yield* deliveries.replay(id)
      yield* note("replayed", { delivery: id })
      return enveloped({ replayed: 1 })
    }, sql.withTransaction),
    replayAll: Effect.fn("Alerts.replayAll")(function* (receiver: string | null) {
      const replayed = yield* deliveries.replayAll(receiver)
      if (replayed > 0) yield* note("replayed", { receiver, deliveries: replayed })
      return enveloped({ replayed })
    }, sql.withTransaction),
    mutes: Effect.map(mutes.list, (rows) => enveloped({ mutes: rows })),
    addMute: Effect.fn("Alerts.addMute")(function* (request: MuteRequest) {
      const { device, group, minutes, reason, rule } = request
      const caller = yield* Caller
      const from = request.from === undefined ? yield* Clock.currentTimeMillis : timeOf(request.from)
      const added_mute = yield* mutes.add({
        hostname: device ?? null,
        group: group ?? null,
        rule: rule ?? null,
        reason,
        from,
        until: from + minutes * MINUTE,
        createdBy: caller.name
      })
      yield* note("muted", { ...added_mute })
      return enveloped({ added_mute })
    }, sql.withTransaction),
    removeMute: Effect.fn("Alerts.removeMute")(function* (digits: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new MuteNotFound())
      const removed_mute = yield* mutes.remove(id)
      yield* note("unmuted", { ...removed_mute })
      return enveloped({ removed_mute })
    }, sql.withTransaction)
  }
})

/** Handlers of `AlertsGroup`. */
export const AlertsLive = HttpApiBuilder.group(Api, "alerts", (handlers) =>
  Effect.gen(function* () {
    const view = yield* makeAlertView
    const changes = yield* makeAlertChanges
    return handlers
      .handle("list", () => answered(view.list))
      .handle("acknowledge", ({ params, payload }) => answered(changes.acknowledge(params.id, payload)))
      .handle("deliveries", ({ query, request }) => answered(view.deliveries(request, query)))
      .handle("replay", ({ params }) => answered(changes.replay(params.id)))
      .handle("replayAll", ({ payload }) => answered(changes.replayAll(payload.receiver ?? null)))
      .handle("test", ({ params }) => answered(view.test(params.name)))
      .handle("mutes", () => answered(changes.mutes))
      .handle("addMute", ({ payload }) => answered(changes.addMute(payload)))
      .handle("removeMute", ({ params }) => answered(changes.removeMute(params.id)))
  })
)
