/** Rows of the management domains, with the hostnames of their two members. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { IdentityTaken } from "../domain/DeviceIdentity.ts"
import type { MgmtDomain, NewMgmtDomain } from "../domain/MgmtDomain.ts"
import { identityViolation } from "./Violations.ts"

/** A management domain as the API shows it: with the hostnames of its members. */
export interface MgmtDomainRecord extends MgmtDomain {
  readonly device_a: string
  readonly device_b: string
}

const COLUMNS = `m.id, m.ipv4_gw, m.ipv6_gw, m.device_a_id, m.device_a_ip, m.device_b_id, m.device_b_ip, m.site_id, m.vlan,
  m.description, m.esi_mac, a.hostname as device_a, b.hostname as device_b`
const TABLES = `mgmtdomain m join device a on a.id = m.device_a_id join device b on b.id = m.device_b_id`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(COLUMNS)
  const tables = sql.literal(TABLES)

  const find = Effect.fn("MgmtDomainStore.find")((id: number) =>
    Effect.map(sql<MgmtDomainRecord>`select ${columns} from ${tables} where m.id = ${id}`, (rows) =>
      Option.fromUndefinedOr(rows[0])
    )
  )

  return MgmtDomainStore.of({
    columns: COLUMNS,
    tables: TABLES,
    all: Effect.withSpan(sql<MgmtDomainRecord>`select ${columns} from ${tables} order by m.id`, "MgmtDomainStore.all"),
    find,
    ofDevice: Effect.fn("MgmtDomainStore.ofDevice")(
      (deviceId: number) =>
        sql<MgmtDomainRecord>`select ${columns} from ${tables}
          where m.device_a_id = ${deviceId} or m.device_b_id = ${deviceId} order by m.id`
    ),
    insert: Effect.fn("MgmtDomainStore.insert")(function* (domain: NewMgmtDomain) {
      const [row] = yield* identityViolation(
        sql<{ id: number }>`insert into mgmtdomain ${sql.insert({ ...domain })} returning id`
      )
      return yield* Effect.orDie(Effect.flatMap(find(row?.id ?? 0), Effect.fromOption))
    }),
    update: Effect.fn("MgmtDomainStore.update")(function* (id: number, fields: Partial<NewMgmtDomain>) {
      if (Object.keys(fields).length > 0)
        yield* identityViolation(sql`update mgmtdomain set ${sql.update({ ...fields })} where id = ${id}`)
      return yield* find(id)
    }),
    remove: Effect.fn("MgmtDomainStore.remove")(function* (id: number) {
      const found = yield* find(id)
      yield* sql`delete from mgmtdomain where id = ${id}`
      return found
    })
  })
})

type Find<E = never> = Effect.Effect<Option.Option<MgmtDomainRecord>, SqlError.SqlError | E>

/** Management domains by id. */
export class MgmtDomainStore extends Context.Service<
  MgmtDomainStore,
  {
    readonly columns: string
    readonly tables: string
    readonly all: Effect.Effect<ReadonlyArray<MgmtDomainRecord>, SqlError.SqlError>
    readonly find: (id: number) => Find
    /** Domains that this device is one of the two members of. */
    readonly ofDevice: (deviceId: number) => Effect.Effect<ReadonlyArray<MgmtDomainRecord>, SqlError.SqlError>
    readonly insert: (domain: NewMgmtDomain) => Effect.Effect<MgmtDomainRecord, SqlError.SqlError | IdentityTaken>
    readonly update: (id: number, fields: Partial<NewMgmtDomain>) => Find<IdentityTaken>
    readonly remove: (id: number) => Find
  }
>()("switchyard/store/MgmtDomainStore") {
  static readonly layer = Layer.effect(MgmtDomainStore, make)
}
