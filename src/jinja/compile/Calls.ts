/**
 * Calls, filters and tests as closures.
 */
import { fail } from "../Failure.ts"
import { allocate } from "../Meter.ts"
import type { Activation, Evaluate } from "../runtime/CompiledTemplate.ts"
import type { Arguments, Call, Expression, Filter, Test } from "../syntax/Tree.ts"
import { attributeOf, methodOf } from "../values/Access.ts"
import type { Builtin, Library } from "../values/Builtin.ts"
import { Dict } from "../values/Dict.ts"
import { cursorOf, drain } from "../values/Iteration.ts"
import { repr, typeName } from "../values/Printing.ts"
import { Native, Undefined } from "../values/Value.ts"
import type { Keywords, Value } from "../values/Value.ts"
import type { Rendering } from "../runtime/Rendering.ts"
import type { Scope } from "./Scope.ts"
import { reject } from "./Scope.ts"

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
    // What a filter makes at least, such as a generator.
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
export const compileTest = (scope: Scope, node: Test, compile: CompileExpression): Evaluate => {
  const builtin = lookUp(scope, scope.compilation.surroundings.tests, "test", node)
  return compileApplication(builtin, "test", node, compile(scope, node.of), compileArguments(scope, node.args, compile))
}
