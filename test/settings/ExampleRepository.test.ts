import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { type CheckedDevice, checkSettings } from "../../src/settings/SettingsCheck.ts"
import { buildSnapshot, originLevel, originLevels } from "../../src/settings/SettingsSnapshot.ts"
import { settingsToJson } from "../../src/settings/FileModels.ts"
import { stored } from "../support/Lindhaven.ts"
import { exampleFiles, root, settingsOf, success } from "./repository.ts"

const MODELS = { core: "DCS-7050CX3-32S-F", dist: "DCS-7050SX3-48YC8-F", acc: "CCS-720XP-24ZY4-F" }

const campus: ReadonlyArray<CheckedDevice> = [
  ...["lhv-core1", "lhv-core2"].map((hostname) => ({ hostname, device_type: "CORE" as const, model: MODELS.core })),
  ...["lhv-dist1", "lhv-dist2"].map((hostname) => ({ hostname, device_type: "DIST" as const, model: MODELS.dist })),
  ...["lhv-acc1", "lhv-acc2", "lhv-acc3", "lhv-acc4"].map((hostname) => ({
    hostname,
    device_type: "ACCESS" as const,
    model: MODELS.acc
  }))
].map((device, index) => ({ ...device, id: index + 1, state: "MANAGED", platform: "eos", os_version: "4.31.2F" }))

const linknets = [3, 4].flatMap((dist) =>
  [5, 6, 7, 8].map((acc) => ({ id: dist * 10 + acc, device_a_id: acc, device_b_id: dist }))
)

const snapshot = success(buildSnapshot({ files: exampleFiles(), root }))

const named = (hostname: string): CheckedDevice => {
  const device = campus.find((one) => one.hostname === hostname)
  if (device === undefined) throw new Error(`no device ${hostname}`)
  return device
}

const accessSwitches = campus.filter((device) => device.device_type === "ACCESS")

/** Every value of the rendered variables that comes from the settings must be in our settings, in the same order. */
const assertContains = (ours: unknown, expected: unknown, path: string): void => {
  if (Array.isArray(expected)) {
    assert.isTrue(Array.isArray(ours), path)
    if (!Array.isArray(ours)) return
    assert.strictEqual(ours.length, expected.length, path)
    for (const [index, item] of expected.entries()) assertContains(ours[index], item, `${path}->${index}`)
  } else if (Predicate.isObject(expected)) {
    assert.isTrue(Predicate.isObject(ours), path)
    if (!Predicate.isObject(ours)) return
    for (const [key, item] of Object.entries(expected)) assertContains(ours[key], item, `${path}->${key}`)
  } else assert.strictEqual(ours, expected, path)
}

const variablesOf = (hostname: string): Readonly<Record<string, unknown>> => {
  const parsed: unknown = JSON.parse(stored(`${hostname}.variables.json`))
  return Predicate.isReadonlyObject(parsed) ? parsed : {}
}

describe("the example repository", () => {
  it("passes every check for its campus", () => {
    const inventory = { devices: campus, linknets, managementDomains: [{ vlan: 3016 }], globalUniqueVlans: true }
    assert.deepStrictEqual(checkSettings(snapshot, inventory), { problems: [], warnings: [] })
  })

  for (const hostname of ["lhv-acc1", "lhv-dist1", "lhv-core1"]) {
    it(`gives ${hostname} the settings that its rendered configuration was made from`, () => {
      const device = named(hostname)
      const { settings } = settingsOf(snapshot.layering.forDevice(device, accessSwitches))
      const json = settingsToJson(settings)
      const ours: Readonly<Record<string, unknown>> = Predicate.isReadonlyObject(json) ? json : {}
      const variables = variablesOf(hostname)
      const shared = Object.keys(variables).filter((key) => key in ours && key !== "interfaces")
      assert.isAbove(shared.length, 30)
      for (const key of shared) assertContains(ours[key], variables[key], key)
      assert.deepStrictEqual([...settings.vxlans.keys()], Object.keys(Object(variables["vxlans"])))
    })
  }

  it("adds the VXLANs of the access switches below to a distribution switch, in the order of the links", () => {
    const alone = settingsOf(snapshot.layering.forDevice(named("lhv-dist1")))
    assert.strictEqual(alone.settings.vxlans.size, 0)
    const { origins, settings } = settingsOf(snapshot.layering.forDevice(named("lhv-dist1"), accessSwitches))
    assert.include([...settings.vxlans.keys()], "physics_lab")
    assert.strictEqual(origins.get("vxlans"), "default")
  })

  it("names the origin of every key of a device, by file and by level", () => {
    const { origins } = settingsOf(snapshot.layering.forDevice(named("lhv-acc3")))
    assert.strictEqual(origins.get("radius_servers"), "groups->EAST_WING->base_system.yml")
    assert.strictEqual(originLevel(origins.get("radius_servers") ?? ""), "group->EAST_WING")
    assert.strictEqual(origins.get("poe_reboot_maintain"), "devicetype->base_system.yml")
    assert.strictEqual(origins.get("domain_name"), "global->base_system.yml")
    assert.strictEqual(origins.get("vxlans"), "global->vxlans.yml")
    const levels = originLevels(settingsOf(snapshot.layering.forDevice(named("lhv-core1"))))
    assert.strictEqual(levels["interfaces"], "devicetype")
    assert.strictEqual(levels["internal_vlans"], "fabric")
    assert.isUndefined(levels["banner_motd"])
  })

  it("puts lhv-acc4 into its groups with the wing as primary group", () => {
    const { groups, primary } = snapshot.layering.membership(named("lhv-acc4"))
    assert.deepStrictEqual(groups, ["ACCESS_ALL", "LAB", "EAST_WING", "DEFAULT"])
    assert.strictEqual(primary.name, "EAST_WING")
  })
})
