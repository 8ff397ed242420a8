/**
 * A macro, or the body of a call block: takes its arguments in Jinja2's order and returns the text it writes.
 */
import { fail } from "../Failure.ts"
import { spend } from "../Meter.ts"
import { Dict } from "../values/Dict.ts"
import { repr } from "../values/Printing.ts"
import { Native, Tuple, Undefined } from "../values/Value.ts"
import type { Keywords, Value } from "../values/Value.ts"
import type { Rendering } from "./Rendering.ts"

/** What is known of a macro before it is called. */
export interface MacroShape {
  /** None for the body of a call block. */
  readonly name: string | null
  readonly parameters: ReadonlyArray<string>
  /** Does the body use `caller`, `kwargs` or `varargs`? */
  readonly usesCaller: boolean
  readonly usesKeywords: boolean
  readonly usesRest: boolean
}

/** Arguments in the order parameters, caller, kwargs, varargs; undefined for those not given. */
export type MacroBody = (args: ReadonlyArray<Value | undefined>, rendering: Rendering) => void

/** A macro. */
export class MacroFunction extends Native {
  readonly typeName = "Macro"
  private readonly shape: MacroShape
  private readonly body: MacroBody

  constructor(shape: MacroShape, body: MacroBody) {
    super()
    this.shape = shape
    this.body = body
  }

  repr(): string {
    return `<Macro ${this.shape.name === null ? "anonymous" : repr(this.shape.name)}>`
  }

  override get callable(): boolean {
    return true
  }

  override attribute(name: string): Value | undefined {
    const { shape } = this
    switch (name) {
      case "name":
        return shape.name
      case "arguments":
        return new Tuple(shape.parameters)
      case "caller":
        return shape.usesCaller
      case "catch_kwargs":
        return shape.usesKeywords
      case "catch_varargs":
        return shape.usesRest
      default:
        return undefined
    }
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>, keywords: Keywords | undefined): Value {
    spend(16)
    const bound = this.bind(args, keywords)
    return rendering.enter(() => rendering.capture(() => this.body(bound, rendering)))
  }

  private bind(args: ReadonlyArray<Value>, keywords: Keywords | undefined): ReadonlyArray<Value | undefined> {
    const { parameters, usesCaller, usesKeywords, usesRest } = this.shape
    const bound: Array<Value | undefined> = args.slice(0, parameters.length)
    const left = new Map(keywords)
    for (let i = bound.length; i < parameters.length; i++) bound.push(take(left, parameters[i] ?? ""))
    if (usesCaller && !parameters.includes("caller")) {
      bound.push(take(left, "caller") ?? new Undefined("No caller defined"))
    }
    if (usesKeywords) bound.push(Dict.of(left))
    else if (left.size > 0) this.refuseKeyword(left)
    if (usesRest) bound.push(new Tuple(args.slice(parameters.length)))
    else if (args.length > parameters.length) {
      fail("TypeError", `macro ${this.quoted} takes not more than ${parameters.length} argument(s)`)
    }
    return bound
  }

  private get quoted(): string {
    return repr(this.shape.name)
  }

  private refuseKeyword(left: Keywords): never {
    if (left.has("caller")) {
      return fail(
        "TypeError",
        `macro ${this.quoted} was invoked with two values for the special caller argument. This is most likely a bug.`
      )
    }
    const [name = ""] = left.keys()
    return fail("TypeError", `macro ${this.quoted} takes no keyword argument ${repr(name)}`)
  }
}

const take = (keywords: Map<string, Value>, name: string): Value | undefined => {
  const value = keywords.get(name)
  keywords.delete(name)
  return value
}
