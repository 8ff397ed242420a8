/**
 * What the compiler knows at a place of a template, and the code that reads, writes and enters variables there.
 */
import { Fault } from "../Failure.ts"
import type { Position } from "../Failure.ts"
import type { Template } from "../syntax/Tree.ts"
import type { Activation, BlockFunction, Evaluate, Execute, ReadVariable } from "../runtime/CompiledTemplate.ts"
import type { Surroundings } from "../runtime/Rendering.ts"
import type { Value } from "../values/Value.ts"
import { Undefined } from "../values/Value.ts"
import { Symbols } from "./Symbols.ts"
import type { FunctionScope, Variable } from "./Symbols.ts"

/** A compilation in progress. */
export interface Compilation {
  readonly template: Template
  readonly surroundings: Pick<Surroundings, "filters" | "tests">
  readonly blocks: Map<string, BlockFunction>
  /** Has an `extends` been met at the top level, and how many anywhere? */
  surelyExtends: boolean
  extendsCount: number
}

/** A place in a template. */
export interface Scope {
  readonly compilation: Compilation
  readonly symbols: Symbols
  /** The top level of a template, also inside an if: names set here are exported. */
  readonly top: boolean
  /** The top level, not inside an if. */
  readonly root: boolean
  /** Inside an if: unknown filters and tests fail only when they are used. */
  readonly soft: boolean
  /** Text is written only while no `extends` has been met. */
  readonly checksExtends: boolean
}

/** A scope of its own inside this one, in the same function unless another is given. */
export const innerScope = (scope: Scope, owner: FunctionScope = scope.symbols.owner): Scope => ({
  compilation: scope.compilation,
  symbols: new Symbols(owner, scope.symbols),
  top: false,
  root: false,
  soft: false,
  checksExtends: scope.checksExtends
})

/** The inside of an if. */
export const softScope = (scope: Scope): Scope => ({ ...scope, root: false, soft: true })

/** Fails with TemplateAssertionError at compile time. */
export const reject = (message: string, at: Position): never => {
  throw new Fault("TemplateAssertionError", message, at)
}

// How many functions outwards a variable lives.
const hops = (from: FunctionScope, variable: Variable): number => {
  let count = 0
  for (let scope: FunctionScope | undefined = from; scope !== variable.owner; scope = scope.outer) {
    if (scope === undefined) throw new Fault("InternalError", "variable of a function that is not around this one")
    count++
  }
  return count
}

const outwards = (activation: Activation, count: number): Activation => {
  let target = activation
  for (let i = 0; i < count; i++) target = target.outer ?? target
  return target
}

/** Code that reads a variable; undefined when it has no value. */
export const reader = (scope: Scope, variable: Variable): ReadVariable => {
  const { slot } = variable
  const count = hops(scope.symbols.owner, variable)
  if (count === 0) return (activation) => activation.slots[slot]
  if (count === 1) return (activation) => activation.outer?.slots[slot]
  return (activation) => outwards(activation, count).slots[slot]
}

/** Code that sets a variable. */
export const writer = (
  scope: Scope,
  variable: Variable
): ((activation: Activation, value: Value | undefined) => void) => {
  const { slot } = variable
  const count = hops(scope.symbols.owner, variable)
  if (count === 0) {
    return (activation, value) => {
      activation.slots[slot] = value
    }
  }
  return (activation, value) => {
    outwards(activation, count).slots[slot] = value
  }
}

/** The variable of a name at this place. */
export const variableOf = (scope: Scope, name: string): Variable => scope.symbols.find(name) ?? unknownName(name)

const unknownName = (name: string): never => {
  throw new Fault("InternalError", `name '${name}' was not analysed`)
}

/** Code that reads a name: its value, or undefined with the name in the message. */
export const nameReader = (scope: Scope, name: string): Evaluate => {
  const read = reader(scope, variableOf(scope, name))
  const missing = new Undefined(`'${name}' is undefined`)
  return (activation) => {
    const value = read(activation)
    return value === undefined ? missing : value
  }
}

/** Code that gives the variables of a scope their first values. */
export const enterScope = (scope: Scope): Execute => {
  const steps: Array<Execute> = []
  const empty: Array<number> = []
  for (const [variable, load] of scope.symbols.loads) {
    const { slot } = variable
    if (load.type === "undefined") empty.push(slot)
    else if (load.type === "resolve") {
      const { name } = load
      steps.push((activation) => {
        activation.slots[slot] = activation.context.resolve(name)
      })
    } else if (load.type === "alias") {
      const read = reader(scope, load.of)
      steps.push((activation) => {
        activation.slots[slot] = read(activation)
      })
    }
  }
  if (empty.length > 0) steps.push(clearing(empty))
  return sequence(steps)
}

const clearing =
  (slots: ReadonlyArray<number>): Execute =>
  (activation) => {
    for (const slot of slots) activation.slots[slot] = undefined
  }

/** Code that empties the variables of a scope, so that functions defined inside do not see them any more. */
export const leaveScope = (scope: Scope): Execute => {
  const slots = [...scope.symbols.loads.keys()].map((variable) => variable.slot)
  return slots.length === 0 ? () => {} : clearing(slots)
}

/** Statements one after the other. */
export const sequence = (steps: ReadonlyArray<Execute>): Execute => {
  const [first, second, third] = steps
  if (first === undefined) return () => {}
  if (second === undefined) return first
  if (third === undefined) {
    return (activation) => {
      first(activation)
      second(activation)
    }
  }
  return (activation) => {
    for (const step of steps) step(activation)
  }
}

/** Readers of the names set here and outside, for a template that is included with context. */
export const localReaders = (scope: Scope): ReadonlyMap<string, ReadVariable> =>
  new Map([...scope.symbols.visibleStores()].map(([name, variable]) => [name, reader(scope, variable)]))
