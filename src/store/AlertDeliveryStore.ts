/**
 * Messages on their way to receivers of alerts (docs/alerts.md#delivery). A claim moves the next attempt behind the longest time that this one
 * can take: a server that is killed in the middle leaves nothing behind that somebody has to free.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { AlertEvent } from "../domain/events/alerts/AlertMessage.ts"
import type { AlertLevel } from "../domain/events/alerts/AlertRule.ts"

export const deliveryStates = ["waiting", "sent", "dead"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** There is no such delivery, or it is not dead. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {
  override get message() {
    return "There is no dead delivery of that id"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** A claimed message with the alert that it tells. */
export interface ClaimedDelivery {
  readonly id: string
  readonly receiver: string
  readonly action: "trigger" | "resolve"
  readonly attempts: number
  /** Milliseconds since it is tried. */
  readonly age: number
  readonly created_at: string
  readonly alert_id: number
  readonly rule: string
  readonly level: AlertLevel
  readonly title: string | null
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
}

/** A message as it is listed, and where it is read from. */
export const DELIVERY_COLUMNS = `delivery.id, delivery.alert_id::float8 as alert_id, delivery.rule, delivery.receiver, delivery.action,
  delivery.state, delivery.attempts, iso_time(delivery.created_at) as created_at,
  case when delivery.state = 'waiting' then iso_time(delivery.next_at) end as next_at, iso_time(delivery.ended_at) as ended_at, delivery.answer`
export const DELIVERY_ROWS =
  "(select d.*, alert.rule from alert_delivery d join alert on alert.id = d.alert_id) delivery"

/** A message as it is listed; times are ISO 8601 without a zone, UTC. */
export interface ListedDelivery {
  readonly id: string
  readonly alert_id: number
  readonly rule: string
  readonly receiver: string
  readonly action: "trigger" | "resolve"
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: string
  readonly next_at: string | null
  readonly ended_at: string | null
  /** What the receiver said last, or why it could not be asked. */
  readonly answer: string | null
}

/** How many messages wait and are dead, and for how many seconds the oldest one has waited. */
export interface DeliveryCounts {
  readonly waiting: number
  readonly dead: number
  readonly oldest_seconds: number
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return AlertDeliveryStore.of({
    due: Effect.map(
      sql<{
        receiver: string
      }>`select distinct receiver from alert_delivery where state = 'waiting' and next_at <= now()`,
      (rows) => rows.map(({ receiver }) => receiver)
    ),
    claim: Effect.fn("AlertDeliveryStore.claim")(
      (receiver: string, limit: number, lease: number) => sql<ClaimedDelivery>`
        with due as (select id from alert_delivery one where state = 'waiting' and receiver = ${receiver} and next_at <= now()
            and (action = 'trigger' or not exists (select from alert_delivery begin where begin.alert_id = one.alert_id
              and begin.receiver = one.receiver and begin.action = 'trigger' and begin.state = 'waiting'))
          order by next_at limit ${limit} for update skip locked)
        update alert_delivery d set attempts = attempts + 1, next_at = now() + make_interval(secs => ${lease / 1000})
          from due, alert where d.id = due.id and alert.id = d.alert_id
        returning d.id, d.receiver, d.action, d.attempts, extract(epoch from now() - d.retry_from)::float8 * 1000 as age,
          iso_time(d.created_at) as created_at, alert.id::float8 as alert_id, alert.rule, alert.level, alert.title,
          alert.events, alert.count`
    ),
    sent: Effect.fn("AlertDeliveryStore.sent")((id: string, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set state = 'sent', ended_at = now(), answer = ${answer}
        where id = ${id} and state = 'waiting'`)
    ),
    // whoever has claimed it since knows more
    again: Effect.fn("AlertDeliveryStore.again")((id: string, attempt: number, pause: number, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set next_at = now() + make_interval(secs => ${pause / 1000}), answer = ${answer}
        where id = ${id} and state = 'waiting' and attempts = ${attempt}`)
    ),
    dead: Effect.fn("AlertDeliveryStore.dead")((id: string, attempt: number, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set state = 'dead', ended_at = now(), answer = ${answer}
        where id = ${id} and state = 'waiting' and attempts = ${attempt}`)
    ),
    replay: Effect.fn("AlertDeliveryStore.replay")(function* (id: string) {
      const again =
        yield* sql`update alert_delivery set state = 'waiting', next_at = now(), retry_from = now(), ended_at = null
        where id = ${id} and state = 'dead' returning id`
      if (again.length === 0) return yield* new DeliveryNotFound()
    }),
    replayAll: Effect.fn("AlertDeliveryStore.replayAll")((receiver: string | null) =>
      Effect.map(
        sql`update alert_delivery set state = 'waiting', next_at = now(), retry_from = now(), ended_at = null
          where state = 'dead' and receiver = coalesce(${receiver}, receiver) returning id`,
        (rows) => rows.length
      )
    ),
    counts: Effect.map(
      sql<DeliveryCounts>`select count(*) filter (where state = 'waiting')::integer as waiting,
          count(*) filter (where state = 'dead')::integer as dead,
          coalesce(extract(epoch from now() - min(created_at) filter (where state = 'waiting')), 0)::float8 as oldest_seconds
        from alert_delivery where state in ('waiting', 'dead')`,
      ([row]) => row ?? { waiting: 0, dead: 0, oldest_seconds: 0 }
    )
  })
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** Deliveries by state. */
export class AlertDeliveryStore extends Context.Service<
  AlertDeliveryStore,
  {
    /** The receivers that something is due for. */
    readonly due: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** Takes what is due for a receiver; nobody else gets it for so many milliseconds. An end waits until its begin has arrived or is dead. */
    readonly claim: (
      receiver: string,
      limit: number,
      lease: number
    ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, SqlError.SqlError>
    readonly sent: (id: string, answer: string) => Write
    /** The next attempt is in so many milliseconds. */
    readonly again: (id: string, attempt: number, pause: number, answer: string) => Write
    readonly dead: (id: string, attempt: number, answer: string) => Write
    /** Tries a dead one again, under its own id. */
    readonly replay: (id: string) => Effect.Effect<void, DeliveryNotFound | SqlError.SqlError>
    /** All dead ones, or those of a receiver; yields how many. */
    readonly replayAll: (receiver: string | null) => Effect.Effect<number, SqlError.SqlError>
    /** What metrics show. */
    readonly counts: Effect.Effect<DeliveryCounts, SqlError.SqlError>
  }
>()("switchyard/store/AlertDeliveryStore") {
  static readonly layer = Layer.effect(AlertDeliveryStore, make)
}
