/**
 * Walks over syntax trees: every use of a name in the order in which Jinja2 meets them. That order decides which names
 * of a template count as its own.
 */
import { spend } from "../Meter.ts"
import type { Arguments, Body, Branch, Expression, For, Parameter, Statement, Target, With } from "../syntax/Tree.ts"

/** Called with a node's parts. */
interface Visitor {
  readonly load: (name: string) => void
  readonly store: (name: string) => void
}

const argumentParts = (args: Arguments): ReadonlyArray<Expression | undefined> => [
  ...args.positional,
  ...args.keywords.map(({ value }) => value),
  args.rest,
  args.keywordRest
]

// The expressions that an expression is made of, in order.
const expressionParts = (node: Expression): ReadonlyArray<Expression | undefined> => {
  switch (node.type) {
    case "name":
    case "constant":
      return []
    case "list":
    case "tuple":
      return node.items
    case "dict":
      return node.pairs.flat()
    case "attribute":
      return [node.of]
    case "item":
      return [node.of, node.key]
    case "slice":
      return [node.of, node.start, node.stop, node.step]
    case "call":
      return [node.callee, ...argumentParts(node.args)]
    case "filter":
    case "test":
      return [node.of, ...argumentParts(node.args)]
    case "unary":
      return [node.operand]
    case "binary":
    case "logical":
      return [node.left, node.right]
    case "comparison":
      return [node.first, ...node.rest.map(({ operand }) => operand)]
    case "concatenation":
      return node.parts
    case "conditional":
      return [node.test, node.value, node.otherwise]
  }
}

/** Reports the names that an expression reads. */
export const visitExpression = (node: Expression | undefined, visitor: Visitor): void => {
  if (node === undefined) return
  spend(4)
  if (node.type === "name") visitor.load(node.name)
  for (const part of expressionParts(node)) visitExpression(part, visitor)
}

/** Reports the names that a target sets; setting an attribute of a namespace reads the namespace. */
export const visitTarget = (target: Target, visitor: Visitor): void => {
  if (target.type === "nameTarget") visitor.store(target.name)
  else if (target.type === "tupleTarget") for (const item of target.items) visitTarget(item, visitor)
}

/** The names that a target sets. */
export const targetNames = (target: Target): ReadonlyArray<string> => {
  const names: Array<string> = []
  visitTarget(target, { load: () => {}, store: (name) => names.push(name) })
  return names
}

const visitParameters = (parameters: ReadonlyArray<Parameter>, visitor: Visitor): void => {
  for (const { name } of parameters) visitor.store(name)
  for (const { fallback } of parameters) visitExpression(fallback, visitor)
}

/** Reports the names in statements, at any depth but not in blocks. */
const visitBody = (body: Body, visitor: Visitor): void => {
  for (const statement of body) visitStatement(statement, visitor)
}

const visitFor = (node: For, visitor: Visitor): void => {
  visitTarget(node.target, visitor)
  visitExpression(node.over, visitor)
  visitBody(node.body, visitor)
  visitBody(node.otherwise, visitor)
  visitExpression(node.condition, visitor)
}

const visitBranch = ({ test, body }: Branch, visitor: Visitor): void => {
  visitExpression(test, visitor)
  visitBody(body, visitor)
}

const visitWith = (node: With, visitor: Visitor): void => {
  for (const { target } of node.assignments) visitTarget(target, visitor)
  for (const { value } of node.assignments) visitExpression(value, visitor)
  visitBody(node.body, visitor)
}

const visitStatement = (node: Statement, visitor: Visitor): void => {
  spend(4)
  switch (node.type) {
    case "print":
      return visitExpression(node.value, visitor)
    case "for":
      return visitFor(node, visitor)
    case "if":
      for (const branch of node.branches) visitBranch(branch, visitor)
      return visitBody(node.otherwise, visitor)
    case "assign":
      visitTarget(node.target, visitor)
      return visitExpression(node.value, visitor)
    case "assignBlock":
      visitTarget(node.target, visitor)
      visitExpression(node.filter, visitor)
      return visitBody(node.body, visitor)
    case "with":
      return visitWith(node, visitor)
    case "include":
    case "import":
    case "from":
    case "extends":
      return visitExpression(node.template, visitor)
    case "macro":
      visitParameters(node.parameters, visitor)
      return visitBody(node.body, visitor)
    case "callBlock":
      visitExpression(node.call, visitor)
      visitParameters(node.parameters, visitor)
      return visitBody(node.body, visitor)
    case "filterBlock":
      visitBody(node.body, visitor)
      return visitExpression(node.filter, visitor)
    case "scope":
      return visitBody(node.body, visitor)
    case "text":
    case "block":
  }
}

/** Which of these names the statements read without having set them before. */
export const namesRead = (body: Body, names: ReadonlyArray<string>): ReadonlySet<string> => {
  const wanted = new Set(names)
  const read = new Set<string>()
  visitBody(body, {
    load: (name) => {
      if (wanted.has(name)) read.add(name)
    },
    store: (name) => wanted.delete(name)
  })
  return read
}

const parts = (node: Statement): ReadonlyArray<Body> => {
  switch (node.type) {
    case "if":
      return [...node.branches.map((branch) => branch.body), node.otherwise]
    case "for":
      return [node.body, node.otherwise]
    case "text":
    case "print":
    case "assign":
    case "include":
    case "import":
    case "from":
    case "extends":
      return []
    default:
      return [node.body]
  }
}

const addStatements = (body: Body, all: Array<Statement>): void => {
  for (const node of body) {
    spend(8)
    all.push(node)
    for (const part of parts(node)) addStatements(part, all)
  }
}

/** All statements at any depth, blocks and what is in them included, outer ones first. */
export const allStatements = (body: Body): ReadonlyArray<Statement> => {
  const all: Array<Statement> = []
  addStatements(body, all)
  return all
}
