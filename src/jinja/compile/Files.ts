/**
 * Statements that bring in other files: include, import, from and extends.
 */
import { fail } from "../Failure.ts"
import type { Activation, CompiledTemplate, Evaluate, Execute } from "../runtime/CompiledTemplate.ts"
import { BaseNames, Context, LiveNames, snapshot } from "../runtime/Context.ts"
import { makeModule, Module } from "../runtime/Module.ts"
import type { Expression, Extends, FromImport, Import, Include } from "../syntax/Tree.ts"
import { elements } from "../values/Iteration.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { elementsOf, isText, textOf, Undefined } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"
import { compileExpression } from "./Expressions.ts"
import { localReaders, reject, variableOf, writer } from "./Scope.ts"
import type { Scope } from "./Scope.ts"

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
export const compileInclude = (scope: Scope, node: Include): Execute => {
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
    // A copy, because macros of the module go on living while the names here change.
    return makeModule(template, snapshot(new LiveNames(context, activation, locals)), rendering)
  }
}

/** Compiles `import file as name`. */
export const compileImport = (scope: Scope, node: Import): Execute => {
  const load = compileModule(scope, node)
  const store = writer(scope, variableOf(scope, node.name))
  return (activation) => {
    const module = load(activation)
    store(activation, module)
    if (scope.top) activation.context.assignImported(node.name, module)
  }
}

/** Compiles `from file import names`. */
export const compileFrom = (scope: Scope, node: FromImport): Execute => {
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
export const compileExtends = (scope: Scope, node: Extends): Execute => {
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
