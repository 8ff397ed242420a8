/** `reads` of a check in `checks.yml` (docs/checks.md#the-keys-of-a-check): what it asks, of whom. Every mistake is found. Pure. */
import { Option, Result, Schema } from "effect"
import { type CheckQuestion, portRoles } from "./Check.ts"
import { type CheckReader, isData, isTexts } from "./CheckFaults.ts"
import { queryFault, urlFault } from "./HttpQuestion.ts"
import { parseJsonPath } from "./JsonPath.ts"
import { isOwnName } from "./OutsideItems.ts"
import { FUNCTION_NAME, PLUGIN_NAME, type PluginArgument } from "./PluginQuestion.ts"
import { logSeverities, MOST_PINGS, PingQuestion, readingKinds } from "./Readings.ts"

const decodePing = Schema.decodeUnknownOption(PingQuestion)

const readPing = (reader: CheckReader, value: unknown): CheckQuestion | undefined => {
  const path = ["reads", "ping"]
  if (!isData(value)) return reader.fault(path, "must say where to, such as {to: 10.0.0.1, count: 5}")
  reader.unknownKeys(path, value, ["to", "source", "vrf", "count"])
  const question = decodePing({ reads: "ping", count: 5, ...value })
  return Option.getOrElse(question, () =>
    reader.fault(
      path,
      `must have to (an address), and may have source (an address or a port), vrf, and count (1 to ${MOST_PINGS})`
    )
  )
}

const HTTP_KEYS = ["url", "query", "path", "name", "numbers"]
const MOST_QUERY = 20

const readQuery = (reader: CheckReader, value: unknown): Readonly<Record<string, string>> | undefined => {
  const path = ["reads", "http", "query"]
  if (value === undefined) return {}
  if (!isData(value) || Object.keys(value).length > MOST_QUERY) {
    return reader.fault(path, `must be at most ${MOST_QUERY} names with a text or a number each`)
  }
  const query: Record<string, string> = {}
  for (const [name, one] of Object.entries(value)) {
    const text = typeof one === "number" || typeof one === "boolean" ? String(one) : one
    const fault = typeof text === "string" ? queryFault(text) : "must be a text or a number"
    if (fault !== null) reader.fault([...path, name], fault)
    else if (typeof text === "string") query[name] = text
  }
  return query
}

const readNames = (reader: CheckReader, value: unknown): ReadonlyArray<string> | undefined => {
  if (value === undefined) return []
  if (typeof value === "string" && value !== "") return [value]
  return isTexts(value)
    ? value
    : reader.fault(["reads", "http", "name"], "must be a field, or a list of fields, such as labels.alertname")
}

const readUrl = (reader: CheckReader, value: unknown): string | undefined => {
  const path = ["reads", "http", "url"]
  const text = typeof value === "string" ? value : ""
  const fault = urlFault(text)
  return fault === null ? text : reader.fault(path, fault)
}

const readHttp = (reader: CheckReader, value: unknown): CheckQuestion | undefined => {
  const base = ["reads", "http"]
  if (!isData(value)) return reader.fault(base, "must have url and path")
  reader.unknownKeys(base, value, HTTP_KEYS)
  for (const key of ["url", "path"]) if (!(key in value)) reader.fault(base, `'${key}' is missing`)
  const url = "url" in value ? readUrl(reader, value["url"]) : undefined
  const text = "path" in value ? String(value["path"]) : "$"
  const parsed = parseJsonPath(text)
  if (Result.isFailure(parsed)) reader.fault([...base, "path"], parsed.failure)
  const query = readQuery(reader, value["query"])
  const name = readNames(reader, value["name"])
  const { numbers = false } = value
  if (typeof numbers !== "boolean") return reader.fault([...base, "numbers"], "must be true or false")
  if (url === undefined || query === undefined || name === undefined) return undefined
  return { reads: "http", url, query, path: text, name, numbers }
}

const PLUGIN_KEYS = ["name", "function", "with"]
const MOST_ARGUMENTS = 20
const LONGEST_ARGUMENT = 2_000

const readArguments = (reader: CheckReader, value: unknown): Readonly<Record<string, PluginArgument>> | undefined => {
  const path = ["reads", "plugin", "with"]
  if (value === undefined) return {}
  if (!isData(value) || Object.keys(value).length > MOST_ARGUMENTS) {
    return reader.fault(path, `must be at most ${MOST_ARGUMENTS} names with a text, a number, true or false each`)
  }
  const given: Record<string, PluginArgument> = {}
  for (const [name, one] of Object.entries(value)) {
    if (!isOwnName(name)) reader.fault([...path, name], "cannot be the name of an argument", true)
    else if (typeof one === "boolean" || (typeof one === "number" && Number.isFinite(one))) given[name] = one
    else if (typeof one === "string" && one.length <= LONGEST_ARGUMENT) given[name] = one
    else {
      reader.fault([...path, name], `must be true, false, a number or a text of at most ${LONGEST_ARGUMENT} characters`)
    }
  }
  return given
}

const readPlugin = (reader: CheckReader, value: unknown): CheckQuestion | undefined => {
  const base = ["reads", "plugin"]
  if (!isData(value)) return reader.fault(base, "must have name and function, such as {name: show, function: lines}")
  reader.unknownKeys(base, value, PLUGIN_KEYS)
  const name = (key: string, pattern: RegExp, what: string): string | undefined => {
    if (!(key in value)) return reader.fault(base, `'${key}' is missing`)
    const one = value[key]
    return typeof one === "string" && pattern.test(one) ? one : reader.fault([...base, key], `must be ${what}`)
  }
  const plugin = name("name", PLUGIN_NAME, "the name of a plugin: its file in PLUGIN_FILE without the ending")
  const called = name("function", FUNCTION_NAME, "the name of one of its functions for checks")
  const given = readArguments(reader, value["with"])
  if (plugin === undefined || called === undefined || given === undefined) return undefined
  return { reads: "plugin", plugin, function: called, with: given }
}

const plainKinds = readingKinds.filter((kind) => kind !== "log" && kind !== "ping")

/** What a check reads; undefined after a mistake. */
export const readQuestion = (reader: CheckReader, value: unknown): CheckQuestion | undefined => {
  const path = ["reads"]
  if (typeof value === "string") {
    if (value === "log") return { reads: "log", severity: "error" }
    const kind = reader.oneOf(path, value, plainKinds)
    return kind === undefined ? undefined : { reads: kind }
  }
  if (!isData(value) || Object.keys(value).length !== 1) {
    return reader.fault(
      path,
      `must be one of ${plainKinds.join(", ")}, log; or {log: severity}, {ping: {to: address}}, {role: uplink}, {http: {url: address, path: $.value}} or {plugin: {name: show, function: lines}}`
    )
  }
  if ("log" in value) {
    const severity = reader.oneOf([...path, "log"], value["log"], logSeverities)
    return severity === undefined ? undefined : { reads: "log", severity }
  }
  if ("role" in value) {
    const role = reader.oneOf([...path, "role"], value["role"], portRoles)
    return role === undefined ? undefined : { reads: "interfaces", role }
  }
  if ("ping" in value) return readPing(reader, value["ping"])
  if ("http" in value) return readHttp(reader, value["http"])
  if ("plugin" in value) return readPlugin(reader, value["plugin"])
  reader.unknownKeys(path, value, ["log", "ping", "role", "http", "plugin"])
  return undefined
}
