/**
 * A syntax tree back as source text. Parsing the text again gives the same tree: white space is kept by marks on every
 * tag, text that would read as a tag stands in `raw`, and brackets stand wherever they could matter.
 */
import { printArgumentsOf, printExpression } from "./ExpressionPrinter.ts"
import type {
  Body,
  Expression,
  For,
  FromImport,
  If,
  Include,
  Parameter,
  Statement,
  Target,
  Template,
  With
} from "../../src/jinja/syntax/Tree.ts"

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
