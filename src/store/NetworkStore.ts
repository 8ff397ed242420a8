/**
 * Networks and addresses: linknets (the cables between devices), management domains, reserved addresses, sites, and the lock for the
 * allocation of addresses and links.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { Linknet, NewLinknet } from "../domain/Linknet.ts"
import { identityViolation, uniqueViolation } from "./DatabaseErrors.ts"
import type { MgmtDomain, NewMgmtDomain } from "../domain/MgmtDomain.ts"
import { locks } from "./DatabaseClient.ts"
import type { IdentityTaken } from "../domain/DeviceIdentity.ts"

/** Another link uses this network; the caller may try the next free one. */
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

/** One of the two ports already has a link. */
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

const makeLinks = Effect.gen(function* () {
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

  return {
    columns: COLUMNS,
    all: Effect.withSpan(sql<Linknet>`select ${columns} from linknet order by id`, "NetworkStore.links.all"),
    find: Effect.fn("NetworkStore.links.find")((id: number) =>
      Effect.map(sql<Linknet>`select ${columns} from linknet where id = ${id}`, first)
    ),
    ofDevice: Effect.fn("NetworkStore.links.ofDevice")(
      (deviceId: number) =>
        sql<Linknet>`select ${columns} from linknet where device_a_id = ${deviceId} or device_b_id = ${deviceId} order by id`
    ),
    ofDevices: Effect.fn("NetworkStore.links.ofDevices")(function* (ids: ReadonlyArray<number>) {
      if (ids.length === 0) return []
      return yield* sql<Linknet>`select ${columns} from linknet
        where device_a_id = any(${ids}::integer[]) or device_b_id = any(${ids}::integer[]) order by id`
    }),
    atPort: Effect.fn("NetworkStore.links.atPort")(
      (deviceId: number, port: string) =>
        sql<Linknet>`select ${columns} from linknet
          where (device_a_id = ${deviceId} and device_a_port = ${port}) or (device_b_id = ${deviceId} and device_b_port = ${port})`
    ),
    neighbours: Effect.fn("NetworkStore.links.neighbours")(
      (deviceId: number) => sql<LinkNeighbour>`select l.port, d.id, d.hostname, d.device_type, d.state
        from (select device_a_port as port, device_b_id as peer from linknet where device_a_id = ${deviceId}
          union all select device_b_port, device_a_id from linknet where device_b_id = ${deviceId}) l
        join device d on d.id = l.peer order by d.hostname, l.port`
    ),
    occupied: Effect.withSpan(
      sql<{ ipv4_network: string }>`select text(network) as ipv4_network from network_claim
          where owner <> 'linknet' and family(network) = 4
        union all select c.value || '/32' from identity_claim c where c.kind = 'address' and c.value not like '%:%'
          and not exists (select from network_claim n where n.owner = 'linknet' and n.network >>= c.value::inet)`,
      "NetworkStore.links.occupied"
    ),
    insert: Effect.fn("NetworkStore.links.insert")(function* (link: NewLinknet) {
      const rows = yield* distinct(link)(
        sql<Linknet>`insert into linknet ${sql.insert({ ...link })} returning ${columns}`
      )
      return yield* Effect.orDie(Effect.fromOption(first(rows)))
    }),
    update: Effect.fn("NetworkStore.links.update")((id: number, fields: Partial<NewLinknet>) =>
      Effect.map(
        distinct(fields)(
          sql<Linknet>`update linknet set ${sql.update({ ...fields })} where id = ${id} returning ${columns}`
        ),
        first
      )
    ),
    remove: Effect.fn("NetworkStore.links.remove")((id: number) =>
      Effect.map(sql<Linknet>`delete from linknet where id = ${id} returning ${columns}`, first)
    )
  } satisfies Links
})

type ReadMany = Effect.Effect<ReadonlyArray<Linknet>, SqlError.SqlError>
type Find<E = never> = Effect.Effect<Option.Option<Linknet>, SqlError.SqlError | E>
type Clash = NetworkTaken | PortTaken | IdentityTaken

/** The device at the other end of a link; `port` is the port of the device that was asked for. */
export interface LinkNeighbour extends Pick<Device, "id" | "hostname" | "device_type" | "state"> {
  readonly port: string
}

/** Links by id, device or port. */
interface Links {
  readonly neighbours: (deviceId: number) => Effect.Effect<ReadonlyArray<LinkNeighbour>, SqlError.SqlError>
  readonly columns: string
  readonly all: ReadMany
  readonly find: (id: number) => Find
  readonly ofDevice: (deviceId: number) => ReadMany
  readonly ofDevices: (deviceIds: ReadonlyArray<number>) => ReadMany
  /** Links at this port of this device, at either end. */
  readonly atPort: (deviceId: number, port: string) => ReadMany
  /** Networks, and addresses as /32 networks, that are used outside links: a new link must not overlap them. */
  readonly occupied: Effect.Effect<ReadonlyArray<Pick<NewLinknet, "ipv4_network">>, SqlError.SqlError>
  readonly insert: (link: NewLinknet) => Effect.Effect<Linknet, SqlError.SqlError | Clash>
  readonly update: (id: number, fields: Partial<NewLinknet>) => Find<Clash>
  readonly remove: (id: number) => Find
}

// Management domains, with the hostnames of their two members.

/** A management domain in API responses: with the hostnames of its members. */
export interface MgmtDomainRecord extends MgmtDomain {
  readonly device_a: string
  readonly device_b: string
}

const DOMAIN_COLUMNS = `m.id, m.ipv4_gw, m.ipv6_gw, m.device_a_id, m.device_a_ip, m.device_b_id, m.device_b_ip, m.site_id, m.vlan,
  m.description, m.esi_mac, a.hostname as device_a, b.hostname as device_b`
const TABLES = `mgmtdomain m join device a on a.id = m.device_a_id join device b on b.id = m.device_b_id`

const makeDomains = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(DOMAIN_COLUMNS)
  const tables = sql.literal(TABLES)

  const find = Effect.fn("NetworkStore.domains.find")((id: number) =>
    Effect.map(sql<MgmtDomainRecord>`select ${columns} from ${tables} where m.id = ${id}`, (rows) =>
      Option.fromUndefinedOr(rows[0])
    )
  )

  return {
    columns: DOMAIN_COLUMNS,
    tables: TABLES,
    all: Effect.withSpan(
      sql<MgmtDomainRecord>`select ${columns} from ${tables} order by m.id`,
      "NetworkStore.domains.all"
    ),
    find,
    ofDevice: Effect.fn("NetworkStore.domains.ofDevice")(
      (deviceId: number) =>
        sql<MgmtDomainRecord>`select ${columns} from ${tables}
          where m.device_a_id = ${deviceId} or m.device_b_id = ${deviceId} order by m.id`
    ),
    insert: Effect.fn("NetworkStore.domains.insert")(function* (domain: NewMgmtDomain) {
      const [row] = yield* identityViolation(
        sql<{ id: number }>`insert into mgmtdomain ${sql.insert({ ...domain })} returning id`
      )
      return yield* Effect.orDie(Effect.flatMap(find(row?.id ?? 0), Effect.fromOption))
    }),
    update: Effect.fn("NetworkStore.domains.update")(function* (id: number, fields: Partial<NewMgmtDomain>) {
      if (Object.keys(fields).length > 0)
        yield* identityViolation(sql`update mgmtdomain set ${sql.update({ ...fields })} where id = ${id}`)
      return yield* find(id)
    }),
    remove: Effect.fn("NetworkStore.domains.remove")(function* (id: number) {
      const found = yield* find(id)
      yield* sql`delete from mgmtdomain where id = ${id}`
      return found
    })
  } satisfies MgmtDomains
})

type FindDomain<E = never> = Effect.Effect<Option.Option<MgmtDomainRecord>, SqlError.SqlError | E>

/** Management domains by id. */
interface MgmtDomains {
  readonly columns: string
  readonly tables: string
  readonly all: Effect.Effect<ReadonlyArray<MgmtDomainRecord>, SqlError.SqlError>
  readonly find: (id: number) => FindDomain
  /** Domains of which this device is a member. */
  readonly ofDevice: (deviceId: number) => Effect.Effect<ReadonlyArray<MgmtDomainRecord>, SqlError.SqlError>
  readonly insert: (domain: NewMgmtDomain) => Effect.Effect<MgmtDomainRecord, SqlError.SqlError | IdentityTaken>
  readonly update: (id: number, fields: Partial<NewMgmtDomain>) => FindDomain<IdentityTaken>
  readonly remove: (id: number) => FindDomain
}

// Addresses that are reserved for a device from their choice until the end of init step 1 (docs/provisioning.md#addresses).

/** Another device got this address first; the caller may try the next free one. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", { ip: Schema.String }) {
  override get message() {
    return `Address ${this.ip} is reserved by another device`
  }
}

/** An address that is reserved for a device. */
interface Reservation {
  readonly device_id: number
  readonly ip_version: 4 | 6
  readonly ip: string
}

const makeReservations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    all: sql<Reservation>`select device_id, ip_version, ip from reserved_ip`.pipe(
      Effect.withSpan("NetworkStore.reservations.all")
    ),
    reserve: Effect.fn("NetworkStore.reservations.reserve")((reservation: Reservation) =>
      sql`insert into reserved_ip ${sql.insert({ ...reservation })}
        on conflict (device_id, ip_version) do update set ip = excluded.ip, last_seen = now()`.pipe(
        Effect.asVoid,
        // the caller continues with the next address in the same transaction
        sql.withTransaction,
        uniqueViolation("reserved_ip_unique", () => new AddressTaken({ ip: reservation.ip })),
        identityViolation,
        Effect.catchTag("IdentityTaken", () => Effect.fail(new AddressTaken({ ip: reservation.ip })))
      )
    ),
    release: Effect.fn("NetworkStore.reservations.release")((deviceId: number) =>
      Effect.asVoid(sql`delete from reserved_ip where device_id = ${deviceId}`)
    ),
    dropStale: Effect.withSpan(
      Effect.asVoid(sql`delete from reserved_ip where last_seen < now() - interval '1 day'`),
      "NetworkStore.reservations.dropStale"
    ),
    takenAddresses: Effect.map(
      sql<{ ip: string }>`select distinct value as ip from identity_claim where kind = 'address'`,
      (rows) => new Set(rows.map((row) => row.ip))
    )
  } satisfies Reservations
})

type Write<E = never> = Effect.Effect<void, SqlError.SqlError | E>
type Addresses = Effect.Effect<ReadonlySet<string>, SqlError.SqlError>

/** Reservations by device. */
interface Reservations {
  readonly all: Effect.Effect<ReadonlyArray<Reservation>, SqlError.SqlError>
  /** Writes the device's reservation of this address family and replaces an earlier one. */
  readonly reserve: (reservation: Reservation) => Write<AddressTaken>
  readonly release: (deviceId: number) => Write
  /** Deletes reservations older than a day. */
  readonly dropStale: Write
  /** Addresses of both families that are used in any role or reserved. */
  readonly takenAddresses: Addresses
}

/** Networks and addresses: links, management domains and reservations of addresses. */
export class NetworkStore extends Context.Service<
  NetworkStore,
  { readonly links: Links; readonly domains: MgmtDomains; readonly reservations: Reservations }
>()("switchyard/store/NetworkStore") {
  static readonly layer = Layer.effect(
    NetworkStore,
    Effect.all({ links: makeLinks, domains: makeDomains, reservations: makeReservations })
  )
}

// Sites, to which devices, links and management domains may refer.

/** Sites by id or description. */
export const makeSites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    exists: Effect.fn("SiteStore.exists")((id: number) =>
      Effect.map(sql`select 1 from site where id = ${id}`, (rows) => rows.length > 0)
    ),
    /** The id of the only site with this description; `None` if no site or more than one has it. */
    named: Effect.fn("SiteStore.named")((description: string) =>
      Effect.map(sql<{ id: number }>`select id from site where description = ${description} limit 2`, (rows) =>
        rows.length === 1 ? Option.fromUndefinedOr(rows[0]?.id) : Option.none()
      )
    )
  }
})

// The one lock for the allocation of addresses and links in all processes: the API and the init jobs take it.

/** Waits for the allocation lock and holds it until the caller's transaction ends. */
export const allocationLock = Effect.map(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.asVoid(sql`select pg_advisory_xact_lock(${locks.allocation})`)
)
