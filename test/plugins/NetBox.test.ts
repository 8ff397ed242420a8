/** The plugin `netbox` against a server that demands what NetBox demands. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readyVariables } from "../../src/plugins/Plugin.ts"
import * as NetBoxServer from "./NetBoxServer.ts"
import { DEVICE, FIRST, started } from "./PluginFolder.ts"

const FILE = new URL("../../src/plugins/bundled/netbox.ts", import.meta.url)
const TOKEN = "0123456789abcdef0123456789abcdef01234567"

const open = Effect.fnUntraced(function* (vars: Readonly<Record<string, unknown>>, token = TOKEN) {
  const netbox = yield* NetBoxServer.make(token)
  const ready = readyVariables({ url: `${netbox.url}/`, token, site: "Lindhaven", ...vars }, new Map())
  const plugin = yield* started("", { file: FILE, name: "netbox", ...ready })
  return { netbox, plugin }
})

const FULL = {
  create_missing: true,
  tags: ["campus", "Access Layer"],
  platform: "eos",
  roles: { ACCESS: "Access Switch" }
}

describe("The plugin netbox", () => {
  it.live("creates the device with everything that it needs, and does nothing when it is called again", () =>
    Effect.gen(function* () {
      const { netbox, plugin } = yield* open(FULL)
      netbox.add("ipam/prefixes", { prefix: "10.0.0.0/8" })
      netbox.add("ipam/prefixes", { prefix: "10.0.0.0/16" })
      netbox.add("ipam/prefixes", { prefix: "10.0.6.0/24" })
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      const [device] = netbox.all("dcim/devices")
      const [address] = netbox.all("ipam/ip-addresses")
      const [port] = netbox.all("dcim/interfaces")
      assert.include(device, { name: "lhv-acc1", serial: "JPE1234", status: "active", primary_ip4: address?.id })
      assert.deepStrictEqual(device?.["tags"], [{ slug: "campus" }, { slug: "access-layer" }])
      assert.include(address, {
        address: "10.0.6.9/24",
        assigned_object_type: "dcim.interface",
        assigned_object_id: port?.id
      })
      assert.include(port, { device: device?.id, mgmt_only: true })
      assert.strictEqual(netbox.all("dcim/device-roles")[0]?.["slug"], "access-switch")
      const writes = netbox.writes().length
      yield* plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: 2, again: true })
      assert.deepStrictEqual(netbox.writes().slice(writes), [])
    })
  )

  it.live("changes differing values and keeps those of other authors", () =>
    Effect.gen(function* () {
      const { netbox, plugin } = yield* open(FULL)
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      netbox.add("extras/tags", { name: "by hand", slug: "by-hand" })
      Object.assign(netbox.all("dcim/devices")[0] ?? {}, { tags: [{ slug: "by-hand" }], comments: "near the door" })
      const writes = netbox.writes().length
      const replaced = { ...DEVICE, hostname: "LHV-ACC1", serial_number: "JPE9999", management_ip: "10.0.6.10" }
      yield* plugin.call("new_managed_device", replaced, FIRST)
      assert.strictEqual(netbox.all("dcim/devices").length, 1)
      const slugs = [{ slug: "by-hand" }, { slug: "campus" }, { slug: "access-layer" }]
      assert.deepInclude(netbox.all("dcim/devices")[0], { serial: "JPE9999", comments: "near the door", tags: slugs })
      assert.strictEqual(netbox.all("dcim/devices")[0]?.["primary_ip4"], netbox.all("ipam/ip-addresses")[1]?.id)
      assert.strictEqual(netbox.writes().length - writes, 3)
    })
  )

  it.live("completes an interrupted attempt, whatever its last step", () =>
    Effect.gen(function* () {
      const { netbox: whole, plugin: once } = yield* open(FULL)
      yield* once.call("new_managed_device", DEVICE, FIRST)
      const steps = whole.writes().length
      const { netbox, plugin } = yield* open(FULL)
      let left = 0
      netbox.onCreate(() => {
        if (left-- === 0) throw new Error("cut off")
      })
      for (let step = 0; step < steps; step++) {
        left = step === 0 ? 0 : 1
        yield* Effect.ignore(
          plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: step + 1, again: step > 0 })
        )
      }
      left = 1000
      yield* plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: steps, again: true })
      for (const place of ["dcim/devices", "dcim/interfaces", "ipam/ip-addresses", "dcim/sites"]) {
        assert.strictEqual(netbox.all(place).length, 1, place)
      }
    })
  )

  it.live("uses a device that another client adds at the same moment", () =>
    Effect.gen(function* () {
      const { netbox, plugin } = yield* open(FULL)
      netbox.onCreate((place) => {
        if (place !== "dcim/devices" || netbox.all(place).length > 0) return
        const idOf = (other: string) => netbox.all(other)[0]?.id
        const related = {
          device_type: idOf("dcim/device-types"),
          role: idOf("dcim/device-roles"),
          site: idOf("dcim/sites")
        }
        netbox.add(place, { name: DEVICE.hostname, status: "planned", ...related })
      })
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      assert.strictEqual(netbox.all("dcim/devices").length, 1)
      assert.include(netbox.all("dcim/devices")[0], { status: "active", serial: "JPE1234" })
    })
  )

  it.live("names what is missing if it may create nothing", () =>
    Effect.gen(function* () {
      const { netbox, plugin } = yield* open({})
      const error = yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))
      assert.match(error.message, /no dcim\/sites with the slug lindhaven/)
      assert.deepStrictEqual(netbox.writes(), [])
    })
  )

  it.live("quotes NetBox when it refuses, and never shows the token", () =>
    Effect.gen(function* () {
      const { plugin } = yield* open({ ...FULL, status: "nonsense" })
      const refused = yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))
      assert.match(refused.message, /status 400.*"nonsense\\" is not a valid choice/)
      const { netbox } = yield* open({})
      const wrong = readyVariables({ url: netbox.url, token: "another-token", site: "x" }, new Map())
      const stranger = yield* started("", { file: FILE, name: "netbox", ...wrong })
      const error = yield* Effect.flip(stranger.call("selftest", null, FIRST))
      assert.match(error.message, /status 403.*Invalid v1 token/)
      assert.notInclude(error.message, "another-token")
    })
  )

  it.live("sends tokens of version 2 in NetBox's format", () =>
    Effect.gen(function* () {
      const { plugin } = yield* open({}, "nbt_key.0123456789")
      assert.isTrue(yield* plugin.call("selftest", null, FIRST))
    })
  )

  it.live("marks a removed device, deletes it or leaves it, as configured", () =>
    Effect.gen(function* () {
      const gone = { hostname: DEVICE.hostname, device_type: "ACCESS", management_ip: DEVICE.management_ip }
      for (const [on_removal, left] of [
        ["decommission", "decommissioning"],
        ["keep", "active"],
        ["delete", undefined]
      ]) {
        const { netbox, plugin } = yield* open({ ...FULL, on_removal })
        yield* plugin.call("new_managed_device", DEVICE, FIRST)
        yield* plugin.call("removed_device", gone, FIRST)
        yield* plugin.call("removed_device", gone, { ...FIRST, again: true })
        assert.strictEqual(netbox.all("dcim/devices")[0]?.["status"], left)
      }
    })
  )
})
