/**
 * Filler text for `lipsum()`.
 */
import { fail } from "../Failure.ts"
import { reserveText } from "../Meter.ts"
import { Markup } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"

const words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore".split(
  " "
)

const pick = (): string => words[Math.floor(Math.random() * words.length)] ?? "lorem"

const paragraph = (least: number, most: number): string => {
  const count = least + Math.floor(Math.random() * Math.max(1, most - least))
  const text = Array.from({ length: Math.max(1, count) }, pick).join(" ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Paragraphs of filler text, with HTML tags around them if asked for. */
export const lorem = (count: number, html: boolean, least: number, most: number): Value => {
  if (count > 1000 || least > 10_000 || most > 10_000) return fail("LimitExceeded", "too much filler text")
  reserveText(Math.max(0, count) * Math.max(1, least, most) * 12)
  const paragraphs = Array.from({ length: Math.max(0, count) }, () => paragraph(least, most))
  return html ? new Markup(paragraphs.map((text) => `<p>${text}</p>`).join("\n")) : paragraphs.join("\n\n")
}
