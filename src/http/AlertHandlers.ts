/**
 * Handlers of alerts: alerts and rules in force, messages, mutes and tests (docs/alerts.md#looking-at-alerts). Each change is noted in the
 * audit.
 */
import { Clock, Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Api } from "../api/Api.ts"
import { answered } from "./core/HandlerErrors.ts"
import { type AlertMessage, titleOf } from "../domain/events/alerts/AlertMessage.ts"
import { toId } from "../domain/fields/Values.ts"
import { AlertRulesInForce } from "../events/AlertMaking.ts"
import { deliver, remarkOf } from "../events/Receivers.ts"
import { receiverGuard } from "../runtime/OutboundHosts.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { AlertStore, type DeliveryState, type ListedDelivery, MuteNotFound } from "../store/AlertStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { makeListPage } from "./listing/ListPage.ts"
import * as Lists from "./listing/Lists.ts"
import { Caller } from "../api/Requests.ts"
import { enveloped } from "../api/Answers.ts"
import { type MuteRequest, timeOf } from "../api/AlertsApi.ts"

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

/** Reads: alerts, deliveries, and a test of a receiver. */
const makeAlertView = Effect.gen(function* () {
  const { alertSecrets } = yield* ServerConfig
  const inForce = yield* AlertRulesInForce
  const alerts = yield* AlertStore
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
        rules: (rules?.rules ?? []).map(({ level, name, to }) => ({ name, level, to })),
        deliveries: yield* deliveries.counts,
        alerts: (yield* alerts.list(ALERTS)).map(({ events, title, ...alert }) => ({
          ...alert,
          title: titleOf(title, alert.rule, alert.count, events)
        }))
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
  const { deliveries, mutes } = yield* AlertStore
  const events = yield* EventStore
  const note = (action: string, data: Readonly<Record<string, unknown>>) =>
    events.append({ kind: "alert", action, isAudit: true, data })

  return {
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
      .handle("deliveries", ({ query, request }) => answered(view.deliveries(request, query)))
      .handle("replay", ({ params }) => answered(changes.replay(params.id)))
      .handle("replayAll", ({ payload }) => answered(changes.replayAll(payload.receiver ?? null)))
      .handle("test", ({ params }) => answered(view.test(params.name)))
      .handle("mutes", () => answered(changes.mutes))
      .handle("addMute", ({ payload }) => answered(changes.addMute(payload)))
      .handle("removeMute", ({ params }) => answered(changes.removeMute(params.id)))
  })
)
