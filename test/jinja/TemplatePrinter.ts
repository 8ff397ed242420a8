/**
 * A syntax tree back as source text. Parsing the text again gives the same tree: white space is kept by marks on every
 * tag, text that would read as a tag stands in `raw`, and brackets stand wherever they could matter.
 */
import type {
  Arguments,
  Body,
  Expression,
  For,
  FromImport,
  If,
  Include,
  Literal,
  Parameter,
  Statement,
  Target,
  Template,
  With
} from "../../src/jinja/syntax/Tree.ts"
import { floatRepr } from "../../src/jinja/values/Printing.ts"
import { quote } from "../../src/jinja/syntax/Lexer.ts"

// Expressions back as source text, with brackets exactly where the parser needs them to find the same tree.

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

const printTarget = (target: Target): string => {
  if (target.type === "nameTarget") return target.name
  if (target.type === "namespaceTarget") return `${target.name}.${target.attribute}`
  return `(${target.items.map((item) => `${printTarget(item)},`).join(" ")})`
}

const printParameters = (parameters: ReadonlyArray<Parameter>): string =>
  parameters
    .map(({ name, fallback }) => (fallback === undefined ? name : `${name}=${printExpression(fallback)}`))
    .join(", ")

const tag = (inner: string): string => `{%+ ${inner} +%}`

// Without raw, a brace at the end would join with the tag behind it.
const printText = (text: string): string =>
  /\{[{%#]|\{$/.test(text)
    ? text
        .split(/(?<=\{)(?=[-+]?%?\s*endraw|%)/)
        .map((part) => `{%+ raw %}${part}{%+ endraw +%}`)
        .join("")
    : text

const context = (withContext: boolean): string => (withContext ? " with context" : " without context")

const enclosed = (opening: string, body: Body, closing: string): string => tag(opening) + printBody(body) + tag(closing)

const printStatement = (node: Statement): string => {
  switch (node.type) {
    case "text":
      return printText(node.text)
    case "print":
      return `{{ ${printExpression(node.value)} }}`
    case "for":
      return printFor(node)
    case "if":
      return printIf(node)
    case "assign":
      return tag(`set ${printTarget(node.target)} = ${printExpression(node.value)}`)
    case "assignBlock": {
      const filter = node.filter === undefined ? "" : ` | ${printFilters(node.filter)}`
      return enclosed(`set ${printTarget(node.target)}${filter}`, node.body, "endset")
    }
    case "with":
      return printWith(node)
    case "include":
      return printInclude(node)
    case "import":
      return tag(`import (${printExpression(node.template)}) as ${node.name}${context(node.withContext)}`)
    case "from":
      return printFrom(node)
    case "macro":
      return enclosed(`macro ${node.name}(${printParameters(node.parameters)})`, node.body, "endmacro")
    case "callBlock":
      return enclosed(`call(${printParameters(node.parameters)}) ${printExpression(node.call)}`, node.body, "endcall")
    case "filterBlock":
      return enclosed(`filter ${printFilters(node.filter)}`, node.body, "endfilter")
    case "block": {
      const marks = `${node.scoped ? " scoped" : ""}${node.required ? " required" : ""}`
      return enclosed(`block ${node.name}${marks}`, node.body, "endblock")
    }
    case "extends":
      return tag(`extends (${printExpression(node.template)})`)
    case "scope":
      return enclosed("autoescape false", node.body, "endautoescape")
  }
}

const printFilters = (node: Expression): string => {
  if (node.type !== "filter") return printExpression(node)
  const before = node.of === undefined ? "" : `${printFilters(node.of)}|`
  return `${before}${node.name}${printArgumentsOf(node.args)}`
}

const printIf = (node: If): string => {
  const branches = node.branches.map(
    ({ test, body }, index) => tag(`${index === 0 ? "if" : "elif"} (${printExpression(test)})`) + printBody(body)
  )
  const otherwise = node.otherwise.length === 0 ? "" : tag("else") + printBody(node.otherwise)
  return branches.join("") + otherwise + tag("endif")
}

const printWith = (node: With): string => {
  const list = node.assignments.map(({ target, value }) => `${printTarget(target)} = ${printExpression(value)}`)
  return enclosed(`with ${list.join(", ")}`, node.body, "endwith")
}

const printInclude = (node: Include): string => {
  const missing = node.ignoreMissing ? " ignore missing" : ""
  return tag(`include (${printExpression(node.template)})${missing}${context(node.withContext)}`)
}

const printFrom = (node: FromImport): string => {
  const names = node.names.map(({ name, alias }) => (name === alias ? name : `${name} as ${alias}`)).join(", ")
  return tag(`from (${printExpression(node.template)}) import ${names}${context(node.withContext)}`)
}

const printFor = (node: For): string => {
  const condition = node.condition === undefined ? "" : ` if (${printExpression(node.condition)})`
  const otherwise = node.otherwise.length === 0 ? "" : tag("else") + printBody(node.otherwise)
  const opening = `for ${printTarget(node.target)} in (${printExpression(node.over)})${condition}`
  return tag(opening + (node.recursive ? " recursive" : "")) + printBody(node.body) + otherwise + tag("endfor")
}

const printBody = (body: Body): string => body.map(printStatement).join("")

/** A template as source text. */
export const printTemplate = (template: Template): string => printBody(template.body)
