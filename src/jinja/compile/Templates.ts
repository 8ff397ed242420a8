/**
 * A whole template as closures: its root and its blocks, and the statements that have no file of their own.
 */
import { fail } from "../Failure.ts"
import { spend } from "../Meter.ts"
import { Activation } from "../runtime/CompiledTemplate.ts"
import type { BlockFunction, CompiledTemplate, Execute } from "../runtime/CompiledTemplate.ts"
import { LiveNames, snapshot } from "../runtime/Context.ts"
import type { Context } from "../runtime/Context.ts"
import { SelfReference, superOf } from "../runtime/Module.ts"
import type { Rendering } from "../runtime/Rendering.ts"
import type { Block, Body, Branch, FilterBlock, If, Print, Statement, Template, With } from "../syntax/Tree.ts"
import { truthy } from "../values/Iteration.ts"
import { str } from "../values/Printing.ts"
import { Undefined } from "../values/Value.ts"
import { compileAssign, compileAssignBlock, compileTarget } from "./Assignments.ts"
import { compileFilter } from "./Calls.ts"
import { compileExpression } from "./Expressions.ts"
import { compileExtends, compileFrom, compileImport, compileInclude } from "./Files.ts"
import { compileFor } from "./Loops.ts"
import { compileCallBlock, compileMacro } from "./Macros.ts"
import { enterScope, innerScope, leaveScope, localReaders, reject, sequence, softScope } from "./Scope.ts"
import type { Compilation, Scope } from "./Scope.ts"
import { FunctionScope, Symbols } from "./Symbols.ts"
import { allStatements, namesRead } from "./Walk.ts"

const compileBody = (scope: Scope, body: Body): Execute => {
  const steps: Array<Execute> = []
  for (const statement of body) {
    const before = scope.compilation.surelyExtends
    const step = compileStatement(scope, statement)
    if (step !== undefined) steps.push(step)
    // Nothing is run after a second extends, which always fails.
    if (statement.type === "extends" && before) break
  }
  return sequence(steps)
}

const compileStatement = (scope: Scope, node: Statement): Execute | undefined => {
  spend(32)
  switch (node.type) {
    case "text": {
      const { text } = node
      return writing(scope, (activation) => activation.rendering.write(text))
    }
    case "print":
      return writing(scope, compilePrint(scope, node))
    case "if":
      return compileIf(scope, node)
    case "for":
      return compileFor(scope, node, compileBody)
    case "assign":
      return compileAssign(scope, node)
    case "assignBlock":
      return compileAssignBlock(scope, node, compileBody)
    case "with":
      return compileWith(scope, node)
    case "include":
      return compileInclude(scope, node)
    case "import":
      return compileImport(scope, node)
    case "from":
      return compileFrom(scope, node)
    case "macro":
      return compileMacro(scope, node, compileBody)
    case "callBlock":
      return compileCallBlock(scope, node, compileBody)
    case "filterBlock":
      return compileFilterBlock(scope, node)
    case "block":
      return compileBlock(scope, node)
    case "extends":
      return compileExtends(scope, node)
    case "scope":
      return compileScoped(scope, node.body)
  }
}

// Text outside of blocks is written only as long as the template extends no other.
const writing = (scope: Scope, write: Execute): Execute | undefined => {
  if (!scope.checksExtends) return write
  if (scope.compilation.surelyExtends) return undefined
  return (activation) => {
    if (activation.root.parent === undefined) write(activation)
  }
}

const compilePrint = (scope: Scope, node: Print): Execute => {
  const value = compileExpression(scope, node.value)
  const { at } = node
  return (activation) => {
    const printed = value(activation)
    const { rendering } = activation
    if (typeof printed === "string") return rendering.write(printed)
    rendering.at = at
    if (printed instanceof Undefined) rendering.printUndefined(printed, at)
    rendering.write(str(printed))
  }
}

const compileBranch = (scope: Scope, branch: Branch): { test: (activation: Activation) => boolean; body: Execute } => {
  const test = compileExpression(scope, branch.test)
  return { test: (activation) => truthy(test(activation)), body: compileBody(scope, branch.body) }
}

const compileIf = (outer: Scope, node: If): Execute => {
  const scope = softScope(outer)
  const branches = node.branches.map((branch) => compileBranch(scope, branch))
  const otherwise = compileBody(scope, node.otherwise)
  const [first] = branches
  if (branches.length === 1 && first !== undefined) {
    const { test, body } = first
    return (activation) => (test(activation) ? body(activation) : otherwise(activation))
  }
  return (activation) => {
    for (const { test, body } of branches) if (test(activation)) return body(activation)
    otherwise(activation)
  }
}

const compileScoped = (outer: Scope, body: Body): Execute => {
  const scope = innerScope(outer)
  scope.symbols.body(body)
  return sequence([enterScope(scope), compileBody(scope, body), leaveScope(scope)])
}

const compileWith = (outer: Scope, node: With): Execute => {
  const scope = innerScope(outer)
  for (const { target } of node.assignments) scope.symbols.targetAsParameter(target)
  scope.symbols.body(node.body)
  const assignments = node.assignments.map(({ target, value }): Execute => {
    const store = compileTarget(scope, target)
    const evaluate = compileExpression(outer, value)
    return (activation) => store(activation, evaluate(activation))
  })
  return sequence([enterScope(scope), ...assignments, compileBody(scope, node.body), leaveScope(scope)])
}

const compileFilterBlock = (outer: Scope, node: FilterBlock): Execute => {
  const scope = innerScope(outer)
  scope.symbols.body(node.body)
  scope.symbols.expression(node.filter)
  const body = sequence([enterScope(scope), compileBody(scope, node.body)])
  const filtered = compileFilter(scope, node.filter, compileExpression, (activation) =>
    activation.rendering.capture(() => body(activation))
  )
  const leave = leaveScope(scope)
  return (activation) => {
    activation.rendering.write(str(filtered(activation)))
    leave(activation)
  }
}

// Where a block stands: the outermost replacement of it is run, unless this template extends another.
const compileBlock = (scope: Scope, node: Block): Execute | undefined => {
  const { name, at } = node
  if (scope.top && scope.compilation.surelyExtends) return undefined
  const mayExtend = scope.top && scope.compilation.extendsCount > 0
  const locals = node.scoped ? localReaders(scope) : undefined
  return (activation) => {
    if (mayExtend && activation.root.parent !== undefined) return
    const { context, rendering } = activation
    const stack = context.blocks.get(name) ?? []
    rendering.at = at
    if (node.required && stack.length <= 1) fail("TemplateRuntimeError", `Required block '${name}' not found`)
    const target =
      locals === undefined ? context : context.derived(snapshot(new LiveNames(context, activation, locals)))
    rendering.enter(() => stack[0]?.run(target, rendering))
  }
}

const rootScope = (compilation: Compilation, checksExtends: boolean, top: boolean): Scope => ({
  compilation,
  symbols: new Symbols(new FunctionScope(undefined), undefined),
  top,
  root: top,
  soft: false,
  checksExtends
})

const compileBlockFunction = (compilation: Compilation, node: Block): BlockFunction => {
  const scope = rootScope(compilation, false, false)
  const special = namesRead(node.body, ["self", "super"])
  const self = special.has("self") ? scope.symbols.parameter("self").slot : undefined
  const parent = special.has("super") ? scope.symbols.parameter("super").slot : undefined
  scope.symbols.body(node.body)
  const execute = sequence([enterScope(scope), compileBody(scope, node.body)])
  const { owner } = scope.symbols
  const block: BlockFunction = {
    name: node.name,
    run: (context: Context, rendering: Rendering) => {
      spend(4)
      const activation = new Activation(owner.size, undefined, context, rendering)
      if (self !== undefined) activation.slots[self] = new SelfReference(context)
      if (parent !== undefined) activation.slots[parent] = superOf(context, block)
      execute(activation)
    }
  }
  return block
}

const compileRoot = (compilation: Compilation, body: Body): CompiledTemplate["run"] => {
  const extending = allStatements(body).some((statement) => statement.type === "extends")
  const scope = rootScope(compilation, extending, true)
  const self = namesRead(body, ["self"]).has("self") ? scope.symbols.parameter("self").slot : undefined
  scope.symbols.body(body)
  const execute = sequence([enterScope(scope), compileBody(scope, body)])
  const { owner } = scope.symbols
  return (context, rendering) => {
    const activation = new Activation(owner.size, undefined, context, rendering)
    if (self !== undefined) activation.slots[self] = new SelfReference(context)
    execute(activation)
    const { parent } = activation
    if (parent !== undefined) rendering.enterFile(() => parent.run(context, rendering))
  }
}

/** Compiles a template. Fails with TemplateAssertionError, for unknown filters for instance. */
export const compileTemplate = (template: Template, surroundings: Compilation["surroundings"]): CompiledTemplate => {
  const blocks = new Map<string, BlockFunction>()
  const compilation: Compilation = { template, surroundings, blocks, surelyExtends: false, extendsCount: 0 }
  const nodes = allStatements(template.body).filter((statement) => statement.type === "block")
  const run = compileRoot(compilation, template.body)
  for (const node of nodes) {
    if (blocks.has(node.name)) reject(`block '${node.name}' defined twice`, node.at)
    blocks.set(node.name, compileBlockFunction(compilation, node))
  }
  return { name: template.name, blocks, run }
}
