/**
 * Statements that set names or enter a scope of their own: `set`, `for`, `macro` and `call`, and which of these names a template exports.
 */
import { fail } from "../Failure.ts"
import { Activation, type Evaluate, type Execute } from "../runtime/Rendering.ts"
import type { Assign, AssignBlock, Body, CallBlock, For, Macro, Parameter, Target } from "../syntax/Tree.ts"
import { cursorOf, elements, truthy, tryCursor } from "../values/Protocols.ts"
import { Namespace, Stream } from "../values/Objects.ts"
import { str, typeName } from "../values/Printing.ts"
import { type Cursor, Undefined, type Value } from "../values/Value.ts"
import { compileCall, compileExpression, compileFilter } from "./Expressions.ts"
import {
  enterScope,
  FunctionScope,
  innerScope,
  leaveScope,
  reader,
  reject,
  type Scope,
  sequence,
  variableOf,
  writer
} from "./Scope.ts"
import { allStatements, namesRead, targetNames } from "./Walk.ts"
import { allocate, spend } from "../Meter.ts"
import { LoopState, MacroFunction, type MacroShape, type Recurse } from "../runtime/TemplateObjects.ts"

/** Code that assigns to a target. */
type Store = (activation: Activation, value: Value) => void

/** Compiles the body of a statement. */
type CompileBody = (scope: Scope, body: Body) => Execute

/** Compiles a target. Unpacking fails with ValueError when the counts differ. */
export const compileTarget = (scope: Scope, target: Target): Store => {
  if (target.type === "nameTarget") return writer(scope, variableOf(scope, target.name))
  if (target.type === "namespaceTarget") {
    const read = reader(scope, variableOf(scope, target.name))
    const { attribute, at } = target
    return (activation, value) => {
      activation.rendering.at = at
      const namespace = read(activation)
      if (namespace instanceof Namespace) namespace.names.set(attribute, value)
    }
  }
  const items = target.items.map((item) => compileTarget(scope, item))
  const { at } = target
  return (activation, value) => {
    activation.rendering.at = at
    const values = unpack(value, items.length)
    for (let i = 0; i < items.length; i++) items[i]?.(activation, values[i] ?? null)
  }
}

const unpack = (value: Value, count: number): ReadonlyArray<Value> => {
  if (tryCursor(value) === undefined) fail("TypeError", `cannot unpack non-iterable ${typeName(value)} object`)
  const values = elements(value)
  if (values.length > count) return fail("ValueError", `too many values to unpack (expected ${count})`)
  if (values.length < count) {
    return fail("ValueError", `not enough values to unpack (expected ${count}, got ${values.length})`)
  }
  return values
}

const namespaceNames = (target: Target): ReadonlyArray<string> => {
  if (target.type === "namespaceTarget") return [target.name]
  return target.type === "tupleTarget" ? target.items.flatMap(namespaceNames) : []
}

// Only namespaces may have their names set from outside; checked before the value is computed.
const checkNamespaces = (scope: Scope, target: Target): Execute =>
  sequence(
    namespaceNames(target).map((name) => {
      const read = reader(scope, variableOf(scope, name))
      return (activation) => {
        activation.rendering.at = target.at
        if (!(read(activation) instanceof Namespace)) {
          fail("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
        }
      }
    })
  )

// Names set at the top level become variables of the template's context.
const exporting = (scope: Scope, target: Target): Execute => {
  if (!scope.top) return () => {}
  return sequence(
    targetNames(target).map((name) => {
      const read = reader(scope, variableOf(scope, name))
      return (activation) => {
        const value = read(activation)
        if (value !== undefined) activation.context.assign(name, value)
      }
    })
  )
}

const assigning = (scope: Scope, target: Target, value: Evaluate): Execute => {
  const store = compileTarget(scope, target)
  return sequence([
    checkNamespaces(scope, target),
    (activation) => store(activation, value(activation)),
    exporting(scope, target)
  ])
}

/** Compiles `set name = value`. */
export const compileAssign = (scope: Scope, node: Assign): Execute =>
  assigning(scope, node.target, compileExpression(scope, node.value))

/** Compiles `set name` with a block. */
export const compileAssignBlock = (scope: Scope, node: AssignBlock, compileBody: CompileBody): Execute => {
  const inner: Scope = { ...innerScope(scope), checksExtends: false }
  inner.symbols.body(node.body)
  inner.symbols.expression(node.filter)
  const [enter, body] = [enterScope(inner), compileBody(inner, node.body)]
  const text: Evaluate = (activation) => {
    enter(activation)
    return activation.rendering.capture(() => body(activation))
  }
  const value = node.filter === undefined ? text : compileFilter(inner, node.filter, compileExpression, text)
  return sequence([assigning(scope, node.target, value), leaveScope(inner)])
}

// Loops. Each round enters the scope of the body anew, so that names set in it neither leave the loop nor reach the next
// round. A recursive loop is a function of its own, and so is the condition of a loop.

// Does the body need `loop`? Otherwise the name means that of an outer loop.
const needsLoop = (node: For): boolean =>
  node.recursive ||
  namesRead(node.body, ["loop"]).has("loop") ||
  allStatements([node]).some((inner) => inner.type === "block" && inner.scoped)

const checkLoopName = (node: For): void => {
  for (const inner of allStatements([node])) {
    const target =
      inner.type === "for" || inner.type === "assign" || inner.type === "assignBlock" ? inner.target : undefined
    if (target !== undefined && targetNames(target).includes("loop")) {
      reject("Can't assign to special loop variable in for-loop target", target.at)
    }
  }
}

// The elements for which the condition holds, found one by one while the loop runs.
const compileCondition = (scope: Scope, node: For): ((activation: Activation, over: Value) => Value) => {
  const { condition } = node
  if (condition === undefined) return (_activation, over) => over
  const inner = innerScope(scope, new FunctionScope(scope.symbols.owner))
  inner.symbols.targetAsParameter(node.target)
  inner.symbols.expression(condition)
  const [enter, store, holds] = [
    enterScope(inner),
    compileTarget(inner, node.target),
    compileExpression(inner, condition)
  ]
  const { owner } = inner.symbols
  return (activation, over) => {
    const own = new Activation(owner.size, activation, activation.context, activation.rendering)
    const cursor = cursorOf(over)
    enter(own)
    return new Stream(filtering(cursor, own, store, holds))
  }
}

const filtering = (cursor: Cursor, activation: Activation, store: Store, holds: Evaluate): Cursor => ({
  next: () => {
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      spend(2)
      store(activation, item)
      if (truthy(holds(activation))) return item
    }
    return undefined
  }
})

interface CompiledLoop {
  /** Runs the loop over these elements; `recurse` and `depth` are those of a recursive loop. */
  readonly run: (activation: Activation, over: Value, recurse: Recurse | undefined, depth: number) => void
}

// Runs the rounds of a loop and says whether there were any.
const compileRounds = (scope: Scope, node: For, compileBody: CompileBody): CompiledLoop["run"] => {
  const extended = needsLoop(node)
  const inner = innerScope(scope)
  if (extended) inner.symbols.parameter("loop")
  inner.symbols.targetAsParameter(node.target)
  inner.symbols.body(node.body)
  const setLoop = extended ? writer(inner, variableOf(inner, "loop")) : undefined
  const store = compileTarget(inner, node.target)
  const round = sequence([enterScope(inner), compileBody(inner, node.body)])
  const leave = leaveScope(inner)
  const otherwise = compileOtherwise(scope, node, compileBody)
  return (activation, over, recurse, depth) => {
    let empty = true
    if (setLoop === undefined && Array.isArray(over)) {
      // By index, because a list may grow while the loop runs over it.
      for (let i = 0; i < over.length; i++) {
        spend(4)
        empty = false
        store(activation, over[i] ?? null)
        round(activation)
      }
    } else {
      const loop = setLoop === undefined ? undefined : new LoopState(over, recurse, depth)
      const cursor = loop ?? cursorOf(over)
      for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
        spend(4)
        empty = false
        store(activation, item)
        setLoop?.(activation, loop)
        round(activation)
      }
    }
    leave(activation)
    if (empty) otherwise?.(activation)
  }
}

const compileOtherwise = (scope: Scope, node: For, compileBody: CompileBody): Execute | undefined => {
  if (node.otherwise.length === 0) return undefined
  const inner = innerScope(scope)
  inner.symbols.body(node.otherwise)
  return sequence([enterScope(inner), compileBody(inner, node.otherwise), leaveScope(inner)])
}

/** Compiles a loop. */
export const compileFor = (scope: Scope, node: For, compileBody: CompileBody): Execute => {
  checkLoopName(node)
  const over = compileExpression(scope, node.over)
  const select = compileCondition(scope, node)
  const { at } = node
  if (!node.recursive) {
    const run = compileRounds(scope, node, compileBody)
    return (activation) => {
      const elements = over(activation)
      activation.rendering.at = at
      run(activation, select(activation, elements), undefined, 0)
    }
  }
  const owner = new FunctionScope(scope.symbols.owner)
  const run = compileRounds(functionScope(scope, owner), node, compileBody)
  return (activation) => {
    const { context, rendering } = activation
    const recurse: Recurse = (elements, depth) =>
      rendering.capture(() => {
        const own = new Activation(owner.size, activation, context, rendering)
        run(own, select(activation, elements), recurse, depth)
      })
    const elements = over(activation)
    rendering.at = at
    const text = recurse(elements, 0)
    if (typeof text === "string") rendering.write(text)
  }
}

// The same names, seen from inside a function that has none of its own yet.
const functionScope = (scope: Scope, owner: FunctionScope): Scope => ({
  ...innerScope(scope, owner)
})

// Macros and call blocks.

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
