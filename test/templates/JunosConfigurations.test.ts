/** The templates of Junos, with the settings of an access and a distribution switch beside those of the example campus. */
import { describe, expect, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { missingForLogin, notationOf } from "../../src/domain/BraceGate.ts"
import { printBraces, readBraces } from "../../src/domain/BraceText.ts"
import { refusedLines } from "../../src/domain/CandidateGate.ts"
import type { Device } from "../../src/domain/Device.ts"
import type { Interface } from "../../src/domain/Interface.ts"
import { endOf, type Linknet } from "../../src/domain/Linknet.ts"
import { junos } from "../../src/domain/platforms/junos/Platform.ts"
import { saysTheSame } from "../../src/drivers/BraceMeaning.ts"
import { missingLines } from "../../src/drivers/MissingLines.ts"
import { maskSecrets } from "../../src/drivers/SecretMask.ts"
import { buildSnapshot, downstreamDevices } from "../../src/settings/SettingsSnapshot.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import type { SiteInputs, VariableInputs } from "../../src/templates/VariableInputs.ts"
import { stored } from "../support/Lindhaven.ts"
import { deviceOf, devices, linknets, readExample, site } from "./Campus.ts"
import { renderDevice, renderFixed } from "./DirectRendering.ts"

const folder = fileURLToPath(new URL("../../examples/mixed/settings", import.meta.url))
const mixed = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => [relative(folder, path), readFileSync(path, "utf8")] as const)

const settings = Result.getOrThrow(
  buildSnapshot({ files: new Map([...readExample("settings"), ...mixed]), root: "settings" })
)
const templates = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })

const common = { platform: "junos", vendor: "Juniper", os_version: "21.4R3-S5.4" }
const acc5: Device = {
  ...deviceOf("lhv-acc1"),
  ...common,
  id: 9,
  hostname: "lhv-acc5",
  model: "EX3400-48P",
  management_ip: "10.196.16.10"
}
const dist3: Device = {
  ...deviceOf("lhv-dist1"),
  ...common,
  id: 10,
  hostname: "lhv-dist3",
  model: "QFX5120-48Y-8C",
  management_ip: "10.199.3.13",
  infra_ip: "10.198.0.13"
}
const dist4: Device = {
  ...dist3,
  id: 11,
  hostname: "lhv-dist4",
  management_ip: "10.199.3.14",
  infra_ip: "10.198.0.14"
}
const campus = [...devices, acc5, dist3, dist4]

const link = (id: number, a: readonly [number, string], b: readonly [number, string], third?: number): Linknet => ({
  id,
  ipv4_network: third === undefined ? null : `10.197.0.${third}/31`,
  device_a_id: a[0],
  device_a_ip: third === undefined ? null : `10.197.0.${third}`,
  device_a_port: a[1],
  device_b_id: b[0],
  device_b_ip: third === undefined ? null : `10.197.0.${third + 1}`,
  device_b_port: b[1],
  site_id: null,
  description: null
})
const links = [
  ...linknets,
  link(31, [1, "Ethernet3/1"], [10, "et-0/0/48"], 16),
  link(32, [2, "Ethernet3/1"], [10, "et-0/0/49"], 18),
  link(33, [9, "xe-0/2/0"], [10, "xe-0/0/0"]),
  link(34, [9, "xe-0/2/1"], [11, "xe-0/0/0"])
]

const shared: SiteInputs = {
  ...site,
  mgmtDomains: site.mgmtDomains.map((domain) => ({
    ...domain,
    id: 2,
    device_a_id: 10,
    device_a_ip: "10.196.16.4",
    device_b_id: 11,
    device_b_ip: "10.196.16.5"
  })),
  secrets: new Map([
    ...site.secrets,
    ["TEMPLATE_SECRET_JUNOS_RADIUS", Redacted.make("Zq7x-radius-M4rk")],
    ["TEMPLATE_SECRET_JUNOS_ROOT_HASH", Redacted.make("$6$saltsalt$Zq7x-root-M4rk")]
  ])
}

const configured: Readonly<Record<string, Pick<Interface, "configtype" | "data">>> = {
  "ge-0/0/1": {
    configtype: "ACCESS_UNTAGGED",
    data: { untagged_vlan: "PRINTER", description: 'Printer "room" 1.14; } system { services { telnet; } }' }
  },
  "ge-0/0/2": {
    configtype: "ACCESS_TAGGED",
    data: { tagged_vlan_list: ["STAFF", "VOICE"], untagged_vlan: "QUARANTINE", description: "Access point 1.02" }
  },
  "ge-0/0/3": { configtype: "ACCESS_AUTO", data: { enabled: false } },
  "ge-0/0/4": { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "VOICE", tags: ["poe-off"] } },
  "ge-0/0/5": { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "NO-SUCH-VLAN" } },
  "ge-0/0/6": {
    configtype: "ACCESS_TAGGED",
    data: { tagged_vlan_list: ["STAFF"], aggregate_id: 7, description: "NAS" }
  },
  "ge-0/0/7": {
    configtype: "ACCESS_AUTO",
    data: { description: "Reception", cli_append_str: "ether-options {\n    no-auto-negotiation;\n}" }
  },
  "ge-0/0/8": { configtype: "ACCESS_DOWNLINK", data: { description: "lhv-acc6" } },
  "xe-0/2/0": { configtype: "ACCESS_UPLINK", data: { neighbor: "lhv-dist3" } },
  "xe-0/2/1": { configtype: "ACCESS_UPLINK", data: { neighbor: "lhv-dist4" } }
}
const ports: ReadonlyArray<Interface> = [
  ...Array.from({ length: 12 }, (_, at) => `ge-0/0/${at}`),
  "xe-0/2/0",
  "xe-0/2/1"
].map((name) => ({ device_id: 9, name, ...(configured[name] ?? { configtype: "ACCESS_AUTO", data: null }) }))

const inputsOf = (device: Device): VariableInputs => ({
  device,
  settings: Result.getOrThrow(settings.layering.forDevice(device, downstreamDevices(campus, links).get(device.id)))
    .settings,
  interfaces: device === acc5 ? ports : [],
  links: links.flatMap((linknet) => {
    const end = endOf(linknet, device.id)
    const peer = campus.find(({ id }) => id === end?.peerId)
    return end === null || peer === undefined ? [] : [{ ...end, peer }]
  }),
  stackMembers: []
})

const rendered = (device: Device) => Result.getOrThrow(renderDevice(templates, inputsOf(device), shared))

describe.each([acc5, dist3])("the example configuration of $hostname", (device) => {
  const { text, warnings } = rendered(device)

  it("is the stored one, byte for byte", () => {
    expect(warnings).toEqual([])
    expect(text).toBe(stored(`${device.hostname}.cfg`))
  })

  it("is in balance, holds configuration alone, and leaves the ways to log in", () => {
    expect(notationOf(text)).toBe("braces")
    expect(readBraces(text).faults).toEqual([])
    expect(refusedLines(junos, text)).toEqual([])
    expect(missingForLogin(text)).toEqual([])
  })

  it("says what a device would show for it", () => {
    const shown = printBraces(readBraces(text).statements)
    expect(saysTheSame(junos.configuration, text, shown)).toBe(true)
    expect(missingLines(junos, text, shown)).toEqual([])
    expect(missingLines(junos, shown, text)).toEqual([])
  })

  it("shows no secret when it is masked", () => {
    expect(text).toContain("Zq7x-root-M4rk")
    const masked = maskSecrets(text)
    for (const secret of ["Zq7x", "M4rk", "lhv-read", "-example-hash"]) expect(masked).not.toContain(secret)
    expect(masked.split("\n")).toHaveLength(text.split("\n").length)
  })
})

describe("the templates of Junos", () => {
  it("keep a text from a port in its statement, whatever it holds", () => {
    const { text } = rendered(acc5)
    expect(text).toContain(`description "Printer 'room' 1.14; } system { services { telnet; } }";`)
    expect(
      readBraces(text)
        .statements.flatMap(({ below }) => below ?? [])
        .map(({ words }) => words)
    ).not.toContainEqual(["telnet"])
  })

  it.each([
    ["}\n}\nsystem {\n    services {\n", "}", "closes a section that is not open"],
    ["mtu 9000;\nunit 0 {", "unit 0", "is not closed by a }"],
    ["mtu 9000; /*", "/*", "begins a comment that does not end"],
    ['description "x;', '"', "begins a text in quotes that does not end"]
  ])("do not take a text of a port that leaves its section: %j", (text, word, rule) => {
    const leaving = ports.map((port) => (port.name === "ge-0/0/7" ? { ...port, data: { cli_append_str: text } } : port))
    const line = text.slice(0, text.indexOf(word)).split("\n").length
    const failed = Result.flip(renderDevice(templates, { ...inputsOf(acc5), interfaces: leaving }, shared))
    expect(Result.getOrThrow(failed).message).toMatch(
      new RegExp(`^interfaces->\\d+->data->cli_append_str: line ${line}: ${RegExp.escape(`"${word}" ${rule}`)}$`)
    )
    // EOS has no braces that a text could close
    const device = { ...acc5, platform: "eos" }
    expect(Result.isSuccess(renderDevice(templates, { ...inputsOf(acc5), device, interfaces: leaving }, shared))).toBe(
      true
    )
  })

  it("the host name is configuration", () => {
    const { text } = Result.getOrThrow(renderFixed(templates, "junos", "hostname.j2", { host: "lhv-acc5" }))
    expect(text).not.toBe("")
    expect(refusedLines(junos, text)).toEqual([])
  })

  it("the boot configuration, which is served as it is, is configuration", () => {
    const text = templates.platforms.get("junos")?.files.get("dhcp-init.j2") ?? ""
    expect(text).not.toBe("")
    expect(refusedLines(junos, text)).toEqual([])
  })
})
