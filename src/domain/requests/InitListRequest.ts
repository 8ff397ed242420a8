/** The body of a request that initialises several switches (docs/provisioning.md#several-at-once): every line is checked before any is begun. */
import { Option, Result, Schema } from "effect"
import { isDeviceMac } from "../UniqueFields.ts"
import * as Body from "../fields/Body.ts"
import { required, type Rule } from "../fields/Field.ts"
import { isObject, type JsonObject } from "../fields/Values.ts"
import { normalizeMac } from "../Hostname.ts"
import { accessOnlyFault, InitRequest } from "./InitRequest.ts"

/** One line: which switch, and what it is to become. */
export const InitLine = Schema.Struct({
  /** Normalised, or null. */
  mac: Schema.NullOr(Schema.String),
  serial: Schema.NullOr(Schema.String),
  hostname: Schema.String,
  device_type: Schema.Literals(["ACCESS", "DIST", "CORE"]),
  replace_hostname: Schema.Boolean
})
export type InitLine = typeof InitLine.Type

const SentLine = Schema.Struct({
  hostname: Schema.String,
  device_type: Schema.String,
  mac: Schema.optionalKey(Schema.String),
  serial: Schema.optionalKey(Schema.String),
  replace_hostname: Schema.optionalKey(Schema.Boolean)
})

/** More at once would start more jobs than anybody follows. */
const MOST = 200

/** What is said of a line, counted from 1. */
export const onLine = (index: number, field: string, sentence: string): string =>
  `line ${index + 1}: ${field}: ${sentence}`

const textAt = (line: JsonObject, key: string): string | null => {
  const sent = line[key]
  return typeof sent === "string" && sent.trim() !== "" ? sent.trim() : null
}

const isIgnored = (key: string) => key === "mac" || key === "serial"

const checkLine = (sent: unknown, index: number): Result.Result<InitLine, ReadonlyArray<string>> => {
  if (!isObject(sent)) return Result.fail([onLine(index, "devices", "should be an object")])
  const checked = InitRequest.check(Object.fromEntries(Object.entries(sent).filter(([key]) => !isIgnored(key))))
  const wrong = [...checked.refusals].flatMap(([field, sentences]) =>
    sentences.map((sentence) => onLine(index, field, sentence))
  )
  const [mac, serial] = [textAt(sent, "mac"), textAt(sent, "serial")]
  const normal = mac === null ? null : Option.getOrNull(normalizeMac(mac))
  if (mac === null && serial === null) wrong.push(onLine(index, "mac", "mac or serial must be specified"))
  if (mac !== null && (normal === null || !isDeviceMac(normal)))
    wrong.push(onLine(index, "mac", `${mac} is no MAC address`))
  if (Result.isFailure(checked.complete) || wrong.length > 0) return Result.fail(wrong)
  const { device_type, hostname, replace_hostname = false } = checked.complete.success
  const fault = accessOnlyFault(checked.complete.success)
  if (device_type === "UNKNOWN") return Result.fail([onLine(index, "device_type", "Invalid 'device_type' provided")])
  if (Option.isSome(fault)) return Result.fail([onLine(index, "device_type", fault.value)])
  return Result.succeed({ mac: normal, serial, hostname, device_type, replace_hostname })
}

const NONE = `devices should be a list of 1 to ${MOST} objects with hostname, device_type and mac or serial`

const twice = (lines: ReadonlyArray<InitLine>, field: "hostname" | "mac" | "serial") =>
  lines.flatMap((line, index) => {
    const value = line[field]
    const first = lines.findIndex((each) => each[field] === value)
    return value === null || first === index ? [] : [onLine(index, field, `${value} is on line ${first + 1} already`)]
  })

const linesRule: Rule<ReadonlyArray<InitLine>> = (sent) => {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST) return Result.fail(NONE)
  const checked = sent.map(checkLine)
  const wrong = checked.flatMap((line) => (Result.isFailure(line) ? line.failure : []))
  const lines = checked.flatMap((line) => (Result.isSuccess(line) ? [line.success] : []))
  if (wrong.length > 0) return Result.fail(wrong)
  const repeated = (["hostname", "mac", "serial"] as const).flatMap((field) => twice(lines, field))
  return repeated.length > 0 ? Result.fail(repeated) : Result.succeed(lines)
}

/** The lines of a list; all that is wrong is told at once. */
export const InitListRequest = Body.make({
  devices: required(Schema.Array(InitLine), () => NONE, linesRule, Schema.Array(SentLine))
})
export type InitListRequest = typeof InitListRequest.schema.Type
