/** Ports of several switches from comma-separated values, through the API: all or none, with the rights of each switch and port. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const FILE = `roles:
  east-ports: { extends: port-editor, groups: [EAST_WING] }
  two-ports: { extends: port-editor, interfaces: ["east-a1:Ethernet[12]"] }
  not-special: { permissions: [{ methods: [PUT, GET], endpoints: ["/device/[!s]*/interfaces"] }] }
`

const Answer = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.optionalKey(
      Schema.Struct({
        stored: Schema.Boolean,
        errors: Schema.Array(Schema.Struct({ line: Schema.Int, column: Schema.String, message: Schema.String })),
        updated: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
        diffs: Schema.Array(Schema.Struct({ hostnames: Schema.Array(Schema.String), diff: Schema.String })),
        version: Schema.String
      })
    ),
    message: Schema.optionalKey(Schema.Unknown)
  })
)

const as = Effect.fnUntraced(function* (role: string, csv: string, more: object = {}) {
  const send = yield* caller({ sub: role, roles: [role] })
  const { status, text } = yield* send("POST", "/interfaces/bulk", { json: { csv, ...more } })
  return { status, text, ...(yield* Schema.decodeEffect(Answer)(text)) }
})

const ports = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql`select device_id, name, configtype, data from interface order by device_id, name`
)

/** A second switch of the group with ports. */
const GIVEN = [
  "insert into interface (device_id, name, configtype, data) select 5, 'Ethernet' || n, 'ACCESS_AUTO', null from generate_series(1, 4) n",
  "update device set device_type = 'ACCESS', hostname = 'east-a5' where id = 5"
]
const dry = { dry_run: true }

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A file of ports", (it) => {
  it.effect("is shown as one difference, stored whole, and fenced by the version of its dry run", () =>
    Effect.gen(function* () {
      yield* setScene(GIVEN)
      const csv = "port;switch;vlan;description\nEthernet1-2;east-a1;STUDENT;desk\nEthernet3;east-a5;;printer\n"
      const before = yield* ports
      const tried = yield* as("operator", csv, dry)
      assert.strictEqual(tried.status, 200, tried.text)
      assert.deepEqual(tried.data?.errors, [])
      assert.deepEqual(Object.keys(tried.data?.updated["east-a1"] ?? {}), ["Ethernet1", "Ethernet2"])
      assert.deepEqual(tried.data?.diffs.flatMap(({ hostnames }) => hostnames).toSorted(), ["east-a1", "east-a5"])
      assert.deepEqual(yield* ports, before)
      const version = tried.data?.version
      const other = yield* as("operator", "switch,port,description\neast-a5,Ethernet4,other\n")
      assert.strictEqual(other.status, 200, other.text)
      assert.strictEqual((yield* as("operator", csv, { version })).status, 412)
      const again = yield* as("operator", csv, dry)
      const stored = yield* as("operator", csv, { version: again.data?.version })
      assert.strictEqual(stored.status, 200, stored.text)
      assert.isTrue(stored.data?.stored)
      const send = yield* caller({ sub: "operator", roles: ["operator"] })
      const file = yield* send("GET", "/interfaces.csv?hostnames=east-a1,east-a5")
      assert.include(file.text, "east-a1,Ethernet1,ACCESS_UNTAGGED,STUDENT,,desk,")
      assert.include(file.text, "east-a5,Ethernet3,ACCESS_AUTO,,,printer,")
      const same = yield* as("operator", file.text)
      assert.strictEqual(same.status, 200, same.text)
      assert.deepEqual(same.data?.updated, {})
    })
  )

  it.effect("gives ports the values of a profile of the settings", () =>
    Effect.gen(function* () {
      yield* setScene(GIVEN)
      const { data, status, text } = yield* as("port-editor", "switch,port,profile\neast-a1 east-a5,Ethernet1,guests\n")
      assert.strictEqual(status, 200, text)
      const guests = { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "GUEST", enabled: true } }
      assert.deepEqual(data?.updated, { "east-a1": { Ethernet1: guests }, "east-a5": { Ethernet1: guests } })
    })
  )

  it.effect("stores nothing if anything is wrong, and names all of that by line and column", () =>
    Effect.gen(function* () {
      yield* setScene(GIVEN)
      const before = yield* ports
      const csv = `switch,port,vlan,enabled,profile,use
east-a1,Ethernet1,STUDENT,,,
east-a1,Ethernet2,STUDENTT,,,
nobody,Ethernet1,STUDENT,,,
east-a5,Ethernet3-6,,maybe,,
east-a1,Ethernet1,,no,,
east-a1,Ethernet48,,no,,
east-a1,Ethernet10,,,printer,
`
      const expected = [
        [3, "vlan", "Specified VLAN name STUDENTT is not present in east-a1"],
        [4, "switch", "there is no switch nobody"],
        [5, "port", "east-a5 has no port Ethernet5, Ethernet6"],
        [5, "enabled", "expected yes or no, got: maybe"],
        [6, "port", "Ethernet1 of east-a1 is in line 2 too"],
        [7, "enabled", "Ethernet48 is ACCESS_UPLINK: a file changes neither its VLANs nor its state"],
        [8, "profile", "there is no profile printer: known are guests"]
      ]
      const tried = yield* as("administrator", csv, dry)
      assert.strictEqual(tried.status, 200, tried.text)
      assert.deepEqual(
        tried.data?.errors.map(({ column, line, message }) => [line, column, message]),
        expected
      )
      const live = yield* as("administrator", csv)
      assert.strictEqual(live.status, 400, live.text)
      assert.deepEqual(live.message, {
        errors: expected.map(([line, column, text]) => `line ${line}, ${column}: ${text}`)
      })
      assert.deepEqual(yield* ports, before)
    })
  )

  it.effect("needs the rights for each of its switches and ports, also to try it", () =>
    Effect.gen(function* () {
      yield* setScene(GIVEN)
      const before = yield* ports
      const file = (hostname: string, port: string) => `switch,port,description\n${hostname},${port},desk\n`
      for (const [role, hostname, port] of [
        ["reader", "east-a1", "Ethernet1"],
        ["monitoring", "east-a1", "Ethernet1"],
        ["east-ports", "special-a8", "Ethernet1"],
        ["east-ports", "nobody", "Ethernet1"],
        ["two-ports", "east-a1", "Ethernet2-10"],
        ["not-special", "special-a8", "Ethernet1"]
      ] as const) {
        for (const more of [{}, dry]) {
          const { status, text } = yield* as(role, file(hostname, port), more)
          assert.strictEqual(status, 403, `${role} ${hostname} ${port}: ${text}`)
        }
      }
      assert.deepEqual(yield* ports, before)
      assert.strictEqual((yield* as("two-ports", file("east-a1", "Ethernet1-2"))).status, 200)
      assert.strictEqual((yield* as("not-special", file("east-a1", "Ethernet10"))).status, 200)
      const send = yield* caller({ sub: "x", roles: ["east-ports"] })
      assert.strictEqual((yield* send("GET", "/interfaces.csv?hostnames=east-a1")).status, 200)
      assert.strictEqual((yield* send("GET", "/interfaces.csv?hostnames=special-a8")).status, 403)
    })
  )

  it.effect("cannot remove free lines without the right, and keeps a masked secret", () =>
    Effect.gen(function* () {
      yield* setScene([
        ...GIVEN,
        `update interface set data = '{"untagged_vlan": "STUDENT", "description": "room 5 secret 0 MkSecret7"}' where device_id = 4 and name = 'Ethernet2'`
      ])
      const send = yield* caller({ sub: "x", roles: ["port-editor"] })
      const { text } = yield* send("GET", "/interfaces.csv?hostnames=east-a1")
      assert.notInclude(text, "MkSecret7")
      const before = yield* ports
      const back = yield* as("port-editor", text)
      assert.strictEqual(back.status, 200, back.text)
      assert.deepEqual(back.data?.updated, {})
      assert.deepEqual(yield* ports, before)
    })
  )
})
