/**
 * Whether a condition holds, from the reading before a change and the one after it (docs/checks.md#conditions). A reading is first
 * reduced to a sample, which has only what its condition needs, because the row of a change keeps it. Pure.
 */
import { Result, Schema } from "effect"
import { countOf, ruleText } from "./CheckSentences.ts"
import { type Check, comparesBefore, type Condition, countField, isOutside, looksAt } from "./Check.ts"
import type { OutsideItems } from "./OutsideItems.ts"
import type { Reading } from "./Readings.ts"

const Field = Schema.NullOr(Schema.Union([Schema.Boolean, Schema.Finite, Schema.String, Schema.Array(Schema.String)]))
type Field = typeof Field.Type

/** The values of an item that its condition needs. */
type Item = Readonly<Record<string, Field>>

/** A reading, reduced. `total` is what is counted: the items, or the sum of a field, null where an item does not report it. */
export const Sample = Schema.Struct({
  total: Schema.NullOr(Schema.Finite),
  items: Schema.Record(Schema.String, Schema.Record(Schema.String, Field))
})
export type Sample = typeof Sample.Type

/** How a condition ended. `held` is null if a field that it needs was not reported. */
export interface Judgement {
  readonly held: boolean | null
  readonly before: string | null
  readonly now: string
  readonly sentence: string
}

/** A sample has at most so many items: more are a mistake of the check, and the row of a change would not bear them. */
export const MOST_ITEMS = 2_000

/** A sample from elsewhere has at most so many characters. */
const LONGEST_SAMPLE = 100_000

/** At most so many items are named in a sentence, and so many characters of each. */
const MOST_NAMED = 3
const LONGEST_NAME = 160

/** The items of any reading, of the device or from elsewhere. */
export interface ReadItems {
  readonly items: Reading["items"] | OutsideItems
}

const itemsOf = ({ items }: ReadItems): ReadonlyArray<readonly [string, Item]> => Object.entries<Item>(items)

const isWanted =
  (check: Check, ports: ReadonlySet<string> | null) =>
  ([name, item]: readonly [string, Item]): boolean =>
    (ports === null || ports.has(name)) &&
    looksAt(check, name) &&
    Object.entries(check.where).every(([field, value]) => item[field] === value)

/** The fields that a condition compares; null for all of them. */
const comparedFields = (condition: Condition): ReadonlyArray<string> | null => {
  switch (condition.must) {
    case "equal":
      return condition.fields.length === 0 ? null : condition.fields
    case "grows_at_most":
    case "within":
      return [condition.field]
    case "every":
      return Object.keys(condition.values)
    default:
      return []
  }
}

const amountOf = (value: Field | undefined): number | null => {
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  return Array.isArray(value) ? value.length : null
}

const summedField = ({ condition, question }: Check): string | null =>
  "of" in condition && condition.of !== null ? condition.of : countField(question.reads)

const picked = (item: Item, fields: ReadonlyArray<string> | null): Item =>
  fields === null ? item : Object.fromEntries(fields.map((field) => [field, item[field] ?? null]))

/** The fields by which a new or a lost item is told to people. */
const toldFields = ({ question }: Check): ReadonlyArray<string> =>
  question.reads === "log" ? ["severity", "message"] : []

/** A field of `where` that no item has is a mistake in its name: it would leave nothing that could fail. */
const unknownField = (check: Check, items: ReadonlyArray<readonly [string, Item]>): string | undefined =>
  isOutside(check.question) && items.length > 0
    ? Object.keys(check.where).find((field) => items.every(([, item]) => (item[field] ?? null) === null))
    : undefined

/**
 * The sample of a reading. `ports` are those of the role that the check asks for, null without a role. Fails with a sentence when there
 * are too many items, or none of them has a field that `where` names.
 */
export const sampleOf = (
  check: Check,
  reading: ReadItems,
  ports: ReadonlySet<string> | null
): Result.Result<Sample, string> => {
  const unknown = unknownField(check, itemsOf(reading))
  if (unknown !== undefined) return Result.fail(`no item has the field ${unknown}`)
  const wanted = itemsOf(reading).filter(isWanted(check, ports))
  if (wanted.length > MOST_ITEMS) {
    return Result.fail(`${wanted.length} items are more than the ${MOST_ITEMS} that a check can compare`)
  }
  const summed = summedField(check)
  const amounts = summed === null ? [] : wanted.map(([, item]) => amountOf(item[summed]))
  const sum = amounts.reduce<number | null>((all, one) => (all === null || one === null ? null : all + one), 0)
  const fields = comparedFields(check.condition)
  const kept = fields === null ? null : [...fields, ...toldFields(check)]
  const sample = {
    total: summed === null ? wanted.length : sum,
    items: Object.fromEntries(wanted.map(([name, item]) => [name, picked(item, kept)]))
  }
  return isOutside(check.question) && JSON.stringify(sample).length > LONGEST_SAMPLE
    ? Result.fail(`the items have more than the ${LONGEST_SAMPLE} characters that a check can compare`)
    : Result.succeed(sample)
}

const valueText = (value: Field | undefined): string => {
  if (value === null || value === undefined) return "not reported"
  return Array.isArray(value) ? (value.length === 0 ? "none" : value.join(" ")) : String(value)
}

const itemText = (item: Item): string =>
  Object.entries(item)
    .map(([field, value]) => `${field} ${valueText(value)}`)
    .join(", ")

const named = (texts: ReadonlyArray<string>): string => {
  const shown = texts
    .slice(0, MOST_NAMED)
    .map((text) => (text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text))
  return `${shown.join("; ")}${texts.length > MOST_NAMED ? `; and ${texts.length - MOST_NAMED} more` : ""}`
}

const whereText = ({ where }: Check): string => {
  const texts = Object.entries(where).map(([field, value]) => `${field} ${String(value)}`)
  return texts.length === 0 ? "" : ` with ${texts.join(" and ")}`
}

const totalText = (check: Check, { total }: Sample): string => {
  const { condition, question } = check
  if (total === null) return "a number that is not reported"
  const of = "of" in condition ? condition.of : null
  return of === null ? `${countOf(question.reads, total)}${whereText(check)}` : `${of} ${total}`
}

const lostOf = (before: Sample, now: Sample): ReadonlyArray<string> =>
  Object.keys(before.items).filter((name) => !(name in now.items))

const isSame = (one: Field | undefined, other: Field | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** A comparison: whether it holds, with both sides in words. */
interface Compared {
  readonly held: boolean | null
  readonly before: string | null
  readonly now: string
}

const totals = (
  check: Check,
  before: Sample | null,
  now: Sample,
  holds: (total: number, old: number) => boolean
): Compared => {
  const old = before?.total ?? null
  const isKnown = now.total !== null && (old !== null || !comparesBefore(check.condition))
  const gone = before === null ? [] : lostOf(before, now)
  const detail = gone.length === 0 ? "" : ` (gone: ${named(gone)})`
  return {
    held: isKnown && now.total !== null ? holds(now.total, old ?? 0) : null,
    before: before === null ? null : totalText(check, before),
    now: `${totalText(check, now)}${detail}`
  }
}

const equal = (check: Check, before: Sample, now: Sample): Compared => {
  const names = [...new Set([...Object.keys(before.items), ...Object.keys(now.items)])]
  const others = names.filter((name) => {
    const [old, item] = [before.items[name], now.items[name]]
    if (old === undefined || item === undefined) return true
    return [...new Set([...Object.keys(old), ...Object.keys(item)])].some((field) => !isSame(old[field], item[field]))
  })
  const tell = ({ items }: Sample) =>
    named(
      others.map((name) => {
        const item = items[name]
        return `${name} ${item === undefined ? "not there" : itemText(item) || "there"}`
      })
    )
  return others.length === 0
    ? { held: true, before: totalText(check, before), now: "the same" }
    : { held: false, before: tell(before), now: tell(now) }
}

const noLost = (check: Check, before: Sample, now: Sample): Compared => {
  const lost = lostOf(before, now)
  const detail = lost.length === 0 ? "" : ` (gone: ${named(lost)})`
  return {
    held: lost.length === 0,
    before: countText(check, before),
    now: `${countText(check, now)}${detail}`
  }
}

const countText = (check: Check, { items }: Sample): string =>
  `${countOf(check.question.reads, Object.keys(items).length)}${whereText(check)}`

const noNew = (check: Check, before: Sample, now: Sample): Compared => {
  // the messages of a log have only running numbers as names
  const isLog = check.question.reads === "log"
  const news = Object.entries(now.items).filter(([name]) => isLog || !(name in before.items))
  const tell = ([name, item]: readonly [string, Item]) => (isLog ? valueText(item["message"]) : name)
  const detail = news.length === 0 ? "" : ` (new: ${named(news.map(tell))})`
  return {
    held: news.length === 0,
    before: countText(check, before),
    now: `${countText(check, now)}${detail}`
  }
}

const grows = (before: Sample, now: Sample, field: string, by: number): Compared => {
  const shared = Object.keys(now.items).filter((name) => name in before.items)
  const valueIn = ({ items }: Sample, name: string) => amountOf(items[name]?.[field])
  const unknown = shared.filter((name) => valueIn(before, name) === null || valueIn(now, name) === null)
  const grown = shared.filter((name) => (valueIn(now, name) ?? 0) - (valueIn(before, name) ?? 0) > by)
  const tell = (sample: Sample, names: ReadonlyArray<string>) =>
    names.length === 0
      ? `${field} of ${shared.length}`
      : named(names.map((name) => `${name} ${field} ${valueText(sample.items[name]?.[field])}`))
  const shown = grown.length > 0 ? grown : unknown
  return {
    held: grown.length > 0 ? false : unknown.length > 0 ? null : true,
    before: tell(before, shown),
    now: tell(now, shown)
  }
}

/** Items that do not fulfil a rule for each of them; `test` is null where a field is not reported. */
const each = (check: Check, before: Sample | null, now: Sample, test: (item: Item) => boolean | null): Compared => {
  const failing = ({ items }: Sample) => Object.entries(items).filter(([, item]) => test(item) === false)
  const unknown = Object.entries(now.items).filter(([, item]) => test(item) === null)
  const tell = (sample: Sample) => {
    const wrong = failing(sample)
    const size = countOf(check.question.reads, Object.keys(sample.items).length)
    return wrong.length === 0 ? `${size} as required` : named(wrong.map(([name, item]) => `${name} ${itemText(item)}`))
  }
  const isFailed = failing(now).length > 0
  return {
    held: isFailed ? false : unknown.length > 0 ? null : true,
    before: before === null ? null : tell(before),
    now: !isFailed && unknown.length > 0 ? named(unknown.map(([name, item]) => `${name} ${itemText(item)}`)) : tell(now)
  }
}

const NONE: Sample = { total: 0, items: {} }

const compare = (check: Check, before: Sample | null, now: Sample): Compared => {
  const { condition } = check
  const old = before ?? NONE
  switch (condition.must) {
    case "equal":
      return equal(check, old, now)
    case "no_lost":
      return noLost(check, old, now)
    case "no_new":
      return noNew(check, old, now)
    case "at_least_share": {
      const { percent } = condition
      const holds = (total: number, was: number) => total * 100 >= was * percent
      return totals(check, before, now, holds)
    }
    case "at_least":
      return totals(check, before, now, (total) => total >= condition.count)
    case "at_most":
      return totals(check, before, now, (total) => total <= condition.count)
    case "grows_at_most":
      return grows(old, now, condition.field, condition.by)
    case "within": {
      const { field, least, most } = condition
      const test = (item: Item) => {
        const value = amountOf(item[field])
        return value === null ? null : (least === null || value >= least) && (most === null || value <= most)
      }
      return each(check, before, now, test)
    }
    case "every": {
      const { values } = condition
      const test = (item: Item) => {
        const found = Object.entries(values).map(([field, value]) => {
          const shown = item[field] ?? null
          return shown === null ? null : shown === value
        })
        return found.includes(false) ? false : found.includes(null) ? null : true
      }
      return each(check, before, now, test)
    }
  }
}

/** Whether a condition needs the reading of before and has none: then it cannot be judged. */
const isBlind = (check: Check, before: Sample | null): boolean =>
  before === null && comparesBefore(check.condition) && check.question.reads !== "log"

/**
 * Judges a check by its samples. `before` is null if there is no reading of before; a condition that compares with it is then not
 * judged (`held` null).
 */
export const judge = (check: Check, before: Sample | null, now: Sample): Judgement => {
  if (isBlind(check, before)) {
    const text = countText(check, now)
    return { held: null, before: null, now: text, sentence: `not read before, now ${text}` }
  }
  const compared = compare(check, before, now)
  const was = compared.before === null ? "" : `before ${compared.before}, `
  const rule = ruleText(check)
  const why =
    compared.held === true ? "" : compared.held === false ? `, but ${rule}` : `, and ${rule}: it is not reported`
  return {
    held: compared.held,
    before: compared.before,
    now: compared.now,
    sentence: `${was}now ${compared.now}${why}`
  }
}

/** Judges a check before the change, by the reading of before alone; null if it can only be judged afterwards. */
export const judgeBefore = (check: Check, before: Sample): Judgement | null =>
  comparesBefore(check.condition) || check.question.reads === "log" ? null : judge(check, before, before)
