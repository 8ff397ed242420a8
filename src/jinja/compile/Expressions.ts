/**
 * Expressions as closures: operators, access, calls, filters and tests. Before an operation that may fail, the closure notes its place in
 * the rendering, so that a failure knows where it happened at the price of one store.
 */
import { allocate, reserveText, spend } from "../Meter.ts"
import type { Activation, Evaluate, Rendering } from "../runtime/Rendering.ts"
import type {
  Arguments,
  Binary,
  Call,
  Comparator,
  Comparison,
  Concatenation,
  Conditional,
  Expression,
  Filter,
  Item,
  Logical,
  SliceNode,
  Test,
  Unary
} from "../syntax/Tree.ts"
import { attributeOf, isMethodName, itemOf, methodOf, sliceOf } from "../values/Access.ts"
import { arithmetic, signed } from "../values/Arithmetic.ts"
import { Dict, type Keywords, Native, Omitted, Tuple, Undefined, type Value } from "../values/Value.ts"
import { compare, contains, cursorOf, drain, equals, truthy } from "../values/Protocols.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { nameReader, reject, type Scope, softScope } from "./Scope.ts"
import { fail } from "../Failure.ts"
import type { Builtin, Library } from "../values/Builtin.ts"

// Calls, filters and tests as closures.

type CompileExpression = (scope: Scope, node: Expression) => Evaluate

interface CompiledArguments {
  readonly positional: ReadonlyArray<Evaluate>
  readonly rest: Evaluate | undefined
  readonly keywords: ((activation: Activation) => Keywords) | undefined
}

const compileArguments = (scope: Scope, args: Arguments, compile: CompileExpression): CompiledArguments => ({
  positional: args.positional.map((node) => compile(scope, node)),
  rest: args.rest === undefined ? undefined : compile(scope, args.rest),
  keywords: compileKeywords(scope, args, compile)
})

const compileKeywords = (
  scope: Scope,
  args: Arguments,
  compile: CompileExpression
): ((activation: Activation) => Keywords) | undefined => {
  if (args.keywords.length === 0 && args.keywordRest === undefined) return undefined
  const named = args.keywords.map(({ name, value }) => [name, compile(scope, value)] as const)
  const rest = args.keywordRest === undefined ? undefined : compile(scope, args.keywordRest)
  return (activation) => {
    const keywords = new Map<string, Value>()
    for (const [name, value] of named) addKeyword(keywords, name, value(activation))
    if (rest !== undefined) {
      const more = rest(activation)
      if (!(more instanceof Dict))
        return fail("TypeError", `argument after ** must be a mapping, not ${typeName(more)}`)
      for (const { key, value } of more.items()) {
        addKeyword(keywords, typeof key === "string" ? key : fail("TypeError", "keywords must be strings"), value)
      }
    }
    return keywords
  }
}

const addKeyword = (keywords: Map<string, Value>, name: string, value: Value): void => {
  if (keywords.has(name)) fail("TypeError", `got multiple values for keyword argument ${repr(name)}`)
  keywords.set(name, value)
}

// The arguments of a call, after one that the engine passes itself, if there is one.
const evaluateArguments = (args: CompiledArguments, activation: Activation, first: Value | undefined): Array<Value> => {
  const values: Array<Value> = first === undefined ? [] : [first]
  for (const evaluate of args.positional) values.push(evaluate(activation))
  if (args.rest !== undefined) for (const value of drain(cursorOf(args.rest(activation)))) values.push(value)
  return values
}

/** Calls a value. Fails with TypeError if it cannot be called. */
const callValue = (
  callee: Value,
  rendering: Rendering,
  args: ReadonlyArray<Value>,
  keywords: Keywords | undefined
): Value => {
  allocate(8 + args.length)
  if (callee instanceof Undefined) return fail("UndefinedError", callee.message)
  if (!(callee instanceof Native) || !callee.callable) {
    return fail("TypeError", `'${typeName(callee)}' object is not callable`)
  }
  const result = callee.call(rendering, args, keywords)
  return result === undefined ? null : result
}

/** Compiles a call; `caller` is the macro that a call block passes on. */
export const compileCall = (
  scope: Scope,
  node: Call,
  compile: CompileExpression,
  caller?: (activation: Activation) => Value
): Evaluate => {
  const args = compileArguments(scope, node.args, compile)
  const { callee, at } = node
  if (callee.type === "attribute" && caller === undefined) {
    return compileMethodCall(compile(scope, callee.of), callee.name, args, node)
  }
  const target = compile(scope, callee)
  return (activation) => {
    const value = target(activation)
    const values = evaluateArguments(args, activation, undefined)
    let keywords = args.keywords?.(activation)
    if (caller !== undefined) keywords = new Map(keywords).set("caller", caller(activation))
    activation.rendering.at = at
    return callValue(value, activation.rendering, values, keywords)
  }
}

// `a.b(...)` without making an object for the method of a builtin type.
const compileMethodCall = (of: Evaluate, name: string, args: CompiledArguments, node: Call): Evaluate => {
  const { at } = node
  return (activation) => {
    const { rendering } = activation
    const owner = of(activation)
    const method = owner instanceof Native ? undefined : methodOf(owner, name)
    if (method !== undefined) {
      const values = evaluateArguments(args, activation, owner)
      const keywords = args.keywords?.(activation)
      rendering.at = at
      allocate(4)
      return method.call(rendering, values, keywords)
    }
    rendering.at = node.callee.at
    const value = attributeOf(owner, name)
    const values = evaluateArguments(args, activation, undefined)
    const keywords = args.keywords?.(activation)
    rendering.at = at
    return callValue(value, rendering, values, keywords)
  }
}

const lookUp = (scope: Scope, entries: Library, kind: string, node: Filter | Test): Builtin | undefined => {
  const found = entries.get(node.name)
  if (found === undefined && !scope.soft) return reject(`No ${kind} named ${repr(node.name)}.`, node.at)
  return found
}

const compileApplication = (
  builtin: Builtin | undefined,
  kind: string,
  node: Filter | Test,
  of: Evaluate,
  args: CompiledArguments
): Evaluate => {
  const { at, name } = node
  if (builtin === undefined) {
    return (activation) => {
      activation.rendering.at = at
      return fail("TemplateRuntimeError", `No ${kind} named ${repr(name)} found.`)
    }
  }
  return (activation) => {
    const { rendering } = activation
    const values = evaluateArguments(args, activation, of(activation))
    const keywords = args.keywords?.(activation)
    rendering.at = at
    rendering.context = activation.context
    // The least that a filter makes, such as a generator.
    allocate(8)
    return builtin.call(rendering, values, keywords)
  }
}

/** Compiles a filter; `input` gives the text of the block for a filter without a value. */
export const compileFilter = (
  scope: Scope,
  node: Filter,
  compile: CompileExpression,
  input: Evaluate = () => ""
): Evaluate => {
  const builtin = lookUp(scope, scope.compilation.surroundings.filters, "filter", node)
  let of = input
  if (node.of?.type === "filter") of = compileFilter(scope, node.of, compile, input)
  else if (node.of !== undefined) of = compile(scope, node.of)
  return compileApplication(builtin, "filter", node, of, compileArguments(scope, node.args, compile))
}

/** Compiles a test. */
const compileTest = (scope: Scope, node: Test, compile: CompileExpression): Evaluate => {
  const builtin = lookUp(scope, scope.compilation.surroundings.tests, "test", node)
  return compileApplication(builtin, "test", node, compile(scope, node.of), compileArguments(scope, node.args, compile))
}

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
