/**
 * The variable `loop`: the place in the iteration, and the way to look one element ahead.
 */
import { fail } from "../Failure.ts"
import { argument } from "../values/Arguments.ts"
import { BoundMethod, library } from "../values/Builtin.ts"
import { equals } from "../values/Equality.ts"
import { cursorOf, cursorOver, drain, tryLength } from "../values/Iteration.ts"
import { Native, Tuple, Undefined } from "../values/Value.ts"
import type { Cursor, Value } from "../values/Value.ts"
import type { Rendering } from "./Rendering.ts"

/** Renders the body of a recursive loop over other elements, at this depth. */
export type Recurse = (over: Value, depth: number) => Value

/** The variable `loop`. */
export class LoopState extends Native implements Cursor {
  readonly typeName = "LoopContext"
  private readonly over: Value
  private source: Cursor
  private readonly recurse: Recurse | undefined
  private readonly depth0: number
  private index0 = -1
  private known: number | undefined
  // The element after the current one, once somebody has asked for it.
  private after: Value | undefined
  private current: Value | undefined
  private before: Value | undefined
  private lastChanged: Tuple | undefined

  constructor(over: Value, recurse: Recurse | undefined, depth0: number) {
    super()
    this.over = over
    this.source = cursorOf(over)
    this.recurse = recurse
    this.depth0 = depth0
  }

  next(): Value | undefined {
    const item = this.peek()
    this.after = undefined
    if (item === undefined) return undefined
    this.index0++
    this.before = this.current
    this.current = item
    return item
  }

  private peek(): Value | undefined {
    this.after ??= this.after === null ? null : this.source.next()
    return this.after
  }

  private count(): number {
    this.known ??= tryLength(this.over)
    if (this.known === undefined) {
      const rest = drain(this.source)
      this.source = cursorOver(rest)
      this.known = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1)
    }
    return this.known
  }

  repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.count()}>`
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case "index":
        return this.index0 + 1
      case "index0":
        return this.index0
      case "first":
        return this.index0 === 0
      case "last":
        return this.peek() === undefined
      case "length":
        return this.count()
      case "revindex":
        return this.count() - this.index0
      case "revindex0":
        return this.count() - this.index0 - 1
      case "depth":
        return this.depth0 + 1
      case "depth0":
        return this.depth0
      case "previtem":
        return this.before === undefined ? new Undefined("there is no previous item") : this.before
      case "nextitem": {
        const next = this.peek()
        return next === undefined ? new Undefined("there is no next item") : next
      }
      default: {
        const method = methods.get(name)
        return method === undefined ? undefined : new BoundMethod(this, method)
      }
    }
  }

  override length(): number {
    return this.count()
  }

  override cursor(): Cursor {
    return this
  }

  override get callable(): boolean {
    return true
  }

  override call(rendering: Rendering, args: ReadonlyArray<Value>): Value {
    const { recurse } = this
    if (recurse === undefined) {
      return fail("TypeError", "The loop must have the 'recursive' marker to be called recursively.")
    }
    return rendering.enter(() => recurse(argument(args, 0), this.depth0 + 1))
  }

  cycle(values: ReadonlyArray<Value>): Value {
    return values.length === 0
      ? fail("TypeError", "no items for cycling given")
      : argument(values, this.index0 % values.length)
  }

  changed(values: ReadonlyArray<Value>): boolean {
    const next = new Tuple(values)
    if (this.lastChanged !== undefined && equals(this.lastChanged, next)) return false
    this.lastChanged = next
    return true
  }
}

const rest = (value: Value | undefined): ReadonlyArray<Value> => (Array.isArray(value) ? value : [])

const loop = (value: Value | undefined): LoopState =>
  value instanceof LoopState ? value : fail("TypeError", "not a loop")

const methods = library({
  "cycle(self, *values)": ([self, values]) => loop(self).cycle(rest(values)),
  "changed(self, *values)": ([self, values]) => loop(self).changed(rest(values))
})
