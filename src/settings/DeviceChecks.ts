/**
 * Forbidden settings of devices (docs/settings-repository.md#checks-of-a-commit): VLANs and VNIs that collide over all devices,
 * interfaces that the platform cannot have, undefined route maps, and invalid pools. The check of a set of vxlans does not
 * depend on the device, so each distinct set is checked once, however many devices share it.
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { type Network, parseNetwork } from "../domain/Network.ts"
import type { Finding, KeyPath, SettingsProblem } from "./SettingsProblem.ts"
import type { Settings, Vxlan } from "./SettingsModel.ts"
import { vniRangeEnds } from "./BaseModels.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import type { EffectiveSettings } from "./Layering.ts"

const conflict = (message: string): SettingsProblem => ({ kind: "vlan", message })

/** A conflict of one value, which is in one of these files. */
const conflictAt = (message: string, files: ReadonlyArray<string>, path: Finding["path"]): SettingsProblem => ({
  kind: "vlan",
  message,
  findings: [{ files, path, message }]
})

/** A VLAN that two management domains use (row 5). */
export const managementVlanProblems = (domains: Iterable<Pick<MgmtDomain, "vlan">>): ReadonlyArray<SettingsProblem> => {
  const seen = new Set<number>()
  const reported = new Set<number>()
  for (const { vlan } of domains) {
    if (vlan === null) continue
    if (seen.has(vlan)) reported.add(vlan)
    seen.add(vlan)
  }
  return [...reported].map((vlan) => conflict(`Management VLAN ${vlan} used in multiple management domains`))
}

type Vxlans = Settings["vxlans"]

/** The same conflict for every device that shares the settings; only the hostname differs. */
interface Conflict {
  readonly text: string | ((hostname: string) => string)
  readonly path: Finding["path"]
}

const ON_DEVICE = "used multiple times in device"

/** Collects the ids that VXLANs use; devices are added one after the other. */
export class VlanLedger {
  readonly #uniqueVlans: boolean
  readonly #managementVlans: ReadonlySet<number>
  readonly #vnis = new Map<number, string>()
  readonly #vlans = new Map<number, string>()
  readonly #findings = new WeakMap<Vxlans, Map<string, ReadonlyArray<Conflict>>>()

  constructor(uniqueVlans: boolean, domains: Iterable<Pick<MgmtDomain, "vlan">>) {
    this.#uniqueVlans = uniqueVlans
    this.#managementVlans = new Set([...domains].flatMap(({ vlan }) => (vlan === null ? [] : [vlan])))
  }

  /** All problems of the VXLANs of one more device, alone and together with those of the devices before it. */
  add(
    device: Pick<Device, "hostname" | "device_type">,
    settings: Settings,
    files: ReadonlyArray<string> = []
  ): ReadonlyArray<SettingsProblem> {
    const { internal_vlans: internal, vxlan_vni_range: range, vxlans } = settings
    const circumstances = [device.device_type === "ACCESS", internal?.vlan_id_low, internal?.vlan_id_high, range].join()
    const known = this.#findings.get(vxlans) ?? new Map<string, ReadonlyArray<Conflict>>()
    this.#findings.set(vxlans, known)
    const findings = known.get(circumstances) ?? this.#examine(device.device_type, settings)
    known.set(circumstances, findings)
    return findings.map(({ path, text }) =>
      conflictAt(typeof text === "string" ? text : text(device.hostname), files, path)
    )
  }

  #examine(type: Device["device_type"], settings: Settings): ReadonlyArray<Conflict> {
    const ids = new Set<number>()
    const names = new Set<string>()
    const vlans = [...settings.vxlans].flatMap(([name, { vlan_id, vlan_name, vni }]) => {
      const at = (key: string) => (text: Conflict["text"]) => ({ text, path: ["vxlans", name, key] })
      const findings = [
        ...this.#vniFindings(name, vni, settings.vxlan_vni_range).map(at("vni")),
        ...[
          ...this.#vlanFindings(name, vlan_id),
          ...(ids.has(vlan_id) ? [(host: string) => `VLAN id ${vlan_id} ${ON_DEVICE} ${host}`] : []),
          ...internalFindings(vlan_id, settings.internal_vlans)
        ].map(at("vlan_id")),
        ...(type === "ACCESS" && names.has(vlan_name)
          ? [(host: string) => `VLAN name ${vlan_name} ${ON_DEVICE} ${host}`]
          : []
        ).map(at("vlan_name"))
      ]
      ids.add(vlan_id)
      names.add(vlan_name)
      return findings
    })
    return [...vlans, ...gatewayConflicts(settings.vxlans)]
  }

  #vniFindings(name: string, vni: number, range: string | null): ReadonlyArray<string> {
    const findings: Array<string> = []
    if (range !== null) {
      const [low, high] = vniRangeEnds(range)
      if (vni < low || vni > high) findings.push(`VXLAN VNI ${vni} is outside of the allowed range ${range}`)
    }
    const other = this.#vnis.get(vni)
    if (other !== undefined && other !== name)
      findings.push(`VXLAN VNI ${vni} used in VXLAN ${name} is already used elsewhere`)
    if (other === undefined) this.#vnis.set(vni, name)
    return findings
  }

  #vlanFindings(name: string, id: number): ReadonlyArray<string> {
    if (!this.#uniqueVlans) return []
    const other = this.#vlans.get(id)
    if (other === undefined) this.#vlans.set(id, name)
    const taken = this.#managementVlans.has(id) || (other !== undefined && other !== name)
    return taken ? [`VLAN id ${id} used in VXLAN ${name} is already used elsewhere`] : []
  }
}

/** The network of a gateway, with its VXLAN and key. */
interface Gateway {
  readonly vxlan: string
  readonly path: Finding["path"]
  readonly text: string
  readonly network: Network
}

const gatewaysOf = (name: string, { ipv4_gw, ipv4_secondaries, ipv6_gw }: Vxlan): ReadonlyArray<Gateway> => {
  const at = (text: string | null, ...keys: Finding["path"]): ReadonlyArray<Gateway> =>
    Result.match(parseNetwork(text ?? ""), {
      // the rules of the field refuse an invalid network
      onFailure: () => [],
      onSuccess: (network) => [{ vxlan: name, path: ["vxlans", name, ...keys], text: text ?? "", network }]
    })
  return [
    ...at(ipv4_gw, "ipv4_gw"),
    ...(ipv4_secondaries ?? []).flatMap((text, position) => at(text, "ipv4_secondaries", position)),
    ...at(ipv6_gw, "ipv6_gw")
  ]
}

const byBeginning = ({ network: a }: Gateway, { network: b }: Gateway): number =>
  a.version - b.version || (a.first < b.first ? -1 : a.first > b.first ? 1 : a.prefixLength - b.prefixLength)

/** Gateways of two VXLANs whose networks overlap within one VRF: a switch accepts only one of them. */
const gatewayConflicts = (vxlans: Vxlans): ReadonlyArray<Conflict> => {
  const byVrf = new Map<string, Array<Gateway>>()
  for (const [name, vxlan] of vxlans) {
    const { vrf } = vxlan
    if (vrf !== null) byVrf.set(vrf, [...(byVrf.get(vrf) ?? []), ...gatewaysOf(name, vxlan)])
  }
  return [...byVrf].flatMap(([vrf, gateways]) => {
    let widest: Gateway | undefined
    return gateways.toSorted(byBeginning).flatMap((gateway) => {
      const { network, path, text, vxlan } = gateway
      const before = widest
      const overlaps = before?.network.version === network.version && network.first <= before.network.last
      if (!overlaps || network.last > before.network.last) widest = gateway
      return overlaps && before.vxlan !== vxlan
        ? [
            {
              path,
              text: `Gateway ${text} of VXLAN ${vxlan} overlaps ${before.text} of VXLAN ${before.vxlan} in VRF ${vrf}`
            }
          ]
        : []
    })
  })
}

const internalFindings = (id: number, internal: Settings["internal_vlans"]): ReadonlyArray<string> =>
  internal !== null && id >= internal.vlan_id_low && id <= internal.vlan_id_high
    ? [`VLAN id ${id} is overlapping with internal VLAN range`]
    : []

// Names of interfaces that no switch of a platform has, so that their settings configure nothing.

/** Interfaces of a device's settings that its platform cannot have. */
export const interfaceFindings = (
  { platform }: Partial<Pick<Device, "platform">>,
  { settings, sources }: EffectiveSettings
): ReadonlyArray<Finding> => {
  const known = platformOf(platform)?.interfaces.possible ?? null
  if (known === null) return []
  return (settings.interfaces ?? []).flatMap(({ name }, position) =>
    known.test(name)
      ? []
      : [
          {
            files: sources.get("interfaces") ?? [],
            path: ["interfaces", position, "name"],
            message: `no switch of platform ${platform} has an interface ${name}`
          }
        ]
  )
}

// Route maps that BGP neighbours name and no settings define. Templates may define them, so each is a remark; with
// STRICT_SETTINGS it refuses the commit (docs/settings-repository.md#checks-of-a-commit).

interface Use {
  readonly name: string
  readonly path: KeyPath
}

const usesIn = ({ settings }: EffectiveSettings): ReadonlyArray<Use> =>
  (settings.extroute_bgp?.vrfs ?? []).flatMap((vrf, position) =>
    (["neighbor_v4", "neighbor_v6"] as const).flatMap((family) =>
      vrf[family].flatMap((neighbour, index) =>
        (["route_map_in", "route_map_out"] as const).map((key) => ({
          name: neighbour[key],
          path: ["extroute_bgp", "vrfs", position, family, index, key]
        }))
      )
    )
  )

/** The undefined route maps of a device, each once, at its first mention. */
export const routeMapFindings = (hostname: string, effective: EffectiveSettings): ReadonlyArray<Finding> => {
  const { settings, sources } = effective
  const external = new Set(settings.external_routing_policies)
  const undefinedUses = new Map<string, Use>()
  for (const use of usesIn(effective)) {
    const { name } = use
    if (settings.routing_policies.has(name) || external.has(name) || undefinedUses.has(name)) continue
    undefinedUses.set(name, use)
  }
  return [...undefinedUses.values()].map(({ name, path }) => ({
    files: sources.get("extroute_bgp") ?? [],
    path,
    message: `${hostname}: BGP neighbor route map ${name} is not defined`
  }))
}

// The address pools of the fabric, before a device needs an address from them: a network with host bits set passes the schema
// but has no usable addresses (docs/templates.md#variables-of-dist-and-core).

const POOLS = ["infra_lo_net", "infra_link_net", "mgmt_lo_net"] as const

const hasHostBits = (network: string): boolean => {
  const [address = "", length = "32"] = network.split("/")
  const number = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)
  return number % 2 ** (32 - Number(length)) !== 0
}

/** A remark for each unusable network among the pools of the underlay. */
export const underlayFindings = ({
  settings: { underlay },
  sources
}: Pick<EffectiveSettings, "settings" | "sources">): ReadonlyArray<Finding> => {
  if (underlay === null) return []
  return POOLS.flatMap((pool) => {
    const network = underlay[pool]
    const say = (message: string) => [{ files: sources.get("underlay") ?? [], path: ["underlay", pool], message }]
    if (Number(network.split("/")[1]) > 32) return say(`${network} is not a network`)
    return hasHostBits(network) ? say(`${network} has host bits set`) : []
  })
}
