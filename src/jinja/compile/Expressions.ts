/**
 * Expressions as closures. Before an operation that may fail, the closure notes its place in the rendering, so that a
 * failure knows where it happened at the price of one store.
 */
import { allocate, reserveText, spend } from "../Meter.ts"
import type { Evaluate } from "../runtime/CompiledTemplate.ts"
import type {
  Binary,
  Comparator,
  Comparison,
  Concatenation,
  Conditional,
  Expression,
  Item,
  Logical,
  SliceNode,
  Unary
} from "../syntax/Tree.ts"
import { attributeOf, isMethodName, itemOf, sliceOf } from "../values/Access.ts"
import { arithmetic, signed } from "../values/Arithmetic.ts"
import { Dict } from "../values/Dict.ts"
import { compare, equals } from "../values/Equality.ts"
import { contains, truthy } from "../values/Iteration.ts"
import { str } from "../values/Printing.ts"
import { Tuple, Omitted, Undefined } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"
import { compileCall, compileFilter, compileTest } from "./Calls.ts"
import { nameReader, softScope } from "./Scope.ts"
import type { Scope } from "./Scope.ts"

/** Compiles an expression for this place. */
export const compileExpression = (scope: Scope, node: Expression): Evaluate => {
  spend(32)
  switch (node.type) {
    case "name":
      return nameReader(scope, node.name)
    case "constant":
      return constantly(node.value)
    case "list":
      return compileList(scope, node.items)
    case "tuple":
      return compileTuple(scope, node.items)
    case "dict":
      return compileDict(scope, node.pairs)
    case "attribute":
      return compileAttribute(scope, node.of, node.name, node)
    case "item":
      return compileItem(scope, node)
    case "slice":
      return compileSlice(scope, node)
    case "call":
      return compileCall(scope, node, compileExpression)
    case "filter":
      return compileFilter(scope, node, compileExpression)
    case "test":
      return compileTest(scope, node, compileExpression)
    case "unary":
      return compileUnary(scope, node)
    case "binary":
      return compileBinary(scope, node)
    case "logical":
      return compileLogical(scope, node)
    case "comparison":
      return compileComparison(scope, node)
    case "concatenation":
      return compileConcatenation(scope, node)
    case "conditional":
      return compileConditional(scope, node)
  }
}

const compileAll = (scope: Scope, nodes: ReadonlyArray<Expression>): ReadonlyArray<Evaluate> =>
  nodes.map((node) => compileExpression(scope, node))

const constantly =
  (value: Value): Evaluate =>
  () =>
    value

const compileList = (scope: Scope, nodes: ReadonlyArray<Expression>): Evaluate => {
  const items = compileAll(scope, nodes)
  return (activation) => {
    allocate(items.length + 2)
    return items.map((item) => item(activation))
  }
}

const compileTuple = (scope: Scope, nodes: ReadonlyArray<Expression>): Evaluate => {
  const items = compileAll(scope, nodes)
  return (activation) => {
    allocate(items.length + 4)
    return new Tuple(items.map((item) => item(activation)))
  }
}

const compileItem = (scope: Scope, node: Item): Evaluate => {
  const of = compileExpression(scope, node.of)
  const key = compileExpression(scope, node.key)
  const { at } = node
  return (activation) => {
    const value = of(activation)
    const index = key(activation)
    activation.rendering.at = at
    return itemOf(value, index)
  }
}

const compileBinary = (scope: Scope, node: Binary): Evaluate => {
  const { operator, at } = node
  const left = compileExpression(scope, node.left)
  const right = compileExpression(scope, node.right)
  return (activation) => {
    const a = left(activation)
    const b = right(activation)
    activation.rendering.at = at
    return arithmetic(operator, a, b)
  }
}

const compileDict = (scope: Scope, nodes: ReadonlyArray<readonly [Expression, Expression]>): Evaluate => {
  const pairs = nodes.map(([key, value]) => [compileExpression(scope, key), compileExpression(scope, value)] as const)
  return (activation) => {
    allocate(16)
    const dict = new Dict()
    for (const [key, value] of pairs) dict.set(key(activation), value(activation))
    return dict
  }
}

const compileAttribute = (scope: Scope, node: Expression, name: string, place: Expression): Evaluate => {
  const of = compileExpression(scope, node)
  const { at } = place
  if (isMethodName(name)) {
    return (activation) => {
      const value = of(activation)
      activation.rendering.at = at
      return attributeOf(value, name)
    }
  }
  return (activation) => {
    const value = of(activation)
    if (value instanceof Dict) {
      const item = value.getText(name)
      if (item !== undefined) return item
    }
    activation.rendering.at = at
    return attributeOf(value, name)
  }
}

const absent: Evaluate = () => null

const compileSlice = (scope: Scope, node: SliceNode): Evaluate => {
  const of = compileExpression(scope, node.of)
  const [start = absent, stop = absent, step = absent] = [node.start, node.stop, node.step].map((part) =>
    part === undefined ? absent : compileExpression(scope, part)
  )
  return (activation) => {
    const value = of(activation)
    const [from, to, by] = [start(activation), stop(activation), step(activation)]
    activation.rendering.at = node.at
    return sliceOf(value, from, to, by)
  }
}

const compileUnary = (scope: Scope, node: Unary): Evaluate => {
  const { operator, at } = node
  const operand = compileExpression(scope, node.operand)
  if (operator === "not") return (activation) => !truthy(operand(activation))
  return (activation) => {
    const value = operand(activation)
    activation.rendering.at = at
    return signed(operator, value)
  }
}

const compileLogical = (scope: Scope, node: Logical): Evaluate => {
  const left = compileExpression(scope, node.left)
  const right = compileExpression(scope, node.right)
  const stops = node.operator === "or"
  return (activation) => {
    const value = left(activation)
    return truthy(value) === stops ? value : right(activation)
  }
}

const comparisons: Readonly<Record<Comparator, (a: Value, b: Value) => boolean>> = {
  "==": equals,
  "!=": (a, b) => !equals(a, b),
  "<": (a, b) => compare("<", a, b),
  "<=": (a, b) => compare("<=", a, b),
  ">": (a, b) => compare(">", a, b),
  ">=": (a, b) => compare(">=", a, b),
  in: (a, b) => contains(b, a),
  "not in": (a, b) => !contains(b, a)
}

const compileComparison = (scope: Scope, node: Comparison): Evaluate => {
  const first = compileExpression(scope, node.first)
  const rest = node.rest.map(({ operator, operand }) => ({
    holds: comparisons[operator],
    operand: compileExpression(scope, operand)
  }))
  const { at } = node
  return (activation) => {
    let left = first(activation)
    for (const { holds, operand } of rest) {
      const right = operand(activation)
      activation.rendering.at = at
      if (!holds(left, right)) return false
      left = right
    }
    return true
  }
}

const compileConcatenation = (scope: Scope, node: Concatenation): Evaluate => {
  const parts = compileAll(scope, node.parts)
  return (activation) => {
    let text = ""
    for (const part of parts) {
      const value = part(activation)
      if (value instanceof Undefined) activation.rendering.printUndefined(value, node.at)
      text += str(value)
    }
    reserveText(text.length)
    return text
  }
}

const compileConditional = (outer: Scope, node: Conditional): Evaluate => {
  const scope = softScope(outer)
  const test = compileExpression(scope, node.test)
  const then = compileExpression(scope, node.value)
  const missing = new Omitted(
    `the inline if-expression on line ${node.at.line} in '${node.at.template}' evaluated to false and no else section was defined.`
  )
  const otherwise = node.otherwise === undefined ? () => missing : compileExpression(scope, node.otherwise)
  return (activation) => (truthy(test(activation)) ? then(activation) : otherwise(activation))
}
