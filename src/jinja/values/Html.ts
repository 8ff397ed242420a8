/**
 * Escaping for HTML, which `e`, `forceescape` and joining with escaped text use.
 */
import { allocate, reserveText } from "../Meter.ts"
import { str } from "./Printing.ts"
import { Markup } from "./Value.ts"
import type { Value } from "./Value.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;"
}

/** The printed value with `& < > ' "` as entities. */
const escapeText = (text: string): string => {
  const escaped = text.replace(/[&<>'"]/g, (character) => {
    allocate(1)
    return entities[character] ?? character
  })
  reserveText(escaped.length)
  return escaped
}

/** The same, leaving alone what has been escaped before. */
export const escapeHtml = (value: Value): string => (value instanceof Markup ? value.text : escapeText(str(value)))
