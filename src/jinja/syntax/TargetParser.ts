/**
 * What stands on the left of an assignment or between `for` and `in`: names, tuples of them, and names of a namespace.
 */
import type { Position } from "../Failure.ts"
import { describeToken } from "./Tokens.ts"
import type { TokenStream } from "./Tokens.ts"
import type { Target } from "./Tree.ts"

const reserved = new Set(["true", "false", "none", "True", "False", "None"])

const nameTarget = (stream: TokenStream, at: Position, name: string): Target => {
  return reserved.has(name) ? stream.fail("can't assign to 'const'", at) : { type: "nameTarget", name, at }
}

const parseOne = (stream: TokenStream, namespace: boolean): Target => {
  const at = stream.here
  if (stream.skip("operator", "(")) {
    const inner = parseSeveral(stream, undefined, namespace, true)
    stream.expect("operator", ")")
    return inner
  }
  if (!stream.is("name")) {
    if (stream.is("string") || stream.is("number")) return stream.fail("can't assign to 'const'", at)
    return stream.fail(`unexpected '${describeToken(stream.current)}'`)
  }
  const name = stream.next().text
  if (!namespace || !stream.isOperator(".")) return nameTarget(stream, at, name)
  stream.next()
  return { type: "namespaceTarget", name, attribute: stream.expect("name").text, at }
}

const parseSeveral = (
  stream: TokenStream,
  until: string | undefined,
  namespace: boolean,
  bracketed: boolean
): Target => {
  const at = stream.here
  const items: Array<Target> = []
  let comma = false
  const atEnd = (): boolean =>
    stream.is("variable_end") ||
    stream.is("block_end") ||
    stream.isOperator(")") ||
    (until !== undefined && stream.isName(until))
  while (!atEnd()) {
    items.push(parseOne(stream, namespace))
    comma = stream.skip("operator", ",")
    if (!comma) break
  }
  const [only] = items
  if (only !== undefined && items.length === 1 && !comma) return only
  if (items.length === 0 && !bracketed) {
    return stream.fail(`Expected an expression, got '${describeToken(stream.current)}'`)
  }
  return { type: "tupleTarget", items, at }
}

/** A target, ended by the name `until` if given; `namespace` allows `ns.name`. */
export const parseTarget = (stream: TokenStream, until: string | undefined, namespace: boolean): Target =>
  parseSeveral(stream, until, namespace, false)

/** The name of a macro, parameter or import. */
export const parseTargetName = (stream: TokenStream): string => {
  const at = stream.here
  const name = stream.expect("name").text
  return reserved.has(name) ? stream.fail("can't assign to 'name'", at) : name
}
