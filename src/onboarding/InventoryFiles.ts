/**
 * Reads lists of switches that other programs keep: comma-separated values, a topology of containerlab, an inventory of Ansible in YAML or
 * INI (docs/onboarding.md#sources). Each value keeps its line. Pure.
 */
import { isMap, isScalar, LineCounter, type Node, type Pair, type YAMLMap } from "yaml"
import { Result } from "effect"
import { csvLines } from "../domain/CsvLines.ts"
import { nearestName } from "../domain/fields/KnownNames.ts"
import { harmless } from "../domain/Text.ts"
import { composeDocument, readYaml } from "../settings/YamlFile.ts"
import {
  type InventoryError,
  type InventoryField,
  inventoryFields,
  type ReadInventory,
  type SourceRow,
  typeNamed,
  unfitText
} from "./Inventory.ts"

type Fields = Partial<Record<InventoryField, string>>
type Lines = Partial<Record<InventoryField, number>>

// Comma-separated values: a header, and a line for each switch.

const NAMES: Readonly<Record<InventoryField, ReadonlyArray<string>>> = {
  hostname: ["name", "host", "switch", "device"],
  management_ip: ["address", "ip", "mgmt_ip", "ip_address", "management_address"],
  device_type: ["type", "role"],
  platform: ["os", "network_os", "nos"],
  port: ["ssh_port"],
  serial: ["serial_number", "sn"],
  ztp_mac: ["mac", "mac_address"],
  model: ["hardware"],
  os_version: ["version", "release"],
  description: ["comment"]
}

const fieldNamed = (name: string): InventoryField | undefined => {
  const plain = name.trim().toLowerCase().replaceAll(/[ -]/g, "_")
  return inventoryFields.find((field) => field === plain || NAMES[field].includes(plain))
}

/** Reads comma-separated values. */
export const readCsv = (file: string, text: string): ReadInventory => {
  const at = (line: number, field: string, message: string): InventoryError => ({ file, line, field, message })
  const unfit = unfitText(file, text)
  if (unfit.length > 0) return { rows: [], errors: unfit }
  const { lines, unclosed } = csvLines(text)
  const [head, ...rest] = lines
  const errors = unclosed.map((line) => at(line, "", "a quotation mark is not closed"))
  if (head === undefined) return { rows: [], errors: [...errors, at(1, "", "the file has no header")] }
  const columns = head.cells.map(fieldNamed)
  for (const [place, name] of head.cells.entries()) {
    const column = columns[place]
    if (column === undefined) {
      const nearest = nearestName(name, inventoryFields)
      const hint = nearest === undefined ? `known are ${inventoryFields.join(", ")}` : `did you mean ${nearest}?`
      errors.push(at(head.line, harmless(name) || String(place + 1), `there is no such column, ${hint}`))
    } else if (columns.indexOf(column) < place) errors.push(at(head.line, column, "the column is there twice"))
  }
  for (const column of ["hostname", "management_ip"] as const)
    if (!columns.includes(column)) errors.push(at(head.line, column, "the header does not have this column"))
  if (errors.length > 0) return { rows: [], errors }
  if (rest.length === 0) return { rows: [], errors: [at(head.line, "", "no line follows the header")] }
  const rows = rest.map(({ cells, line }): SourceRow => {
    if (cells.length > columns.length)
      errors.push(at(line, "", `has ${cells.length} cells, and the header names ${columns.length}`))
    const named = columns.flatMap((column, place) => {
      const cell = cells[place] ?? ""
      return column === undefined || cell === "" ? [] : [[column, cell] as const]
    })
    return { file, line, fields: Object.fromEntries(named) }
  })
  return { rows, errors }
}

// YAML: values with their lines.

/** A scalar as text, with its line. */
interface Word {
  readonly text: string
  readonly line: number
}

interface YamlPlace {
  readonly lines: LineCounter
  readonly contents: Node | null
}

const parsed = (file: string, text: string): Result.Result<YamlPlace, InventoryError> => {
  // bounds of size and depth, and the sentence for what cannot be read
  const read = readYaml(file, text)
  if (Result.isFailure(read)) {
    const { line, message } = read.failure
    return Result.fail({ file, line, field: "", message })
  }
  const lines = new LineCounter()
  const document = composeDocument(text, lines)
  return Result.succeed({ lines, contents: isMap(document.contents) ? document.contents : null })
}

const keyText = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : String(key))

const lineOf = ({ lines }: YamlPlace, node: unknown): number =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
    ? lines.linePos(Number(node.range[0])).line
    : 1

const child = (map: unknown, key: string): unknown =>
  isMap(map) ? map.items.find((pair) => keyText(pair) === key)?.value : undefined

const wordAt = (place: YamlPlace, map: unknown, key: string): Word | undefined => {
  const node = child(map, key)
  if (!isScalar(node) || node.value === null) return undefined
  return { text: typeof node.source === "string" ? node.source : String(node.value), line: lineOf(place, node) }
}

const pairsOf = (map: unknown): ReadonlyArray<Pair> => (isMap(map) ? map.items : [])

const wrongShape = (file: string, what: string): ReadInventory => ({
  rows: [],
  errors: [{ file, line: 1, field: "", message: what }]
})

const set = (fields: Fields, lines: Lines, field: InventoryField, word: Word | undefined) => {
  if (word === undefined || fields[field] !== undefined) return
  fields[field] = word.text
  lines[field] = word.line
}

// containerlab: nodes with `mgmt-ipv4`; kinds that are no switch are left out.

const SWITCHES = /^(?:arista_)?(?:eos|ceos|veos)$|^vr-(?:arista_)?veos$|^arista_veos$|^frr$/

/** Reads a topology of containerlab. Nodes of other kinds than switches are left out. */
export const readContainerlab = (file: string, text: string): ReadInventory => {
  const place = parsed(file, text)
  if (Result.isFailure(place)) return { rows: [], errors: [place.failure] }
  const topology = child(place.success.contents, "topology")
  const nodes = child(topology, "nodes")
  if (!isMap(nodes)) return wrongShape(file, "is no topology of containerlab: it has no topology.nodes")
  const defaults = child(topology, "defaults")
  const rows = pairsOf(nodes).flatMap((pair): ReadonlyArray<SourceRow> => {
    const line = lineOf(place.success, pair.key)
    const group = wordAt(place.success, pair.value, "group")?.text
    const holders = [pair.value, group === undefined ? undefined : child(child(topology, "groups"), group), defaults]
    const find = (key: string) =>
      holders.map((holder) => wordAt(place.success, holder, key)).find((word) => word !== undefined)
    const kind = find("kind")
    const image = find("image")?.text ?? ""
    const isFrr = kind?.text === "linux" && /\bfrr/i.test(image)
    if (kind === undefined || (!SWITCHES.test(kind.text) && !isFrr)) return []
    const fields: Fields = { hostname: keyText(pair), platform: isFrr ? "frr" : kind.text }
    const lines: Lines = { hostname: line, platform: kind.line }
    const config = find("startup-config")?.text ?? ""
    const [, inConfig] = /^\s*ip address ([\d.]+)(?:\/\d+)?$/m.exec(config) ?? []
    set(fields, lines, "management_ip", find("mgmt-ipv4") ?? find("mgmt_ipv4"))
    if (inConfig !== undefined) set(fields, lines, "management_ip", { text: inConfig, line })
    const role = find("role") ?? wordAt(place.success, child(pair.value, "labels"), "role")
    const type = role ?? (group === undefined || typeNamed(group) === undefined ? undefined : { text: group, line })
    set(fields, lines, "device_type", type)
    set(fields, lines, "model", find("model"))
    set(fields, lines, "serial", find("serial"))
    return [{ file, line, fields, lines }]
  })
  return rows.length === 0
    ? wrongShape(file, "has no node that is a switch (arista_ceos, arista_veos, frr)")
    : { rows, errors: [] }
}

// Ansible: groups of hosts, each with variables that its hosts inherit.

const VARIABLES: ReadonlyArray<readonly [InventoryField, ReadonlyArray<string>]> = [
  ["management_ip", ["ansible_host", "ansible_ssh_host", "management_ip", "mgmt_ip"]],
  ["platform", ["ansible_network_os", "platform", "network_os"]],
  ["device_type", ["device_type", "type", "role"]],
  ["port", ["ansible_port", "ansible_ssh_port"]],
  ["serial", ["serial", "serial_number"]],
  ["ztp_mac", ["mac", "ztp_mac", "mac_address"]],
  ["model", ["model"]],
  ["description", ["description"]]
]

/** A group of an inventory: its hosts with their variables, its own variables, and the groups in it. */
interface Group {
  readonly hosts: Map<string, { readonly line: number; readonly vars: Map<string, Word> }>
  readonly vars: Map<string, Word>
  readonly children: Set<string>
}

type Groups = Map<string, Group>

const groupNamed = (groups: Groups, name: string): Group => {
  const known = groups.get(name) ?? { hosts: new Map(), vars: new Map(), children: new Set() }
  groups.set(name, known)
  return known
}

/** `leaf[01:12]` as the names that it stands for. */
const hostsMeant = (pattern: string): ReadonlyArray<string> => {
  const [, before = "", from = "", to = "", after = ""] = /^(.*?)\[(\d+):(\d+)\](.*)$/.exec(pattern) ?? []
  const size = Number(to) - Number(from) + 1
  if (from === "" || size < 1 || size > 1_000) return [pattern]
  return Array.from({ length: size }, (_, step) => {
    const number = String(Number(from) + step).padStart(from.startsWith("0") ? from.length : 0, "0")
    return `${before}${number}${after}`
  }).flatMap(hostsMeant)
}

/** Groups above a group, the nearest first. */
const groupsAbove = (groups: Groups, name: string, seen: ReadonlySet<string> = new Set()): ReadonlyArray<string> => {
  if (seen.has(name)) return []
  const above = [...groups].filter(([, { children }]) => children.has(name)).map(([parent]) => parent)
  const known = new Set([...seen, name])
  return [...above, ...above.flatMap((parent) => groupsAbove(groups, parent, known))]
}

const NO_SWITCH = /^(?:localhost|127\.)/

const rowsOf = (file: string, groups: Groups): ReadInventory => {
  const own = new Map<string, { line: number; groups: Set<string>; vars: Map<string, Word> }>()
  for (const [name, { hosts }] of groups)
    for (const [host, { line, vars }] of hosts) {
      const known = own.get(host) ?? { line, groups: new Set<string>(), vars: new Map<string, Word>() }
      known.groups.add(name)
      for (const [key, word] of vars) known.vars.set(key, word)
      own.set(host, known)
    }
  const rows = [...own].flatMap(([hostname, { groups: inGroups, line, vars }]): ReadonlyArray<SourceRow> => {
    if (NO_SWITCH.test(hostname)) return []
    const near = [...inGroups].filter((name) => name !== "all")
    const far = [...new Set([...near, ...near.flatMap((name) => groupsAbove(groups, name)), "all"])]
    const find = (names: ReadonlyArray<string>): Word | undefined => {
      for (const holder of [vars, ...far.map((name) => groups.get(name)?.vars ?? new Map<string, Word>())])
        for (const name of names) if (holder.has(name)) return holder.get(name)
      return undefined
    }
    const fields: Fields = { hostname }
    const lines: Lines = { hostname: line }
    for (const [field, names] of VARIABLES) set(fields, lines, field, find(names))
    const type = far.map(typeNamed).find((found) => found !== undefined)
    if (type !== undefined) set(fields, lines, "device_type", { text: type, line })
    // an inventory may name the switch by its address
    if (fields.management_ip === undefined && /^\d+(?:\.\d+){3}$/.test(hostname)) fields.management_ip = hostname
    return [{ file, line, fields, lines }]
  })
  return rows.length === 0 ? wrongShape(file, "has no hosts") : { rows, errors: [] }
}

const readAnsibleYaml = (file: string, text: string): ReadInventory => {
  const place = parsed(file, text)
  if (Result.isFailure(place)) return { rows: [], errors: [place.failure] }
  const groups: Groups = new Map()
  const walk = (name: string, map: YAMLMap, depth: number) => {
    const group = groupNamed(groups, name)
    for (const pair of pairsOf(child(map, "vars"))) {
      const word = wordAt(place.success, child(map, "vars"), keyText(pair))
      if (word !== undefined) group.vars.set(keyText(pair), word)
    }
    for (const pair of pairsOf(child(map, "hosts"))) {
      const vars = new Map<string, Word>()
      for (const one of pairsOf(pair.value)) {
        const word = wordAt(place.success, pair.value, keyText(one))
        if (word !== undefined) vars.set(keyText(one), word)
      }
      for (const host of hostsMeant(keyText(pair)))
        group.hosts.set(host, { line: lineOf(place.success, pair.key), vars })
    }
    for (const pair of pairsOf(child(map, "children"))) {
      group.children.add(keyText(pair))
      if (isMap(pair.value) && depth < 20) walk(keyText(pair), pair.value, depth + 1)
    }
  }
  for (const pair of pairsOf(place.success.contents)) if (isMap(pair.value)) walk(keyText(pair), pair.value, 0)
  return rowsOf(file, groups)
}

const ASSIGNED = /([\w.-]+)\s*=\s*("[^"]*"|'[^']*'|\S+)/g

const assignments = (text: string, line: number): Map<string, Word> =>
  new Map(
    [...text.matchAll(ASSIGNED)].map(([, key = "", value = ""]) => [
      key,
      { text: value.replace(/^(["'])(.*)\1$/, "$2"), line }
    ])
  )

const readAnsibleIni = (file: string, text: string): ReadInventory => {
  const unfit = unfitText(file, text)
  if (unfit.length > 0) return { rows: [], errors: unfit }
  const groups: Groups = new Map()
  const errors: Array<InventoryError> = []
  let [section, kind] = ["ungrouped", ""]
  for (const [index, source] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const trimmed = source.replace(/(?:^|\s)[#;].*$/, "").trim()
    if (trimmed === "") continue
    const [, name, part] = /^\[([^\]:]+)(?::(\w+))?\]$/.exec(trimmed) ?? []
    if (name !== undefined) {
      ;[section, kind] = [name, part ?? ""]
      groupNamed(groups, section)
      continue
    }
    const group = groupNamed(groups, section)
    if (trimmed.startsWith("[")) errors.push({ file, line, field: "", message: "a heading is not closed" })
    else if (kind === "children") group.children.add(trimmed)
    else if (kind === "vars") for (const [key, word] of assignments(trimmed, line)) group.vars.set(key, word)
    else {
      const [host = "", ...rest] = trimmed.split(/\s+/)
      for (const one of hostsMeant(host)) group.hosts.set(one, { line, vars: assignments(rest.join(" "), line) })
    }
  }
  const read = rowsOf(file, groups)
  return { rows: errors.length > 0 ? [] : read.rows, errors: errors.length > 0 ? errors : read.errors }
}

/** Reads an inventory of Ansible: INI if it has a heading in square brackets or assignments, else YAML. */
export const readAnsible = (file: string, text: string): ReadInventory =>
  /^\s*\[[^\]]+\]\s*$/m.test(text) || /^[^:#\s]+\s+[\w.]+=/m.test(text)
    ? readAnsibleIni(file, text)
    : readAnsibleYaml(file, text)

/** Guesses the source of a file by its name and content. */
export const sourceOf = (file: string, text: string): "csv" | "containerlab" | "ansible" => {
  if (/\.clab\.ya?ml$/.test(file) || /^topology:/m.test(text)) return "containerlab"
  const [first = ""] = text.split("\n", 1)
  return /\.csv$/i.test(file) ||
    (/[,;\t]/.test(first) && first.split(/[,;\t]/).some((cell) => fieldNamed(cell) === "hostname"))
    ? "csv"
    : "ansible"
}
