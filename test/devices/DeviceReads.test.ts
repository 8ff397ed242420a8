/** Looking at devices, bouncing their ports and reading them into the database, through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Reply } from "../support/ApiClient.ts"
import { makeOperationsLab, NAMES } from "../jobs/upkeep/OperationsLab.ts"

const [HOST, PEER] = NAMES

const refused = ({ body, status }: Reply) => ({ status, message: body.message })

it.live(
  "shows the configuration and the neighbours of a device, bounces permitted ports, and reads ports and facts into the database",
  () =>
    Effect.gen(function* () {
      const { api, first } = yield* makeOperationsLab
      const get = (path: string, host: string = HOST) => api.send("GET", `/device/${host}/${path}`)

      const whole = yield* get("running_config")
      assert.include(String(whole.body.data["config"]), "description meeting room")
      const port = yield* get("running_config?interface=Ethernet3")
      assert.deepEqual(port.body.data, { config: "description meeting room\nspanning-tree portfast" })
      assert.deepEqual((yield* get("running_config?interface=Ethernet")).body.data, { config: "" })
      assert.deepEqual(refused(yield* get("running_config", "-x")), {
        status: 400,
        message: "Invalid hostname specified"
      })
      assert.deepEqual(refused(yield* get("running_config", "nobody")), { status: 404, message: "Device not found" })

      const heard = yield* get("lldp_neighbors")
      assert.deepEqual(heard.body.data["lldp_neighbors"], {
        Ethernet26: [{ hostname: PEER, port: "Ethernet26" }],
        Ethernet27: [{ hostname: "lhv-dist1", port: "Ethernet1" }]
      })
      const details = (yield* get("lldp_neighbors_detail")).body.data["lldp_neighbors_detail"] as Record<
        string,
        ReadonlyArray<Record<string, unknown>>
      >
      assert.deepInclude(details["Ethernet27"]?.[0], {
        parent_interface: "",
        remote_port: "Ethernet1",
        remote_system_name: "lhv-dist1",
        remote_system_enable_capab: ["bridge", "router"]
      })
      assert.match(String(details["Ethernet27"]?.[0]?.["remote_chassis_id"]), /^([\dA-F]{2}:){5}[\dA-F]{2}$/)

      const status = (yield* get("interface_status")).body.data["interface_status"] as Record<string, unknown>
      assert.deepInclude(status["Ethernet3"], { is_enabled: true, description: "meeting room" })
      assert.deepInclude(status["Ethernet4"], { is_enabled: false })
      assert.deepEqual(refused(yield* get("interface_status", "nobody")), {
        status: 400,
        message: "Could not get interface states, invalid input: Hostname nobody not found in inventory"
      })

      const bounce = (body: unknown, host: string = HOST) => api.send("PUT", `/device/${host}/interface_status`, body)
      const refusals: ReadonlyArray<readonly [unknown, string, string]> = [
        [{}, HOST, "Unknown action"],
        [{ bounce_interfaces: [] }, "nobody", "Hostname nobody not found in database"],
        [{ bounce_interfaces: [] }, "lhv-dist1", "Hostname lhv-dist1 is not of type ACCESS or not in state MANAGED"],
        [
          { bounce_interfaces: ["Ethernet1", "Ethernet27"] },
          HOST,
          `Can't bounce UPLINK port Ethernet27 for device ${HOST}`
        ],
        [{ bounce_interfaces: ["Ethernet77"] }, HOST, `Specified interface Ethernet77 not found on device ${HOST}`],
        [{ bounce_interfaces: ["Ethernet4"] }, HOST, `Specified interface Ethernet4 on device ${HOST} is not enabled`]
      ]
      const before = first.commits().length
      for (const [body, host, message] of refusals) {
        assert.deepEqual(refused(yield* bounce(body, host)), { status: 400, message })
      }
      assert.strictEqual(first.commits().length, before, "nothing was sent")
      const nothing = yield* bounce({ bounce_interfaces: [] })
      assert.deepEqual<unknown>(nothing.body.data, "No error, but no interfaces changed state: ")
      const running = first.running()
      const bounced = yield* bounce({ bounce_interfaces: ["Ethernet1", "Ethernet3"] })
      assert.deepEqual<unknown>(bounced.body, {
        status: "success",
        data: "Bounced interfaces: Ethernet1, Ethernet3"
      })
      assert.strictEqual(first.commits().length, before + 2)
      assert.strictEqual(first.running().replace(/^!.*$/gm, ""), running.replace(/^!.*$/gm, ""))

      // whatever becomes of the first half, the ports come up again
      first.setFault({ kind: "cut", step: "commit", when: "after", times: 1 })
      const cut = yield* bounce({ bounce_interfaces: ["Ethernet3"] })
      assert.strictEqual(cut.status, 500)
      assert.match(String(cut.body.message), /^Not all steps of port bounce completed: down: /)
      assert.strictEqual(first.running().replace(/^!.*$/gm, ""), running.replace(/^!.*$/gm, ""))
      first.clearFaults()
      first.setFault({ kind: "reject", pattern: "poe disabled" })
      const rejected = yield* bounce({ bounce_interfaces: ["Ethernet3"] })
      assert.strictEqual(rejected.status, 500)
      assert.strictEqual(first.running().replace(/^!.*$/gm, ""), running.replace(/^!.*$/gm, ""))
      first.clearFaults()
      assert.isEmpty(first.sessions().filter(({ state }) => state === "pending"))

      // facts
      assert.deepEqual(refused(yield* api.send("POST", "/device_update_facts", {})), {
        status: 400,
        message: "No target to be updated was specified"
      })
      assert.deepEqual(refused(yield* api.send("POST", "/device_update_facts", { hostname: "nobody" })), {
        status: 400,
        message: "Hostname 'nobody' not found or is in invalid state"
      })
      const { model, serial } = first.hardware()
      const facts = yield* api.run("/device_update_facts", { hostname: HOST })
      const result = facts.result as unknown as { readonly diff: Record<string, unknown> }
      assert.strictEqual(facts.status, "FINISHED", JSON.stringify(facts))
      assert.deepEqual(result.diff["model"], { old: null, new: model })
      assert.deepEqual(result.diff["serial"], { old: null, new: serial })
      const again = yield* api.run("/device_update_facts", { hostname: HOST })
      assert.deepEqual(again.result as unknown, { diff: {} })

      // ports
      const update = (body: object) => api.run("/device_update_interfaces", { hostname: HOST, ...body })
      assert.deepEqual(refused(yield* api.send("POST", "/device_update_interfaces", { hostname: "lhv-dist1" })), {
        status: 400,
        message: "Only devices of type ACCESS has interface database to update"
      })
      const added = yield* update({ mlag_peer_hostname: PEER })
      const rows = (added.result as unknown as { readonly interfaces: ReadonlyArray<Record<string, unknown>> })
        .interfaces
      assert.lengthOf(rows, 26, "28 ports, two of them known")
      const peer = rows.find(({ name }) => name === "Ethernet26")
      const [other] = yield* api.devices(`filter[hostname]=${PEER}`)
      assert.deepInclude(peer, { configtype: "MLAG_PEER", data: { neighbor_id: other?.["id"] } })
      assert.deepInclude(rows[0], { name: "Ethernet2", configtype: "ACCESS_AUTO", data: null })
      const kept = (yield* get("interfaces")).body.data["interfaces"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(
        kept.find(({ name }) => name === "Ethernet1"),
        { configtype: "ACCESS_TAGGED", data: { description: "AP 12" } }
      )
      assert.isUndefined(kept.find(({ name }) => name === "Ethernet99"))
      assert.isDefined(
        kept.find(({ name }) => name === "Ethernet98"),
        "an uplink that is not shown is kept"
      )
      const [marked] = yield* api.devices(`filter[hostname]=${HOST}`)
      assert.isFalse(marked?.["synchronized"])
      const history = yield* api.send("GET", `/device_synchistory?hostname=${HOST}`)
      assert.include(JSON.stringify(history.body.data), '"cause":"update_interfacedb"')
      assert.deepEqual((yield* update({})).result as unknown, { interfaces: [] })
      const replaced = (yield* update({ replace: true })).result as unknown as typeof added.result & {
        readonly interfaces: ReadonlyArray<Record<string, unknown>>
      }
      assert.lengthOf(replaced.interfaces, 28)
      assert.deepInclude(replaced.interfaces[0], {
        name: "Ethernet1",
        configtype: "ACCESS_AUTO",
        data: { description: "AP 12" }
      })
      assert.deepEqual((yield* update({ delete_all: true })).result as unknown, { interfaces: [] })
      assert.deepEqual((yield* get("interfaces")).body.data["interfaces"], [])

      // routes and jobs report a device that is off
      yield* first.powerOff
      assert.deepEqual(refused(yield* get("lldp_neighbors")), { status: 500, message: "Failed to get LLDP neighbors" })
      const silent = yield* api.run("/device_update_facts", { hostname: HOST })
      assert.deepInclude(silent.result?.devices?.[HOST]?.job_tasks[0], { task_name: "napalm_get" })
      assert.isTrue(silent.result?.devices?.[HOST]?.failed)
      const unread = yield* update({})
      assert.strictEqual(unread.status, "EXCEPTION")
      assert.match(unread.exception?.message ?? "", new RegExp(`^Could not get facts from device ${HOST}: `))
    }).pipe(Effect.scoped)
)

it.live("blocks a device whose host key has changed until an operator pins the new one", () =>
  Effect.gen(function* () {
    const { api, first } = yield* makeOperationsLab
    const path = `/device/${HOST}/host_key`
    const keys = Effect.map(
      api.send("GET", path),
      ({ body }) => body.data["host_key"] as Record<"fingerprint" | "refused_fingerprint", string | null>
    )
    assert.isNull((yield* keys).fingerprint)
    assert.strictEqual((yield* api.send("GET", `/device/${HOST}/lldp_neighbors`)).status, 200)
    const pinned = (yield* keys).fingerprint
    assert.match(pinned ?? "", /^SHA256:/)
    first.newHostKey()
    const blocked = yield* api.send("GET", `/device/${HOST}/running_config`)
    assert.match(String(blocked.body.message), /^Exception: HostKeyChanged: host key of lhv-acc1 changed/)
    const seen = (yield* keys).refused_fingerprint
    assert.match(seen ?? "", /^SHA256:/)
    const wrong = yield* api.send("PUT", path, { action: "PIN", fingerprint: pinned })
    assert.strictEqual(wrong.status, 409)
    assert.strictEqual((yield* api.send("PUT", path, { action: "PIN" })).status, 400)
    assert.strictEqual((yield* api.send("PUT", path, { action: "TRUST" })).status, 400)
    assert.strictEqual((yield* api.send("PUT", path, { action: "PIN", fingerprint: seen })).status, 200)
    assert.deepInclude(yield* keys, { fingerprint: seen, refused_fingerprint: null })
    assert.strictEqual((yield* api.send("GET", `/device/${HOST}/running_config`)).status, 200)
    assert.strictEqual((yield* api.send("PUT", path, { action: "FORGET" })).status, 200)
    assert.isNull((yield* keys).fingerprint)
  }).pipe(Effect.scoped)
)
