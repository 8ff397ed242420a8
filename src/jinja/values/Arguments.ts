/**
 * Reading the arguments of builtins: each function gives the argument in the type asked for, or fails with TypeError.
 */
import { fail } from "../Failure.ts"
import { reserveText } from "../Meter.ts"
import { numberOf } from "./Equality.ts"
import { str, typeName } from "./Printing.ts"
import { isInteger, isText, Markup, textOf, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

/** The argument at this place; None when there is none. */
export const argument = (args: ReadonlyArray<Value>, index: number): Value => {
  const value = args[index]
  return value === undefined ? null : value
}

/** Any value as text, the way it prints. */
export const softText = (args: ReadonlyArray<Value>, index: number): string => str(argument(args, index))

/** A text, and nothing else. */
export const textArgument = (args: ReadonlyArray<Value>, index: number): string => {
  const value = argument(args, index)
  if (isText(value)) return textOf(value)
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  return fail("TypeError", `expected str, got ${typeName(value)}`)
}

/** A text or None. */
export const optionalText = (args: ReadonlyArray<Value>, index: number): string | undefined =>
  argument(args, index) === null ? undefined : textArgument(args, index)

/** An integer small enough to count with. Booleans count as 0 and 1. */
export const integerArgument = (args: ReadonlyArray<Value>, index: number): number => {
  const value = argument(args, index)
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  if (isInteger(value)) return fail("OverflowError", "Python int too large to convert to C ssize_t")
  return fail("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** An integer or None. */
export const optionalInteger = (args: ReadonlyArray<Value>, index: number): number | undefined =>
  argument(args, index) === null ? undefined : integerArgument(args, index)

/** A number of any kind as JavaScript number. */
export const numberArgument = (args: ReadonlyArray<Value>, index: number): number => {
  const value = argument(args, index)
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  const number = numberOf(value)
  return number === undefined ? fail("TypeError", `must be real number, not ${typeName(value)}`) : Number(number)
}

/** The result of a text function applied to escaped text is escaped text again. */
export const likeOriginal = (original: Value, text: string): Value => {
  reserveText(text.length)
  return original instanceof Markup ? new Markup(text) : text
}
