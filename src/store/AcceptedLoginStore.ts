/**
 * Which login each device accepted last, while logins are changed (docs/security.md#changing-passwords). Without it each login
 * would be a guess, and guesses count as failed logins on the switch. It holds no names and no passwords.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import type { LoginState } from "../ServerConfig.ts"
import { grouping, makeGroupedFind, makeGroupedWrite } from "./GroupedStatement.ts"

/** Of the logins of a state: its key, the password that counts, or the one that is to replace it. */
export type LoginSlot = "key" | "current" | "next"

/** `accepted_at` is in epoch milliseconds. */
export interface AcceptedLogin {
  readonly device_id: number
  readonly state: LoginState
  readonly slot: LoginSlot
  readonly accepted_at: number
}

/** A device by its name, with the login that it accepted last. */
export type NamedLogin = Pick<AcceptedLogin, "state" | "slot"> & { readonly hostname: string }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const find = makeGroupedFind(
    grouped,
    (ids) => sql<AcceptedLogin>`select device_id, state, slot, accepted_at::float8 as accepted_at from accepted_login
      where device_id = any(${ids}::integer[])`,
    ({ device_id }) => device_id
  )
  const keep = makeGroupedWrite(
    grouped,
    (logins: ReadonlyArray<AcceptedLogin>) =>
      sql`insert into accepted_login (device_id, state, slot, accepted_at)
        select * from unnest(${logins.map((login) => login.device_id)}::integer[],
          ${logins.map((login) => login.state)}::text[], ${logins.map((login) => login.slot)}::text[],
          ${logins.map((login) => Math.round(login.accepted_at))}::bigint[])
        on conflict (device_id) do update set state = excluded.state, slot = excluded.slot,
          accepted_at = excluded.accepted_at`
  )

  return AcceptedLoginStore.of({
    find: Effect.fn("AcceptedLoginStore.find")(find),
    keep: Effect.fn("AcceptedLoginStore.keep")(keep),
    forgetOthers: Effect.fn("AcceptedLoginStore.forgetOthers")((states) => {
      const others = states.length === 0 ? sql`true` : sql`not ${sql.in("state", states)}`
      return sql<NamedLogin>`with gone as (delete from accepted_login where ${others} returning device_id, state, slot)
        select hostname, gone.state, slot from gone join device on id = device_id order by hostname`
    }),
    all: sql<NamedLogin>`select hostname, accepted_login.state, slot from accepted_login join device on id = device_id
      order by hostname`
  })
})

/** Accepted logins by device. */
export class AcceptedLoginStore extends Context.Service<
  AcceptedLoginStore,
  {
    readonly find: (deviceId: number) => Effect.Effect<Option.Option<AcceptedLogin>, SqlError.SqlError>
    readonly keep: (login: AcceptedLogin) => Effect.Effect<void, SqlError.SqlError>
    /** Forgets the logins of all states but these; yields what is forgotten. */
    readonly forgetOthers: (
      states: ReadonlyArray<LoginState>
    ) => Effect.Effect<ReadonlyArray<NamedLogin>, SqlError.SqlError>
    readonly all: Effect.Effect<ReadonlyArray<NamedLogin>, SqlError.SqlError>
  }
>()("switchyard/store/AcceptedLoginStore") {
  static readonly layer = Layer.effect(AcceptedLoginStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
