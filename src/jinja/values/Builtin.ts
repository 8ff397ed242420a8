/**
 * Functions that come with the engine: filters, tests, methods and globals. Each is declared by a signature in Python's
 * notation, such as `truncate(s, length=255, killwords=false, end='...', leeway=none)`, which says how positional and
 * keyword arguments become the array that the implementation gets. `*rest` arrives as a list, `**keywords` as a dict.
 */
import { fail } from "../Failure.ts"
import type { Rendering } from "../runtime/Rendering.ts"
import {
  Dict,
  Float,
  type Implementation,
  isInteger,
  isText,
  type Keywords,
  Markup,
  Native,
  textOf,
  Undefined,
  type Value
} from "./Value.ts"
import { reserveText } from "../Meter.ts"
import { numberOf } from "./Protocols.ts"
import { str, typeName } from "./Printing.ts"

interface Parameter {
  readonly name: string
  /** Undefined for parameters that must be given. */
  readonly fallback: Value | undefined
}

interface Signature {
  readonly name: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly rest: boolean
  readonly keywords: boolean
}

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["none", null],
  ["true", true],
  ["false", false]
])

const parseFallback = (text: string): Value => {
  if (text.startsWith("'")) return text.slice(1, -1)
  const constant = constants.get(text)
  if (constant !== undefined) return constant
  return text.includes(".") ? new Float(Number(text)) : Number(text)
}

const parseSignature = (text: string): Signature => {
  const [, name = "", inner = ""] = /^(\w+)\((.*)\)$/.exec(text) ?? []
  const parts = inner.match(/(?:'[^']*'|[^,'])+/g)?.map((part) => part.trim()) ?? []
  const parameters = parts
    .filter((part) => !part.startsWith("*"))
    .map((part) => {
      const [, key = "", fallback] = /^(\w+)(?:=(.*))?$/.exec(part) ?? []
      return { name: key, fallback: fallback === undefined ? undefined : parseFallback(fallback) }
    })
  return {
    name,
    parameters,
    rest: parts.some((part) => part.startsWith("*") && !part.startsWith("**")),
    keywords: parts.some((part) => part.startsWith("**"))
  }
}

/** A function that comes with the engine. */
export class Builtin extends Native {
  readonly typeName = "builtin_function_or_method"
  readonly name: string
  /** How many leading arguments are passed by the engine, not by the template: 1 for filters, tests and methods. */
  readonly implied: number
  private readonly signature: Signature
  private readonly implementation: Implementation

  constructor(signature: string, implementation: Implementation, implied: number) {
    super()
    this.signature = parseSignature(signature)
    this.name = this.signature.name
    this.implementation = implementation
    this.implied = implied
  }

  repr(): string {
    return `<built-in function ${this.name}>`
  }

  override get callable(): boolean {
    return true
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>, keywords: Keywords | undefined): Value {
    const { parameters, rest } = this.signature
    const complete = args.length === parameters.length && keywords === undefined && !rest && !this.signature.keywords
    return this.implementation(complete ? args : this.bind(args, keywords), rendering)
  }

  // The arguments in the order of the parameters, with defaults filled in.
  private bind(args: ReadonlyArray<Value>, keywords: Keywords | undefined): ReadonlyArray<Value> {
    const { parameters, rest } = this.signature
    if (args.length > parameters.length && !rest) return this.tooMany(args.length)
    const bound: Array<Value> = args.slice(0, parameters.length)
    for (let i = bound.length; i < parameters.length; i++) {
      const parameter = parameters[i]
      if (parameter !== undefined) bound.push(keywords?.get(parameter.name) ?? this.fallback(parameter, keywords))
    }
    if (rest) bound.push(args.slice(parameters.length))
    if (keywords !== undefined || this.signature.keywords) this.bindKeywords(bound, args.length, keywords ?? new Map())
    return bound
  }

  private fallback(parameter: Parameter, keywords: Keywords | undefined): Value {
    // A keyword argument may be None, which the caller's `??` passes over.
    if (keywords?.has(parameter.name) === true) return null
    if (parameter.fallback !== undefined) return parameter.fallback
    return fail("TypeError", `${this.name}() missing 1 required positional argument: '${parameter.name}'`)
  }

  private bindKeywords(bound: Array<Value>, given: number, keywords: Keywords): void {
    const spare = new Dict()
    for (const [name, value] of keywords) {
      const index = this.signature.parameters.findIndex((parameter) => parameter.name === name)
      if (index >= 0 && index < given) fail("TypeError", `${this.name}() got multiple values for argument '${name}'`)
      if (index < 0 && !this.signature.keywords) {
        fail("TypeError", `${this.name}() got an unexpected keyword argument '${name}'`)
      }
      if (index < 0) spare.set(name, value)
    }
    if (this.signature.keywords) bound.push(spare)
  }

  private tooMany(count: number): never {
    const most = this.signature.parameters.length - this.implied
    const noun = most === 1 ? "argument" : "arguments"
    return fail("TypeError", `${this.name}() takes at most ${most} ${noun} (${count - this.implied} given)`)
  }
}

/** Builtins by name. */
export type Library = ReadonlyMap<string, Builtin>

/** A library of filters, tests or methods: the first argument is the value they are applied to. */
export const library = (definitions: Readonly<Record<string, Implementation>>, implied = 1): Library =>
  new Map(
    Object.entries(definitions).map(([signature, implementation]) => {
      const builtin = new Builtin(signature, implementation, implied)
      return [builtin.name, builtin]
    })
  )

/** The same builtins under further names. */
export const withAliases = (entries: Library, aliases: Readonly<Record<string, string>>): Library => {
  const all = new Map(entries)
  for (const [alias, name] of Object.entries(aliases)) {
    const builtin = entries.get(name)
    if (builtin !== undefined) all.set(alias, builtin)
  }
  return all
}

/** A method together with the value it belongs to. */
export class BoundMethod extends Native {
  readonly typeName = "builtin_function_or_method"
  private readonly owner: Value
  private readonly method: Builtin

  constructor(owner: Value, method: Builtin) {
    super()
    this.owner = owner
    this.method = method
  }

  repr(): string {
    return `<built-in method ${this.method.name}>`
  }

  override get callable(): boolean {
    return true
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>, keywords: Keywords | undefined): Value {
    return this.method.call(rendering, [this.owner, ...args], keywords)
  }
}

// Reading the arguments of builtins: each function gives the argument in the type asked for, or fails with TypeError.

/** The argument at this place; None when there is none. */
export const argument = (args: ReadonlyArray<Value>, index: number): Value => {
  const value = args[index]
  return value === undefined ? null : value
}

/** Any value as text, the way it prints. */
export const softText = (args: ReadonlyArray<Value>, index: number): string => str(argument(args, index))

/** A text, and nothing else. */
export const textArgument = (args: ReadonlyArray<Value>, index: number): string => {
  const value = argument(args, index)
  if (isText(value)) return textOf(value)
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  return fail("TypeError", `expected str, got ${typeName(value)}`)
}

/** A text or None. */
export const optionalText = (args: ReadonlyArray<Value>, index: number): string | undefined =>
  argument(args, index) === null ? undefined : textArgument(args, index)

/** An integer small enough to count with. Booleans count as 0 and 1. */
export const integerArgument = (args: ReadonlyArray<Value>, index: number): number => {
  const value = argument(args, index)
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  if (isInteger(value)) return fail("OverflowError", "Python int too large to convert to C ssize_t")
  return fail("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** An integer or None. */
export const optionalInteger = (args: ReadonlyArray<Value>, index: number): number | undefined =>
  argument(args, index) === null ? undefined : integerArgument(args, index)

/** A number of any kind as JavaScript number. */
export const numberArgument = (args: ReadonlyArray<Value>, index: number): number => {
  const value = argument(args, index)
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  const number = numberOf(value)
  return number === undefined ? fail("TypeError", `must be real number, not ${typeName(value)}`) : Number(number)
}

/** The result of a text function applied to escaped text is escaped text again. */
export const likeOriginal = (original: Value, text: string): Value => {
  reserveText(text.length)
  return original instanceof Markup ? new Markup(text) : text
}
