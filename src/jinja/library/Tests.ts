/**
 * Jinja2's tests.
 */
import { argument, library, type Library, softText, withAliases } from "../values/Builtin.ts"
import { arithmetic } from "../values/Arithmetic.ts"
import {
  Dict,
  elementsOf,
  Float,
  type Implementation,
  isInteger,
  isText,
  Markup,
  Native,
  Undefined,
  type Value
} from "../values/Value.ts"
import { compare, contains, equals, type Ordering, tryCursor } from "../values/Protocols.ts"
import { Range } from "../values/Objects.ts"

const value = (args: ReadonlyArray<Value>): Value => argument(args, 0)

const ordering =
  (operator: Ordering): Implementation =>
  (args) =>
    compare(operator, value(args), argument(args, 1))

const remainder = (args: ReadonlyArray<Value>, divisor: Value): Value => arithmetic("%", value(args), divisor)

const isSequence = (candidate: Value): boolean =>
  elementsOf(candidate) !== undefined ||
  isText(candidate) ||
  candidate instanceof Dict ||
  candidate instanceof Undefined ||
  candidate instanceof Range

// The same object; for values that are not objects in JavaScript, the same type and value.
const isSame = (a: Value, b: Value): boolean =>
  a === b || (a instanceof Float && b instanceof Float && a.value === b.value)

const isUpper: Implementation = (args) => {
  const text = softText(args, 0)
  return text === text.toUpperCase() && text !== text.toLowerCase()
}

const isLower: Implementation = (args) => {
  const text = softText(args, 0)
  return text === text.toLowerCase() && text !== text.toUpperCase()
}

const isCallable = (candidate: Value): boolean =>
  candidate instanceof Undefined || (candidate instanceof Native && candidate.callable)

const isNumber = (candidate: Value): boolean =>
  isInteger(candidate) || candidate instanceof Float || typeof candidate === "boolean"

/** All tests. */
export const tests: Library = withAliases(
  library({
    "defined(value)": (args) => !(value(args) instanceof Undefined),
    "undefined(value)": (args) => value(args) instanceof Undefined,
    "none(value)": (args) => value(args) === null,
    "boolean(value)": (args) => typeof value(args) === "boolean",
    "true(value)": (args) => value(args) === true,
    "false(value)": (args) => value(args) === false,
    "integer(value)": (args) => isInteger(value(args)),
    "float(value)": (args) => value(args) instanceof Float,
    "number(value)": (args) => isNumber(value(args)),
    "string(value)": (args) => isText(value(args)),
    "mapping(value)": (args) => value(args) instanceof Dict,
    "sequence(value)": (args) => isSequence(value(args)),
    "iterable(value)": (args) => tryCursor(value(args)) !== undefined,
    "callable(value)": (args) => isCallable(value(args)),
    "escaped(value)": (args) => value(args) instanceof Markup,
    "odd(value)": (args) => equals(remainder(args, 2), 1),
    "even(value)": (args) => equals(remainder(args, 2), 0),
    "divisibleby(value, num)": (args) => equals(remainder(args, argument(args, 1)), 0),
    "upper(value)": isUpper,
    "lower(value)": isLower,
    "sameas(value, other)": (args) => isSame(value(args), argument(args, 1)),
    "in(value, seq)": (args) => contains(argument(args, 1), value(args)),
    "eq(value, other)": (args) => equals(value(args), argument(args, 1)),
    "ne(value, other)": (args) => !equals(value(args), argument(args, 1)),
    "lt(value, other)": ordering("<"),
    "le(value, other)": ordering("<="),
    "gt(value, other)": ordering(">"),
    "ge(value, other)": ordering(">="),
    "filter(value)": (args, { surroundings }) => surroundings.filters.has(softText(args, 0)),
    "test(value)": (args, { surroundings }) => surroundings.tests.has(softText(args, 0))
  }),
  {
    equalto: "eq",
    "==": "eq",
    "!=": "ne",
    lessthan: "lt",
    "<": "lt",
    "<=": "le",
    greaterthan: "gt",
    ">": "gt",
    ">=": "ge"
  }
)
