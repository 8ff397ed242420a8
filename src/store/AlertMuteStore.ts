/** Mutes: for which devices, groups or rules no alerts are made for some time (docs/alerts.md#mutes). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Mute } from "../domain/events/alerts/AlertRule.ts"

/** There is no such mute. */
export class MuteNotFound extends Schema.TaggedError<MuteNotFound>()("MuteNotFound", {}) {
  override get message() {
    return "Mute not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** One that is made; times are epoch milliseconds. */
export interface NewMute {
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
  readonly reason: string
  readonly from: number
  readonly until: number
  readonly createdBy: string
}

/** As it is shown; times are ISO 8601 without a zone, UTC. */
export interface ListedMute {
  readonly id: number
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
  readonly reason: string
  readonly begins_at: string
  readonly ends_at: string
  readonly created_by: string
  readonly is_in_force: boolean
}

/** A mute with its time, epoch milliseconds. */
export interface TimedMute extends Mute {
  readonly from: number
  readonly until: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shown = sql.literal(`id, hostname, group_name as "group", rule, reason, iso_time(begins_at) as begins_at,
    iso_time(ends_at) as ends_at, created_by, begins_at <= now() and ends_at > now() as is_in_force`)
  return AlertMuteStore.of({
    since: Effect.fn("AlertMuteStore.since")(
      (at: string) => sql<TimedMute>`select id, hostname, group_name as "group", rule,
          (extract(epoch from begins_at) * 1000)::float8 as "from", (extract(epoch from ends_at) * 1000)::float8 as until
        from alert_mute where ends_at > ${`${at}Z`}::timestamptz`
    ),
    list: sql<ListedMute>`select ${shown} from alert_mute where ends_at > now() order by alert_mute.begins_at, id`,
    add: Effect.fn("AlertMuteStore.add")(function* (mute: NewMute) {
      const { createdBy, from, group, hostname, reason, rule, until } = mute
      const rows =
        yield* sql<ListedMute>`insert into alert_mute (hostname, group_name, rule, reason, begins_at, ends_at, created_by)
        values (${hostname}, ${group}, ${rule}, ${reason}, to_timestamp(${from / 1000}), to_timestamp(${until / 1000}), ${createdBy})
        returning ${shown}`
      return yield* Effect.orDie(Effect.fromNullishOr(rows[0]))
    }),
    remove: Effect.fn("AlertMuteStore.remove")(function* (id: number) {
      const [row] = yield* sql<ListedMute>`delete from alert_mute where id = ${id} returning ${shown}`
      return row ?? (yield* new MuteNotFound())
    }),
    forget: Effect.fn("AlertMuteStore.forget")((days: number) =>
      Effect.asVoid(sql`delete from alert_mute where ends_at < now() - make_interval(days => ${days})`)
    )
  })
})

/** Mutes by id. */
export class AlertMuteStore extends Context.Service<
  AlertMuteStore,
  {
    /** Those that are in force at this time (ISO 8601 without a zone, UTC) or later. */
    readonly since: (at: string) => Effect.Effect<ReadonlyArray<TimedMute>, SqlError.SqlError>
    /** Those that have not ended. */
    readonly list: Effect.Effect<ReadonlyArray<ListedMute>, SqlError.SqlError>
    readonly add: (mute: NewMute) => Effect.Effect<ListedMute, SqlError.SqlError>
    readonly remove: (id: number) => Effect.Effect<ListedMute, MuteNotFound | SqlError.SqlError>
    /** Removes those that ended so many days ago. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/AlertMuteStore") {
  static readonly layer = Layer.effect(AlertMuteStore, make)
}
