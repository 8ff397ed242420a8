/**
 * Turns values from YAML or JSON into settings by the rules of the model: conversions, defaults, dropped unknown keys, and one
 * fault per wrong value in the order of the model (docs/settings-repository.md#forms-of-values and
 * docs/settings-repository.md#messages). A validator remembers the outcome of every list and mapping it has seen, so that
 * thousands of devices that share a value share its validation and its result.
 */
import { Predicate, Result, type Schema } from "effect"
import { isText, textFault, visible } from "../domain/Text.ts"
import { isSecretKey, pythonText, YamlFloat } from "./PythonText.ts"
import {
  type IntegerRule,
  type NamedField,
  type Rule,
  type SettingField,
  type TextRule,
  fieldOf
} from "./SettingRule.ts"
import { f_root, type Settings } from "./SettingsModel.ts"

/** One wrong value. `path` leads to it; `hidden` marks a value that must not be shown. */
export interface Fault {
  readonly path: ReadonlyArray<string | number>
  readonly bad: unknown
  readonly message: string
  readonly description?: string
  readonly hidden?: boolean
}

/** The validated value, or the faults that were found in it. */
type Outcome<A = unknown> = Result.Result<A, ReadonlyArray<Fault>>

/** Longer texts are refused before a pattern sees them. */
const MAX_PATTERN_TEXT = 4_096
const MAX_FAULTS = 200
const MAX_DIGITS = 15

const fault = (field: SettingField, bad: unknown, message: string): Outcome =>
  Result.fail([
    field.description === undefined
      ? { path: [], bad, message }
      : { path: [], bad, message, description: field.description }
  ])

const below = (key: string | number, faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  faults.map((one) => ({
    ...one,
    path: [key, ...one.path],
    ...(Predicate.isString(key) && isSecretKey(key) ? { hidden: true } : {})
  }))

const TRUE_WORDS = new Set(["true", "t", "yes", "y", "on", "1"])
const FALSE_WORDS = new Set(["false", "f", "no", "n", "off", "0"])

const toBoolean = (value: unknown): boolean | undefined => {
  if (Predicate.isBoolean(value)) return value
  const number = value instanceof YamlFloat ? value.value : value
  if (number === 0 || number === 1) return number === 1
  if (!Predicate.isString(value)) return undefined
  const word = value.toLowerCase()
  return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : undefined
}

const NOT_INTEGER = "Input should be a valid integer"
const INTEGER_TEXT = /^\s*[+-]?[0-9]+(\.0*)?\s*$/

/** The integer, or the message that says why there is none. */
const toInteger = (rule: IntegerRule, value: unknown): number | string => {
  if (Predicate.isNumber(value) && Number.isInteger(value)) return value
  if (rule.strict === true) return NOT_INTEGER
  if (Predicate.isBoolean(value)) return value ? 1 : 0
  const number = value instanceof YamlFloat ? value.value : value
  if (Predicate.isNumber(number)) {
    if (!Number.isFinite(number)) return "Input should be a finite number"
    return Number.isInteger(number) ? number : `${NOT_INTEGER}, got a number with a fractional part`
  }
  if (!Predicate.isString(value)) return NOT_INTEGER
  const parsed = value.length <= MAX_DIGITS + 10 && INTEGER_TEXT.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(parsed) ? parsed : `${NOT_INTEGER}, unable to parse string as an integer`
}

const boundsFault = ({ ge, gt, le, lt }: IntegerRule, value: number): string | undefined => {
  if (le !== undefined && value > le) return `Input should be less than or equal to ${le}`
  if (lt !== undefined && value >= lt) return `Input should be less than ${lt}`
  if (ge !== undefined && value < ge) return `Input should be greater than or equal to ${ge}`
  if (gt !== undefined && value <= gt) return `Input should be greater than ${gt}`
  return Number.isSafeInteger(value) ? undefined : `${NOT_INTEGER}, the number is too large`
}

const longerThan = (value: string, length: number): boolean => value.length > length && [...value].length > length

/** A line break at the end is none: the block form of YAML leaves one. */
const travelFault = ({ lines = false }: TextRule, value: string): string | undefined =>
  textFault(value.replace(/\n$/, ""), lines ? "lines" : "line")?.message

const ruleFault = ({ check, maxLength, pattern }: TextRule, value: string): string | undefined => {
  if (maxLength !== undefined && longerThan(value, maxLength)) {
    return `String should have at most ${maxLength} characters`
  }
  if (pattern !== undefined && (value.length > MAX_PATTERN_TEXT || !pattern.regExp.test(value))) {
    return `Input should be ${pattern.words}`
  }
  return check?.(value)
}

const readInteger = (field: SettingField, rule: IntegerRule, value: unknown): Outcome => {
  const number = toInteger(rule, value)
  const message = Predicate.isString(number) ? number : boundsFault(rule, number)
  return message === undefined ? Result.succeed(number) : fault(field, value, message)
}

const readText = (field: SettingField, rule: TextRule, value: unknown): Outcome => {
  if (!Predicate.isString(value)) return fault(field, value, "Input should be a valid string")
  const unfit = travelFault(rule, value)
  // the value would do in the message what it must not do on a switch
  if (unfit !== undefined) return fault(field, visible(value), `Value error, the text ${unfit}`)
  const message = ruleFault(rule, value)
  return message === undefined ? Result.succeed(value) : fault(field, value, message)
}

const choicesText = (values: ReadonlyArray<string>): string => {
  const quoted = values.map((value) => `'${value}'`)
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1) ?? ""}`
}

const isPlainMapping = (value: unknown): value is object =>
  value instanceof Map ||
  (Predicate.isObject(value) &&
    !(value instanceof YamlFloat || value instanceof Date || value instanceof Uint8Array || value instanceof Set))

const entriesOf = (value: object): ReadonlyArray<readonly [unknown, unknown]> =>
  value instanceof Map ? [...value.entries()] : Object.entries(value)

const valueAt = (mapping: object, key: string): unknown => {
  if (mapping instanceof Map) return mapping.get(key)
  return Object.hasOwn(mapping, key) ? Reflect.get(mapping, key) : undefined
}

const keyText = (key: unknown): string | number => (Predicate.isNumber(key) ? key : pythonText(key))

/** Validates values of the settings model and remembers what it has validated. */
export class SettingValidator {
  readonly #seen = new Map<SettingField, WeakMap<object, Outcome>>()

  /** The validated form of one top-level setting. Unknown keys must not be asked for; see `isSettingKey`. */
  setting(key: SettingKey, value: unknown): Outcome {
    const field = rootFields.get(key)
    return field === undefined
      ? Result.succeed(value)
      : Result.mapError(this.#read(field, value), (all) => below(key, all))
  }

  /** The validated form of a value of any schema that `SettingRule` has made. */
  value<S extends Schema.Constraint>(schema: S, value: unknown): Outcome<S["Type"]> {
    // The rule that a schema carries makes values of that schema's type; a property test holds the two together.
    return this.#read(fieldOf(schema), value) as Outcome<S["Type"]>
  }

  #read(field: SettingField, value: unknown): Outcome {
    if (field.rule.nullable === true && value === null) return Result.succeed(null)
    if (!Predicate.isObjectOrArray(value)) return this.#convert(field, value)
    const seen = this.#seen.get(field) ?? new WeakMap<object, Outcome>()
    this.#seen.set(field, seen)
    const known = seen.get(value)
    if (known !== undefined) return known
    const outcome = this.#convert(field, value)
    seen.set(value, outcome)
    return outcome
  }

  #convert(field: SettingField, value: unknown): Outcome {
    const { rule } = field
    switch (rule.kind) {
      case "integer":
        return readInteger(field, rule, value)
      case "text":
        return readText(field, rule, value)
      case "boolean": {
        const flag = toBoolean(value)
        if (flag !== undefined) return Result.succeed(flag)
        return fault(field, value, "Input should be a valid boolean, unable to interpret input")
      }
      case "choice":
        return Predicate.isString(value) && rule.values.includes(value)
          ? Result.succeed(value)
          : fault(field, value, `Input should be ${choicesText(rule.values)}`)
      case "integerOrText":
        return Predicate.isString(value) ? readText(field, rule.text, value) : readInteger(field, rule.integer, value)
      case "list":
        return this.#readList(field, rule, value)
      case "mapping":
        return this.#readMapping(field, rule, value)
      case "model":
        return this.#readModel(field, rule, value)
    }
  }

  #readList(field: SettingField, rule: Extract<Rule, { kind: "list" }>, value: unknown): Outcome {
    if (!Array.isArray(value)) return fault(field, value, "Input should be a valid list")
    const items: Array<unknown> = []
    const faults: Array<Fault> = []
    for (const [position, item] of value.entries()) {
      const outcome = this.#read(rule.item, item)
      if (Result.isSuccess(outcome)) items.push(outcome.success)
      else faults.push(...below(position, outcome.failure))
      if (faults.length > MAX_FAULTS) break
    }
    return faults.length === 0 ? Result.succeed(items) : Result.fail(faults)
  }

  #readMapping(field: SettingField, rule: Extract<Rule, { kind: "mapping" }>, value: unknown): Outcome {
    if (!isPlainMapping(value)) return fault(field, value, "Input should be a valid dictionary")
    const result = new Map<string, unknown>()
    const faults: Array<Fault> = []
    for (const [key, item] of entriesOf(value)) {
      if (!Predicate.isString(key)) {
        faults.push({ path: [keyText(key), "[key]"], bad: key, message: "Input should be a valid string" })
      } else if (!isText(key, "line")) {
        const message = `Value error, the name ${textFault(key, "line")?.message ?? ""}`
        faults.push({ path: [visible(key), "[key]"], bad: visible(key), message })
      } else {
        const outcome = this.#read(rule.value, item)
        if (Result.isSuccess(outcome)) result.set(key, outcome.success)
        else faults.push(...below(key, outcome.failure))
      }
      if (faults.length > MAX_FAULTS) break
    }
    return faults.length === 0 ? Result.succeed(result) : Result.fail(faults)
  }

  #readModel(field: SettingField, rule: Extract<Rule, { kind: "model" }>, value: unknown): Outcome {
    if (!isPlainMapping(value)) {
      return fault(field, value, `Input should be a valid dictionary or instance of ${rule.name}`)
    }
    const result: Record<string, unknown> = {}
    const faults: Array<Fault> = []
    for (const part of rule.fields) {
      const outcome = this.#readPart(part, valueAt(value, part.name), result)
      if (Result.isSuccess(outcome)) result[part.name] = outcome.success
      else faults.push(...below(part.name, outcome.failure))
    }
    return faults.length === 0 ? Result.succeed(result) : Result.fail(faults)
  }

  #readPart(part: NamedField, value: unknown, siblings: Readonly<Record<string, unknown>>): Outcome {
    if (value === undefined) {
      return part.default === undefined ? fault(part, null, "Field required") : Result.succeed(part.default.value)
    }
    const outcome = this.#read(part, value)
    if (Result.isFailure(outcome) || part.check === undefined) return outcome
    const message = part.check(outcome.success, siblings)
    return message === undefined ? outcome : fault(part, value, message)
  }
}

const root = fieldOf(f_root)

/** The name of a top-level setting. */
type SettingKey = keyof Settings & string

const rootFields: ReadonlyMap<string, NamedField> = new Map(
  root.rule.kind === "model" ? root.rule.fields.map((field) => [field.name, field]) : []
)

/** The top-level settings in the order of the model. */
export const settingKeys: ReadonlyArray<string> = [...rootFields.keys()]

/** True for a key that the model knows. */
export const isSettingKey = (key: unknown): key is SettingKey => Predicate.isString(key) && rootFields.has(key)

/** Validated values by key, with the defaults of all keys that are not there, in the order of the model. */
export const completeSettings = (values: ReadonlyMap<string, unknown>): Settings => {
  const all: Record<string, unknown> = {}
  for (const [key, field] of rootFields) all[key] = values.has(key) ? values.get(key) : field.default?.value
  // Every key of the model is set, each to a value that its own rule has made or to its default.
  return all as Settings
}

/** Validates a whole settings tree, such as the body of POST /settings/model; anything may be given. */
export const validateSettings = (value: unknown, validator = new SettingValidator()): Outcome<Settings> => {
  if (!isPlainMapping(value)) {
    return validator.value(f_root, value)
  }
  const values = new Map<string, unknown>()
  const faults: Array<Fault> = []
  for (const key of rootFields.keys()) {
    const given = valueAt(value, key)
    if (given === undefined || !isSettingKey(key)) continue
    const outcome = validator.setting(key, given)
    if (Result.isSuccess(outcome)) values.set(key, outcome.success)
    else faults.push(...outcome.failure)
  }
  return faults.length === 0 ? Result.succeed(completeSettings(values)) : Result.fail(faults)
}
