/** The plugin `prometheus`: its file is what Prometheus itself reads, whole at any moment. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { DEVICE, FIRST, folder, started } from "./PluginFolder.ts"

const FILE = new URL("../../src/plugins/bundled/prometheus.ts", import.meta.url)
const PROMTOOL = "/usr/bin/promtool"

const open = Effect.fnUntraced(function* (vars: Readonly<Record<string, unknown>> = {}) {
  const file = path.join(yield* folder, "switches.json")
  const plugin = yield* started("", { file: FILE, name: "prometheus", vars: { file, port: 9116, ...vars } })
  const groups = Effect.promise(async (): Promise<ReadonlyArray<unknown>> =>
    JSON.parse(await fs.readFile(file, "utf8"))
  )
  return { file, plugin, groups }
})

const labels = {
  hostname: "lhv-acc1",
  device_type: "ACCESS",
  vendor: "Arista",
  model: "DCS-7050",
  site: "lhv",
  __meta_switchyard_hostname: "lhv-acc1",
  __meta_switchyard_serial_number: "JPE1234",
  __meta_switchyard_os_version: "4.32.2F"
}
const OURS = { targets: ["10.0.6.9:9116"], labels }

describe("The plugin prometheus", () => {
  it.live("writes a target with its labels, once, and changes and removes it", () =>
    Effect.gen(function* () {
      const { groups, plugin } = yield* open({ labels: { site: "lhv" } })
      assert.isTrue(yield* plugin.call("selftest", null, FIRST))
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      yield* plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: 2, again: true })
      assert.deepStrictEqual(yield* groups, [OURS])
      yield* plugin.call("new_managed_device", { ...DEVICE, management_ip: "10.0.6.10" }, FIRST)
      assert.deepStrictEqual(yield* groups, [{ targets: ["10.0.6.10:9116"], labels }])
      // the same address under another name: the old one is no more
      yield* plugin.call("new_managed_device", { ...DEVICE, hostname: "lhv-acc2", management_ip: "10.0.6.10" }, FIRST)
      assert.strictEqual((yield* groups).length, 1)
      const gone = { hostname: "lhv-acc2", device_type: "ACCESS", management_ip: "10.0.6.10" }
      yield* plugin.call("removed_device", gone, FIRST)
      assert.deepStrictEqual(yield* groups, [])
    })
  )

  it.live("marks a switch while it is upgraded", () =>
    Effect.gen(function* () {
      const { groups, plugin } = yield* open({ labels: { site: "lhv" } })
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      yield* plugin.call("upgrade_reboot_starting", { hostname: "lhv-acc1" }, FIRST)
      assert.deepStrictEqual(yield* groups, [{ ...OURS, labels: { ...labels, __meta_switchyard_upgrading: "true" } }])
      yield* plugin.call("upgrade_reboot_completed", { hostname: "lhv-acc1", failed: false }, FIRST)
      assert.deepStrictEqual(yield* groups, [OURS])
    })
  )

  it.live("keeps the groups of others, and a file that it cannot read", () =>
    Effect.gen(function* () {
      const { file, groups, plugin } = yield* open()
      const others = { targets: ["router:9100"], labels: { hostname: "lhv-acc1" } }
      yield* Effect.promise(() => fs.writeFile(file, JSON.stringify([others])))
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      assert.deepStrictEqual((yield* groups)[0], others)
      yield* plugin.call("removed_device", { ...DEVICE }, FIRST)
      assert.deepStrictEqual(yield* groups, [others])
      yield* Effect.promise(() => fs.writeFile(file, "[{"))
      yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))
      assert.strictEqual(yield* Effect.promise(() => fs.readFile(file, "utf8")), "[{")
    })
  )

  it.live("has a complete file at any moment, and leaves no other file", () =>
    Effect.gen(function* () {
      const { file, plugin } = yield* open()
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      const seen = new Set<number>()
      const reading = setInterval(() => seen.add(JSON.parse(readFileSync(file, "utf8")).length), 1)
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index + 10),
        (last) =>
          plugin.call(
            "new_managed_device",
            { ...DEVICE, hostname: `a${last}`, management_ip: `10.0.6.${last}` },
            FIRST
          ),
        { discard: true }
      )
      clearInterval(reading)
      assert.isAbove(seen.size, 1)
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(path.dirname(file))), ["switches.json"])
    })
  )

  it.live("includes the devices of its types only, and refuses values that Prometheus would not read", () =>
    Effect.gen(function* () {
      const { groups, plugin } = yield* open({ device_types: ["DIST"] })
      yield* plugin.call("new_managed_device", { ...DEVICE, device_type: "DIST" }, FIRST)
      assert.strictEqual((yield* groups).length, 1)
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      assert.strictEqual((yield* groups).length, 0)
      const { plugin: badName } = yield* open({ file: "/tmp/x.txt" })
      assert.match((yield* Effect.flip(badName.loaded)).message, /must end with .json/)
      const { plugin: badLabel } = yield* open({ labels: { "a-b": "x" } })
      assert.match((yield* Effect.flip(badLabel.loaded)).message, /a-b is no name of a label/)
    })
  )

  it.live.skipIf(!existsSync(PROMTOOL))("writes a file that Prometheus accepts", () =>
    Effect.gen(function* () {
      const { file, plugin } = yield* open({ labels: { site: "lhv" } })
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      yield* plugin.call("new_managed_device", { ...DEVICE, hostname: "six", management_ip: "2001:db8::9" }, FIRST)
      const config = path.join(path.dirname(file), "prometheus.yml")
      const job = `scrape_configs: [{job_name: snmp, file_sd_configs: [{files: ["${file}"]}]}]\n`
      yield* Effect.promise(() => fs.writeFile(config, job))
      yield* Effect.promise(() => promisify(execFile)(PROMTOOL, ["check", "config", config]))
      const discovered = yield* Effect.promise(() =>
        promisify(execFile)(PROMTOOL, ["check", "service-discovery", "--timeout=5s", config, "snmp"])
      )
      assert.include(discovered.stdout, "10.0.6.9:9116")
      assert.include(discovered.stdout, "[2001:db8::9]:9116")
    })
  )
})
