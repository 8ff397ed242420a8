/**
 * Values in a JSON answer, chosen by a path: a subset of JSONPath (RFC 9535) with one meaning only. `$` is the whole answer, `.name` and
 * `['name']` are a member, `[0]` is an element, `[*]` are all elements of a list and `.*` all members of an object. A step that finds
 * nothing of its kind is an error and never an empty result, because a misspelt path would make a check hold. Pure.
 */
import { Result } from "effect"
import { isObject } from "../fields/Values.ts"

/** One step of a path. */
export type JsonStep =
  | { readonly step: "member"; readonly name: string }
  | { readonly step: "element"; readonly index: number }
  | { readonly step: "elements" }
  | { readonly step: "members" }

/** A value, and the path that leads to it alone. */
export interface PlacedValue {
  readonly place: string
  readonly value: unknown
}

const LONGEST = 500
const MOST_STEPS = 20

const STEP = /\.([A-Za-z_]\w*)|\.(\*)|\[(\*)\]|\[(\d{1,6})\]|\['((?:[^'\\]|\\['\\])+)'\]/y

const EXPECTED =
  "must be a path such as $.data.alerts[*]: $ for the whole answer, then .name, ['a name'], [0], [*] for all of a list, .* for all of an object"

const stepOf = ([, name, members, elements, index, quoted]: RegExpExecArray): JsonStep => {
  if (name !== undefined) return { step: "member", name }
  if (quoted !== undefined) return { step: "member", name: quoted.replaceAll(/\\(['\\])/g, "$1") }
  if (members !== undefined) return { step: "members" }
  return elements === undefined ? { step: "element", index: Number(index) } : { step: "elements" }
}

/** The steps of a path; fails with what a path looks like. */
export const parseJsonPath = (text: string): Result.Result<ReadonlyArray<JsonStep>, string> => {
  if (!text.startsWith("$") || text.length > LONGEST) return Result.fail(EXPECTED)
  const steps: Array<JsonStep> = []
  const pattern = new RegExp(STEP)
  pattern.lastIndex = 1
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (found === null || steps.length === MOST_STEPS) return Result.fail(EXPECTED)
    steps.push(stepOf(found))
  }
  return Result.succeed(steps)
}

const memberPlace = (place: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `${place}.${name}` : `${place}['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`

const wordOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const other = (at: PlacedValue, wanted: string) => Result.fail(`${at.place} is ${wordOf(at.value)}, not ${wanted}`)

const follow = (step: JsonStep, at: PlacedValue): Result.Result<ReadonlyArray<PlacedValue>, string> => {
  const { place, value } = at
  switch (step.step) {
    case "member": {
      if (!isObject(value)) return other(at, "an object")
      const found = memberPlace(place, step.name)
      return Object.hasOwn(value, step.name)
        ? Result.succeed([{ place: found, value: value[step.name] }])
        : Result.fail(`${found} is missing`)
    }
    case "element": {
      if (!Array.isArray(value)) return other(at, "a list")
      const found = `${place}[${step.index}]`
      return step.index < value.length
        ? Result.succeed([{ place: found, value: value[step.index] }])
        : Result.fail(`${found} is missing`)
    }
    case "elements":
      return Array.isArray(value)
        ? Result.succeed(value.map((one: unknown, index) => ({ place: `${place}[${index}]`, value: one })))
        : other(at, "a list")
    case "members":
      return isObject(value)
        ? Result.succeed(Object.entries(value).map(([name, one]) => ({ place: memberPlace(place, name), value: one })))
        : other(at, "an object")
  }
}

/** The values that a path leads to. Fails with the first place at which a step finds something else than it wants. */
export const valuesAt = (
  answer: unknown,
  steps: ReadonlyArray<JsonStep>
): Result.Result<ReadonlyArray<PlacedValue>, string> =>
  Result.gen(function* () {
    let found: ReadonlyArray<PlacedValue> = [{ place: "$", value: answer }]
    for (const step of steps) {
      const next: Array<PlacedValue> = []
      for (const at of found) next.push(...(yield* follow(step, at)))
      found = next
    }
    return found
  })
