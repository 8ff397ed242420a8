/** Rows of the linknet table: the cables between devices. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Linknet, NewLinknet } from "../domain/Linknet.ts"
import type { IdentityTaken } from "../domain/DeviceIdentity.ts"
import { identityViolation, uniqueViolation } from "./Violations.ts"

/** Another link uses this network already; the next free one may be tried. */
export class NetworkTaken extends Schema.TaggedError<NetworkTaken>()("NetworkTaken", {
  network: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return `Network ${this.network} is used by another link`
  }
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return [`Network ${this.network} is already used by another linknet`]
  }
}

/** One of the two ports has a link already. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", { port: Schema.String }) {
  override get message() {
    return `Port ${this.port} has a link already`
  }
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return [`Port ${this.port} is already used by another linknet`]
  }
}

const COLUMNS = `id, ipv4_network, device_a_id, device_a_ip, device_a_port, device_b_id, device_b_ip, device_b_port, site_id, description`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(COLUMNS)

  const distinct =
    (link: Partial<NewLinknet>) =>
    <A>(query: Effect.Effect<A, SqlError.SqlError>) =>
      query.pipe(
        uniqueViolation("linknet_network_unique", () => new NetworkTaken({ network: link.ipv4_network ?? null })),
        uniqueViolation("linknet_a_port_unique", () => new PortTaken({ port: link.device_a_port ?? "" })),
        uniqueViolation("linknet_b_port_unique", () => new PortTaken({ port: link.device_b_port ?? "" })),
        identityViolation
      )

  const first = (rows: ReadonlyArray<Linknet>) => Option.fromUndefinedOr(rows[0])

  return LinknetStore.of({
    columns: COLUMNS,
    all: Effect.withSpan(sql<Linknet>`select ${columns} from linknet order by id`, "LinknetStore.all"),
    find: Effect.fn("LinknetStore.find")((id: number) =>
      Effect.map(sql<Linknet>`select ${columns} from linknet where id = ${id}`, first)
    ),
    ofDevice: Effect.fn("LinknetStore.ofDevice")(
      (deviceId: number) =>
        sql<Linknet>`select ${columns} from linknet where device_a_id = ${deviceId} or device_b_id = ${deviceId} order by id`
    ),
    ofDevices: Effect.fn("LinknetStore.ofDevices")(function* (ids: ReadonlyArray<number>) {
      if (ids.length === 0) return []
      return yield* sql<Linknet>`select ${columns} from linknet
        where device_a_id = any(${ids}::integer[]) or device_b_id = any(${ids}::integer[]) order by id`
    }),
    atPort: Effect.fn("LinknetStore.atPort")(
      (deviceId: number, port: string) =>
        sql<Linknet>`select ${columns} from linknet
          where (device_a_id = ${deviceId} and device_a_port = ${port}) or (device_b_id = ${deviceId} and device_b_port = ${port})`
    ),
    occupied: Effect.withSpan(
      sql<{ ipv4_network: string }>`select text(network) as ipv4_network from network_claim
          where owner <> 'linknet' and family(network) = 4
        union all select c.value || '/32' from identity_claim c where c.kind = 'address' and c.value not like '%:%'
          and not exists (select from network_claim n where n.owner = 'linknet' and n.network >>= c.value::inet)`,
      "LinknetStore.occupied"
    ),
    insert: Effect.fn("LinknetStore.insert")(function* (link: NewLinknet) {
      const rows = yield* distinct(link)(
        sql<Linknet>`insert into linknet ${sql.insert({ ...link })} returning ${columns}`
      )
      return yield* Effect.orDie(Effect.fromOption(first(rows)))
    }),
    update: Effect.fn("LinknetStore.update")((id: number, fields: Partial<NewLinknet>) =>
      Effect.map(
        distinct(fields)(
          sql<Linknet>`update linknet set ${sql.update({ ...fields })} where id = ${id} returning ${columns}`
        ),
        first
      )
    ),
    remove: Effect.fn("LinknetStore.remove")((id: number) =>
      Effect.map(sql<Linknet>`delete from linknet where id = ${id} returning ${columns}`, first)
    )
  })
})

type ReadMany = Effect.Effect<ReadonlyArray<Linknet>, SqlError.SqlError>
type Find<E = never> = Effect.Effect<Option.Option<Linknet>, SqlError.SqlError | E>
type Clash = NetworkTaken | PortTaken | IdentityTaken

/** Links by id, device or port. */
export class LinknetStore extends Context.Service<
  LinknetStore,
  {
    readonly columns: string
    readonly all: ReadMany
    readonly find: (id: number) => Find
    readonly ofDevice: (deviceId: number) => ReadMany
    readonly ofDevices: (deviceIds: ReadonlyArray<number>) => ReadMany
    /** Links at this port of this device, whichever end it is. */
    readonly atPort: (deviceId: number, port: string) => ReadMany
    /** Networks, and addresses as networks of one, that something else than a link has: a new link must not overlap them. */
    readonly occupied: Effect.Effect<ReadonlyArray<Pick<NewLinknet, "ipv4_network">>, SqlError.SqlError>
    readonly insert: (link: NewLinknet) => Effect.Effect<Linknet, SqlError.SqlError | Clash>
    readonly update: (id: number, fields: Partial<NewLinknet>) => Find<Clash>
    readonly remove: (id: number) => Find
  }
>()("switchyard/store/LinknetStore") {
  static readonly layer = Layer.effect(LinknetStore, make)
}
