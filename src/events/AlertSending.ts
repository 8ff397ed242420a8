/**
 * Sends messages to receivers until they arrive or fail for good (docs/alerts.md#delivery). Each receiver has its own few attempts at a
 * time, so a slow or missing receiver delays no other.
 */
import { Context, Duration, Effect, Layer, Random, Schedule, type Scope } from "effect"
import { type AlertMessage, titleOf } from "../domain/events/alerts/AlertMessage.ts"
import { receiverGuard } from "../runtime/OutboundHosts.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { AlertStore, type ClaimedDelivery } from "../store/AlertStore.ts"
import { waitingForDatabase } from "../store/DatabaseClient.ts"
import { AlertRulesInForce } from "./AlertMaking.ts"
import { type Attempt, deliver as handOver, longestAttempt } from "./Receivers.ts"
import { PACE, type Pace, pause } from "../domain/events/alerts/Receiver.ts"
import { webhookFailures } from "../runtime/metrics/Metrics.ts"

/** The pace of attempts; tests let days pass in seconds. */
export const AlertPace = Context.Reference<Pace | null>("switchyard/events/AlertPace", { defaultValue: () => null })

const INTERVAL = "1 second"
const AT_ONCE = 5

const messageOf = (delivery: ClaimedDelivery): AlertMessage => {
  const { action, alert_id, count, created_at, events, id, level, rule, title } = delivery
  return {
    id,
    alert: alert_id,
    action,
    rule,
    level,
    title: titleOf(title, rule, count, events),
    at: `${created_at.slice(0, 23)}Z`,
    count,
    events
  }
}

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { ALERT_RETRY_HOURS, ALERT_TIMEOUT, alertSecrets } = config
  const guard = receiverGuard(config)
  const pace: Pace = (yield* AlertPace) ?? { ...PACE, giveUp: ALERT_RETRY_HOURS * 3_600_000 }
  const timeout = ALERT_TIMEOUT * 1000
  const { deliveries } = yield* AlertStore
  const inForce = yield* AlertRulesInForce
  const scope = yield* Effect.scope
  const busy = new Set<string>()

  const ended = Effect.fnUntraced(function* ({ age, attempts, id }: ClaimedDelivery, attempt: Attempt) {
    switch (attempt._tag) {
      case "Sent":
        return yield* deliveries.sent(id, attempt.answer)
      case "Refused":
        return yield* deliveries.dead(id, attempts, attempt.answer)
      case "Failed": {
        const next = pause(pace, attempts, yield* Random.next, attempt.retryAfter)
        if (age + next > pace.giveUp) return yield* deliveries.dead(id, attempts, attempt.answer)
        return yield* deliveries.again(id, attempts, next, attempt.answer)
      }
    }
  })

  const deliver = Effect.fnUntraced(function* (delivery: ClaimedDelivery) {
    const { rules } = yield* inForce.inForce
    const receiver = rules?.receivers.find(({ name }) => name === delivery.receiver)
    const attempt: Attempt =
      receiver === undefined
        ? { _tag: "Refused", answer: "There is no receiver of this name in alerts.yml any more" }
        : yield* handOver(alertSecrets, receiver, messageOf(delivery), timeout, guard)
    if (attempt._tag !== "Sent") {
      webhookFailures.add(1, receiver?.type ?? "none")
      yield* Effect.logWarning("An alert could not be handed over", {
        receiver: delivery.receiver,
        delivery: delivery.id,
        attempt: delivery.attempts,
        answer: attempt.answer
      })
    }
    yield* ended(delivery, attempt)
  })

  /** One attempt for each due message of a receiver. */
  const drain = (receiver: string) =>
    Effect.gen(function* () {
      for (;;) {
        const claimed = yield* deliveries.claim(receiver, AT_ONCE, longestAttempt(timeout))
        if (claimed.length === 0) return
        yield* Effect.forEach(claimed, deliver, { concurrency: AT_ONCE, discard: true })
      }
    }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Alerts could not be sent", { receiver }, cause)),
      Effect.ensuring(Effect.sync(() => busy.delete(receiver)))
    )

  const look = Effect.gen(function* () {
    if (!(yield* inForce.inForce).isKnown) return
    for (const receiver of yield* deliveries.due) {
      if (busy.has(receiver)) continue
      busy.add(receiver)
      yield* Effect.forkIn(waitingForDatabase(drain(receiver)), scope)
    }
  })

  yield* waitingForDatabase(look).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Alerts could not be sent", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
})

const upkeep: Effect.Effect<void, never, AlertStore | ServerConfig | Scope.Scope> = Effect.gen(function* () {
  const { ALERT_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
  const alerts = yield* AlertStore
  const { mutes } = alerts
  yield* Effect.andThen(alerts.forget(ALERT_DAYS), mutes.forget(ALERT_DAYS)).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Old alerts could not be removed", cause)),
    Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
    Effect.forkScoped
  )
})

/** Works until the server stops. */
export const layer = Layer.effectDiscard(Effect.andThen(make, upkeep))
