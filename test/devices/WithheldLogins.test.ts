/** Devices that do not receive the fleet's login: addresses outside, and host keys without approval. Through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Campus from "../support/Campus.ts"
import { makeCampusWithRoles } from "../support/CampusWithRoles.ts"
import { serve } from "../support/ServedCampus.ts"
import { sshServer } from "../support/SshServer.ts"

const [NEAR, FAR] = ["lhv-dist1", "lhv-dist2"] as const

const record = (hostname: string, management_ip: string, state = "MANAGED") => ({
  hostname,
  management_ip,
  state,
  platform: "eos",
  device_type: "DIST",
  infra_ip: `10.198.0.${hostname.charCodeAt(hostname.length - 1)}`
})

/** A server with these variables that knows no device yet, and two switches that have our login. */
const makeScene = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  const folders = yield* Campus.makeFolders
  const network = yield* Campus.makeSite({}, [])
  const { api, running } = yield* serve({ ...Campus.environment(network, folders, folders.folder), ...variables })
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  const near = yield* Effect.orDie(network.get(NEAR))
  const far = yield* Effect.orDie(network.get(FAR))
  const seed = (last: number, hostname: string) =>
    Effect.provideContext(Campus.seedFabric("DIST", hostname, last), running)
  const events = Effect.provideContext(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ action: string; actor: string; data: unknown }>`
        select action, actor, data from event where kind = 'host_key' and is_audit order by id`
    ),
    running
  )
  const read = (hostname: string) => api.send("GET", `/device/${hostname}/running_config`)
  return { api, near, far, seed, events, read }
})

it.live("the fleet's login is not sent to an address outside the management networks, in any spelling", () =>
  Effect.gen(function* () {
    const { api, far, near, read, seed } = yield* makeScene({ MANAGEMENT_NETWORKS: "10.199.3.11, 2001:db8::/32" })
    const post = (...given: Parameters<typeof record>) => api.send("POST", "/device", record(...given))
    const sentence =
      "the address 10.199.3.12 of lhv-dist2 is outside of the management networks (MANAGEMENT_NETWORKS=10.199.3.11, 2001:db8::/32), so the fleet's login is not sent there; give the device an address inside, or add its network to MANAGEMENT_NETWORKS"
    const refused = yield* post(FAR, "10.199.3.12")
    assert.deepEqual([refused.status, refused.body.message], [400, [sentence]])
    for (const address of ["::ffff:10.199.3.12", "::ffff:0ac7:030c", "::ffff:a00:1", "2001:db9::1", "127.199.3.11"])
      for (const state of ["MANAGED", "UNMANAGED", "MANAGED_NOIF", "INIT"])
        assert.strictEqual((yield* post(FAR, address, state)).status, 400, `${address} ${state}`)

    // a mapped address is the one that is dialled
    assert.strictEqual((yield* post(NEAR, "::ffff:10.199.3.11")).status, 200)
    const [{ id } = { id: 0 }] = yield* api.devices(`filter[hostname]=${NEAR}`)
    const put = (change: object, of: unknown = id) => api.send("PUT", `/device/${String(of)}`, change)
    assert.strictEqual((yield* put({ management_ip: "10.199.3.11" })).status, 200)
    assert.strictEqual((yield* read(NEAR)).status, 200)
    assert.strictEqual((yield* put({ management_ip: "10.199.3.12" })).status, 400)
    assert.strictEqual((yield* put({ management_ip: null, dhcp_ip: "10.199.3.12" })).status, 400)

    // what is no login of the fleet's goes anywhere, until the record says otherwise
    assert.strictEqual((yield* post("lhv-new", "10.199.3.99", "DISCOVERED")).status, 200)
    const [fresh] = yield* api.devices("filter[hostname]=lhv-new")
    assert.strictEqual((yield* put({ state: "MANAGED" }, fresh?.["id"])).status, 400)

    // a record from before the rule: it may be edited, and nothing is sent to it
    const old = yield* seed(12, FAR)
    assert.strictEqual((yield* put({ description: "kept" }, old.id)).status, 200)
    const asked = yield* read(FAR)
    assert.include(String(asked.body.message), `AddressOutside: ${sentence}`)
    const job = yield* api.run("/device_syncto", { hostname: FAR, dry_run: true, resync: true })
    assert.isTrue(job.result?.devices?.[FAR]?.failed)
    assert.include(JSON.stringify(job.result), "AddressOutside: the address 10.199.3.12 of lhv-dist2 is outside")
    assert.lengthOf(far.logins(), 0)
    assert.isTrue(near.logins().every(({ accepted }) => accepted))
  }).pipe(Effect.scoped)
)

it.live(
  "the fabric's networks from the settings limit logins if configured, and the fleet's password is recognised in other states",
  () =>
    Effect.gen(function* () {
      const { api, read } = yield* makeScene({ MANAGEMENT_NETWORKS: "settings", PASSWORD_DISCOVERED: Campus.PASSWORD })
      const inside = yield* api.send("POST", "/device", record(NEAR, "10.199.3.11"))
      assert.strictEqual(inside.status, 200, JSON.stringify(inside.body))
      assert.strictEqual((yield* read(NEAR)).status, 200)
      assert.strictEqual((yield* api.send("POST", "/device", record(FAR, "10.66.0.1"))).status, 400)
      assert.strictEqual((yield* api.send("POST", "/device", record(FAR, "10.66.0.1", "DISCOVERED"))).status, 400)
      assert.strictEqual((yield* api.send("POST", "/device", record(FAR, "10.66.0.1", "DHCP_BOOT"))).status, 200)
    }).pipe(Effect.scoped)
)

it.live("a device that was not provisioned here waits until a user approves its shown host key", () =>
  Effect.gen(function* () {
    const { api, events, far, near, read } = yield* makeScene({ HOST_KEY_POLICY: "approve" })
    assert.strictEqual((yield* api.send("POST", "/device", record(NEAR, "10.199.3.11"))).status, 200)
    const keys = (hostname: string) =>
      Effect.map(
        api.send("GET", `/device/${hostname}/host_key`),
        ({ body }) => body.data["host_key"] as Record<"fingerprint" | "refused_fingerprint", string | null>
      )
    const approve = (fingerprint: unknown, hostname: string = NEAR) =>
      api.send("POST", `/device/${hostname}/hostkey/approve`, { fingerprint })

    const early = yield* approve(`SHA256:${"A".repeat(43)}`)
    assert.deepEqual([early.status, /no other key was refused/.test(String(early.body.message))], [409, true])
    const job = yield* api.run("/device_syncto", { hostname: NEAR, dry_run: true, resync: true })
    assert.isTrue(job.result?.devices?.[NEAR]?.failed)
    const { fingerprint, refused_fingerprint: shown } = yield* keys(NEAR)
    assert.isNull(fingerprint)
    assert.match(shown ?? "", /^SHA256:/)
    assert.include(
      JSON.stringify(job.result),
      `HostKeyNotApproved: lhv-dist1 at 10.199.3.11 shows the host key ${shown}`
    )
    assert.include(JSON.stringify(job.result), "POST /device/lhv-dist1/hostkey/approve")
    assert.include(String((yield* read(NEAR)).body.message), "HostKeyNotApproved: ")
    assert.lengthOf(near.logins(), 0)

    assert.strictEqual((yield* approve("sesame")).status, 400)
    assert.strictEqual((yield* approve(`SHA256:${"A".repeat(43)}`)).status, 409)
    assert.strictEqual((yield* approve(shown, "nobody")).status, 404)
    const approved = yield* approve(shown)
    assert.deepEqual<unknown>(approved.body.data, {
      host_key: { hostname: NEAR, fingerprint: shown, refused_fingerprint: null }
    })
    assert.strictEqual((yield* read(NEAR)).status, 200)
    const noted = (yield* events).filter(({ actor }) => actor === "admin")
    assert.lengthOf(noted, 1)
    assert.include(JSON.stringify(noted), String(shown))

    // what is forgotten has to be approved again, and no state of the record goes around it
    assert.strictEqual((yield* api.send("PUT", `/device/${NEAR}/host_key`, { action: "FORGET" })).status, 200)
    assert.include(String((yield* read(NEAR)).body.message), "HostKeyNotApproved: ")
    assert.strictEqual((yield* api.send("POST", "/device", record(FAR, "10.199.3.12", "INIT"))).status, 200)
    assert.strictEqual((yield* api.send("GET", `/device/${FAR}/lldp_neighbors`)).status, 500)
    assert.match((yield* keys(FAR)).refused_fingerprint ?? "", /^SHA256:/)
    assert.lengthOf(far.logins(), 0)
  }).pipe(Effect.scoped)
)

it.live("a new installation without configured networks logs in nowhere, and still records devices", () =>
  Effect.gen(function* () {
    const { api, far, near, read } = yield* makeScene({ SECURE_DEFAULTS: "true" })
    assert.strictEqual((yield* api.send("POST", "/device", record(NEAR, "10.199.3.11"))).status, 200)
    const lease = { ...record("mac-080027000001", "10.199.3.12", "DHCP_BOOT"), management_ip: null, infra_ip: null }
    const leased = { ...lease, dhcp_ip: "10.199.3.12", ztp_mac: "080027000001", device_type: "UNKNOWN" }
    assert.strictEqual((yield* api.send("POST", "/device", leased)).status, 200)
    const asked = yield* read(NEAR)
    assert.include(
      String(asked.body.message),
      "nobody has said yet in which networks devices are, so no login is sent to lhv-dist1 at 10.199.3.11; run `switchyard setup`"
    )
    yield* api.run("/device_discover", { ztp_mac: "080027000001", dhcp_ip: "10.199.3.12" })
    const [found] = yield* api.devices("filter[hostname]=mac-080027000001")
    assert.strictEqual(found?.["state"], "DHCP_BOOT")
    assert.isEmpty([...near.logins(), ...far.logins()])
  }).pipe(Effect.scoped)
)

it.live("the keys of several devices are approved at once, each separately, which a new installation requires", () =>
  Effect.gen(function* () {
    const { api, events, read } = yield* makeScene({ SECURE_DEFAULTS: "true", MANAGEMENT_NETWORKS: "10.0.0.0/8" })
    const waiting = Effect.map(
      api.send("GET", "/device_hostkeys"),
      ({ body }) => body.data["host_keys"] as ReadonlyArray<Record<string, string | null>>
    )
    for (const [name, address] of [
      [NEAR, "10.199.3.11"],
      [FAR, "10.199.3.12"]
    ] as const) {
      assert.strictEqual((yield* api.send("POST", "/device", record(name, address))).status, 200)
      assert.include(String((yield* read(name)).body.message), "HostKeyNotApproved: ")
    }
    const shown = yield* waiting
    assert.deepEqual(
      shown.map(({ address, fingerprint, hostname, state }) => [hostname, state, address, fingerprint]),
      [
        [NEAR, "MANAGED", "10.199.3.11", null],
        [FAR, "MANAGED", "10.199.3.12", null]
      ]
    )
    const approve = (host_keys: ReadonlyArray<unknown>) =>
      Effect.map(api.send("POST", "/device_hostkeys/approve", { host_keys }), ({ body }) => body.data)
    const [near, far] = shown.map(({ hostname, refused_fingerprint }) => ({
      hostname,
      fingerprint: refused_fingerprint
    }))
    const one = yield* approve([near, { ...far, fingerprint: near?.fingerprint }])
    assert.deepInclude(one, { approved: 1, refused: 1 })
    assert.strictEqual((yield* read(NEAR)).status, 200)
    assert.include(String((yield* read(FAR)).body.message), "HostKeyNotApproved: ")
    assert.deepInclude(yield* approve([far]), { approved: 1, refused: 0 })
    assert.strictEqual((yield* read(FAR)).status, 200)
    assert.isEmpty(yield* waiting)
    assert.lengthOf(
      (yield* events).filter(({ actor }) => actor === "admin"),
      2
    )
  }).pipe(Effect.scoped)
)

const SITE_ROLES = `roles:
  site-writer: { permissions: [{ methods: [GET, POST, PUT], endpoints: ["*"], rights: [read, write] }] }
  some: { extends: operator, groups: [ACCESS, DEFAULT] }
`
const ROLES = ["dhcp-hook", "port-editor", "provisioner", "operator", "site-writer", "some"]
/** Where the switch of a stranger answers, and where that of a managed switch answered until then. */
const [THEIRS, TAKEN] = ["10.66.6.6", "10.196.16.11"] as const

it.live(
  "the fleet's password is not sent to an unknown switch by any request without the right trust",
  () =>
    Effect.gen(function* () {
      const { as, boss, lab, running } = yield* makeCampusWithRoles({
        names: ["lhv-acc10", "lhv-acc11"],
        roles: SITE_ROLES
      })
      const passwords: Array<string> = []
      const listen = (address: string) =>
        sshServer({
          at: { host: address.replace(/^10/, "127"), port: lab.port },
          authenticate: (context) => {
            if (context.method === "password") passwords.push(context.password)
            context.reject(["password"])
          }
        })
      yield* listen(THEIRS)
      // a switch that is known by its host key, and another one in its place
      assert.strictEqual((yield* boss("GET", "/device/lhv-acc11/running_config")).status, 200)
      yield* (yield* Effect.orDie(lab.get("lhv-acc11"))).powerOff
      const { hostKey: fingerprint } = yield* listen(TAKEN)
      const idOf = Effect.fnUntraced(function* (hostname: string) {
        const { text } = yield* boss("GET", `/device/${hostname}`)
        return /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text)
      })
      const [known, taken] = [yield* idOf("lhv-acc10"), yield* idOf("lhv-acc11")]
      const sql = yield* Effect.provideContext(SqlClient.SqlClient, running)
      const work = Effect.gen(function* () {
        while ((yield* sql`select id from job where finish_time is null limit 1`).length > 0) yield* Effect.sleep(50)
      })
      const record = { platform: "eos", device_type: "ACCESS" }
      const records: Array<string> = []
      for (const role of ROLES) {
        const ask = yield* as(role)
        for (const state of ["MANAGED", "UNMANAGED", "MANAGED_NOIF", "INIT", "DISCOVERED", "DHCP_BOOT"]) {
          for (const field of ["management_ip", "dhcp_ip", "secondary_management_ip", "oob_ip"]) {
            const hostname = `evil-${role}-${state.toLowerCase().replace("_", "")}-${field.replaceAll("_", "")}`
            const { status } = yield* ask("POST", "/device", { ...record, hostname, state, [field]: THEIRS })
            if (status === 200) records.push(hostname)
          }
        }
        yield* ask("POST", "/device", {
          hostname: "mac-0800275C0900",
          ztp_mac: "0800275C0900",
          platform: "eos",
          state: "DHCP_BOOT",
          device_type: "UNKNOWN",
          dhcp_ip: THEIRS
        })
        yield* ask("POST", "/device_discover", { ztp_mac: "0800275C0900", dhcp_ip: THEIRS })
        for (const change of [
          { management_ip: THEIRS },
          { management_ip: null, dhcp_ip: THEIRS },
          { secondary_management_ip: THEIRS },
          { infra_ip: THEIRS },
          { oob_ip: THEIRS },
          { dhcp_ip: THEIRS },
          { state: "UNMANAGED", management_ip: THEIRS },
          { hostname: "lhv-acc10", management_ip: THEIRS }
        ]) {
          yield* ask("PUT", `/device/${known}`, change)
          yield* ask("PUT", `/device/${known}`, { state: "MANAGED" })
        }
        yield* ask("PUT", "/device/lhv-acc11/host_key", { action: "PIN", fingerprint })
        yield* ask("POST", "/device/lhv-acc11/hostkey/approve", { fingerprint })
        yield* ask("POST", "/device_hostkeys/approve", { host_keys: [{ hostname: "lhv-acc11", fingerprint }] })
        yield* ask("PUT", "/device/lhv-acc11/host_key", { action: "FORGET" })
        yield* ask("POST", "/device/lhv-acc11/trust", { comment: "it is the same" })
        for (const name of ["lhv-acc10", "lhv-acc11", "mac-0800275C0900", ...records.splice(0)]) {
          for (const what of [
            "running_config",
            "interface_status",
            "lldp_neighbors",
            "lldp_neighbors_detail",
            "optics"
          ]) {
            yield* ask("GET", `/device/${name}/${what}`)
          }
          for (const path of [
            "/device_update_facts",
            "/device_update_interfaces",
            "/device_drift",
            "/device_read_tables"
          ]) {
            yield* ask("POST", path, { hostname: name })
          }
          yield* ask("POST", "/device_syncto", { hostname: name, dry_run: true, resync: true })
          yield* ask("PUT", `/device/${name}/interface_status`, { bounce_interfaces: ["Ethernet1"] })
          const id = yield* Effect.map(boss("GET", `/device/${name}`), ({ text }) => /"id":(\d+)/.exec(text)?.[1])
          yield* ask("POST", `/device_init/${id}`, { hostname: `new-${id}`, device_type: "ACCESS" })
          yield* work
          yield* ask("PUT", `/device/${id}`, { state: "MANAGED" })
        }
      }
      assert.include(passwords, "abc123abc123")
      assert.notInclude(passwords, Campus.PASSWORD)
      const [at] = yield* sql<{ management_ip: string }>`select management_ip from device where id = ${Number(known)}`
      assert.notStrictEqual(at?.management_ip, THEIRS)
      // a user with the right trusts it
      assert.strictEqual((yield* boss("PUT", `/device/${taken}/host_key`, { action: "FORGET" })).status, 404)
      yield* boss("POST", "/device/lhv-acc11/hostkey/approve", { fingerprint })
      yield* boss("GET", "/device/lhv-acc11/running_config")
      assert.include(passwords, Campus.PASSWORD)
    }).pipe(Effect.scoped),
  { timeout: 240_000 }
)
