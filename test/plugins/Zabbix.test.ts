/** The plugin `zabbix` against a server that demands what releases of Zabbix demand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readyVariables } from "../../src/plugins/Plugin.ts"
import { DEVICE, FIRST, started } from "./PluginFolder.ts"
import * as ZabbixServer from "./ZabbixServer.ts"

const FILE = new URL("../../src/plugins/bundled/zabbix.ts", import.meta.url)
const TOKEN = "424bdcd8fe1ea1b2c2bc1b2b2b4b4b4b"

const open = Effect.fnUntraced(function* (vars: Readonly<Record<string, unknown>> = {}, release = "7.4.2") {
  const zabbix = yield* ZabbixServer.make(release, TOKEN)
  zabbix.addTemplate("Arista by SNMP")
  const ready = readyVariables({ url: zabbix.url, token: TOKEN, ...vars }, new Map())
  const plugin = yield* started("", { file: FILE, name: "zabbix", ...ready })
  return { zabbix, plugin }
})

const FULL = { groups: ["Switches", "Lindhaven"], templates: ["Arista by SNMP"], tags: { site: "lhv" } }

describe("The plugin zabbix", () => {
  for (const release of ["6.0.40", "6.4.1", "7.0.9", "7.4.2"]) {
    it.live(`creates a host in Zabbix ${release}, and the same host when it is called again`, () =>
      Effect.gen(function* () {
        const { plugin, zabbix } = yield* open(FULL, release)
        assert.isTrue(yield* plugin.call("selftest", null, FIRST))
        yield* plugin.call("new_managed_device", DEVICE, FIRST)
        yield* plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: 2, again: true })
        const [host, other] = zabbix.tables.host
        assert.isUndefined(other)
        assert.deepInclude(host, {
          host: "lhv-acc1",
          tags: [{ tag: "site", value: "lhv" }],
          groups: zabbix.tables.hostgroup.map(({ groupid }) => ({ groupid })),
          templates: zabbix.tables.template.map(({ templateid }) => ({ templateid }))
        })
        assert.deepInclude(host?.["inventory"], { serialno_a: "JPE1234", model: "DCS-7050" })
        const [port] = Array.isArray(host?.["interfaces"]) ? host["interfaces"] : []
        assert.include(port, { type: "2", main: "1", ip: "10.0.6.9", port: "161" })
        assert.deepStrictEqual(
          zabbix.tables.hostgroup.map(({ name }) => name),
          ["Switches", "Lindhaven"]
        )
      })
    )
  }

  it.live("changes differing values and keeps those of other authors", () =>
    Effect.gen(function* () {
      const { plugin, zabbix } = yield* open(FULL)
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      zabbix.tables.hostgroup.push({ groupid: "7", name: "By hand" })
      const [host = {}] = zabbix.tables.host
      Object.assign(host, {
        groups: [{ groupid: "7" }],
        tags: [
          { tag: "rack", value: "4" },
          { tag: "site", value: "old" }
        ],
        status: "1"
      })
      yield* plugin.call("new_managed_device", { ...DEVICE, management_ip: "10.0.6.10" }, FIRST)
      assert.deepInclude(zabbix.tables.host[0], {
        status: 0,
        tags: [
          { tag: "rack", value: "4" },
          { tag: "site", value: "lhv" }
        ]
      })
      assert.deepInclude(zabbix.tables.host[0]?.["groups"], { groupid: "7" })
      const [port] = Array.isArray(host["interfaces"]) ? host["interfaces"] : []
      assert.include(port, { ip: "10.0.6.10" })
    })
  )

  it.live("gives a host without an interface one, and uses one that another client adds at the same moment", () =>
    Effect.gen(function* () {
      const { plugin, zabbix } = yield* open(FULL)
      zabbix.onCreate(() => void (zabbix.tables.host.length === 0 && zabbix.addHost("lhv-acc1")))
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      const { host } = zabbix.tables
      assert.strictEqual(host.length, 1)
      const [port] = Array.isArray(host[0]?.["interfaces"]) ? host[0]["interfaces"] : []
      assert.include(port, { ip: "10.0.6.9" })
    })
  )

  it.live("quotes Zabbix when it refuses, and never shows the token", () =>
    Effect.gen(function* () {
      const { plugin } = yield* open({ ...FULL, templates: ["Nothing"] })
      const missing = yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))
      assert.match(missing.message, /no template Nothing/)
      const { plugin: strict } = yield* open({ groups: ["Absent"], create_groups: false })
      assert.match(
        (yield* Effect.flip(strict.call("new_managed_device", DEVICE, FIRST))).message,
        /no host group Absent/
      )
      const { plugin: stranger } = yield* open({ token: "another-token" })
      const refused = yield* Effect.flip(stranger.call("selftest", null, FIRST))
      assert.match(refused.message, /hostgroup.get: Invalid params. Not authorized./)
      assert.notInclude(refused.message, "another-token")
    })
  )

  it.live("turns an upgrade into a maintenance, once, and ends it", () =>
    Effect.gen(function* () {
      const { plugin, zabbix } = yield* open({ ...FULL, maintenance_minutes: 30 })
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      const { hostname } = DEVICE
      yield* plugin.call("upgrade_reboot_starting", { hostname }, FIRST)
      yield* plugin.call("upgrade_reboot_starting", { hostname }, { ...FIRST, again: true })
      const [maintenance, other] = zabbix.tables.maintenance
      assert.isUndefined(other)
      assert.deepInclude(maintenance, { hosts: [{ hostid: zabbix.tables.host[0]?.["hostid"] }] })
      yield* plugin.call("upgrade_reboot_completed", { hostname, failed: false }, FIRST)
      yield* plugin.call("upgrade_reboot_completed", { hostname, failed: false }, { ...FIRST, again: true })
      assert.deepStrictEqual(zabbix.tables.maintenance, [])
    })
  )

  it.live("disables a removed host, deletes it or leaves it, as configured", () =>
    Effect.gen(function* () {
      const gone = { hostname: DEVICE.hostname, device_type: "ACCESS", management_ip: null }
      for (const [on_removal, left] of [
        ["disable", 1],
        ["keep", "0"],
        ["delete", undefined]
      ]) {
        const { plugin, zabbix } = yield* open({ ...FULL, on_removal })
        yield* plugin.call("new_managed_device", DEVICE, FIRST)
        yield* plugin.call("removed_device", gone, FIRST)
        yield* plugin.call("removed_device", gone, { ...FIRST, again: true })
        assert.strictEqual(zabbix.tables.host[0]?.["status"], left)
      }
    })
  )
})
