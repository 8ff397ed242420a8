/** Rules that several nouns share, each made with its sentence. Accepted values: docs/api.md#texts-of-device-fields. */
import { Option, Result } from "effect"
import type { CheckedBody, Place, Refusal, Rule } from "./Body.ts"
import { isAddress, isDigits, isFalsy, isObject, type JsonObject, lengthOf, toInteger } from "./Values.ts"

/** The sentence of a refusal, for a value at its place. */
type Sentence = (place: Place & { readonly sent: unknown }) => Refusal

const refuse = (sentence: Sentence, sent: unknown, place: Place) => Result.fail(sentence({ ...place, sent }))

/** Accepts a value that passes the test, unchanged. */
export const accept =
  <A>(test: (sent: unknown) => sent is A, sentence: Sentence): Rule<A> =>
  (sent, place) =>
    test(sent) ? Result.succeed(sent) : refuse(sentence, sent, place)

/** Accepts a value that can be converted. */
export const convert =
  <A>(conversion: (sent: unknown) => Option.Option<A>, sentence: Sentence): Rule<A> =>
  (sent, place) =>
    Option.match(conversion(sent), {
      onNone: () => refuse(sentence, sent, place),
      onSome: (value) => Result.succeed(value)
    })

/** Null stays null. */
export const orNull =
  <A>(rule: Rule<A>): Rule<A | null> =>
  (sent, place) =>
    sent === null ? Result.succeed(null) : rule(sent, place)

/** Null and the empty text become null. */
export const emptyAsNull =
  <A>(rule: Rule<A>): Rule<A | null> =>
  (sent, place) =>
    sent === null || sent === "" ? Result.succeed(null) : rule(sent, place)

/** Every value that is false in the reference's language becomes null. */
export const falsyAsNull =
  <A>(rule: Rule<A>): Rule<A | null> =>
  (sent, place) =>
    isFalsy(sent) ? Result.succeed(null) : rule(sent, place)

/** A text of at most so many characters. */
export const text = (max: number, sentence: Sentence): Rule<string> =>
  accept((sent): sent is string => typeof sent === "string" && lengthOf(sent) <= max, sentence)

/** An IPv4 or IPv6 address without prefix length, as it was written. */
export const address = (sentence: Sentence): Rule<string> => accept(isAddress, sentence)

/** A value that means an integer within the range of a column: a number, digits in a text, a boolean. */
export const integer = (sentence: Sentence): Rule<number> => convert(toInteger, sentence)

/** A JSON boolean. */
export const flag = (sentence: Sentence): Rule<boolean> =>
  accept((sent): sent is boolean => typeof sent === "boolean", sentence)

/** One of these names in any case. */
export const oneOf = <const Names extends ReadonlyArray<string>>(
  names: Names,
  sentence: Sentence
): Rule<Names[number]> =>
  convert((sent) => {
    const upper = typeof sent === "string" ? sent.toUpperCase() : undefined
    return Option.fromUndefinedOr(names.find((name) => name === upper))
  }, sentence)

/** A value of another type is replaced by the fallback. */
export const lenient =
  <A>(test: (sent: unknown) => sent is A, fallback: A): Rule<A> =>
  (sent) =>
    Result.succeed(test(sent) ? sent : fallback)

/** Bounds of an integer, both included. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/** An integer within bounds, also as digits in a text. `sentenceOf` makes the sentence from the expected form. */
export const boundedInteger =
  ({ max, min }: Bounds, sentenceOf: (shouldBe: string, place: Place) => Refusal): Rule<number> =>
  (sent, place) => {
    const refuse = (shouldBe: string) => Result.fail(sentenceOf(shouldBe, place))
    const number = typeof sent === "string" && isDigits(sent) ? Number(sent) : sent
    if (typeof number === "string") return refuse("a valid integer, unable to parse string as an integer")
    if (typeof number !== "number") return refuse("a valid integer")
    if (!Number.isInteger(number)) return refuse("a valid integer, got a number with a fractional part")
    if (number < min) return refuse(`greater than ${min - 1}`)
    return number > max ? refuse(`less than ${max + 1}`) : Result.succeed(number)
  }

/** A list of objects, each with the rules of a body; mistakes are reported element by element. */
export const listOf =
  <A>(
    element: { readonly check: (body: JsonObject) => CheckedBody<A> },
    refusals: { readonly noList: Refusal; readonly noObject: string }
  ): Rule<ReadonlyArray<A>> =>
  (sent) => {
    if (!Array.isArray(sent)) return Result.fail(refusals.noList)
    const checked = sent.map((part) =>
      isObject(part) ? element.check(part).complete : Result.fail([refusals.noObject] as const)
    )
    const sentences = checked.flatMap((part) => (Result.isFailure(part) ? part.failure : []))
    return sentences.length > 0
      ? Result.fail(sentences)
      : Result.succeed(checked.flatMap((part) => (Result.isSuccess(part) ? [part.success] : [])))
  }
