/**
 * Macros and call blocks.
 */
import { allocate } from "../Meter.ts"
import { Activation } from "../runtime/CompiledTemplate.ts"
import type { Execute } from "../runtime/CompiledTemplate.ts"
import { MacroFunction } from "../runtime/MacroFunction.ts"
import type { MacroShape } from "../runtime/MacroFunction.ts"
import type { Body, CallBlock, Macro, Parameter } from "../syntax/Tree.ts"
import { str } from "../values/Printing.ts"
import { Undefined } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"
import type { CompileBody } from "./Assignments.ts"
import { compileCall } from "./Calls.ts"
import { compileExpression } from "./Expressions.ts"
import { enterScope, innerScope, reject, sequence, variableOf, writer } from "./Scope.ts"
import type { Scope } from "./Scope.ts"
import { FunctionScope } from "./Symbols.ts"
import { namesRead } from "./Walk.ts"

interface Definition {
  readonly name: string | null
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Body
  readonly at: Macro["at"]
}

type Make = (activation: Activation) => Value

const shapeOf = (definition: Definition): MacroShape => {
  const parameters = definition.parameters.map(({ name }) => name)
  const used = namesRead(definition.body, ["caller", "kwargs", "varargs"])
  const double = parameters.find((name, index) => parameters.indexOf(name) !== index)
  if (double !== undefined) reject(`duplicate argument '${double}' in macro definition`, definition.at)
  const caller = definition.parameters.find(({ name }) => name === "caller")
  if (used.has("caller") && caller !== undefined && caller.fallback === undefined) {
    reject(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      definition.at
    )
  }
  return {
    name: definition.name,
    parameters,
    usesCaller: used.has("caller"),
    usesKeywords: used.has("kwargs") && !parameters.includes("kwargs"),
    usesRest: used.has("varargs") && !parameters.includes("varargs")
  }
}

// Gives a parameter without argument its default, which may use the parameters before it.
const compileDefault = (scope: Scope, parameter: Parameter, slot: number): Execute => {
  const missing = new Undefined(`parameter '${parameter.name}' was not provided`)
  const fallback = parameter.fallback === undefined ? () => missing : compileExpression(scope, parameter.fallback)
  return (activation) => {
    if (activation.slots[slot] === undefined) activation.slots[slot] = fallback(activation)
  }
}

const compileDefinition = (outer: Scope, definition: Definition, compileBody: CompileBody): Make => {
  const shape = shapeOf(definition)
  const owner = new FunctionScope(outer.symbols.owner)
  const scope: Scope = { ...innerScope(outer, owner), checksExtends: false }
  const { symbols } = scope
  const named = definition.parameters.map(({ name }) => symbols.parameter(name).slot)
  const special: Array<number> = []
  if (shape.usesCaller && !shape.parameters.includes("caller")) special.push(symbols.parameter("caller").slot)
  if (shape.usesKeywords) special.push(symbols.parameter("kwargs").slot)
  if (shape.usesRest) special.push(symbols.parameter("varargs").slot)
  for (const { fallback } of definition.parameters) symbols.expression(fallback)
  symbols.body(definition.body)
  const defaults = definition.parameters.map((parameter, index) => compileDefault(scope, parameter, named[index] ?? 0))
  const run = sequence([enterScope(scope), ...defaults, compileBody(scope, definition.body)])
  const slots = [...named, ...special]
  return (activation) => {
    allocate(16)
    return new MacroFunction(shape, (args, rendering) => {
      const own = new Activation(owner.size, activation, activation.context, rendering)
      for (let i = 0; i < slots.length; i++) own.slots[slots[i] ?? 0] = args[i]
      run(own)
    })
  }
}

/** Compiles a macro: where it stands, it sets its name. */
export const compileMacro = (scope: Scope, node: Macro, compileBody: CompileBody): Execute => {
  const make = compileDefinition(scope, node, compileBody)
  const store = writer(scope, variableOf(scope, node.name))
  return (activation) => {
    const macro = make(activation)
    store(activation, macro)
    if (scope.top) activation.context.assign(node.name, macro)
  }
}

/** Compiles a call block: the call gets the body as the macro `caller`. */
export const compileCallBlock = (scope: Scope, node: CallBlock, compileBody: CompileBody): Execute => {
  const make = compileDefinition(scope, { ...node, name: null }, compileBody)
  const call = compileCall(scope, node.call, compileExpression, make)
  return (activation) => activation.rendering.write(str(call(activation)))
}
