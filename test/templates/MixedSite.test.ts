/** The example site of EOS, Junos and FRR: its settings are in force together, and its campus is one that the lab starts. */
import { describe, expect, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { refusedLines } from "../../src/domain/CandidateGate.ts"
import type { Device } from "../../src/domain/Device.ts"
import { platformOf } from "../../src/domain/platforms/Platforms.ts"
import * as Topology from "../../src/lab/Topology.ts"
import { buildSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import { deviceOf, readExample, site } from "./Campus.ts"
import { renderDevice } from "./DirectRendering.ts"

const folder = path.resolve(import.meta.dirname, "../../examples/mixed")
const own = readdirSync(path.join(folder, "settings"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath, entry.name))
  .map((file) => [path.relative(path.join(folder, "settings"), file), readFileSync(file, "utf8")] as const)

const settings = Result.getOrThrow(
  buildSnapshot({ files: new Map([...readExample("settings"), ...own]), root: "settings" })
)
const templates = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })

const core3: Device = {
  ...deviceOf("lhv-core1"),
  platform: "frr",
  vendor: "FRRouting",
  model: null,
  os_version: "8.4.4",
  id: 12,
  hostname: "lhv-core3",
  management_ip: "10.199.3.3",
  infra_ip: "10.198.0.3"
}

describe("the mixed site", () => {
  it.each([core3, deviceOf("lhv-dist1"), deviceOf("lhv-acc1")])("renders $hostname ($platform)", (device) => {
    const found = Result.getOrThrow(settings.layering.forDevice(device, []))
    const inputs = { device, settings: found.settings, interfaces: [], links: [], stackMembers: [] }
    const { text, warnings } = Result.getOrThrow(renderDevice(templates, inputs, site))
    const platform = platformOf(device.platform)
    expect(warnings).toEqual([])
    expect(text).toContain(`hostname ${device.hostname}`)
    expect(platform === undefined ? [] : refusedLines(platform, text)).toEqual([])
  })

  it("has its own line on the router", () => {
    const found = Result.getOrThrow(settings.layering.forDevice(core3, []))
    const inputs = { device: core3, settings: found.settings, interfaces: [], links: [], stackMembers: [] }
    const { text } = Result.getOrThrow(renderDevice(templates, inputs, site))
    expect(text).toContain("ip prefix-list OFFICES seq 5 permit 10.0.0.0/8")
    expect(text).toContain("interface swp1\n")
  })

  it.effect("has a campus of switches of both simulated platforms", () =>
    Effect.gen(function* () {
      const { notes, topology } = yield* Topology.readFile(path.join(folder, "campus.clab.yml"))
      expect(notes).toEqual([])
      const platforms = Object.keys(topology.topology.nodes).map((name) => [name, Topology.platformOf(topology, name)])
      expect(platforms).toEqual([
        ["lhv-dist1", "eos"],
        ["lhv-dist3", "junos"],
        ["lhv-acc1", "eos"],
        ["lhv-acc5", "junos"]
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
