/**
 * The ports that the settings of a fabric device speak about, and the rules of what may be plugged into what
 * (docs/provisioning.md#port-rules). "Configured" means: there is an entry for that interface name, ranges expanded.
 */
import { Result } from "effect"
import { type DeviceType, isFabricType } from "../domain/Device.ts"
import type { Interface } from "../domain/Interface.ts"
import { InterfaceError } from "./ProvisioningErrors.ts"

/** One entry of `interfaces` in the settings; `name` may hold ranges such as `Ethernet[49-52]/1`. */
export interface PortSetting {
  readonly name: string
  readonly ifclass: string
  readonly redundant_link?: boolean | null
}

export type ConfiguredPorts = ReadonlyMap<string, PortSetting>

/** One end of a cable: who it belongs to, of what type that device is (or will be), and what is known of its ports. */
export interface PortOwner {
  readonly hostname: string
  readonly device_type: DeviceType
  readonly ports: ConfiguredPorts
}

export interface PeerPortOwner extends PortOwner {
  /** Rows of the interface database; looked at for access switches. */
  readonly interfaces: ReadonlyArray<Interface>
}

/** No range of the settings may unfold into more names than this. */
const MAX_PORTS = 4_096

const RANGE = /\[(\d+)(?:-(\d+))?\]/

/**
 * The names behind a range, in order: `Ethernet[1-2]/[1-2]` → 1/1, 1/2, 2/1, 2/2. A name without brackets stands for itself;
 * a range that runs backwards yields nothing; brackets around anything but digits stay in the name.
 */
export const expandInterfaceRange = (name: string): ReadonlyArray<string> => {
  const match = RANGE.exec(name)
  if (match === null) return [name]
  const [brackets, low, high] = match
  const before = name.slice(0, match.index)
  const rest = expandInterfaceRange(name.slice(match.index + brackets.length))
  const start = Number(low)
  const bound = rest.length === 0 ? 0 : Math.ceil(MAX_PORTS / rest.length)
  const length = Math.max(0, Math.min(Number(high ?? low) - start + 1, bound))
  return Array.from({ length }, (_, index) => `${before}${start + index}`)
    .flatMap((prefix) => rest.map((suffix) => `${prefix}${suffix}`))
    .slice(0, MAX_PORTS)
}

/** The settings of every port by its name. The last entry for a name wins. */
export const configuredPorts = (settings: ReadonlyArray<PortSetting>): ConfiguredPorts =>
  new Map(settings.flatMap((setting) => expandInterfaceRange(setting.name).map((name) => [name, setting] as const)))

const refuse = (message: string) => Result.fail(new InterfaceError({ message }))

const accessBelowAccess = (remote: PeerPortOwner, port: string): Result.Result<boolean, InterfaceError> => {
  const row = remote.interfaces.find(({ name }) => name === port)
  if (row === undefined) return refuse(`Peer device interface not found in database: ${remote.hostname} ${port}`)
  if (row.configtype !== "ACCESS_DOWNLINK" && row.configtype !== "MLAG_PEER") {
    return refuse(`Peer device interface not configured as ACCESS_DOWNLINK: ${remote.hostname} ${port}`)
  }
  return Result.succeed(row.data?.["redundant_link"] !== false)
}

/**
 * Whether a cable between these two ports may be a link, and whether it must be one of a redundant pair. The local device
 * counts as the type that it is about to become. Fails with InterfaceError.
 */
export const redundantLink = (
  local: PortOwner,
  localPort: string,
  remote: PeerPortOwner,
  remotePort: string
): Result.Result<boolean, InterfaceError> => {
  const here = local.ports.get(localPort)
  const there = remote.ports.get(remotePort)
  const fabricHere = isFabricType(local.device_type)
  const fabricThere = isFabricType(remote.device_type)
  if (fabricThere && there === undefined) {
    return refuse(`Peer device interface is not configured: ${remote.hostname} ${remotePort}`)
  }
  if (fabricHere && here === undefined) {
    return refuse(`Local device interface is not configured: ${local.hostname} ${localPort}`)
  }
  if (fabricHere && fabricThere) {
    const wrong = here?.ifclass !== "fabric" ? "Local" : there?.ifclass !== "fabric" ? "Peer" : null
    if (wrong === null) return Result.succeed(true)
    const end = wrong === "Local" ? `${local.hostname} ${localPort}` : `${remote.hostname} ${remotePort}`
    const ifclass = (wrong === "Local" ? here : there)?.ifclass
    return refuse(`${wrong} device interface is not configured as fabric: ${end} ifclass: ${ifclass}`)
  }
  if (local.device_type !== "ACCESS") return Result.succeed(true)
  if (remote.device_type === "ACCESS") return accessBelowAccess(remote, remotePort)
  if (remote.device_type !== "DIST") return Result.succeed(true)
  if (there?.ifclass !== "downlink") {
    const end = `${remote.hostname} ${remotePort}`
    return refuse(`Peer device interface is not configured as downlink: ${end} ifclass: ${there?.ifclass}`)
  }
  return Result.succeed(there.redundant_link !== false)
}
