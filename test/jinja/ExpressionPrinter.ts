/**
 * Expressions back as source text, with brackets exactly where the parser needs them to find the same tree.
 */
import { floatRepr } from "../../src/jinja/values/Printing.ts"
import { quote } from "../../src/jinja/syntax/Lexer.ts"
import type { Arguments, Expression, Literal } from "../../src/jinja/syntax/Tree.ts"

// How tightly a node holds together; a node in a place that asks for more is put in brackets.
const levels = {
  conditional: 0,
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  sum: 5,
  concatenation: 6,
  product: 7,
  power: 8,
  sign: 9,
  filter: 10,
  postfix: 11
}

const operatorLevels: Readonly<Record<string, number>> = {
  "+": levels.sum,
  "-": levels.sum,
  "**": levels.power
}

const levelOf = (node: Expression): number => {
  switch (node.type) {
    case "conditional":
      return levels.conditional
    case "logical":
      return node.operator === "or" ? levels.or : levels.and
    case "comparison":
      return levels.comparison
    case "binary":
      return operatorLevels[node.operator] ?? levels.product
    case "concatenation":
      return levels.concatenation
    case "unary":
      if (node.operator !== "not") return levels.sign
      return node.operand.type === "test" ? levels.filter : levels.not
    case "filter":
    case "test":
      return levels.filter
    default:
      return levels.postfix
  }
}

const at = (node: Expression, level: number): string => {
  const text = printExpression(node)
  return levelOf(node) < level ? `(${text})` : text
}

// A number in front of a dot would take the dot for its fraction.
const postfix = (node: Expression): string =>
  node.type === "constant" && typeof node.value !== "string" ? `(${printExpression(node)})` : at(node, levels.postfix)

const literal = (value: Literal): string => {
  if (value === null) return "none"
  if (typeof value === "string") return quote(value)
  if (typeof value !== "object") return value.toString()
  return Number.isFinite(value.value) ? floatRepr(value.value) : "1e999"
}

const printArguments = (args: Arguments): string =>
  [
    ...args.positional.map(printExpression),
    ...args.keywords.map(({ name, value }) => `${name}=${printExpression(value)}`),
    ...(args.rest === undefined ? [] : [`*${printExpression(args.rest)}`]),
    ...(args.keywordRest === undefined ? [] : [`**${printExpression(args.keywordRest)}`])
  ].join(", ")

/** Arguments in brackets; nothing if there are none. */
export const printArgumentsOf = (args: Arguments): string => {
  const text = printArguments(args)
  return text === "" ? "" : `(${text})`
}

const optional = (node: Expression | undefined): string => (node === undefined ? "" : printExpression(node))

const bareArgument = /^(?!(?:else|or|and|is)\b)[\w'[{]/u

// A single argument of a test stands without brackets where it can, because there more names are allowed.
const testArguments = (args: Arguments): string => {
  const [only] = args.positional
  const single = only !== undefined && args.positional.length === 1 && args.keywords.length === 0
  if (single && args.rest === undefined && args.keywordRest === undefined && levelOf(only) === levels.postfix) {
    const text = printExpression(only)
    if (bareArgument.test(text)) return ` ${text}`
  }
  return `(${printArguments(args)})`
}

const printTest = (node: Extract<Expression, { type: "test" }>, negated: boolean): string =>
  `${at(node.of, levels.sign)} is ${negated ? "not " : ""}${node.name}${testArguments(node.args)}`

const printUnary = (node: Extract<Expression, { type: "unary" }>): string => {
  const { operand, operator } = node
  if (operator !== "not")
    return (
      operator +
      (operand.type === "unary" && operand.operator !== "not" ? printUnary(operand) : at(operand, levels.postfix))
    )
  return operand.type === "test" ? printTest(operand, true) : `not ${at(operand, levels.not)}`
}

const printConditional = (node: Extract<Expression, { type: "conditional" }>): string => {
  const otherwise = node.otherwise === undefined ? "" : ` else ${printExpression(node.otherwise)}`
  // The part before `if` may be a condition itself, if that has no else to take this if for its own.
  const open = node.value.type === "conditional" && node.value.otherwise === undefined
  const then = open ? printExpression(node.value) : at(node.value, levels.or)
  return `${then} if ${at(node.test, levels.or)}${otherwise}`
}

const printKey = (key: Expression): string => {
  if (key.type !== "tuple") return printExpression(key)
  return key.items.length === 1 ? `(${printExpression(key)})` : key.items.map(printExpression).join(", ")
}

/** An expression as source text. */
export const printExpression = (node: Expression): string => {
  switch (node.type) {
    case "name":
      return node.name
    case "constant":
      return literal(node.value)
    case "list":
      return `[${node.items.map(printExpression).join(", ")}]`
    case "tuple":
      return `(${node.items.map((item) => `${printExpression(item)},`).join(" ")})`
    case "dict":
      return `{${node.pairs.map(([key, value]) => `${printExpression(key)}: ${printExpression(value)}`).join(", ")}}`
    case "attribute":
      return `${postfix(node.of)}.${node.name}`
    case "item":
      return `${postfix(node.of)}[${printKey(node.key)}]`
    case "slice":
      return `${postfix(node.of)}[${optional(node.start)}:${optional(node.stop)}:${optional(node.step)}]`
    case "call":
      return `${postfix(node.callee)}(${printArguments(node.args)})`
    case "filter":
      return `${node.of === undefined ? "" : `${at(node.of, levels.sign)}|`}${node.name}${printArgumentsOf(node.args)}`
    case "test":
      return printTest(node, false)
    case "unary":
      return printUnary(node)
    case "binary":
    case "logical":
      return `${at(node.left, levelOf(node))} ${node.operator} ${at(node.right, levelOf(node) + 1)}`
    case "comparison":
      return [
        at(node.first, levels.sum),
        ...node.rest.map((part) => `${part.operator} ${at(part.operand, levels.sum)}`)
      ].join(" ")
    case "concatenation":
      return node.parts.map((part) => at(part, levels.product)).join(" ~ ")
    case "conditional":
      return printConditional(node)
  }
}
