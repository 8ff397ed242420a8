/**
 * A list of switches to onboard, whatever it was read from: rows with the place of each value, and every mistake by file, line and field
 * (docs/onboarding.md#sources). All rows are checked together. Pure.
 */
import { nearestName } from "../domain/fields/KnownNames.ts"
import { NewDevice, withoutImpossible } from "../domain/DeviceFields.ts"
import { deviceTypes } from "../domain/Device.ts"
import { comparableHostname } from "../domain/Network.ts"
import { platformNames } from "../domain/platforms/Platforms.ts"
import { harmless, textFault } from "../domain/Text.ts"

/** The sources, in the order of the manual. */
export const inventorySources = ["csv", "netbox", "containerlab", "ansible", "configs"] as const
export type InventorySource = (typeof inventorySources)[number]

/** The fields that a row can have, as in a device's record. */
export const inventoryFields = [
  "hostname",
  "management_ip",
  "device_type",
  "platform",
  "port",
  "serial",
  "ztp_mac",
  "model",
  "os_version",
  "description"
] as const
export type InventoryField = (typeof inventoryFields)[number]

/** A mistake. `line` is null where the source has no lines; `field` is empty for a whole row. */
export interface InventoryError {
  readonly file: string
  readonly line: number | null
  readonly field: string
  readonly message: string
}

/** `access.csv, line 3, management_ip: …`. */
export const inventoryErrorText = ({ field, file, line, message }: InventoryError): string =>
  `${[file, ...(line === null ? [] : [`line ${line}`]), ...(field === "" ? [] : [field])].join(", ")}: ${message}`

/** A row as its source has it: words that are not checked yet. */
export interface SourceRow {
  readonly file: string
  readonly line: number | null
  readonly fields: Readonly<Partial<Record<InventoryField, string>>>
  /** The lines of single fields, where they are not the row's own. */
  readonly lines?: Readonly<Partial<Record<InventoryField, number>>>
  /** The running configuration, if the source has it, and when it was read (ISO 8601, UTC); null if that is unknown. */
  readonly config?: { readonly text: string; readonly at: string | null }
}

/** What a source was read as. */
export interface ReadInventory {
  readonly rows: ReadonlyArray<SourceRow>
  readonly errors: ReadonlyArray<InventoryError>
}

/** The mistake of a text with characters that no text may have; none for any other. */
export const unfitText = (file: string, text: string): ReadonlyArray<InventoryError> => {
  const fault = textFault(text, "lines")
  return fault === undefined ? [] : [{ file, line: fault.line, field: "", message: `the file ${fault.message}` }]
}

/** Values for rows that do not have them. */
export interface InventoryDefaults {
  readonly platform?: string | undefined
  readonly device_type?: string | undefined
}

type Checked = ReturnType<typeof NewDevice.check>

/** A row whose own values are right. `device` is the body of a new device in state UNMANAGED. */
export interface CheckedRow {
  readonly source: SourceRow
  readonly hostname: string
  readonly device: Checked
}

/** More switches than are added at once. */
export const MOST_ROWS = 5_000

// The words of other programs for platforms and types of devices.

const PLATFORMS: ReadonlyArray<readonly [words: RegExp, platform: string]> = [
  [/^(?:arista[._-]?)?(?:eos|ceos|veos)(?:[._-]eos)?$|^arista_(?:ceos|veos)$|^vr-(?:arista_)?veos$|^aristaeos$/, "eos"],
  [/^(?:frr[._-]?)*(?:frr|frrouting)$|^linux-frr$/, "frr"],
  [/^(?:junipernetworks[._-]|juniper[._-])?(?:junos)(?:[._-]junos)?$|^juniper_\w+$/, "junos"],
  [/^(?:cisco[._-])?(?:ios)(?:[._-]?xr)(?:[._-]iosxr)?$|^cisco_xrd$/, "iosxr"],
  [/^(?:cisco[._-])?(?:ios|iosxe|ios-xe|xe)(?:[._-]ios)?$/, "ios"],
  [/^(?:cisco[._-])?(?:nxos|nx-os|nexus)(?:[._-]nxos)?$|^cisco_n9kv$/, "nxos"]
]

/** The name of a platform here for a word of another program; the word itself if it is not known. */
export const platformNamed = (word: string): string => {
  const plain = word.trim().toLowerCase()
  const [, found] = PLATFORMS.find(([words]) => words.test(plain)) ?? []
  return found !== undefined && platformNames.includes(found) ? found : plain
}

const TYPES: ReadonlyArray<readonly [words: RegExp, type: (typeof deviceTypes)[number]]> = [
  [/^(?:access|acc|edge|toa|closet)(?:[-_ ]?(?:switch|switches|layer))?$/, "ACCESS"],
  [
    /^(?:dist|distribution|aggregation|agg|leaf|leafs|leaves|l3leaf|border[-_ ]leaf)(?:[-_ ]?(?:switch|switches|layer))?$/,
    "DIST"
  ],
  [/^(?:core|spine|spines|backbone)(?:[-_ ]?(?:switch|switches|router|layer))?$/, "CORE"]
]

/** The type of a device for a word of another program, such as `leaf`; undefined if it says nothing about that. */
export const typeNamed = (word: string): string | undefined => {
  const plain = word.trim().toLowerCase()
  const known = deviceTypes.find((type) => type === plain.toUpperCase())
  return known ?? TYPES.find(([words]) => words.test(plain))?.[1]
}

// Checks: each row by the rules of a device's record, then the rows against each other.

const TYPE_MISSING = `is not known: give it as device_type (${deviceTypes.filter((type) => type !== "UNKNOWN").join(", ")}), or for all rows`

const bodyOf = ({ config, fields }: SourceRow, defaults: InventoryDefaults) => {
  const { device_type = defaults.device_type, platform = defaults.platform, ...others } = fields
  return {
    ...others,
    // a record that is only read about has its serial number from the source until the switch itself shows it
    ...(platform === undefined ? {} : { platform: platformNamed(platform) }),
    ...(device_type === undefined ? {} : { device_type: typeNamed(device_type) ?? device_type }),
    state: "UNMANAGED",
    synchronized: false,
    hasConfig: config !== undefined
  }
}

const checkRow = (row: SourceRow, defaults: InventoryDefaults) => {
  const at = (field: InventoryField | "", message: string): InventoryError => ({
    file: row.file,
    line: (field === "" ? undefined : row.lines?.[field]) ?? row.line,
    field,
    message: harmless(message)
  })
  const { hasConfig, ...body } = bodyOf(row, defaults)
  const errors: Array<InventoryError> = []
  const { device_type, platform } = body
  if (device_type === undefined) errors.push(at("device_type", TYPE_MISSING))
  if (platform === undefined)
    errors.push(at("platform", `is not known: give it (${platformNames.join(", ")}), or for all rows`))
  else if (!platformNames.includes(platform)) {
    const nearest = nearestName(platform, platformNames)
    const hint = nearest === undefined ? `known are ${platformNames.join(", ")}` : `did you mean ${nearest}?`
    errors.push(at("platform", `${platform} is not known, ${hint}`))
  }
  if (body.management_ip === undefined && !hasConfig)
    errors.push(at("management_ip", "is missing: the switch could not be read"))
  const sent = { ...body, ...(device_type === undefined ? { device_type: "ACCESS" } : {}) }
  const device = withoutImpossible(NewDevice.check(sent), null)
  for (const [key, sentences] of device.refusals) {
    const field = inventoryFields.find((name) => name === key) ?? ""
    for (const sentence of typeof sentences === "string" ? [sentences] : sentences) errors.push(at(field, sentence))
  }
  const row_ = { source: row, hostname: row.fields.hostname ?? "", device } satisfies CheckedRow
  return { row: row_, errors }
}

/** Fields that only one row may have, and how their values are compared. */
const UNIQUE: ReadonlyArray<readonly [InventoryField, (value: string) => string]> = [
  ["hostname", comparableHostname],
  ["management_ip", (value) => value.trim().toLowerCase()],
  ["serial", (value) => value.trim().toUpperCase()],
  ["ztp_mac", (value) => value.replaceAll(/[^\da-f]/gi, "").toLowerCase()]
]

const placeOf = ({ file, line }: SourceRow, other: SourceRow): string =>
  file === other.file && line !== null ? `line ${line}` : line === null ? file : `${file}, line ${line}`

const duplicates = (rows: ReadonlyArray<SourceRow>): ReadonlyArray<InventoryError> =>
  UNIQUE.flatMap(([field, comparable]) => {
    const seen = new Map<string, SourceRow>()
    return rows.flatMap((row): ReadonlyArray<InventoryError> => {
      const value = row.fields[field]
      if (value === undefined || value.trim() === "") return []
      const before = seen.get(comparable(value))
      if (before === undefined) {
        seen.set(comparable(value), row)
        return []
      }
      const line = row.lines?.[field] ?? row.line
      return [{ file: row.file, line, field, message: `${harmless(value)} is in ${placeOf(before, row)} too` }]
    })
  })

/** The result of the checks: the rows without a mistake of their own, and all mistakes in the order of the source. */
export interface CheckedInventory {
  readonly rows: ReadonlyArray<CheckedRow>
  readonly errors: ReadonlyArray<InventoryError>
}

/** Whether a mistake is about this row. */
export const isAbout = ({ file, line }: InventoryError, row: SourceRow): boolean =>
  file === row.file && (row.line === null || line === row.line || Object.values(row.lines ?? {}).includes(line ?? -1))

/** Checks all rows together. */
export const checkInventory = (
  { errors: faults, rows }: ReadInventory,
  defaults: InventoryDefaults
): CheckedInventory => {
  if (rows.length > MOST_ROWS) {
    const [first] = rows
    const message = `has ${rows.length} switches, and at most ${MOST_ROWS} are added at once`
    return { rows: [], errors: [{ file: first?.file ?? "", line: null, field: "", message }] }
  }
  const checked = rows.map((row) => checkRow(row, defaults))
  const errors = [...faults, ...checked.flatMap((one) => one.errors), ...duplicates(rows)]
  const good = checked.filter(({ row }) => !errors.some((error) => isAbout(error, row.source)))
  return { rows: good.map(({ row }) => row), errors: errors.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}
