/**
 * Names that templates print and nobody defines, found without a server: each device, or one for each platform and type, is rendered
 * with the settings of a working copy. What only a database knows (links, ports, management domains) has a stand-in, so that nothing
 * is said but of names that no variable, setting or secret could have.
 */
import { Result } from "effect"
import { type Device, type DeviceType, deviceTypes } from "../domain/Device.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import type { Remark } from "../domain/Repository.ts"
import { cellsPerMegabyte } from "../jinja/Meter.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { deviceTask } from "../templates/Rendering.ts"
import type { TemplateSnapshot } from "../templates/TemplateSnapshot.ts"
import { UndefinedLedger } from "../templates/UndefinedPrints.ts"
import type { SiteInputs } from "../templates/VariableInputs.ts"

/** A device of the answer of GET /devices. */
export type ListedDevice = Pick<
  Device,
  "id" | "hostname" | "device_type" | "state" | "model" | "platform" | "os_version"
>

const LIMITS = { deadline: 5_000, cells: 128 * cellsPerMegabyte }
/** So many devices of one platform and type show what the others would. */
const MOST_OF_A_KIND = 25

/** Addresses of documentation (RFC 5737). */
const ADDRESS = "192.0.2.10"
const DOMAIN: MgmtDomain = {
  id: 1,
  ipv4_gw: "192.0.2.1/24",
  ipv6_gw: null,
  device_a_id: 0,
  device_a_ip: null,
  device_b_id: 0,
  device_b_ip: null,
  site_id: null,
  vlan: 600,
  description: null,
  esi_mac: null
}

const standIn = (listed: ListedDevice): Device => ({
  site_id: null,
  description: null,
  management_ip: ADDRESS,
  secondary_management_ip: null,
  dhcp_ip: null,
  infra_ip: "192.0.2.11",
  oob_ip: null,
  serial: null,
  ztp_mac: null,
  vendor: null,
  synchronized: true,
  confhash: null,
  last_seen: null,
  port: null,
  ...listed
})

const isDeviceType = (text: string): text is DeviceType => deviceTypes.some((type) => type === text)

/** One device for each platform and type that the templates are for. */
const kindsOf = (templates: TemplateSnapshot): ReadonlyArray<ListedDevice> =>
  [...templates.platforms.values()].flatMap(({ mapping, name: platform }) =>
    Result.match(mapping, {
      onFailure: () => [],
      onSuccess: (types) =>
        [...types.keys()].filter(isDeviceType).map((device_type) => ({
          id: 1,
          hostname: `any-${platform}-${device_type.toLowerCase()}`.replaceAll("_", "-"),
          device_type,
          state: "MANAGED" as const,
          model: null,
          platform,
          os_version: null
        }))
    })
  )

/** Keys at the top of any file: a device that is asked for may lack what a group sets for others. */
const settingNames = ({ files }: SettingsSnapshot): ReadonlySet<unknown> =>
  new Set(
    [...files.values()].flatMap(({ content }) => (Result.isSuccess(content) ? [...content.success.values.keys()] : []))
  )

/** What templates print undefined for these devices; without devices, for one of each platform and type. */
export const undefinedNames = (
  settings: SettingsSnapshot,
  templates: TemplateSnapshot,
  devices: ReadonlyArray<ListedDevice> | undefined,
  site: Pick<SiteInputs, "secrets" | "override">
): ReadonlyArray<Remark> => {
  const inputs = { ...site, mgmtDomains: [DOMAIN], coreDevices: [], evpnPeers: new Map() }
  const ledger = new UndefinedLedger()
  const names = settingNames(settings)
  const managed = devices?.filter(({ device_type, state }) => state === "MANAGED" && device_type !== "UNKNOWN")
  const kinds = Map.groupBy(managed ?? kindsOf(templates), ({ device_type, platform }) => `${platform} ${device_type}`)
  for (const listed of [...kinds.values()].flatMap((alike) => alike.slice(0, MOST_OF_A_KIND))) {
    const device = standIn(listed)
    const layered = settings.layering.forDevice(device, [])
    if (Result.isFailure(layered)) continue
    const { settings: own } = layered.success
    const about = { device, settings: own, interfaces: [], links: [], stackMembers: [], mirrorSource: null }
    const task = deviceTask(templates, about, inputs)
    if (Result.isFailure(task)) continue
    const { file, platform, variables } = task.success
    const rendered = platform.environment.renderFile(file, variables, LIMITS)
    if (!rendered.ok) continue
    const prints = rendered.value.undefinedPrints.filter(({ message }) => {
      const [, name] = /^'(\w+)' is undefined$/.exec(message) ?? []
      return name !== undefined && !names.has(name) && !name.startsWith("TEMPLATE_SECRET_")
    })
    ledger.note(device.hostname, templates, platform.name, prints)
  }
  return ledger.remarks([templates])
}
