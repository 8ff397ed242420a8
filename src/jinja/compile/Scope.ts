/**
 * Variables at compile time: which variable a name means at each place of a template, and the code that reads, writes and enters
 * variables there.
 */
import { Fault, type Position } from "../Failure.ts"
import type { Body, Expression, Statement, Target, Template } from "../syntax/Tree.ts"
import type { Activation, BlockFunction, Evaluate, Execute, ReadVariable, Surroundings } from "../runtime/Rendering.ts"
import { Undefined, type Value } from "../values/Value.ts"
import { spend } from "../Meter.ts"
import { visitExpression, visitTarget } from "./Walk.ts"

// Which variable a name means at each place of a template. Jinja2 decides this before it renders, per scope and from the
// order in which a scope reads and sets its names, and that decision shows in the output: a name that is set later in an
// outer scope, for instance, is not looked up in the context by an inner one. The rules here give the same answers.

/** A function of the compiled template; its variables are numbered. */
export class FunctionScope {
  readonly outer: FunctionScope | undefined
  size = 0

  constructor(outer: FunctionScope | undefined) {
    this.outer = outer
  }
}

/** A variable: a slot of the activation of a function. */
interface Variable {
  readonly owner: FunctionScope
  readonly slot: number
}

/** The value of a variable when its scope is entered. */
type Load =
  | { readonly type: "parameter" }
  | { readonly type: "undefined" }
  | { readonly type: "resolve"; readonly name: string }
  | { readonly type: "alias"; readonly of: Variable }

/** The names of one scope. */
export class Symbols {
  readonly owner: FunctionScope
  readonly loads: Map<Variable, Load>
  private readonly outer: Symbols | undefined
  private readonly variables: Map<string, Variable>
  private readonly stores: Set<string>
  // One slot for each name of the scope, shared by the branches of an if, which are analysed on copies.
  private readonly slots: Map<string, Variable>

  constructor(owner: FunctionScope, outer: Symbols | undefined, copyOf?: Symbols) {
    this.owner = owner
    this.outer = outer
    this.variables = new Map(copyOf?.variables)
    this.loads = new Map(copyOf?.loads)
    this.stores = new Set(copyOf?.stores)
    this.slots = copyOf?.slots ?? new Map()
  }

  private define(name: string, load: Load): Variable {
    let variable = this.slots.get(name)
    if (variable === undefined) {
      variable = { owner: this.owner, slot: this.owner.size++ }
      this.slots.set(name, variable)
    }
    this.variables.set(name, variable)
    this.loads.set(variable, load)
    return variable
  }

  /** The variable that a name means here; undefined if the scope was not analysed for it. */
  find(name: string): Variable | undefined {
    return this.variables.get(name) ?? this.outer?.find(name)
  }

  /** The name of a parameter or loop target. */
  parameter(name: string): Variable {
    this.stores.add(name)
    return this.define(name, { type: "parameter" })
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { type: "resolve", name })
  }

  store(name: string): void {
    this.stores.add(name)
    if (this.variables.has(name)) return
    const of = this.outer?.find(name)
    this.define(name, of === undefined ? { type: "undefined" } : { type: "alias", of })
  }

  /** Names set here or outside with the variables they mean: what an included template sees of them. */
  visibleStores(): ReadonlyMap<string, Variable> {
    const visible = new Map<string, Variable | undefined>(this.outer?.visibleStores())
    for (const name of this.stores) visible.set(name, undefined)
    spend(visible.size * 8)
    return new Map(
      [...visible.keys()].flatMap((name) => {
        const variable = this.find(name)
        return variable === undefined ? [] : [[name, variable] as const]
      })
    )
  }

  /** Reads the names of an expression. */
  expression(node: Expression | undefined): void {
    visitExpression(node, { load: (name) => this.load(name), store: () => {} })
  }

  target(target: Target): void {
    if (target.type === "nameTarget") this.store(target.name)
    else if (target.type === "namespaceTarget") this.load(target.name)
    else for (const item of target.items) this.target(item)
  }

  targetAsParameter(target: Target): void {
    visitTarget(target, { load: () => {}, store: (name) => this.parameter(name) })
  }

  body(body: Body): void {
    for (const statement of body) this.statement(statement)
  }

  // Goes only as deep as this scope does: bodies of loops, macros and the like have scopes of their own.
  private statement(node: Statement): void {
    switch (node.type) {
      case "print":
        return this.expression(node.value)
      case "if":
        return this.branches(node.branches, node.otherwise)
      case "assign":
        this.expression(node.value)
        return this.target(node.target)
      case "assignBlock":
        this.expression(node.filter)
        return this.target(node.target)
      case "for":
        return this.expression(node.over)
      case "with":
        for (const { value } of node.assignments) this.expression(value)
        return
      case "macro":
        return this.store(node.name)
      case "callBlock":
        return this.expression(node.call)
      case "filterBlock":
        return this.expression(node.filter)
      case "include":
      case "extends":
        return this.expression(node.template)
      case "import":
        this.expression(node.template)
        return this.store(node.name)
      case "from":
        this.expression(node.template)
        for (const { alias } of node.names) this.store(alias)
        return
      case "text":
      case "block":
      case "scope":
    }
  }

  private branches(branches: ReadonlyArray<{ readonly test: Expression; readonly body: Body }>, otherwise: Body): void {
    const [first, ...others] = branches
    if (first === undefined) return
    this.expression(first.test)
    const taken = this.branch((symbols) => symbols.body(first.body))
    // An elif is an if of its own that stands in the second branch.
    const elif = this.branch((symbols) => {
      for (const other of others) symbols.branches([other], [])
    })
    this.merge([taken, elif, this.branch((symbols) => symbols.body(otherwise))])
  }

  private branch(analyse: (symbols: Symbols) => void): Symbols {
    const copy = new Symbols(this.owner, this.outer, this)
    analyse(copy)
    return copy
  }

  // A name that only some branches set keeps its outer value, or the context's, in the others.
  private merge(branches: ReadonlyArray<Symbols>): void {
    const fresh = new Set(branches.flatMap((branch) => [...branch.stores].filter((name) => !this.stores.has(name))))
    for (const branch of branches) {
      for (const [name, variable] of branch.variables) this.variables.set(name, variable)
      for (const [variable, load] of branch.loads) this.loads.set(variable, load)
      for (const name of branch.stores) this.stores.add(name)
    }
    for (const name of fresh) {
      const variable = this.find(name)
      const of = this.outer?.find(name)
      if (variable === undefined) continue
      this.loads.set(variable, of === undefined ? { type: "resolve", name } : { type: "alias", of })
    }
  }
}

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
