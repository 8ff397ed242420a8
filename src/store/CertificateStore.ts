/**
 * Certificates that this server signed, and their revocations (docs/security.md#revocation). A row is written before
 * the certificate leaves the server, so every issued certificate can be revoked. Each change is part of the audit.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  CertificateRevoked,
  CertificateUnknown,
  type DeviceCertificate,
  type RevocationReason
} from "../domain/Certificate.ts"
import { EventStore } from "./EventStore.ts"

/** A certificate before it leaves the server; times are ISO 8601. */
interface NewCertificate {
  readonly serial: string
  readonly jobId: number
  readonly deviceId: number
  readonly hostname: string
  readonly address: string
  readonly issuedAt: string
  readonly notAfter: string
}

/** A revoked certificate that has not expired; `revoked_at` in epoch milliseconds. */
export interface RevokedRow {
  readonly serial: string
  readonly revoked_at: number
  readonly reason: RevocationReason
}

interface CertificateSubject {
  readonly serial: string
  readonly hostname: string
  /** Null if the device was deleted. */
  readonly deviceId: number | null
}

interface RevokedCertificate extends DeviceCertificate {
  readonly device_id: number | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const events = yield* EventStore

  const iso = (column: string) =>
    sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ${column}`)
  const columns = sql`serial, hostname, address, ${iso("issued_at")}, ${iso("not_after")}, ${iso("revoked_at")}, reason`

  const appendEvent = (action: string, { deviceId, hostname, serial }: CertificateSubject, data: object) =>
    events.append({
      kind: "certificate",
      action,
      isAudit: true,
      ...(deviceId === null ? {} : { deviceId }),
      hostname,
      data: { serial, ...data }
    })

  const record = Effect.fn("CertificateStore.record")(function* (made: NewCertificate) {
    const { address, deviceId, hostname, issuedAt, jobId, notAfter, serial } = made
    yield* sql`insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
      values (${serial}, ${jobId}, ${deviceId}, ${hostname}, ${address}, ${issuedAt}::timestamptz, ${notAfter}::timestamptz)`
    yield* appendEvent("issued", made, { address, not_after: notAfter })
  }, sql.withTransaction)

  const revoke = Effect.fn("CertificateStore.revoke")(function* (serial: string, reason: RevocationReason) {
    const [found] = yield* sql<RevokedCertificate>`update certificate set revoked_at = now(), reason = ${reason}
      where serial = ${serial} and revoked_at is null returning ${columns}, device_id`
    if (found === undefined) {
      const known = yield* sql`select 1 from certificate where serial = ${serial}`
      return yield* known.length === 0 ? new CertificateUnknown({ serial }) : new CertificateRevoked({ serial })
    }
    const { device_id: deviceId, ...row } = found
    yield* appendEvent("revoked", { ...row, deviceId }, { reason })
    return row
  }, sql.withTransaction)

  const revokeOfDevice = Effect.fn("CertificateStore.revokeOfDevice")(function* (
    deviceId: number,
    reason: RevocationReason,
    exceptJob?: number
  ) {
    const others = exceptJob === undefined ? sql`true` : sql`job_id <> ${exceptJob}`
    const rows = yield* sql<DeviceCertificate>`update certificate set revoked_at = now(), reason = ${reason}
      where device_id = ${deviceId} and ${others} and revoked_at is null and not_after > now() returning ${columns}`
    yield* Effect.forEach(rows, (row) => appendEvent("revoked", { ...row, deviceId }, { reason }), { discard: true })
  }, sql.withTransaction)

  return CertificateStore.of({
    record,
    revoke,
    revokeOfDevice,
    list: Effect.fn("CertificateStore.list")((hostname?: string) => {
      const ofDevice = hostname === undefined ? sql`true` : sql`hostname = ${hostname}`
      return sql<DeviceCertificate>`select ${columns} from certificate
        where not_after > now() and ${ofDevice} order by certificate.issued_at desc, serial`
    }),
    revoked: sql<RevokedRow>`select serial, reason, (extract(epoch from revoked_at) * 1000)::float8 as revoked_at
      from certificate where revoked_at is not null and not_after > now() order by certificate.revoked_at, serial`,
    ending: Effect.fn("CertificateStore.ending")((days: number) =>
      Effect.map(
        sql<{ hostname: string }>`select hostname from device where state = 'MANAGED' and (
            select max(not_after) from certificate where device_id = device.id and revoked_at is null
          ) < now() + make_interval(days => ${days}) order by hostname`,
        (rows) => rows.map(({ hostname }) => hostname)
      )
    )
  })
})

/** Certificates by serial number and device. */
export class CertificateStore extends Context.Service<
  CertificateStore,
  {
    readonly record: (made: NewCertificate) => Effect.Effect<void, SqlError.SqlError>
    /** Revokes a certificate and yields it. */
    readonly revoke: (
      serial: string,
      reason: RevocationReason
    ) => Effect.Effect<DeviceCertificate, CertificateUnknown | CertificateRevoked | SqlError.SqlError>
    /** Revokes the valid certificates of a device, except those that this job issued. */
    readonly revokeOfDevice: (
      deviceId: number,
      reason: RevocationReason,
      exceptJob?: number
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Certificates that have not expired, newest first; of a device by its name at that time. */
    readonly list: (hostname?: string) => Effect.Effect<ReadonlyArray<DeviceCertificate>, SqlError.SqlError>
    readonly revoked: Effect.Effect<ReadonlyArray<RevokedRow>, SqlError.SqlError>
    /** Managed devices whose newest certificate expires within this number of days, or has expired. */
    readonly ending: (days: number) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  }
>()("switchyard/store/CertificateStore") {
  static readonly layer = Layer.effect(CertificateStore, make).pipe(Layer.provide(EventStore.layer))
}
