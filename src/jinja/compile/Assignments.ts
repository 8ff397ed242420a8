/**
 * Setting names: targets, `set` and `set` with a block, and what of it a template exports.
 */
import { fail } from "../Failure.ts"
import type { Activation, Evaluate, Execute } from "../runtime/CompiledTemplate.ts"
import type { Assign, AssignBlock, Body, Target } from "../syntax/Tree.ts"
import { elements, tryCursor } from "../values/Iteration.ts"
import { Namespace } from "../values/Objects.ts"
import { typeName } from "../values/Printing.ts"
import type { Value } from "../values/Value.ts"
import { compileFilter } from "./Calls.ts"
import { compileExpression } from "./Expressions.ts"
import { enterScope, innerScope, leaveScope, reader, sequence, variableOf, writer } from "./Scope.ts"
import type { Scope } from "./Scope.ts"
import { targetNames } from "./Walk.ts"

/** Code that assigns to a target. */
export type Store = (activation: Activation, value: Value) => void

/** Compiles the body of a statement. */
export type CompileBody = (scope: Scope, body: Body) => Execute

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
