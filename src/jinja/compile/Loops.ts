/**
 * Loops. Each round enters the scope of the body anew, so that names set in it neither leave the loop nor reach the next
 * round. A recursive loop is a function of its own, and so is the condition of a loop.
 */
import { spend } from "../Meter.ts"
import { Activation } from "../runtime/CompiledTemplate.ts"
import type { Evaluate, Execute } from "../runtime/CompiledTemplate.ts"
import { LoopState } from "../runtime/LoopState.ts"
import type { Recurse } from "../runtime/LoopState.ts"
import type { For } from "../syntax/Tree.ts"
import { cursorOf, truthy } from "../values/Iteration.ts"
import { Stream } from "../values/Objects.ts"
import type { Cursor, Value } from "../values/Value.ts"
import { compileTarget } from "./Assignments.ts"
import type { CompileBody, Store } from "./Assignments.ts"
import { compileExpression } from "./Expressions.ts"
import { enterScope, innerScope, leaveScope, reject, sequence, variableOf, writer } from "./Scope.ts"
import type { Scope } from "./Scope.ts"
import { FunctionScope } from "./Symbols.ts"
import { allStatements, namesRead, targetNames } from "./Walk.ts"

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
