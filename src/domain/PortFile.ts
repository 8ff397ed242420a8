/**
 * Ports of several switches as comma-separated values (docs/api.md#several-ports-at-once): a header with the columns in any order, a line for
 * each port or range of ports. Each mistake has its line and column. Pure; the caller supplies the switches, the ports and the profiles.
 */
import { csvLines, type CsvLine } from "./CsvLines.ts"
import { nearestName } from "./fields/KnownNames.ts"
import type { JsonObject } from "./fields/Values.ts"
import { configTypes, type Interface } from "./Interface.ts"
import { behindApostrophe, harmless, textFault, withoutFormula } from "./Text.ts"

/** A mistake in a file. `column` is the name of a column, or empty for a whole line. */
export interface PortFileError {
  readonly line: number
  readonly column: string
  readonly message: string
}

/** `line 3, vlan: …`. */
export const portFileErrorText = ({ column, line, message }: PortFileError): string =>
  `line ${line}${column === "" ? "" : `, ${column}`}: ${message}`

type Kind = "names" | "text" | "flag" | "integer" | "use" | "vlan" | "vlans" | "texts"

interface PortColumn {
  readonly name: string
  readonly kind: Kind
  /** The key of the data of a port, where the column has one. */
  readonly key?: string
  readonly aliases: ReadonlyArray<string>
}

/** The columns, in the order of an export. */
const COLUMNS: ReadonlyArray<PortColumn> = [
  { name: "switch", kind: "names", aliases: ["device", "hostname", "host"] },
  { name: "port", kind: "names", aliases: ["interface", "name"] },
  { name: "use", kind: "use", aliases: ["configtype"] },
  { name: "vlan", kind: "vlan", key: "untagged_vlan", aliases: ["untagged_vlan", "untagged"] },
  { name: "tagged", kind: "vlans", key: "tagged_vlan_list", aliases: ["tagged_vlan_list", "tagged_vlans"] },
  { name: "description", kind: "text", key: "description", aliases: [] },
  { name: "enabled", kind: "flag", key: "enabled", aliases: [] },
  { name: "tags", kind: "texts", key: "tags", aliases: [] },
  { name: "vxlan", kind: "text", key: "vxlan", aliases: [] },
  { name: "neighbor", kind: "text", key: "neighbor", aliases: [] },
  { name: "aggregate_id", kind: "integer", key: "aggregate_id", aliases: [] },
  { name: "bpdu_filter", kind: "flag", key: "bpdu_filter", aliases: [] },
  { name: "redundant_link", kind: "flag", key: "redundant_link", aliases: [] }
]
const PROFILE: PortColumn = { name: "profile", kind: "text", aliases: ["port_profile"] }
const KNOWN = [...COLUMNS, PROFILE]

const plain = (name: string): string => name.trim().toLowerCase().replaceAll(/[ -]/g, "_")

const columnOf = (name: string): PortColumn | undefined =>
  KNOWN.find((column) => [column.name, ...column.aliases].includes(plain(name)))

/** The column for a key of the data of a port, or for its configtype. */
export const columnOfKey = (key: string): string =>
  key === "configtype" ? "use" : (COLUMNS.find((column) => column.key === key)?.name ?? "")

// Reading: rows with the line on which they begin.

const OPEN_QUOTE = "a quotation mark is not closed"

/** A row of a file: names or ranges of switches and ports, and the cells that are not empty, by the name of their column. */
export interface PortRow {
  readonly line: number
  readonly switches: ReadonlyArray<string>
  readonly ports: ReadonlyArray<string>
  readonly cells: ReadonlyMap<string, string>
}

/** The rows of a file, and its mistakes. */
export interface PortFile {
  readonly rows: ReadonlyArray<PortRow>
  readonly errors: ReadonlyArray<PortFileError>
}

/** More rows than a network has ports to change at once. */
const MAX_ROWS = 10_000

const wordsIn = (cell: string): ReadonlyArray<string> => cell.split(/[\s,;]+/).filter((word) => word !== "")

const headerOf = ({ cells, line }: CsvLine) => {
  const columns = cells.map(columnOf)
  const errors = cells.flatMap((name, place): ReadonlyArray<PortFileError> => {
    const column = columns[place]
    if (column === undefined) {
      const nearest = nearestName(
        name,
        KNOWN.map((one) => one.name)
      )
      const hint =
        nearest === undefined ? `, known are ${KNOWN.map((one) => one.name).join(", ")}` : `, did you mean ${nearest}?`
      return [
        { line, column: name === "" ? `${place + 1}` : harmless(name), message: `there is no such column${hint}` }
      ]
    }
    return columns.indexOf(column) < place ? [{ line, column: column.name, message: "the column is there twice" }] : []
  })
  const missing = ["switch", "port"].filter((name) => !columns.some((column) => column?.name === name))
  return {
    columns,
    errors: [...errors, ...missing.map((column) => ({ line, column, message: "the header does not have this column" }))]
  }
}

/** Reads a file. */
export const readPortFile = (text: string): PortFile => {
  const { lines, unclosed } = csvLines(text)
  const faults: ReadonlyArray<PortFileError> = unclosed.map((line) => ({ line, column: "", message: OPEN_QUOTE }))
  const [head, ...rest] = lines
  if (head === undefined)
    return { rows: [], errors: [...faults, { line: 1, column: "", message: "the file has no header" }] }
  const { columns, errors } = headerOf(head)
  const all = [...faults, ...errors]
  if (rest.length > MAX_ROWS) all.push({ line: 1, column: "", message: `the file has more than ${MAX_ROWS} lines` })
  if (rest.length === 0 && all.length === 0)
    all.push({ line: head.line, column: "", message: "no line follows the header" })
  if (all.length > 0) return { rows: [], errors: all }
  const rows = rest.map(({ cells, line }): PortRow => {
    if (cells.length > columns.length) {
      const message = `has ${cells.length} cells, and the header names ${columns.length}`
      all.push({ line, column: "", message })
    }
    const named = columns.flatMap((column, place): ReadonlyArray<readonly [string, string]> => {
      const cell = cells[place] ?? ""
      if (column === undefined || cell === "") return []
      const fault = textFault(cell, "line")
      if (fault !== undefined) all.push({ line, column: column.name, message: fault.message })
      return [[column.name, cell]]
    })
    const found = new Map(named)
    for (const column of ["switch", "port"]) if (!found.has(column)) all.push({ line, column, message: "is empty" })
    const { port = "", switch: hosts = "", ...others } = Object.fromEntries(found)
    if (Object.keys(others).length === 0) all.push({ line, column: "", message: "says nothing about the port" })
    return { line, switches: wordsIn(hosts), ports: wordsIn(port), cells: new Map(Object.entries(others)) }
  })
  return { rows, errors: all }
}

// Ranges: Ethernet1-12, Ethernet1-Ethernet12, Ethernet[1-12], ge-0/0/0-47.

/** More ports than a switch has. */
const MAX_RANGE = 1024

const RANGE = /^(.*?)\[?(\d{1,6})-(?:\1)?(\d{1,6})\]?$/

/** The names of a range in order; the word itself if it is none, or runs backwards. */
export const namesOfRange = (word: string): ReadonlyArray<string> => {
  const [, before = "", low = "", high = ""] = RANGE.exec(word) ?? []
  const size = Number(high) - Number(low) + 1
  if (low === "" || size < 1 || size > MAX_RANGE) return [word]
  const width = low.startsWith("0") ? low.length : 0
  return Array.from({ length: size }, (_, step) => `${before}${String(Number(low) + step).padStart(width, "0")}`)
}

/** The known names that a word means; a name that is known wins over a range. Others are in `unknown`. */
export const namesMeant = (words: ReadonlyArray<string>, isKnown: (name: string) => boolean) => {
  const all = [...new Set(words.flatMap((word) => (isKnown(word) ? [word] : namesOfRange(word))))]
  return { known: all.filter(isKnown), unknown: all.filter((name) => !isKnown(name)) }
}

// Values: the change of one port that a row means, with the values of its profile below those of its cells.

/** A profile of the settings, as JSON. */
type PortProfile = JsonObject

const NOTHING = "-"
const AUTO = "auto"
const YES = new Set(["yes", "true", "on", "1", "y"])
const NO = new Set(["no", "false", "off", "0", "n"])

/** A VLAN is named, or given by its number. */
const vlanOf = (word: string): string | number => (/^\d+$/.test(word) ? Number(word) : word)

const isVlanNumber = (vlan: string | number): boolean => typeof vlan === "string" || (vlan >= 1 && vlan <= 4094)

type Read = { readonly value: unknown } | { readonly message: string }

const readers: Readonly<Record<Exclude<Kind, "names">, (cell: string) => Read>> = {
  text: (cell) => ({ value: behindApostrophe(cell) }),
  texts: (cell) => ({
    value: cell
      .split(/[;,]/)
      .map((text) => text.trim())
      .filter((text) => text !== "")
  }),
  flag: (cell) => {
    const word = cell.toLowerCase()
    if (YES.has(word) || NO.has(word)) return { value: YES.has(word) }
    return { message: `expected yes or no, got: ${cell}` }
  },
  integer: (cell) =>
    /^\d{1,9}$/.test(cell) ? { value: Number(cell) } : { message: `expected a number, got: ${cell}` },
  use: (cell) =>
    configTypes.some((type) => type === cell.toUpperCase())
      ? { value: cell.toUpperCase() }
      : { message: `expected one of ${configTypes.join(", ")}, got: ${cell}` },
  vlan: (cell) =>
    isVlanNumber(vlanOf(cell))
      ? { value: vlanOf(cell) }
      : { message: `expected a number from 1 to 4094, got: ${cell}` },
  vlans: (cell) => {
    const vlans = wordsIn(cell).map(vlanOf)
    const wrong = vlans.find((vlan) => !isVlanNumber(vlan))
    return wrong === undefined ? { value: vlans } : { message: `expected numbers from 1 to 4094, got: ${wrong}` }
  }
}

/** Keys of a profile that are data of a port. */
const PROFILE_KEYS = ["enabled", "bpdu_filter", "redundant_link", "tags"] as const

const profileValues = (profile: PortProfile): JsonObject => ({
  // a profile says all about the VLANs of a port
  untagged_vlan: profile["untagged_vlan"] ?? null,
  tagged_vlan_list: profile["tagged_vlan_list"] ?? null,
  ...Object.fromEntries(PROFILE_KEYS.flatMap((key) => ((profile[key] ?? null) === null ? [] : [[key, profile[key]]])))
})

/** The body of a port's change, and the mistakes of the cells. */
export interface PortValues {
  readonly sent: { readonly configtype?: string; readonly data: JsonObject }
  readonly errors: ReadonlyArray<PortFileError>
}

/** The use of a port without a word about it: that of the VLANs that it gets. */
const useOf = (data: JsonObject): string | undefined => {
  if ((data["tagged_vlan_list"] ?? null) !== null) return "ACCESS_TAGGED"
  return (data["untagged_vlan"] ?? null) === null ? undefined : "ACCESS_UNTAGGED"
}

/** The change that a row means. `profiles` are those that the port may have. */
export const portValues = ({ cells, line }: PortRow, profiles: Readonly<Record<string, unknown>>): PortValues => {
  const errors: Array<PortFileError> = []
  const named = cells.get(PROFILE.name)
  const found = named === undefined || !Object.hasOwn(profiles, named) ? undefined : profiles[named]
  const profile: PortProfile | undefined = typeof found === "object" && found !== null ? { ...found } : undefined
  if (named !== undefined && profile === undefined) {
    const known = Object.keys(profiles)
    const hint = known.length === 0 ? "the settings have no port_profiles" : `known are ${known.join(", ")}`
    errors.push({ line, column: PROFILE.name, message: `there is no profile ${named}: ${hint}` })
  }
  const data = new Map<string, unknown>(Object.entries(profile === undefined ? {} : profileValues(profile)))
  let use = typeof profile?.["configtype"] === "string" ? profile["configtype"] : undefined
  for (const { key, kind, name } of COLUMNS) {
    const cell = cells.get(name)
    if (cell === undefined || kind === "names") continue
    if (name === "vlan" && cell.toLowerCase() === AUTO) {
      data.set("untagged_vlan", null)
      data.set("tagged_vlan_list", null)
      use = use ?? "ACCESS_AUTO"
      continue
    }
    const read = cell === NOTHING && key !== undefined ? { value: null } : readers[kind](cell)
    if ("message" in read) errors.push({ line, column: name, message: read.message })
    else if (key === undefined) use = String(read.value)
    else data.set(key, read.value)
  }
  const values = Object.fromEntries(data)
  const configtype = use ?? useOf(values)
  return { sent: { ...(configtype === undefined ? {} : { configtype }), data: values }, errors }
}

// What a file must not do to ports between switches: a range is easily one port too long.

const BETWEEN = new Set(["ACCESS_UPLINK", "ACCESS_DOWNLINK", "MLAG_PEER"])

/** Why a file does not change a port like that; undefined if it may. */
export const refusalBetweenSwitches = (
  { configtype, name }: Interface,
  sent: PortValues["sent"],
  isStored: (key: string, value: unknown) => boolean
): Omit<PortFileError, "line"> | undefined => {
  const to = sent.configtype ?? configtype
  if (!BETWEEN.has(configtype)) {
    return BETWEEN.has(to) ? { column: "use", message: `a file makes no port ${to}: change ${name} itself` } : undefined
  }
  if (to !== configtype) return { column: "use", message: `${name} is ${configtype}: a file does not change its use` }
  const key = ["untagged_vlan", "tagged_vlan_list", "enabled"].find(
    (one) => one in sent.data && !isStored(one, sent.data[one])
  )
  return key === undefined
    ? undefined
    : { column: columnOfKey(key), message: `${name} is ${configtype}: a file changes neither its VLANs nor its state` }
}

// Writing.

const quoted = (text: string): string => (/[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const cellOf = (kind: Kind, value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return value.map(String).join(";")
  const text = String(value)
  // an empty cell changes nothing, and these texts could not be read back
  if (textFault(text, "line") !== undefined) return ""
  return kind === "text" ? withoutFormula(text) : text
}

/** Ports in the form that `readPortFile` reads. */
export const portFileOf = (
  ports: ReadonlyArray<{ readonly hostname: string; readonly port: Pick<Interface, "name" | "configtype" | "data"> }>
): string => {
  const rows = ports.map(({ hostname, port }) =>
    COLUMNS.map(({ key, kind, name }) => {
      if (key !== undefined) return cellOf(kind, port.data?.[key])
      return { switch: hostname, port: port.name, use: port.configtype }[name] ?? ""
    })
  )
  return `${[COLUMNS.map(({ name }) => name), ...rows].map((cells) => cells.map(quoted).join(",")).join("\r\n")}\r\n`
}
