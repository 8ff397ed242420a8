/** Addresses on loan to a device between their choice and the end of init step 1 (docs/provisioning.md#addresses). */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { identityViolation, uniqueViolation } from "./Violations.ts"

/** Another device got this address first; the next free one may be tried. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", { ip: Schema.String }) {
  override get message() {
    return `Address ${this.ip} is reserved by another device`
  }
}

/** An address that a device has on loan. */
export interface Reservation {
  readonly device_id: number
  readonly ip_version: 4 | 6
  readonly ip: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return ReservationStore.of({
    all: sql<Reservation>`select device_id, ip_version, ip from reserved_ip`.pipe(
      Effect.withSpan("ReservationStore.all")
    ),
    reserve: Effect.fn("ReservationStore.reserve")((reservation: Reservation) =>
      sql`insert into reserved_ip ${sql.insert({ ...reservation })}
        on conflict (device_id, ip_version) do update set ip = excluded.ip, last_seen = now()`.pipe(
        Effect.asVoid,
        // whoever goes on with the next address does so in the same transaction
        sql.withTransaction,
        uniqueViolation("reserved_ip_unique", () => new AddressTaken({ ip: reservation.ip })),
        identityViolation,
        Effect.catchTag("IdentityTaken", () => Effect.fail(new AddressTaken({ ip: reservation.ip })))
      )
    ),
    release: Effect.fn("ReservationStore.release")((deviceId: number) =>
      Effect.asVoid(sql`delete from reserved_ip where device_id = ${deviceId}`)
    ),
    dropStale: Effect.withSpan(
      Effect.asVoid(sql`delete from reserved_ip where last_seen < now() - interval '1 day'`),
      "ReservationStore.dropStale"
    ),
    takenAddresses: Effect.map(
      sql<{ ip: string }>`select distinct value as ip from identity_claim where kind = 'address'`,
      (rows) => new Set(rows.map((row) => row.ip))
    )
  })
})

type Write<E = never> = Effect.Effect<void, SqlError.SqlError | E>
type Addresses = Effect.Effect<ReadonlySet<string>, SqlError.SqlError>

/** Reservations by device. */
export class ReservationStore extends Context.Service<
  ReservationStore,
  {
    readonly all: Effect.Effect<ReadonlyArray<Reservation>, SqlError.SqlError>
    /** Writes the device's reservation of this family; one that it had is replaced. */
    readonly reserve: (reservation: Reservation) => Write<AddressTaken>
    readonly release: (deviceId: number) => Write
    /** Forgets reservations older than a day. */
    readonly dropStale: Write
    /** Addresses of both families that somebody has in whatever role, or that are reserved. */
    readonly takenAddresses: Addresses
  }
>()("switchyard/store/ReservationStore") {
  static readonly layer = Layer.effect(ReservationStore, make)
}
