/** Values that only one record may have: in every interface, in every spelling, also for simultaneous requests. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type Answer, ApiClient, SiteServer } from "../support/ApiServer.ts"

const base = { hostname: "new1", state: "MANAGED", platform: "eos", device_type: "ACCESS" }

/** Of the scene: core1 is 1 with 10.100.3.0 and 10.199.0.0, east-a1 is 4 with 10.0.6.6, east-a2 is 5, UNMANAGED, with 10.0.6.7. */
const GIVEN = [
  "update device set serial = 'JPE12345678', secondary_management_ip = '2001:db8::6', oob_ip = '10.9.0.4' where id = 4"
]

const setGiven = setScene(GIVEN)

const rows = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) =>
    sql<{ all: string }>`select coalesce(string_agg(to_jsonb(d)::text, ' ' order by id), '') as all from device d`
).pipe(Effect.map(([row]) => row?.all))

/** Sends it to a scene of its own; nothing may have changed when it is refused. */
const refused = Effect.fnUntraced(function* (
  send: (api: ApiClient["Service"]) => Effect.Effect<Answer>,
  status: number,
  says: RegExp
) {
  const before = yield* rows
  const answer = yield* send(yield* ApiClient)
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.text, says)
  assert.strictEqual(yield* rows, before)
})

interface Value {
  readonly fields: Readonly<Record<string, unknown>>
  readonly says: RegExp
}

/** Values of another record, and their spellings. */
const taken: ReadonlyArray<Value> = [
  { fields: { management_ip: "10.0.6.6" }, says: /management_ip of east-a1/ },
  { fields: { management_ip: "::ffff:10.0.6.6" }, says: /management_ip of east-a1/ },
  { fields: { management_ip: "::FFFF:a00:606" }, says: /management_ip of east-a1/ },
  { fields: { management_ip: "0:0:0:0:0:ffff:10.0.6.6" }, says: /management_ip of east-a1/ },
  { fields: { secondary_management_ip: "10.0.6.6" }, says: /secondary_management_ip 10.0.6.6 is used already/ },
  { fields: { infra_ip: "10.0.6.6" }, says: /management_ip of east-a1/ },
  { fields: { dhcp_ip: "10.0.6.6" }, says: /dhcp_ip 10.0.6.6 is used already: management_ip of east-a1/ },
  { fields: { management_ip: "2001:DB8::6" }, says: /secondary_management_ip of east-a1/ },
  { fields: { management_ip: "2001:db8:0::6" }, says: /secondary_management_ip of east-a1/ },
  { fields: { management_ip: "2001:0db8:0000:0000:0000:0000:0000:0006" }, says: /secondary_management_ip of east-a1/ },
  { fields: { management_ip: "10.199.0.0" }, says: /infra_ip of core1/ },
  { fields: { infra_ip: "10.100.3.0" }, says: /management_ip of core1/ },
  { fields: { management_ip: "10.9.0.4" }, says: /oob_ip of east-a1/ },
  { fields: { management_ip: "10.0.0.20" }, says: /dhcp_ip of mac-080027000006/ },
  { fields: { management_ip: "10.0.6.1" }, says: /gateway of management domain 1/ },
  { fields: { management_ip: "10.0.6.0" }, says: /first address of the network of management domain 1/ },
  { fields: { management_ip: "10.0.6.255" }, says: /broadcast address of management domain 1/ },
  { fields: { management_ip: "10.198.0.0" }, says: /address on linknet 1 of core1/ },
  { fields: { infra_ip: "10.198.0.1" }, says: /address on linknet 1 of dist1/ },
  { fields: { serial: "JPE12345678" }, says: /serial JPE12345678 is used already: serial of east-a1/ },
  { fields: { serial: "  jpe12345678 " }, says: /serial of east-a1/ },
  { fields: { ztp_mac: "08:00:27:08:a8:be" }, says: /ztp_mac of east-a1/ },
  { fields: { ztp_mac: "0800.2708.A8BE" }, says: /ztp_mac of east-a1/ },
  { fields: { ztp_mac: "08-00-27-08-A8-BE" }, says: /ztp_mac of east-a1/ },
  { fields: { hostname: "East-A1" }, says: /hostname east-a1 is used already: hostname of east-a1/ },
  { fields: { hostname: "EAST-A1." }, says: /hostname of east-a1/ }
]

/** Values that no device can have. */
const impossible: ReadonlyArray<Value> = [
  ...[
    "0.0.0.0",
    "0.1.2.3",
    "127.0.0.1",
    "127.9.9.9",
    "224.0.0.5",
    "239.255.255.250",
    "255.255.255.255",
    "169.254.1.1",
    "::",
    "::1",
    "fe80::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::FFFF:e000:5"
  ].flatMap((address) =>
    ["management_ip", "secondary_management_ip", "infra_ip", "dhcp_ip"].map((field) => ({
      fields: { [field]: address },
      says: new RegExp(`Invalid ${field} received\\. Must be a valid IP address`)
    }))
  ),
  ...["00:00:00:00:00:00", "ff-ff-ff-ff-ff-ff", "0180.c200.000e", "33:33:00:00:00:01", "01005E000001"].map(
    (ztp_mac) => ({ fields: { ztp_mac }, says: /Invalid device ztp_mac received\./ })
  ),
  ...["3", "007", "12.5", "10.0.0.1", "3."].map((hostname) => ({
    fields: { hostname },
    says: /Invalid hostname received/
  })),
  ...[70_000, -1, true, 65_536, 0.5, "abc", "0", {}, 1e12].map((port) => ({
    fields: { port },
    says: /Invalid port received, must be an integer/
  }))
]

layer(SiteServer(), { excludeTestServices: true })("A unique value", (it) => {
  for (const { fields, says } of taken) {
    it.effect(`is refused to a new record: ${JSON.stringify(fields)}`, () =>
      Effect.andThen(
        setGiven,
        refused((api) => api.post("/device", { ...base, ...fields }), 409, says)
      )
    )
    it.effect(`is refused to an existing record: ${JSON.stringify(fields)}`, () =>
      Effect.andThen(
        setGiven,
        refused((api) => api.put("/device/5", fields), 409, says)
      )
    )
  }

  for (const { fields, says } of impossible) {
    it.effect(`excludes: ${JSON.stringify(fields)}`, () =>
      Effect.gen(function* () {
        yield* setGiven
        yield* refused((api) => api.post("/device", { ...base, state: "UNMANAGED", ...fields }), 400, says)
        yield* refused((api) => api.put("/device/5", fields), 400, says)
      })
    )
  }

  it.effect("may be repeated by its own record in any spelling, and is free for others after it was given up", () =>
    Effect.gen(function* () {
      yield* setGiven
      const api = yield* ApiClient
      for (const fields of [
        { management_ip: "10.0.6.6", secondary_management_ip: "2001:DB8::6", infra_ip: "10.0.6.6" },
        { serial: "jpe12345678", ztp_mac: "08:00:27:08:a8:be", hostname: "east-a1" }
      ]) {
        const answer = yield* api.put("/device/4", fields)
        assert.strictEqual(answer.status, 200, answer.text)
      }
      yield* refused((client) => client.post("/device", { ...base, management_ip: "10.0.6.6" }), 409, /of east-a1/)
      assert.strictEqual((yield* api.put("/device/4", { management_ip: null, infra_ip: null })).status, 200)
      const given = yield* api.post("/device", { ...base, management_ip: "10.0.6.6" })
      assert.strictEqual(given.status, 200, given.text)
      assert.strictEqual((yield* api.delete("/device/4")).status, 200)
      const again = yield* api.post("/device", {
        ...base,
        hostname: "east-a1",
        serial: "JPE12345678",
        ztp_mac: "08002708A8BE"
      })
      assert.strictEqual(again.status, 200, again.text)
    })
  )

  it.effect("stays with records that had it before the rule, and other fields of them can be changed", () =>
    Effect.gen(function* () {
      yield* setScene([
        "update device set hostname = '17', management_ip = '127.0.0.1', ztp_mac = '000000000000', port = 70000 where id = 8"
      ])
      const api = yield* ApiClient
      const sent = { hostname: "17", management_ip: "127.0.0.1", ztp_mac: "00:00:00:00:00:00", description: "kept" }
      const answer = yield* api.put("/device/8", sent)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.include(answer.text, '"description":"kept"')
    })
  )

  it.effect("trims serial numbers, and stores IPv4 addresses as such", () =>
    Effect.gen(function* () {
      yield* setGiven
      const fields = { serial: "  JPE5 ", management_ip: "::ffff:10.0.6.77", infra_ip: "2001:DB8:0::7", port: "8022" }
      const answer = yield* (yield* ApiClient).post("/device", { ...base, ...fields })
      for (const part of [
        '"serial":"JPE5"',
        '"management_ip":"10.0.6.77"',
        '"infra_ip":"2001:DB8:0::7"',
        '"port":8022'
      ])
        assert.include(answer.text, part)
      const blank = yield* (yield* ApiClient).post("/device", { ...base, hostname: "new2", serial: "  " })
      assert.include(blank.text, '"serial":null')
    })
  )

  it.effect("is given to one of simultaneous requests", () =>
    Effect.gen(function* () {
      yield* setGiven
      const api = yield* ApiClient
      const spellings = ["10.0.6.99", "::ffff:10.0.6.99", "::ffff:a00:663"]
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, (_, client) =>
          api.post("/device", { ...base, hostname: `new${client}`, management_ip: spellings[client % 3] })
        ),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 409)])
    })
  )

  it.effect("is refused to management domains and links as well", () =>
    Effect.gen(function* () {
      const domain = { device_a: "dist1", device_b: "dist2", vlan: 601 }
      const wrong: ReadonlyArray<readonly [path: string, body: object, says: RegExp]> = [
        [
          "/mgmtdomains",
          { ...domain, ipv4_gw: "10.0.6.129/25" },
          /overlaps network 10\.0\.6\.0\/24 of management domain 1/
        ],
        ["/mgmtdomains", { ...domain, ipv4_gw: "10.0.0.1/17" }, /overlaps/],
        ["/mgmtdomains", { ...domain, ipv4_gw: "10.198.0.5/24" }, /overlaps network 10\.198\.0\.0\/31 of linknet 1/],
        ["/mgmtdomains", { ...domain, ipv4_gw: "10.199.0.1/28" }, /is used already: infra_ip of (core1|dist1)/],
        [
          "/linknets",
          {
            device_a: "core1",
            device_b: "dist2",
            device_a_port: "Ethernet9",
            device_b_port: "Ethernet9",
            ipv4_network: "10.0.6.6/31"
          },
          /is used already: management_ip of east-a1|overlaps network 10\.0\.6\.0\/24/
        ]
      ]
      for (const [path, body, says] of wrong) {
        yield* setGiven
        yield* refused((api) => api.post(path, body), 409, says)
      }
      const api = yield* ApiClient
      const other = yield* api.post("/mgmtdomains", { ...domain, ipv4_gw: "10.0.7.1/24" })
      assert.strictEqual(other.status, 200, other.text)
      yield* refused((client) => client.put("/mgmtdomain/2", { ipv4_gw: "10.0.6.2/25" }), 409, /overlaps/)
      yield* refused(
        (client) => client.put("/mgmtdomain/1", { device_a_ip: "10.0.6.6" }),
        409,
        /management_ip of east-a1/
      )
      assert.strictEqual((yield* api.put("/mgmtdomain/1", { device_a_ip: "10.0.6.2" })).status, 200)
      yield* refused(
        (client) => client.put("/device/8", { management_ip: "10.0.6.2" }),
        409,
        /management domain 1 of dist1/
      )
    })
  )

  it.effect("is skipped when a link gets the next free network", () =>
    Effect.gen(function* () {
      const link = {
        device_a: "core1",
        device_b: "dist2",
        device_a_port: "Ethernet9",
        device_b_port: "Ethernet9"
      }
      for (const [given, network] of [
        ["update device set dhcp_ip = '10.198.0.2' where id = 8", "10.198.0.4/31"],
        ["update device set management_ip = '10.198.0.3' where id = 8", "10.198.0.4/31"],
        ["update device set secondary_management_ip = '::ffff:10.198.0.3' where id = 8", "10.198.0.4/31"],
        ["insert into reserved_ip (device_id, ip_version, ip) values (6, 4, '10.198.0.2')", "10.198.0.4/31"],
        [
          "insert into mgmtdomain (device_a_id, device_b_id, ipv4_gw, vlan) values (1, 2, '10.198.0.9/29', 700)",
          "10.198.0.2/31"
        ],
        [
          "update linknet set ipv4_network = '10.198.0.0/29', device_a_ip = '10.198.0.1', device_b_ip = '10.198.0.2' where id = 1",
          "10.198.0.8/31"
        ]
      ] as const) {
        yield* setScene([given])
        const created = yield* (yield* ApiClient).post("/linknets", link)
        assert.strictEqual(created.status, 201, `${given}: ${created.text}`)
        assert.include(created.text, `"ipv4_network":"${network}"`, given)
      }
    })
  )

  it.effect("moves with the lease to simultaneous holders one after the other", () =>
    Effect.gen(function* () {
      yield* setGiven
      const api = yield* ApiClient
      const answers = yield* Effect.all(
        Array.from({ length: 16 }, (_, number) => {
          const mac = `0800275C09${(number + 16).toString(16).toUpperCase()}`
          return api.post("/device", {
            ztp_mac: mac,
            dhcp_ip: "10.0.0.99",
            hostname: `mac-${mac}`,
            platform: "eos",
            state: "DHCP_BOOT",
            device_type: "UNKNOWN"
          })
        }),
        { concurrency: "unbounded" }
      )
      for (const { status, text } of answers) assert.strictEqual(status, 200, text)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from device where dhcp_ip = '10.0.0.99'`, 1)
    })
  )

  it.effect("excludes loopback, multicast and unspecified networks of links and management domains", () =>
    Effect.gen(function* () {
      const link = { device_a: "core1", device_b: "dist2", device_a_port: "Ethernet9", device_b_port: "Ethernet9" }
      const domain = { device_a: "dist1", device_b: "dist2", vlan: 601 }
      yield* setGiven
      for (const network of ["0.0.0.0", "127.0.0.0", "224.0.0.0", "169.254.0.0"]) {
        const ipv4_network = `${network}/31`
        const ends = { device_a_ip: network, device_b_ip: network.replace(/0$/, "1") }
        yield* refused((api) => api.post("/linknets", { ...link, ipv4_network }), 400, /Invalid ipv4_network: \S+ is /)
        yield* refused((api) => api.put("/linknet/1", { ipv4_network, ...ends }), 400, /setting ipv4_network.* is /)
        const ipv4_gw = `${network.replace(/0$/, "1")}/24`
        yield* refused(
          (api) => api.post("/mgmtdomains", { ...domain, ipv4_gw }),
          400,
          /Invalid ipv4_gw received\. \S+ is /
        )
        yield* refused((api) => api.put("/mgmtdomain/1", { ipv4_gw }), 400, /Invalid ipv4_gw received\. \S+ is /)
      }
      for (const ipv6_gw of ["fe80::1/64", "ff02::1/64", "::1/64", "::ffff:10.0.9.1/120"])
        yield* refused((api) => api.post("/mgmtdomains", { ...domain, ipv6_gw }), 400, /Invalid ipv6_gw received\. /)
      for (const device_a_ip of ["127.0.0.1", "::ffff:224.0.0.5", "255.255.255.255"])
        yield* refused((api) => api.put("/mgmtdomain/1", { device_a_ip }), 400, /setting device_a_ip/)
    })
  )

  it.effect("moves with the lease to the switch that received it last, and both records say so", () =>
    Effect.gen(function* () {
      yield* setGiven
      const api = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      const created = yield* api.post("/device", {
        ztp_mac: "0800275C091F",
        dhcp_ip: "10.0.0.20",
        hostname: "mac-0800275C091F",
        platform: "eos",
        state: "DHCP_BOOT",
        device_type: "UNKNOWN"
      })
      assert.strictEqual(created.status, 200, created.text)
      assert.include(
        created.text,
        '"taken_over":[{"hostname":"mac-080027000006","field":"dhcp_ip","address":"10.0.0.20"}]'
      )
      assert.include((yield* api.get("/device/6")).text, '"dhcp_ip":null')
      const [event] = yield* sql<{ data: unknown }>`select data from event where device_id = 6 order by id desc limit 1`
      assert.deepInclude(event?.data, { before: { dhcp_ip: "10.0.0.20" }, after: { dhcp_ip: null } })
      const back = yield* api.put("/device/6", { dhcp_ip: "10.0.0.20" })
      assert.include(back.text, '"taken_over":[{"hostname":"mac-0800275C091F"')
    })
  )

  it.effect("moves from a record out of service to one in service, and to no other", () =>
    Effect.gen(function* () {
      yield* setGiven
      const fields = { management_ip: "10.0.6.7" }
      yield* refused((api) => api.post("/device", { ...base, ...fields, state: "UNMANAGED" }), 409, /of east-a2/)
      const api = yield* ApiClient
      const answer = yield* api.post("/device", { ...base, ...fields })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.include(answer.text, '"taken_over":[{"hostname":"east-a2","field":"management_ip","address":"10.0.6.7"}]')
      assert.include((yield* api.get("/device/5")).text, '"management_ip":null')
      // what says which unit it is stays
      yield* refused((client) => client.put("/device/8", { ztp_mac: "08002708A8BF" }), 409, /ztp_mac of east-a2/)
    })
  )

  it.effect("includes a hostname before an initialisation, whatever its case", () =>
    Effect.gen(function* () {
      yield* setGiven
      const api = yield* ApiClient
      for (const hostname of ["core1", "CORE1", "Core1."]) {
        const { text } = yield* api.post("/device_initcheck/6", { hostname, device_type: "ACCESS" })
        assert.include(text, "There is already a device with hostname core1", hostname)
      }
    })
  )

  it.effect("excludes MAC addresses of groups, in leases too", () =>
    Effect.gen(function* () {
      yield* setGiven
      for (const ztp_mac of ["000000000000", "ff:ff:ff:ff:ff:ff", "01005E000001"])
        yield* refused(
          (api) => api.post("/device_discover", { ztp_mac, dhcp_ip: "10.0.0.30" }),
          400,
          /Invalid device ztp_mac received/
        )
      yield* refused(
        (api) => api.post("/device_discover", { ztp_mac: "080027000006", dhcp_ip: "127.0.0.1" }),
        400,
        /Invalid dhcp_ip received/
      )
      for (const path of ["/device_init/6", "/device_initcheck/6"])
        yield* refused(
          (api) => api.post(path, { hostname: "31", device_type: "ACCESS" }),
          400,
          /Provided hostname is not valid/
        )
    })
  )
})
