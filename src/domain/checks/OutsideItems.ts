/**
 * Readings that no driver makes: items with fields that no schema of ours knows, from the JSON answer of a monitoring system
 * (docs/checks.md#a-question-to-a-monitoring-system) or of a plugin (docs/plugins.md#a-check-of-your-own). What is not there is null, and
 * what cannot be understood is an error of the whole reading. Pure.
 */
import { Result } from "effect"
import type { HttpQuestion } from "./HttpQuestion.ts"
import { isObject } from "../fields/Values.ts"
import { parseJsonPath, type PlacedValue, valuesAt } from "./JsonPath.ts"

/** A field of an item; null if the answer does not say it. */
export type OutsideField = boolean | number | string | ReadonlyArray<string> | null

/** Items by their names, with their fields by theirs. */
export type OutsideItems = Readonly<Record<string, Readonly<Record<string, OutsideField>>>>

/** The field of an item that is no object. */
export const VALUE = "value"

const MOST_FIELDS = 200
const DEEPEST = 6
const LONGEST_NAME = 250

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

const fieldOf = (value: unknown, numbers: boolean): OutsideField | undefined => {
  if (value === null || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "string") return isTexts(value) ? value : undefined
  const number = numbers && NUMBER.test(value) ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : value
}

/** Whether a name can be that of an item or a field: it is not one that every object has. */
export const isOwnName = (name: string): boolean => name !== "" && name.length <= LONGEST_NAME && !(name in {})

const fieldsIn = (
  { place, value }: PlacedValue,
  numbers: boolean
): Result.Result<ReadonlyMap<string, OutsideField>, string> => {
  const fields = new Map<string, OutsideField>()
  const add = (name: string, found: unknown, depth: number): string | undefined => {
    if (isObject(found)) {
      if (depth === DEEPEST) return undefined
      for (const [key, one] of Object.entries(found)) {
        const problem = add(name === "" ? key : `${name}.${key}`, one, depth + 1)
        if (problem !== undefined) return problem
      }
      return undefined
    }
    const field = fieldOf(found, numbers)
    if (field === undefined) return undefined
    if (!isOwnName(name) || fields.has(name)) return `${place} has a field that cannot be told from others`
    fields.set(name, field)
    return fields.size > MOST_FIELDS ? `${place} has more than ${MOST_FIELDS} fields` : undefined
  }
  const problem = isObject(value) ? add("", value, 0) : add(VALUE, value, 0)
  if (problem !== undefined) return Result.fail(problem)
  return !isObject(value) && fields.size === 0
    ? Result.fail(`${place} is a list: end the path with [*]`)
    : Result.succeed(fields)
}

const nameIn = (
  { name }: HttpQuestion,
  { place }: PlacedValue,
  fields: ReadonlyMap<string, OutsideField>
): Result.Result<string, string> => {
  if (name.length === 0) return Result.succeed(place)
  const parts = name.flatMap((field) => {
    const found = fields.get(field) ?? null
    return found === null ? [] : [Array.isArray(found) ? found.join(" ") : String(found)]
  })
  const joined = parts.join(" ")
  return parts.length === 0 || !isOwnName(joined)
    ? Result.fail(`${place} has no name in ${name.join(", ")}`)
    : Result.succeed(joined)
}

/** The items in an answer. Fails with a sentence that quotes the names in it alone. */
export const itemsInAnswer = (question: HttpQuestion, answer: unknown): Result.Result<OutsideItems, string> =>
  Result.gen(function* () {
    const values = yield* valuesAt(answer, yield* parseJsonPath(question.path))
    const items = new Map<string, OutsideItems[string]>()
    for (const value of values) {
      const fields = yield* fieldsIn(value, question.numbers)
      const name = yield* nameIn(question, value, fields)
      if (items.has(name)) return yield* Result.fail(`two items are named ${name}: more fields must be in name`)
      items.set(name, Object.fromEntries(fields))
    }
    return Object.fromEntries(items)
  })

/** The field of an item of a plugin that names it. */
const NAME = "name"

/** The items in the answer of a plugin: a list of objects, each with a name of its own. Fails with half a sentence. */
export const itemsOfPlugin = (answer: unknown): Result.Result<OutsideItems, string> =>
  Result.gen(function* () {
    if (!Array.isArray(answer)) return yield* Result.fail("its answer is no list of items")
    const values: ReadonlyArray<unknown> = answer
    const items = new Map<string, OutsideItems[string]>()
    for (const [index, value] of values.entries()) {
      const place = `item ${index + 1}`
      if (!isObject(value)) return yield* Result.fail(`${place} is no object`)
      const fields = yield* fieldsIn({ place, value }, false)
      const name = fields.get(NAME)
      if (typeof name !== "string" || !isOwnName(name)) return yield* Result.fail(`${place} has no name`)
      if (items.has(name)) return yield* Result.fail(`two items are named ${name}`)
      items.set(name, Object.fromEntries(fields))
    }
    return Object.fromEntries(items)
  })
