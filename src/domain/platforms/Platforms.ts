/** All platforms that a device may have, and what can be asked of them by name. A platform more is one line here. */
import { eos } from "./Eos.ts"
import { frr } from "./Frr.ts"
import { ios } from "./Ios.ts"
import { iosXr } from "./IosXr.ts"
import { junos } from "./Junos.ts"
import { nxos } from "./Nxos.ts"
import type { Capabilities, Platform } from "./Platform.ts"

const all = [eos, junos, ios, iosXr, nxos("nxos"), nxos("nxos_ssh"), frr] as const

/** The records, in the order in which clients are shown the names. */
export const platforms: ReadonlyArray<Platform> = all

/** The names that may be given when a device is created. */
export const platformNames = all.map(({ name }) => name)

const byName: ReadonlyMap<string, Platform> = new Map(platforms.map((platform) => [platform.name, platform]))

/** The part of a device's record that says what it is. */
export interface OfPlatform {
  readonly platform: string | null
}

/** The record of this name; undefined for a name that stands for none, which a device may have been given by a change of it. */
export const platformOf = (name: string | null | undefined): Platform | undefined => byName.get(name ?? "")

/** What may be asked of a device; null for one of a platform without a driver. */
export const capabilitiesOf = ({ platform }: OfPlatform): Capabilities | null =>
  platformOf(platform)?.capabilities ?? null

/** Whether a driver can log in to the device. Without one it is kept as inventory. */
export const isManageable = (device: OfPlatform): boolean => capabilitiesOf(device) !== null

/** Whether the driver of the device's platform can do this. */
export const can = (device: OfPlatform, capability: keyof Capabilities): boolean =>
  (capabilitiesOf(device)?.[capability] ?? false) !== false
