/**
 * A whole template as closures: its root and its blocks, the simple statements, and those that load other files.
 */
import { fail } from "../Failure.ts"
import { spend } from "../Meter.ts"
import {
  Activation,
  BaseNames,
  type BlockFunction,
  type CompiledTemplate,
  Context,
  type Evaluate,
  type Execute,
  LiveNames,
  type Rendering,
  snapshot
} from "../runtime/Rendering.ts"
import { makeModule, Module, SelfReference, superOf } from "../runtime/TemplateObjects.ts"
import type {
  Block,
  Body,
  Branch,
  Expression,
  Extends,
  FilterBlock,
  FromImport,
  If,
  Import,
  Include,
  Print,
  Statement,
  Template,
  With
} from "../syntax/Tree.ts"
import { elements, truthy } from "../values/Protocols.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { elementsOf, isText, textOf, Undefined, type Value } from "../values/Value.ts"
import {
  compileAssign,
  compileAssignBlock,
  compileCallBlock,
  compileFor,
  compileMacro,
  compileTarget
} from "./Statements.ts"
import { compileExpression, compileFilter } from "./Expressions.ts"
import {
  type Compilation,
  enterScope,
  FunctionScope,
  innerScope,
  leaveScope,
  localReaders,
  reject,
  type Scope,
  sequence,
  softScope,
  Symbols,
  variableOf,
  writer
} from "./Scope.ts"
import { allStatements, namesRead } from "./Walk.ts"

// Statements that load other files: include, import, from and extends.

type Find = (activation: Activation) => CompiledTemplate | undefined

const nameOf = (value: Value): string => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  return isText(value) ? textOf(value) : fail("TypeError", `a template name must be a text, not ${typeName(value)}`)
}

const firstFound = (
  activation: Activation,
  names: ReadonlyArray<Value>,
  from: string
): CompiledTemplate | undefined => {
  for (const name of names) {
    const found = activation.rendering.surroundings.find(nameOf(name), from)
    if (found !== undefined) return found
  }
  return undefined
}

const notFound = (value: Value): never => {
  const names = elementsOf(value)
  if (names === undefined) return fail("TemplateNotFound", `template ${repr(value)} was not found`)
  if (names.length === 0) return fail("TemplateNotFound", "Tried to select from an empty list of templates.")
  return fail("TemplateNotFound", `none of the templates given were found: ${names.map(str).join(", ")}`)
}

const compileFind = (scope: Scope, template: Expression, ignoreMissing: boolean): Find => {
  const value: Evaluate = compileExpression(scope, template)
  const { at } = template
  const from = scope.compilation.template.name
  return (activation) => {
    const wanted = value(activation)
    activation.rendering.at = at
    const names = elementsOf(wanted) === undefined ? [wanted] : elements(wanted)
    const found = activation.rendering.enter(() => firstFound(activation, names, from))
    return found === undefined && !ignoreMissing ? notFound(wanted) : found
  }
}

const defaultModule = (activation: Activation, template: CompiledTemplate): Module => {
  const { rendering } = activation
  const known = rendering.modules.get(template)
  if (known !== undefined) return known
  const module = makeModule(template, new BaseNames(undefined, rendering.surroundings.globals), rendering)
  rendering.modules.set(template, module)
  return module
}

/** Compiles an include. */
const compileInclude = (scope: Scope, node: Include): Execute => {
  const find = compileFind(scope, node.template, node.ignoreMissing)
  const locals = localReaders(scope)
  const { at } = node
  if (!node.withContext) {
    return (activation) => {
      const template = find(activation)
      activation.rendering.at = at
      if (template !== undefined) activation.rendering.write(defaultModule(activation, template).body)
    }
  }
  return (activation) => {
    const template = find(activation)
    if (template === undefined) return
    const { context, rendering } = activation
    rendering.at = at
    const names = new LiveNames(context, activation, locals)
    rendering.enterFile(() => template.run(new Context(template, names), rendering))
  }
}

const compileModule = (scope: Scope, node: Import | FromImport): ((activation: Activation) => Module) => {
  const find = compileFind(scope, node.template, false)
  const locals = localReaders(scope)
  const { at, withContext } = node
  return (activation) => {
    const template = find(activation) ?? notFound(null)
    const { context, rendering } = activation
    rendering.at = at
    if (!withContext) return defaultModule(activation, template)
    // A copy, because macros of the module outlive changes of the names here.
    return makeModule(template, snapshot(new LiveNames(context, activation, locals)), rendering)
  }
}

/** Compiles `import file as name`. */
const compileImport = (scope: Scope, node: Import): Execute => {
  const load = compileModule(scope, node)
  const store = writer(scope, variableOf(scope, node.name))
  return (activation) => {
    const module = load(activation)
    store(activation, module)
    if (scope.top) activation.context.assignImported(node.name, module)
  }
}

/** Compiles `from file import names`. */
const compileFrom = (scope: Scope, node: FromImport): Execute => {
  const load = compileModule(scope, node)
  const { line, template } = node.at
  const names = node.names.map(({ name, alias }) => ({
    name,
    alias,
    store: writer(scope, variableOf(scope, alias)),
    place: `(imported on line ${line} in ${repr(template)}) does not export the requested name ${repr(name)}`
  }))
  return (activation) => {
    const module = load(activation)
    for (const { name, alias, store, place } of names) {
      const exported = module.attribute(name)
      const value =
        exported === undefined ? new Undefined(`the template ${repr(module.template.name)} ${place}`) : exported
      store(activation, value)
      if (scope.top) activation.context.assignImported(alias, value)
    }
  }
}

/** Compiles `extends`. */
const compileExtends = (scope: Scope, node: Extends): Execute => {
  const { compilation } = scope
  if (!scope.top) reject("cannot use extend from a non top-level scope", node.at)
  const find = compileFind(scope, node.template, false)
  const { at } = node
  if (scope.root) compilation.surelyExtends = true
  compilation.extendsCount++
  return (activation) => {
    activation.rendering.at = at
    const { root, context } = activation
    if (root.parent !== undefined) fail("TemplateRuntimeError", "extended multiple times")
    const parent = find(activation) ?? notFound(null)
    root.parent = parent
    context.addBlocks(parent)
  }
}

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
