/**
 * The Lindhaven campus as its database holds it: the rows behind `stored`, and the example repositories
 * read from disk. Every test starts from these rows and changes what it is about.
 */
import { Redacted, Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { blankFields, type Device } from "../../src/domain/Device.ts"
import type { ConfigType, Interface, InterfaceData } from "../../src/domain/Interface.ts"
import { endOf, type Linknet } from "../../src/domain/Linknet.ts"
import type { MgmtDomain } from "../../src/domain/MgmtDomain.ts"
import { buildSnapshot, downstreamDevices, type SettingsSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import type { Settings } from "../../src/settings/SettingsModel.ts"
import { deviceVariables } from "../../src/templates/DeviceVariables.ts"
import type { SiteInputs, VariableInputs } from "../../src/templates/VariableInputs.ts"

const examples = fileURLToPath(new URL("../../examples", import.meta.url))

/** Text of every file below a directory of the examples, by path. */
export const readExample = (directory: "settings" | "templates"): ReadonlyMap<string, string> => {
  const root = join(examples, directory)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(root, path), readFileSync(path, "utf8")]
    })
  )
}

const blank: Omit<Device, "id" | "hostname" | "device_type"> = {
  ...blankFields,
  platform: "eos",
  vendor: "Arista",
  os_version: "4.31.2F",
  synchronized: true,
  state: "MANAGED"
}

const CORE_MODEL = "DCS-7050CX3-32S-F"
const DIST_MODEL = "DCS-7050SX3-48YC8-F"
const ACCESS_MODEL = "CCS-720XP-24ZY4-F"

const fabric = (id: number, hostname: string, device_type: "CORE" | "DIST", host: number): Device => ({
  ...blank,
  id,
  hostname,
  device_type,
  model: device_type === "CORE" ? CORE_MODEL : DIST_MODEL,
  management_ip: `10.199.3.${host}`,
  infra_ip: `10.198.0.${host}`
})

const access = (id: number, hostname: string, management_ip: string): Device => ({
  ...blank,
  id,
  hostname,
  device_type: "ACCESS",
  model: ACCESS_MODEL,
  management_ip
})

/** All devices by id. */
export const devices: ReadonlyArray<Device> = [
  fabric(1, "lhv-core1", "CORE", 1),
  fabric(2, "lhv-core2", "CORE", 2),
  fabric(3, "lhv-dist1", "DIST", 11),
  fabric(4, "lhv-dist2", "DIST", 12),
  access(5, "lhv-acc1", "10.196.16.6"),
  access(6, "lhv-acc2", "10.196.16.7"),
  access(7, "lhv-acc3", "10.196.16.8"),
  access(8, "lhv-acc4", "10.196.16.9")
]

type End = readonly [device: number, port: string]

const link = (id: number, [a, portA]: End, [b, portB]: End, third?: number): Linknet => ({
  id,
  ipv4_network: third === undefined ? null : `10.197.0.${third}/31`,
  device_a_id: a,
  device_a_ip: third === undefined ? null : `10.197.0.${third}`,
  device_a_port: portA,
  device_b_id: b,
  device_b_ip: third === undefined ? null : `10.197.0.${third + 1}`,
  device_b_port: portB,
  site_id: null,
  description: null
})

/** All links by id. */
export const linknets: ReadonlyArray<Linknet> = [
  link(1, [1, "Ethernet1/1"], [3, "Ethernet49/1"], 0),
  link(2, [1, "Ethernet2/1"], [4, "Ethernet49/1"], 2),
  link(3, [2, "Ethernet1/1"], [3, "Ethernet50/1"], 4),
  link(4, [2, "Ethernet2/1"], [4, "Ethernet50/1"], 6),
  ...[5, 6, 7, 8].flatMap((device, at) => [
    link(5 + 2 * at, [device, "Ethernet25"], [3, `Ethernet${at + 1}`]),
    link(6 + 2 * at, [device, "Ethernet26"], [4, `Ethernet${at + 1}`])
  ])
]

export const mgmtDomains: ReadonlyArray<MgmtDomain> = [
  {
    id: 1,
    ipv4_gw: "10.196.16.1/24",
    ipv6_gw: null,
    device_a_id: 3,
    device_a_ip: "10.196.16.2",
    device_b_id: 4,
    device_b_ip: "10.196.16.3",
    site_id: null,
    vlan: 3016,
    description: "Lindhaven switch management",
    esi_mac: null
  }
]

const configured: Readonly<Record<string, readonly [ConfigType, InterfaceData]>> = {
  Ethernet2: ["ACCESS_UNTAGGED", { untagged_vlan: "PRINTER", description: "Printer room 1.14" }],
  Ethernet3: [
    "ACCESS_TAGGED",
    { tagged_vlan_list: ["STAFF", "VOICE"], description: "Access point 1.02", tags: ["qos-trust"] }
  ],
  Ethernet4: ["ACCESS_AUTO", { enabled: false }],
  Ethernet5: ["ACCESS_UNTAGGED", { untagged_vlan: "IOT", tags: ["poe-off"] }],
  Ethernet6: ["ACCESS_UNTAGGED", { untagged_vlan: "NO-SUCH-VLAN" }],
  Ethernet7: ["ACCESS_TAGGED", { tagged_vlan_list: ["STAFF"], aggregate_id: 7, description: "NAS" }],
  Ethernet8: ["ACCESS_AUTO", { description: "Reception" }],
  Ethernet25: ["ACCESS_UPLINK", { neighbor: "lhv-dist1" }],
  Ethernet26: ["ACCESS_UPLINK", { neighbor: "lhv-dist2" }]
}

/** The interface database of lhv-acc1, in the order of the database (by name as text). */
export const accessPorts: ReadonlyArray<Interface> = Array.from({ length: 28 }, (_, at) => `Ethernet${at + 1}`)
  .toSorted()
  .map((name) => {
    const [configtype, data] = configured[name] ?? ["ACCESS_AUTO", null]
    return { device_id: 5, name, configtype, data }
  })

/** A device by hostname. */
export const deviceOf = (hostname: string): Device => {
  const device = devices.find((one) => one.hostname === hostname)
  if (device === undefined) throw new Error(`no device ${hostname}`)
  return device
}

/** The snapshot of the example settings. */
export const settingsSnapshot: SettingsSnapshot = Result.getOrThrow(
  buildSnapshot({ files: readExample("settings"), root: "settings" })
)

/** The settings of a device of the campus. */
export const settingsOf = (device: Device): Settings =>
  Result.getOrThrow(settingsSnapshot.layering.forDevice(device, downstreamDevices(devices, linknets).get(device.id)))
    .settings

/** The sources of a device's variables, as the loader would read them. */
export const inputsOf = (hostname: string, changes: Partial<VariableInputs> = {}): VariableInputs => {
  const device = deviceOf(hostname)
  const links = linknets.flatMap((linknet) => {
    const end = endOf(linknet, device.id)
    const peer = devices.find(({ id }) => id === end?.peerId)
    return end === null || peer === undefined ? [] : [{ ...end, peer }]
  })
  const interfaces = hostname === "lhv-acc1" ? accessPorts : []
  return { device, settings: settingsOf(device), interfaces, links, stackMembers: [], ...changes }
}

const secrets = {
  TEMPLATE_SECRET_SWITCHYARD_HASH: "$6$saltsalt$switchyard-example-hash",
  TEMPLATE_SECRET_SNMP_COMMUNITY: "lhv-read",
  TEMPLATE_SECRET_RADIUS: "0832494D1B1C11",
  TEMPLATE_SECRET_RADIUS_10_20_1_11: "104D000A0618"
}

/** The common parts of all devices of the campus. */
export const site: SiteInputs = {
  mgmtDomains,
  coreDevices: devices.filter((device) => device.device_type === "CORE"),
  evpnPeers: new Map([deviceOf("lhv-core1"), deviceOf("lhv-core2")].map((device) => [device.hostname, device])),
  secrets: new Map(Object.entries(secrets).map(([name, value]) => [name, Redacted.make(value)])),
  override: null
}

/** A value as JSON shows it: mappings become objects. */
export const asJson = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asJson)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), asJson(item)]))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item)]))
}

/** The variables of a device as JSON values by name; throws when they cannot be made. */
export const variablesOf = (
  inputs: VariableInputs,
  shared: Partial<SiteInputs> = {}
): Readonly<Record<string, unknown>> => {
  const { variables } = Result.getOrThrow(deviceVariables(inputs, { ...site, ...shared }))
  return Object.fromEntries([...variables].map(([name, value]) => [name, asJson(value)]))
}

/** The sentence that says why the variables of a device cannot be made. */
export const faultOf = (inputs: VariableInputs, shared: Partial<SiteInputs> = {}): string =>
  Result.match(deviceVariables(inputs, { ...site, ...shared }), {
    onFailure: (error) => error.message,
    onSuccess: () => "no fault"
  })
