/** Which fields with which values callers may write, through the API: who says where the fleet's login goes, and who writes lines of their own. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const FILE = `
roles:
  site-writer: { permissions: [{ methods: [GET, POST, PUT], endpoints: ["*"], rights: [read, write] }] }
  site-everything: { permissions: [{ methods: ["*"], endpoints: ["**"] }] }
  site-trust: { permissions: [{ methods: [POST, PUT], endpoints: ["/device", "/device/{id}"], rights: [trust] }] }
  site-keys: { permissions: [{ methods: [POST], endpoints: ["/device/{hostname}/hostkey/approve"], rights: [trust] }] }
  site-ports: { permissions: [{ methods: [PUT], endpoints: ["/device/{hostname}/interfaces"] }] }
  site-lines: { permissions: [{ methods: [PUT], endpoints: ["/device/{hostname}/interfaces"], rights: [free_lines] }] }
  namer: { permissions: [{ methods: [PUT], endpoints: ["/device/{id}"], states: [UNMANAGED], fields: { description: ["*"], device_type: [ACCESS] } }] }
  east-operator: { extends: operator, groups: [EAST_WING] }
  east-administrator: { extends: administrator, groups: [EAST_WING] }
`

interface Answer {
  readonly status: number
  readonly text: string
}

const as = Effect.fnUntraced(function* (role: string, method: string, path: string, json: unknown) {
  const send = yield* caller({ sub: role, roles: [role] })
  const { status, text }: Answer = yield* send(method, path, { json })
  return { status, text }
})

const devices = Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) => sql`select * from device order by id`)

/** The DHCP hook's request for an unknown switch. */
const lease = {
  ztp_mac: "0800275C091F",
  dhcp_ip: "10.0.0.99",
  hostname: "mac-0800275C091F",
  platform: "eos",
  state: "DHCP_BOOT",
  device_type: "UNKNOWN"
}
const managed = {
  hostname: "evil1",
  management_ip: "10.66.6.6",
  platform: "eos",
  state: "MANAGED",
  device_type: "ACCESS"
}

/** Calls that make the server log in with the fleet's login where the caller says. */
const LOGINS: ReadonlyArray<readonly [method: string, path: string, json: object]> = [
  ["POST", "/device", managed],
  ["POST", "/device", { ...managed, state: "managed" }],
  ["POST", "/device", { ...managed, state: "UNMANAGED" }],
  ["POST", "/device", { ...managed, state: "MANAGED_NOIF" }],
  ["POST", "/device", { ...managed, state: "INIT" }],
  ["POST", "/device", { ...managed, management_ip: null, dhcp_ip: "10.66.6.6" }],
  ["POST", "/device", { ...managed, device_type: "DIST", management_ip: null }],
  ["PUT", "/device/4", { management_ip: "10.66.6.6" }],
  ["PUT", "/device/4", { management_ip: null }],
  ["PUT", "/device/4", { management_ip: null, dhcp_ip: "10.66.6.6" }],
  ["PUT", "/device/4", { dhcp_ip: "10.66.6.6" }],
  ["PUT", "/device/4", { port: 2022 }],
  ["PUT", "/device/4", { port: 2022, hostname: "" }],
  ["PUT", "/device/5", { management_ip: "10.66.6.6" }],
  ["PUT", "/device/5", { management_ip: "10.66.6.6", state: "MANAGED" }],
  ["PUT", "/device/7", { management_ip: "10.66.6.6" }],
  ["PUT", "/device/7", { management_ip: "10.66.6.6", state: "DISCOVERED" }],
  ["PUT", "/device/6", { state: "MANAGED" }],
  ["PUT", "/device/6", { state: "unmanaged" }],
  ["PUT", "/device/6", { state: "INIT", management_ip: "10.66.6.6" }],
  ["PUT", "/device/6", { state: "MANAGED_NOIF", dhcp_ip: "10.66.6.6" }]
]
/** A record that leaves the states with that login is not logged in to with it. */
const leaves = (json: object) => "state" in json && json.state === "DISCOVERED"

layer(SiteWithRoles(FILE), { excludeTestServices: true })("The addresses that receive the fleet's login", (it) => {
  it.effect("cannot be changed without the right trust", () =>
    Effect.gen(function* () {
      yield* setScene()
      const before = yield* devices
      for (const role of [
        "provisioner",
        "dhcp-hook",
        "operator",
        "site-writer",
        "east-operator",
        "east-administrator"
      ]) {
        for (const [method, path, json] of LOGINS) {
          if (leaves(json) && (role === "operator" || role === "site-writer")) continue
          const { status, text } = yield* as(role, method, path, json)
          assert.strictEqual(status, 403, `${role} ${method} ${path} ${JSON.stringify(json)}: ${text}`)
        }
      }
      const { text } = yield* as("operator", "POST", "/device", managed)
      assert.include(text, "trust is not among them, and a device in state MANAGED is logged in to with the login")
      assert.include(text, "Allowed by: administrator")
      assert.deepEqual(yield* devices, before)
    })
  )

  it.effect("can be changed with the right, and every caller can take a device out of service and back", () =>
    Effect.gen(function* () {
      for (const role of ["administrator", "site-everything", "site-trust"]) {
        yield* setScene()
        assert.strictEqual((yield* as(role, "POST", "/device", managed)).status, 200, role)
        assert.strictEqual((yield* as(role, "PUT", "/device/4", { management_ip: "10.66.6.7" })).status, 200, role)
        assert.strictEqual((yield* as(role, "PUT", "/device/6", { state: "MANAGED" })).status, 200, role)
      }
      yield* setScene()
      for (const json of [
        { state: "UNMANAGED" },
        { state: "MANAGED", management_ip: "10.0.6.6", port: null, description: "x" },
        { synchronized: false }
      ]) {
        assert.strictEqual((yield* as("operator", "PUT", "/device/4", json)).status, 200, JSON.stringify(json))
      }
      const waiting = { ...managed, state: "DISCOVERED", management_ip: null, dhcp_ip: "10.0.0.98" }
      assert.strictEqual((yield* as("operator", "POST", "/device", waiting)).status, 200)
    })
  )

  it.effect("cannot move to another switch by a host key that was accepted without the right", () =>
    Effect.gen(function* () {
      const fingerprint = "SHA256:6HRvVGMdKhvCXlDIDJkEHzJxbYlLjHlhOGuFrBSdpVA"
      yield* setScene([`insert into host_key (device_id, refused_fingerprint) values (4, '${fingerprint}')`])
      const sql = yield* SqlClient.SqlClient
      const keys = sql`select * from host_key order by device_id`
      const before = yield* keys
      const calls = [
        ["PUT", "/device/east-a1/host_key", { action: "PIN", fingerprint }],
        ["PUT", "/device/east-a1/host_key", { action: "FORGET" }],
        ["POST", "/device/east-a1/hostkey/approve", { fingerprint }],
        ["POST", "/device_hostkeys/approve", { host_keys: [{ hostname: "east-a1", fingerprint }] }]
      ] as const
      for (const role of ["provisioner", "dhcp-hook", "port-editor", "operator", "site-writer", "east-operator"]) {
        for (const [method, path, json] of calls) {
          const { status, text } = yield* as(role, method, path, json)
          assert.strictEqual(status, 403, `${role} ${method} ${path}: ${text}`)
        }
      }
      assert.deepEqual(yield* keys, before)
      const [method, path, json] = calls[2]
      assert.strictEqual((yield* as("site-keys", method, path, json)).status, 200)
    })
  )

  it.effect("stays with a record that would lose its management address to another", () =>
    Effect.gen(function* () {
      yield* setScene()
      // east-a2 is out of service, and would be logged in to at its old lease
      const { status, text } = yield* as("dhcp-hook", "POST", "/device", { ...lease, dhcp_ip: "10.0.6.7" })
      assert.strictEqual(status, 403, text)
      assert.include(text, "east-a2 would lose its management address 10.0.6.7")
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A hook of a DHCP server", (it) => {
  it.effect("registers a switch, discovers it and follows its lease", () =>
    Effect.gen(function* () {
      yield* setScene()
      const made = yield* as("dhcp-hook", "POST", "/device", lease)
      assert.strictEqual(made.status, 200, made.text)
      const again = { ztp_mac: lease.ztp_mac, dhcp_ip: "10.0.0.98" }
      assert.strictEqual((yield* as("dhcp-hook", "POST", "/device_discover", again)).status, 200)
      assert.strictEqual((yield* as("dhcp-hook", "POST", "/discover_device", again)).status, 200)
      assert.strictEqual((yield* as("dhcp-hook", "PUT", "/device/6", { dhcp_ip: "10.0.0.30" })).status, 200)
    })
  )

  it.effect("writes nothing else, whatever other mistakes the call has", () =>
    Effect.gen(function* () {
      yield* setScene()
      const before = yield* devices
      for (const json of [
        { ...lease, state: "DISCOVERED" },
        { ...lease, state: 5 },
        { ...lease, device_type: "CORE" },
        { ...lease, management_ip: "10.66.6.6" },
        { ...lease, serial: "X" },
        { ...lease, port: 22, hostname: "?" },
        { ...lease, nonsense: true }
      ]) {
        const { status, text } = yield* as("dhcp-hook", "POST", "/device", json)
        assert.strictEqual(status, 403, `${JSON.stringify(json)}: ${text}`)
      }
      for (const [path, json] of [
        ["/device/4", { dhcp_ip: "10.0.0.30" }],
        ["/device/5", { dhcp_ip: "10.0.0.30" }],
        ["/device/7", { dhcp_ip: "10.0.0.30" }],
        ["/device/6", { dhcp_ip: "10.0.0.30", hostname: "core9" }],
        ["/device/6", { ztp_mac: "080027000009" }],
        ["/device/6", { state: "DHCP_BOOT" }],
        ["/device/6", { management_ip: "not an address" }]
      ] as const) {
        assert.strictEqual((yield* as("dhcp-hook", "PUT", path, json)).status, 403, `${path} ${JSON.stringify(json)}`)
      }
      const managedMac = { ztp_mac: "08002708A8BE", dhcp_ip: "10.0.0.30" }
      assert.strictEqual((yield* as("dhcp-hook", "POST", "/device_discover", managedMac)).status, 403)
      assert.deepEqual(yield* devices, before)
      const { text } = yield* as("dhcp-hook", "POST", "/device", { ...lease, state: "MANAGED" })
      assert.include(text, "role dhcp-hook, fields: state may be DHCP_BOOT, and this is another value")
      assert.strictEqual((yield* as("dhcp-hook", "PUT", "/device/99", { dhcp_ip: "10.0.0.30" })).status, 404)
      assert.strictEqual((yield* as("dhcp-hook", "POST", "/device", { ...lease, dhcp_ip: "1.2.3" })).status, 400)
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A provisioner", (it) => {
  it.effect("prepares switches before their discovery or initialisation, and describes others", () =>
    Effect.gen(function* () {
      yield* setScene()
      for (const state of ["PRE_CONFIGURED", "DHCP_BOOT", "DISCOVERED"]) {
        const json = {
          hostname: `new-${state.toLowerCase().replace("_", "-")}`,
          platform: "eos",
          state,
          device_type: "ACCESS"
        }
        const { status, text } = yield* as("provisioner", "POST", "/device", json)
        assert.strictEqual(status, 200, text)
      }
      assert.strictEqual((yield* as("provisioner", "PUT", "/device/6", { serial: "abc" })).status, 200)
      assert.strictEqual((yield* as("provisioner", "PUT", "/device/4", { description: "desk" })).status, 200)
      for (const json of [{ serial: "abc" }, { synchronized: true }, { platform: "frr" }, { state: "DISCOVERED" }]) {
        assert.strictEqual((yield* as("provisioner", "PUT", "/device/4", json)).status, 403, JSON.stringify(json))
      }
      assert.strictEqual((yield* as("provisioner", "PUT", "/device/6", { management_ip: "10.66.6.6" })).status, 403)
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A role of a site with fields and states", (it) => {
  it.effect("permits these values on devices in these states only", () =>
    Effect.gen(function* () {
      yield* setScene()
      assert.strictEqual(
        (yield* as("namer", "PUT", "/device/5", { description: "old", device_type: "access" })).status,
        200
      )
      assert.strictEqual((yield* as("namer", "PUT", "/device/5", { device_type: "DIST" })).status, 403)
      assert.strictEqual((yield* as("namer", "PUT", "/device/4", { description: "old" })).status, 403)
    })
  )
})

layer(SiteWithRoles(FILE), { excludeTestServices: true })("A caller of some devices", (it) => {
  it.effect("changes no field that identifies the switch of a record", () =>
    Effect.gen(function* () {
      yield* setScene()
      const before = yield* devices
      for (const json of [
        { serial: "X1" },
        { serial: {} },
        { model: "DCS" },
        { ztp_mac: "080027000009" },
        { infra_ip: "10.1.1.1" }
      ]) {
        const { status, text } = yield* as("east-operator", "PUT", "/device/4", json)
        assert.strictEqual(status, 403, `${JSON.stringify(json)}: ${text}`)
      }
      const key = { action: "FORGET" }
      assert.strictEqual((yield* as("east-operator", "PUT", "/device/east-a1/host_key", key)).status, 403)
      assert.strictEqual((yield* as("east-operator", "POST", "/device/east-a1/hostkey/approve", {})).status, 403)
      assert.notStrictEqual((yield* as("east-administrator", "PUT", "/device/east-a1/host_key", {})).status, 403)
      assert.deepEqual(yield* devices, before)
      assert.strictEqual(
        (yield* as("east-operator", "PUT", "/device/4", { serial: null, description: "x" })).status,
        200
      )
    })
  )
})

const ports = (data: unknown, port = "Ethernet2") => ({ interfaces: { [port]: { data } } })
const dataOf = (port: string) =>
  Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
    Effect.map(
      sql<{ data: object }>`select data from interface where device_id = 4 and name = ${port}`,
      (rows) => rows[0]?.data
    )
  )

layer(SiteWithRoles(FILE), { excludeTestServices: true })("Free lines in a port", (it) => {
  const WITHOUT = ["port-editor", "operator", "site-ports"]
  const LINES = "storm-control broadcast level 1"
  const GIVEN = [
    `update interface set data = '{"untagged_vlan": "STUDENT", "cli_append_str": "${LINES}"}' where device_id = 4 and name = 'Ethernet2'`
  ]

  it.effect("are refused without the right free_lines, by the name of the field", () =>
    Effect.gen(function* () {
      yield* setScene(GIVEN)
      for (const role of WITHOUT) {
        for (const data of [
          { cli_append_str: "username eva privilege 15 nopassword" },
          { cli_append_str: "spanning-tree portfast", description: "desk" },
          { cli_append_str: ["a"] },
          { cli_append_str: null },
          null,
          {}
        ]) {
          const { status, text } = yield* as(role, "PUT", "/device/east-a1/interfaces", ports(data))
          assert.strictEqual(status, 403, `${role} ${JSON.stringify(data)}: ${text}`)
        }
      }
      const { text } = yield* as("port-editor", "PUT", "/device/east-a1/interfaces", {
        interfaces: { Ethernet1: { data: { description: "desk" } }, ...ports({ cli_append_str: "x" }).interfaces }
      })
      assert.include(text, "free_lines is not among them, and interfaces.Ethernet2.data.cli_append_str has lines")
      assert.deepEqual(yield* dataOf("Ethernet2"), { untagged_vlan: "STUDENT", cli_append_str: LINES })
      assert.isNull(yield* dataOf("Ethernet1"))
      const preview = yield* as(
        "operator",
        "POST",
        "/device/east-a1/interfaces/preview",
        ports({ cli_append_str: "x" })
      )
      assert.strictEqual(preview.status, 403)
    })
  )

  it.effect("are as little readable as writable: the preview of a port-editor shows no lines and no secrets", () =>
    Effect.gen(function* () {
      yield* setScene([
        `update interface set data = '{"untagged_vlan": "STUDENT", "description": "room 5 secret 0 MkSecret7"}' where device_id = 4 and name = 'Ethernet2'`
      ])
      const preview = (data: unknown, hostname = "east-a1") =>
        as("port-editor", "POST", `/device/${hostname}/interfaces/preview`, ports(data))
      const shown = yield* preview({ untagged_vlan: "STUDENT2" })
      assert.strictEqual(shown.status, 200, shown.text)
      assert.include(shown.text, '"diff"')
      assert.notInclude(shown.text, "MkSecret7")
      assert.strictEqual((yield* preview({ cli_append_str: "x" })).status, 403)
      assert.strictEqual((yield* preview({}, "nobody")).status, 404)
    })
  )

  it.effect("stay unchanged when a caller without the right saves the rest", () =>
    Effect.gen(function* () {
      for (const role of WITHOUT) {
        yield* setScene(GIVEN)
        for (const data of [{ description: "desk" }, { description: "room", cli_append_str: LINES }]) {
          const { status, text } = yield* as(role, "PUT", "/device/east-a1/interfaces", ports(data))
          assert.strictEqual(status, 200, `${role} ${JSON.stringify(data)}: ${text}`)
        }
        assert.deepEqual(yield* dataOf("Ethernet2"), {
          untagged_vlan: "STUDENT",
          cli_append_str: LINES,
          description: "room"
        })
        assert.strictEqual(
          (yield* as(role, "PUT", "/device/east-a1/interfaces", ports({ cli_append_str: "" }, "Ethernet1"))).status,
          200
        )
      }
    })
  )

  it.effect("can be written with the right, also with a role of the site that permits whole configurations", () =>
    Effect.gen(function* () {
      for (const role of ["administrator", "site-lines", "site-writer", "site-everything"]) {
        yield* setScene()
        const { status, text } = yield* as(role, "PUT", "/device/east-a1/interfaces", ports({ cli_append_str: LINES }))
        assert.strictEqual(status, 200, `${role}: ${text}`)
      }
    })
  )

  it.effect("cannot be given as a whole configuration either, without the right", () =>
    Effect.gen(function* () {
      yield* setScene()
      const config = { full_config: "hostname east-a1\nusername eva privilege 15 nopassword\n" }
      const live = (role: string) => as(role, "POST", "/device/east-a1/apply_config", { ...config, dry_run: false })
      const { status, text } = yield* live("operator")
      assert.strictEqual(status, 403, text)
      assert.include(text, "free_lines is not among them, and full_config has lines")
      // it would be refused to all callers, because live runs are not permitted here
      for (const role of ["administrator", "site-writer"]) assert.strictEqual((yield* live(role)).status, 400, role)
      const dry = yield* as("operator", "POST", "/device/east-a1/apply_config", { ...config, dry_run: true })
      assert.strictEqual(dry.status, 200, dry.text)
    })
  )

  it.effect("are found at any depth of a list", () =>
    Effect.gen(function* () {
      yield* setScene()
      for (const [tags, path] of [
        [[["a", "b\nc"]], "tags.0.1"],
        [[{ text: "b\nc" }], "tags.0.text"],
        [["a", [[{ config: "b\r\nc" }]]], "tags.1.0.0.config"],
        [[{ full_config: "x\tshutdown" }], "tags.0.full_config"]
      ] as const) {
        const { status, text } = yield* as("administrator", "PUT", "/device/east-a1/interfaces", ports({ tags }))
        assert.strictEqual(status, 400, text)
        assert.include(text, `${path}: holds a`)
      }
      for (const list of [{ tagged_vlan_list: [["STUDENT\nx"]] }, { tagged_vlan_list: [{ text: "a\nb" }] }]) {
        assert.strictEqual((yield* as("administrator", "PUT", "/device/east-a1/interfaces", ports(list))).status, 400)
      }
    })
  )
})
