/** All platforms that a device may have, and questions about them by name. A new platform is one more line here. */
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"
import { type RiskRule, usualRisk } from "../ChangeRisk.ts"
import { eos } from "./eos/Platform.ts"
import { frr } from "./frr/Platform.ts"
import { ios, iosXr, nxos } from "./InventoryPlatforms.ts"
import { junos } from "./junos/Platform.ts"
import { type Capabilities, commonShortNames, type DeviceRemark, type Platform } from "./Platform.ts"
import { Effect, Schema } from "effect"
import type { ReadingKind } from "../checks/Readings.ts"

const records: Array<Platform> = [eos, junos, ios, iosXr, nxos("nxos"), nxos("nxos_ssh"), frr]

/** The records, in the order in which clients see the names. */
export const platforms: ReadonlyArray<Platform> = records

const names = records.map(({ name }) => name)

/** The names that a new device may have. */
export const platformNames: ReadonlyArray<string> = names

const byName = new Map(platforms.map((platform) => [platform.name, platform]))

const add = (platform: Platform): void => {
  const place = names.indexOf(platform.name)
  if (place === -1) {
    records.push(platform)
    names.push(platform.name)
  } else records[place] = platform
  byName.set(platform.name, platform)
}

/** The name under which the threads of this process find the records that were added. */
const ADDED = "switchyard/platforms"
const isAdded = (value: unknown): value is Array<Platform> => Array.isArray(value)
const given = getEnvironmentData(ADDED)
const added = isAdded(given) ? given : []
for (const platform of added) add(platform)

/**
 * Adds the record of a driver from outside, or puts it in place of the one with its name, for this process and its threads. Other modules
 * read the list when they are loaded, so this is called before the server is.
 */
export const addPlatform = (platform: Platform): void => {
  add(platform)
  added.push(platform)
  setEnvironmentData(ADDED, added)
}

/** The fields of a device's record that identify its kind. */
interface OfPlatform {
  readonly platform: string | null
}

/** The record of this name; undefined for an unknown name, which an update may have given to a device. */
export const platformOf = (name: string | null | undefined): Platform | undefined => byName.get(name ?? "")

/** Whether configurations of this platform are written in braces. */
export const isInBraces = (name: string | null | undefined): boolean =>
  platformOf(name)?.configuration.sections === "braces"

/** The abilities of the driver for a device; null for a platform without a driver. */
export const capabilitiesOf = ({ platform }: OfPlatform): Capabilities | null =>
  platformOf(platform)?.capabilities ?? null

/** Whether a driver can log in to the device. Without one it is inventory only. */
export const isManageable = (device: OfPlatform): boolean => capabilitiesOf(device) !== null

/** Whether the driver of the device's platform has this ability. */
export const can = (device: OfPlatform, capability: keyof Capabilities): boolean =>
  (capabilitiesOf(device)?.[capability] ?? false) !== false

/** The kinds of state that the driver of the device's platform reads; none without a driver. */
export const readsOf = (device: OfPlatform): ReadonlyArray<ReadingKind> => capabilitiesOf(device)?.reads ?? []

const BRACE_LINE = /[;{}](?: ## .*)?$/
const braceRisk = platforms.find(({ configuration }) => configuration.sections === "braces")?.risk ?? usualRisk

/** The risk rules for a changed line whose platform is not known: one in braces is in the words of platforms that have braces. */
export const riskRulesOf = (line: string): ReadonlyArray<RiskRule> => (BRACE_LINE.test(line) ? braceRisk : usualRisk)

// Names of interfaces: natural order, and short to long names (docs/switch-dialogues.md#facts and
// docs/switch-dialogues.md#interfaces). Pure.

const shortName = /^([A-Za-z]+)(\d[\d/.:]*)$/

/**
 * The long name of an interface on a platform, such as `Ethernet51` for `Et51`. Long, Junos and unknown names stay unchanged;
 * on an unknown platform the common names apply.
 */
export const longName = (platform: string, name: string): string => {
  const match = shortName.exec(name)
  if (match === null) return name
  const [, prefix, numbers] = match
  const names = platformOf(platform)?.interfaces.short ?? commonShortNames
  const found = names.find(([short]) => short === prefix)
  return found === undefined ? name : `${found[1]}${numbers}`
}

const pieces = (name: string): ReadonlyArray<string> => name.match(/\d+|\D+/g) ?? []

const comparePieces = (a: string, b: string): number => {
  const difference = Number(a) - Number(b)
  if (!Number.isNaN(difference)) return difference
  return a < b ? -1 : a > b ? 1 : 0
}

/** Natural order: numbers inside names compare as numbers, so Ethernet2 comes before Ethernet10. For `sort`. */
export const compareNames = (a: string, b: string): number => {
  const left = pieces(a)
  const right = pieces(b)
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = comparePieces(left[index] ?? "", right[index] ?? "")
    if (order !== 0) return order
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Whether the name is a subinterface's, such as `Ethernet1.100`. */
export const isSubinterface = (name: string): boolean => name.includes(".")

// Lines that devices of a site print for information although they look like refusals (`DEVICE_REMARKS`), in addition to those
// in the platforms' records (docs/switch-dialogues.md#remarks-and-refusals).

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text).source !== ""
  } catch {
    return false
  }
}

const Pattern = Schema.NonEmptyString.pipe(
  Schema.check(Schema.makeFilter((text: string) => isPattern(text) || "Expected a regular expression"))
)

const SiteRemark = Schema.Struct({
  /** Left out: all platforms. */
  platform: Schema.optionalKey(Schema.String),
  /** The beginnings of the releases that print it, such as `4.32`; left out: all. */
  release: Schema.optionalKey(Schema.String),
  /** The line, as a regular expression. */
  line: Pattern,
  meaning: Schema.String
})

/** A JSON list of remarks. */
export const SiteRemarks = Schema.fromJsonString(Schema.Array(SiteRemark))
export type SiteRemarks = typeof SiteRemarks.Type

/** The kind of a device. */
interface OfRelease {
  readonly platform: string | null
  readonly os_version: string | null
}

/** The remarks that this device may print. A device of an unknown release may print any. */
export const remarksOf = (site: SiteRemarks, { os_version, platform }: OfRelease): ReadonlyArray<DeviceRemark> => {
  const release = os_version ?? ""
  const built = platformOf(platform)?.remarks ?? []
  const own = built.filter(({ releases }) => releases !== undefined && (release === "" || releases.test(release)))
  const given = site.filter(
    (remark) =>
      (remark.platform === undefined || remark.platform === platform) &&
      (remark.release === undefined || release === "" || release.startsWith(remark.release))
  )
  return [...own, ...given.map(({ line, meaning }) => ({ line: new RegExp(line), meaning }))]
}

// Why a device of a platform without a driver cannot be used.

const managed = () => platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => name)

/** No driver exists for the device's platform. Nothing was sent to the device; only another platform in its record helps. */
export class UnmanageableDevice extends Schema.TaggedError<UnmanageableDevice>()("UnmanageableDevice", {
  hostname: Schema.String,
  platform: Schema.NullOr(Schema.String)
}) {
  get httpStatus() {
    return 409 as const
  }
  override get message() {
    const known = managed().join(", ")
    return `Device ${this.hostname} cannot be managed: there is no driver for platform ${this.platform ?? "None"} (only for ${known})`
  }
}

/** The text of a failed task for this error, ending in `Type: message` and a newline. */
export const unmanageableText = (error: UnmanageableDevice): string => `${error._tag}: ${error.message}\n`

/** Fails with UnmanageableDevice for a device that no driver can log in to. */
export const requireManageable = ({
  hostname,
  platform
}: OfPlatform & { readonly hostname: string }): Effect.Effect<void, UnmanageableDevice> =>
  isManageable({ platform }) ? Effect.void : Effect.fail(new UnmanageableDevice({ hostname, platform }))

/** Names of entries in the results of jobs, for devices of all platforms: clients know them with the first vendor's name. */
export const resultNames = {
  copyCertificate: "arista_copy_cert",
  preFlight: "arista_pre_flight_check",
  download: "arista_firmware_download",
  activate: "arista_firmware_activate",
  reboot: "arista_device_reboot",
  postFlight: "arista_post_flight_check"
} as const
