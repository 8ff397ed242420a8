/**
 * One rendering in progress: the text written so far, where it stands, how deep it is, and the modules it has imported.
 * A file that is imported without context is run once in a rendering, so that all who import it share its state.
 */
import { Fault } from "../Failure.ts"
import type { Position } from "../Failure.ts"
import { allocate, exceed, limits, spend } from "../Meter.ts"
import type { Library } from "../values/Builtin.ts"
import { Omitted } from "../values/Value.ts"
import type { Undefined, Value } from "../values/Value.ts"
import type { CompiledTemplate } from "./CompiledTemplate.ts"
import { noNames } from "./Context.ts"
import type { Names } from "./Context.ts"
import type { Module } from "./Module.ts"

/** What a rendering needs of the environment. */
export interface Surroundings {
  readonly filters: Library
  readonly tests: Library
  readonly globals: ReadonlyMap<string, Value>
  /** The template of this name; undefined if there is none. `from` is the name of the template that asks. */
  readonly find: (name: string, from: string) => CompiledTemplate | undefined
  /** Compiles a text that is not a file. */
  readonly compileText: (name: string, source: string) => CompiledTemplate
}

const mostNoted = 100

/** One rendering in progress. */
export class Rendering {
  readonly surroundings: Surroundings
  readonly modules = new Map<CompiledTemplate, Module>()
  /** Messages of the global function `log`, in order. */
  readonly log: Array<LogEntry> = []
  /** Undefined values that were printed as nothing, each place once. */
  readonly undefinedPrints = new Map<Position, string>()
  /** The place that is being evaluated. */
  at: Position
  /** The names that the filter being applied may use. */
  context: Names = noNames
  private text = ""
  private depth = 0

  constructor(surroundings: Surroundings, at: Position) {
    this.surroundings = surroundings
    this.at = at
  }

  /** Adds to the output. Fails with LimitExceeded when it grows too large. */
  write(text: string): void {
    // A reference to the text; what is captured may be kept.
    allocate(2)
    this.text += text
    if (this.text.length > limits().output) exceed("output", `output is larger than ${limits().output} bytes`)
  }

  /** Notes that nothing is printed here because a value is undefined, which is seldom meant. */
  printUndefined(value: Undefined, at: Position): void {
    if (this.undefinedPrints.size < mostNoted && !(value instanceof Omitted))
      this.undefinedPrints.set(at, value.message)
  }

  /** Runs something and returns what it wrote instead of adding that to the output. */
  capture(run: () => void): string {
    const before = this.text
    this.text = ""
    run()
    const written = this.text
    this.text = before
    return written
  }

  /** Runs another template or macro from here; a failure inside learns where it was called from. */
  enter<A>(run: () => A): A {
    const from = this.at
    try {
      const result = run()
      this.at = from
      return result
    } catch (cause) {
      if (cause instanceof Fault) {
        cause.position ??= this.at
        if (cause.via.length < 20) cause.via.push(from)
      }
      throw cause
    }
  }

  /** Like `enter`, for files, whose nesting is bounded. */
  enterFile<A>(run: () => A): A {
    spend(16)
    if (++this.depth > limits().depth) exceed("depth", `files are nested deeper than ${limits().depth}`)
    const result = this.enter(run)
    this.depth--
    return result
  }
}

/** A place where an undefined value was printed, and the sentence that says what is undefined. */
export interface UndefinedPrint {
  readonly message: string
  readonly at: Position
}

/** A message of the global function `log`. */
export interface LogEntry {
  readonly text: string
  readonly level: string
  readonly module: string
  readonly at: Position
}
