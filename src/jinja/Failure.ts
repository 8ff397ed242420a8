/**
 * Failures of templates as data: the class of the error (named as Python names it), one sentence, where it
 * happened, and through which includes, imports and macro calls the rendering got there. Inside the engine a failure
 * travels as a thrown `Fault`; the functions of the module border turn it into a `Result`, so nothing throws across it.
 */

import type { Limits } from "./Meter.ts"

/** A place in a template; line and column count from 1, the column in UTF-16 units. */
export class Position {
  readonly template: string
  readonly line: number
  readonly column: number

  constructor(template: string, line: number, column: number) {
    this.template = template
    this.line = line
    this.column = column
  }
}

/** Classes of errors: Jinja2's and Python's own names, and two of this engine (`LimitExceeded`, `InternalError`). */
export type FailureKind =
  | "TemplateSyntaxError"
  | "TemplateAssertionError"
  | "TemplateNotFound"
  | "TemplateRuntimeError"
  | "FilterArgumentError"
  | "UndefinedError"
  | "TypeError"
  | "ValueError"
  | "KeyError"
  | "IndexError"
  | "AttributeError"
  | "ZeroDivisionError"
  | "OverflowError"
  | "AssertionError"
  | "LookupError"
  | "RuntimeError"
  | "RecursionError"
  | "LimitExceeded"
  | "InternalError"

/** Why a template could not be compiled or rendered. `via` lists the including places, innermost first. */
export interface Failure {
  readonly kind: FailureKind
  readonly message: string
  readonly position: Position
  readonly via: ReadonlyArray<Position>
  /** Which bound of the rendering was met, for LimitExceeded; none for bounds that are always the same. */
  readonly limit?: keyof Limits
}

/** A value, or a failure instead of it. */
export type Result<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly failure: Failure }

/** The exception that carries a failure inside the engine. Position and way are filled in as it travels outwards. */
export class Fault extends Error {
  readonly kind: FailureKind
  readonly limit: keyof Limits | undefined
  position: Position | undefined
  readonly via: Array<Position> = []

  constructor(kind: FailureKind, message: string, position?: Position, limit?: keyof Limits) {
    super(message)
    this.kind = kind
    this.position = position
    this.limit = limit
  }
}

/** Throws a `Fault` of this kind; an expression, so that it can stand where a value is wanted. */
export const fail = (kind: FailureKind, message: string, position?: Position): never => {
  throw new Fault(kind, message, position)
}

const asFault = (cause: unknown): Fault => {
  if (cause instanceof Fault) return cause
  if (cause instanceof RangeError && cause.message.includes("call stack")) {
    return new Fault("RecursionError", "maximum recursion depth exceeded")
  }
  if (cause instanceof RangeError) return new Fault("LimitExceeded", `a value is too large: ${cause.message}`)
  return new Fault("InternalError", cause instanceof Error ? cause.message : String(cause))
}

/**
 * Runs engine code and returns its value, or the failure it ended with. `here` is the position of failures that happened
 * where no position was known.
 */
export const attempt = <A>(run: () => A, here: () => Position): Result<A> => {
  try {
    return { ok: true, value: run() }
  } catch (cause) {
    const fault = asFault(cause)
    const { kind, limit, message, via } = fault
    const failure = { kind, message, position: fault.position ?? here(), via }
    return { ok: false, failure: limit === undefined ? failure : { ...failure, limit } }
  }
}

/**
 * A failure as text for people: a sentence with template, line and column, the source line with a mark under the column
 * when `sourceOf` knows the template, and one line for each including place.
 */
export const describe = (failure: Failure, sourceOf: (template: string) => string | undefined): string => {
  const { position } = failure
  const lines = [`${failure.kind}: ${failure.message}`, `  in ${place(position)}`]
  const text = sourceOf(position.template)?.split(/\r\n|\r|\n/)[position.line - 1]
  if (text !== undefined) {
    const margin = `${position.line}`.padStart(6)
    lines.push(`${margin} | ${text}`, `${" ".repeat(margin.length)} | ${markUnder(text, position.column)}`)
  }
  for (const from of failure.via) lines.push(`  included or called from ${place(from)}`)
  return lines.join("\n")
}

/** A position as text, such as `access/base.j2, line 3, column 7`. */
export const place = (position: Position): string =>
  `${position.template}, line ${position.line}, column ${position.column}`

// Tabs are kept before the mark so that it stands under the right character whatever their width.
const markUnder = (text: string, column: number): string => `${text.slice(0, column - 1).replace(/[^\t]/g, " ")}^`
