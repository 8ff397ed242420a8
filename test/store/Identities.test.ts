/** The values of records as the database compares them, and databases from before that rule. */
import { RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { assert, it as single, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BlockList, isIP } from "node:net"
import { findingsOf } from "../../src/domain/findings/Findings.ts"
import { plainAddress } from "../../src/domain/Network.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { makeFindingFacts } from "../../src/store/Figures.ts"
import { UniqueFieldStore } from "../../src/store/DeviceIdentifiers.ts"
import * as Migrations from "../../src/store/Migrations.ts"
import { randomOf } from "../support/Random.ts"
import { EmptyDatabase, TestDatabase } from "../support/TestDatabase.ts"
import { whyNoDeviceAddress } from "../../src/domain/DeviceIdentity.ts"
import { NetworkStore } from "../../src/store/NetworkStore.ts"

const random = randomOf(49)
const below = (limit: number): number => Math.floor(random() * limit)
const pick = <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[below(values.length)] ?? values[0]

/** Groups of 16 bits; many of them are zero, so that there is something to leave out. */
const randomGroups = (): ReadonlyArray<number> =>
  pick([
    () => Array.from({ length: 8 }, () => pick([0, 0, 1, below(65_536)])),
    // IPv4 in IPv6
    () => [0, 0, 0, 0, 0, 0xffff, below(65_536), below(65_536)],
    () => [pick([0xfe80, 0xff02, 0x2001]), 0, 0, 0, 0, 0, 0, below(3)]
  ])()

const anyCase = (text: string): string =>
  [...text].map((letter) => (random() < 0.5 ? letter.toUpperCase() : letter)).join("")

/** One of the ways in which the address can be written. */
const spelling = (groups: ReadonlyArray<number>): string => {
  const words = groups.map((group) => group.toString(16).padStart(1 + below(4), "0"))
  const dotted = [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 255]).join(".")
  const parts = random() < 0.3 ? [...words.slice(0, 6), dotted] : words
  const zeros = parts.flatMap((part, index) => (/^0+$/.test(part) ? [index] : []))
  const start = zeros[below(Math.max(zeros.length, 1))]
  if (start === undefined || random() < 0.3) return anyCase(parts.join(":"))
  let end = start
  while (/^0+$/.test(parts[end + 1] ?? "") && random() < 0.8) end++
  return anyCase(`${parts.slice(0, start).join(":")}::${parts.slice(end + 1).join(":")}`)
}

const SPELLINGS = 6

layer(TestDatabase)("Many devices in one statement", (it) => {
  it.effect("are claimed by their keys, without reading the claims of all others for each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into device (hostname, state, device_type, platform, management_ip, synchronized)
            select 'many' || n, 'MANAGED', 'ACCESS', 'eos', '10.77.' || n / 200 || '.' || 1 + n % 200, false
            from generate_series(1, 400) n`
          const [row] = yield* sql<{ rows: number; claims: number }>`
            select pg_stat_get_xact_tuples_returned('identity_claim'::regclass)::int rows,
              (select count(*)::int from identity_claim where owner = 'device') claims`
          return row
        })
      )
      assert.strictEqual(read?.claims, 800)
      // a name and an address, each asked for a few times; reading all claims for each device would be 160,000 rows
      assert.isBelow(read?.rows ?? Infinity, 8000)
    })
  )
})

layer(TestDatabase)("An address", (it) => {
  it.effect("is one value in all its spellings, as in other implementations", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const addresses = Array.from({ length: 400 }, () => {
        const groups = randomGroups()
        return Array.from({ length: SPELLINGS }, () => spelling(groups))
      })
      const texts = addresses.flat()
      for (const text of texts) assert.strictEqual(isIP(text), 6, text)
      const rows = yield* sql<{ value: string | null }>`
        select address_value(text) as value from unnest(${texts}::text[]) with ordinality as t (text, place) order by place`
      for (const [index, spellings] of addresses.entries()) {
        const values = new Set(rows.slice(index * SPELLINGS, (index + 1) * SPELLINGS).map(({ value }) => value))
        assert.strictEqual(values.size, 1, spellings.join(" "))
        const [value] = values
        const list = new BlockList()
        const [first = ""] = spellings
        list.addAddress(first, "ipv6")
        for (const text of spellings) {
          assert.isTrue(list.check(text, "ipv6"), `${first} ${text}`)
          assert.strictEqual(plainAddress(text), plainAddress(first))
          assert.strictEqual(Option.isSome(whyNoDeviceAddress(text)), value === null, text)
        }
        if (value === null || value === undefined) continue
        // IPv4 that is mapped is IPv4
        const four = new BlockList()
        if (isIP(value) === 4) four.addAddress(value, "ipv4")
        for (const text of spellings) assert.strictEqual(four.check(text, "ipv6"), isIP(value) === 4, text)
        assert.strictEqual(plainAddress(value), plainAddress(first))
      }
    })
  )

  it.effect("differs from all others, and is no device's if no device can have it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const texts = Array.from({ length: 2_000 }, () =>
        [
          pick([0, 10, 127, 169, 192, 224, 239, 255, below(256)]),
          pick([0, 254, 255, below(256)]),
          pick([0, 255, below(256)]),
          pick([0, 1, 255])
        ].join(".")
      )
      const rows = yield* sql<{ text: string; value: string | null }>`
        select text, address_value(text) as value from unnest(${texts}::text[]) as text`
      for (const { text, value } of rows)
        assert.strictEqual(value, Option.isSome(whyNoDeviceAddress(text)) ? null : text)
    })
  )

  it.effect("is nothing if it is invalid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const text of ["", "x", "10.0.0.1/24", "10.0.0", "fe80::1%eth0", "010.0.0.1.1", null]) {
        const [row] = yield* sql<{ value: string | null }>`select address_value(${text}) as value`
        assert.isNull(row?.value ?? null, String(text))
      }
    })
  )
})

layer(TestDatabase)("A serial number", (it) => {
  it.effect("is compared without its case and the spaces around it, and not if its maker has omitted it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const value = (text: string) =>
        Effect.map(sql<{ value: string | null }>`select serial_value(${text}) as value`, ([row]) => row?.value ?? null)
      assert.strictEqual(yield* value(" jpe1 "), "JPE1")
      for (const text of [
        "",
        " ",
        "None",
        "N/A",
        "Not Specified",
        "To be filled by O.E.M.",
        "000000",
        "Default string"
      ])
        assert.isNull(yield* value(text), text)
    })
  )
})

const store = UniqueFieldStore.layer.pipe(
  Layer.provideMerge(DeviceStore.layer),
  Layer.provideMerge(Layer.merge(RepositoryStore.layer, ServerConfig.layerOf({})))
)

single.effect(
  "A database of before is migrated with its duplicates, which are listed and blocked until they are mended",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Migrations.runTo(47))
      yield* sql`insert into device (hostname, state, device_type, management_ip, secondary_management_ip, serial, ztp_mac) values
      ('old', 'UNMANAGED', 'ACCESS', '10.0.6.6', null, null, null),
      ('a1', 'MANAGED', 'ACCESS', '10.0.6.6', null, 'jpe1', null),
      ('a2', 'MANAGED', 'ACCESS', '::ffff:10.0.6.6', null, null, '0C1A33000001'),
      ('a3', 'MANAGED', 'ACCESS', '10.0.6.8', '2001:DB8::1', 'JPE1 ', '0C1A33000001'),
      ('A3', 'MANAGED', 'ACCESS', '10.0.6.9', null, null, '000000000000'),
      ('a5', 'MANAGED', 'DIST', '10.0.6.1', null, 'None', '000000000000'),
      ('a6', 'MANAGED', 'DIST', 'nonsense', null, 'None', null)`
      yield* sql`insert into mgmtdomain (device_a_id, device_b_id, ipv4_gw, vlan) values (6, 7, '10.0.6.1/24', 600), (6, 7, '10.0.6.129/25', 601),
      (6, 7, 'broken', 602)`
      yield* sql`insert into linknet (ipv4_network, device_a_id, device_a_ip, device_a_port, device_b_id, device_b_ip, device_b_port) values
      ('10.198.0.0/31', 6, '10.198.0.0', 'Ethernet1', 7, '10.198.0.1', 'Ethernet1')`
      yield* Migrations.run
      const identities = yield* UniqueFieldStore
      const blocked = Effect.fnUntraced(function* (id: number) {
        const outcome = yield* Effect.result(identities.requireUndisputed(id))
        return outcome._tag === "Failure" ? outcome.failure.message : "free"
      })
      const told = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], blocked)
      const [old, a1, a2, a3, upper, a5, a6] = told
      assert.match(old ?? "", /management_ip 10\.0\.6\.6 of old is also the management_ip of a[12]/)
      assert.match(a1 ?? "", /(management_ip 10\.0\.6\.6|serial JPE1) of a1 is also the/)
      assert.match(a2 ?? "", /of a2 is also the (management_ip of a1|ztp_mac of a3)/)
      assert.match(a3 ?? "", /of a3 is also the/)
      assert.match(upper ?? "", /hostname a3 of A3 is also the hostname of a3/)
      assert.match(a5 ?? "", /management_ip 10\.0\.6\.1 of a5 is also the gateway of management domain 1/)
      assert.strictEqual(a6, "free")
      const facts = yield* (yield* makeFindingFacts).read
      const findings = findingsOf({ ...facts, disk: null, tls: null })
      assert.deepEqual(
        findings
          .filter(({ kind }) => kind === "device")
          .map(({ about, level }) => `${about} ${level}`)
          .toSorted(),
        ["A3 bad", "a1 bad", "a2 bad", "a3 bad", "a5 bad", "management domain 2 warn", "old bad"]
      )
      // existing records can be used, and no new one joins
      const devices = yield* DeviceStore
      yield* devices.update(3, { description: "still here" })
      const new1 = { hostname: "new1", state: "MANAGED", device_type: "ACCESS", management_ip: "10.0.6.6" } as const
      assert.strictEqual(
        (yield* Effect.flip(devices.insert(new1))).message,
        "management_ip 10.0.6.6 is used already: management_ip of a1"
      )
      // each mend frees those who were concerned
      yield* devices.update(2, { management_ip: "10.0.6.16", serial: "JPE2" })
      assert.strictEqual(yield* blocked(2), "free")
      assert.match(yield* blocked(3), /ztp_mac 0C1A33000001 of a2 is also the ztp_mac of a3/)
      yield* devices.update(3, { ztp_mac: null })
      assert.strictEqual(yield* blocked(3), "free")
      yield* devices.remove(5)
      assert.strictEqual(yield* blocked(4), "free")
      yield* devices.update(6, { management_ip: null })
      yield* devices.update(1, { management_ip: null })
      yield* sql`delete from mgmtdomain where id = 1`
      const [left] = yield* sql<{ excused: number }>`select (select count(*) from identity_claim where excused)::int
      + (select count(*) from network_claim where excused)::int as excused`
      assert.strictEqual(left?.excused, 0)
      const after = findingsOf({ ...(yield* (yield* makeFindingFacts).read), disk: null, tls: null })
      assert.deepEqual(
        after.filter(({ kind }) => kind === "device"),
        []
      )
    }).pipe(Effect.provide(store.pipe(Layer.provideMerge(EmptyDatabase))))
)

layer(Layer.merge(DeviceStore.layer, NetworkStore.layer).pipe(Layer.provideMerge(TestDatabase)))(
  "An address that another device has",
  (it) => {
    it.effect("is not reserved, and the transaction that asked for it continues with the next one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const devices = yield* DeviceStore
        const { reserve } = (yield* NetworkStore).reservations
        const common = { state: "UNMANAGED", device_type: "ACCESS", platform: "eos" } as const
        const { id: one } = yield* devices.insert({ ...common, hostname: "one", management_ip: "10.0.6.6" })
        const { id: two } = yield* devices.insert({ ...common, hostname: "two" })
        yield* reserve({ device_id: one, ip_version: 4, ip: "10.0.6.7" })
        yield* Effect.gen(function* () {
          for (const ip of ["10.0.6.6", "10.0.6.7"]) {
            const error = yield* Effect.flip(reserve({ device_id: two, ip_version: 4, ip }))
            assert.strictEqual(error._tag, "AddressTaken")
          }
          yield* reserve({ device_id: two, ip_version: 4, ip: "10.0.6.8" })
        }).pipe(sql.withTransaction)
        const rows = yield* sql<{ ip: string }>`select ip from reserved_ip order by ip`
        assert.deepEqual(rows, [{ ip: "10.0.6.7" }, { ip: "10.0.6.8" }])
      })
    )
  }
)
