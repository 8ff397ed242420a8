/** SSH host keys that devices are pinned to once they are MANAGED, and keys that were refused or wait for approval (promise 7). */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind, makeGroupedWrite } from "./GroupedStatement.ts"

/** Fingerprints are `SHA256:…`; a refused one waits for an operator to pin it. Without a fingerprint the device is not pinned. */
export interface HostKey {
  readonly device_id: number
  readonly fingerprint: string | null
  readonly refused_fingerprint: string | null
  /** This server has brought the device to its address. */
  readonly is_provisioned: boolean
  /** An operator has accepted what the device showed with this key. */
  readonly is_trusted: boolean
  /** The device was proved to run a configuration of ours. */
  readonly is_proved: boolean
  /** Another device that is pinned to the same key. */
  readonly shared_with: string | null
}

/** A key that a device has shown and nobody has approved or pinned. */
export interface WaitingKey {
  readonly hostname: string
  readonly state: string
  readonly address: string | null
  /** What the device is pinned to: then it has changed its key; null for a device that nobody knew. */
  readonly fingerprint: string | null
  readonly refused_fingerprint: string
  /** ISO 8601 without a zone, UTC; null when nobody has noted it. */
  readonly since: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const grouped = yield* grouping
  const find = makeGroupedFind(
    grouped,
    (ids) => sql<HostKey>`select device_id, fingerprint, refused_fingerprint, is_provisioned, is_trusted,
        exists (select 1 from proved_config p where p.device_id = k.device_id) as is_proved,
        (select d.hostname from host_key other join device d on d.id = other.device_id
          where other.fingerprint = k.fingerprint and other.device_id <> k.device_id order by d.id limit 1) as shared_with
      from host_key k where device_id = any(${ids}::integer[])`,
    ({ device_id }) => device_id
  )

  const pin = makeGroupedWrite(
    grouped,
    (pins: ReadonlyArray<{ readonly device_id: number; readonly fingerprint: string }>) =>
      sql`insert into host_key (device_id, fingerprint)
        select * from unnest(${pins.map((pin) => pin.device_id)}::integer[], ${pins.map((pin) => pin.fingerprint)}::text[])
        on conflict (device_id) do update set fingerprint = excluded.fingerprint, pinned_at = now(),
          is_trusted = host_key.is_trusted and host_key.fingerprint is not distinct from excluded.fingerprint,
          refused_fingerprint = null, refused_at = null`
  )

  return HostKeyStore.of({
    waiting: sql<WaitingKey>`select d.hostname, d.state::text as state,
        host(coalesce(d.management_ip, d.dhcp_ip)::inet) as address, k.fingerprint, k.refused_fingerprint, iso_time(k.refused_at) as since
      from host_key k join device d on d.id = k.device_id where k.refused_fingerprint is not null order by d.hostname`,
    find: Effect.fn("HostKeyStore.find")(find),
    pin: Effect.fn("HostKeyStore.pin")((deviceId: number, fingerprint: string) =>
      pin({ device_id: deviceId, fingerprint })
    ),
    refuse: Effect.fn("HostKeyStore.refuse")((deviceId: number, fingerprint: string) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, refused_fingerprint, refused_at) values (${deviceId}, ${fingerprint}, now())
          on conflict (device_id) do update set refused_fingerprint = excluded.refused_fingerprint, refused_at = now()`
      )
    ),
    provisioned: Effect.fn("HostKeyStore.provisioned")((deviceId: number) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, is_provisioned) values (${deviceId}, true)
          on conflict (device_id) do update set is_provisioned = true, is_trusted = false, fingerprint = null,
            refused_fingerprint = null, refused_at = null`
      )
    ),
    trust: Effect.fn("HostKeyStore.trust")((deviceId: number, fingerprint: string) =>
      Effect.asVoid(
        sql`insert into host_key (device_id, fingerprint, is_trusted) values (${deviceId}, ${fingerprint}, true)
          on conflict (device_id) do update set fingerprint = excluded.fingerprint, pinned_at = now(), is_trusted = true,
            refused_fingerprint = null, refused_at = null`
      )
    ),
    forget: Effect.fn("HostKeyStore.forget")((deviceId: number) =>
      Effect.asVoid(sql`delete from host_key where device_id = ${deviceId}`)
    )
  })
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** Host keys by device. */
export class HostKeyStore extends Context.Service<
  HostKeyStore,
  {
    readonly find: (deviceId: number) => Effect.Effect<Option.Option<HostKey>, SqlError.SqlError>
    /** All that were shown and are waiting for somebody, by the names of their devices. */
    readonly waiting: Effect.Effect<ReadonlyArray<WaitingKey>, SqlError.SqlError>
    readonly pin: (deviceId: number, fingerprint: string) => Write
    /** Records a key that is not the pinned one, for the alarm and for pinning it. */
    readonly refuse: (deviceId: number, fingerprint: string) => Write
    /** Records that this server has brought the device to its address: its key need not be approved, and is learned anew. */
    readonly provisioned: (deviceId: number) => Write
    /** Pins the key, and records that an operator has accepted what the device shows. */
    readonly trust: (deviceId: number, fingerprint: string) => Write
    readonly forget: (deviceId: number) => Write
  }
>()("switchyard/store/HostKeyStore") {
  static readonly layer = Layer.effect(HostKeyStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
