/**
 * The mask of the header X-Fields: `a,b{c,d}` keeps key a and of b the keys c and d; `*` keeps all (docs/api.md#surroundings).
 */
import { isObject, type JsonObject } from "../../domain/fields/Values.ts"

/** Keys to keep; null keeps a value whole. */
export type FieldMask = ReadonlyMap<string, FieldMask | null>

const TOKEN = /\s*([\w*-]+|[{},])/y
const MAX_DEPTH = 20

/** Reads a mask; undefined when it is none. */
export const parseMask = (text: string): FieldMask | undefined => {
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) tokens.push(match[1] ?? "")
  let at = 0
  const level = (depth: number): FieldMask | undefined => {
    const fields = new Map<string, FieldMask | null>()
    if (depth === MAX_DEPTH) return undefined
    for (;;) {
      const name = tokens[at++]
      if (name === undefined || /^[{},]$/.test(name)) return undefined
      let inner: FieldMask | null | undefined = null
      if (tokens[at] === "{") {
        at++
        inner = level(depth + 1)
        if (inner === undefined || tokens[at++] !== "}") return undefined
      }
      fields.set(name, inner)
      if (tokens[at] !== ",") return fields
      at++
    }
  }
  const body = tokens[0] === "{" && tokens.at(-1) === "}" ? tokens.slice(1, -1) : tokens
  tokens.splice(0, tokens.length, ...body)
  const mask = level(0)
  return at === tokens.length ? mask : undefined
}

/** The object with only the masked keys; keys that are not there are left out, lists are masked element by element. */
export const applyMask = (mask: FieldMask, object: JsonObject): JsonObject => {
  if (mask.has("*")) return object
  const masked = (value: unknown, inner: FieldMask | null): unknown => {
    if (inner === null) return value
    if (Array.isArray(value)) return value.map((element) => masked(element, inner))
    return isObject(value) ? applyMask(inner, value) : value
  }
  return Object.fromEntries(
    [...mask].flatMap(([key, inner]) => (Object.hasOwn(object, key) ? [[key, masked(object[key], inner)]] : []))
  )
}
