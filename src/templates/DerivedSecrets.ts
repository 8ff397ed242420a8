/**
 * What templates have made of secrets, whatever they did to them on the way (docs/security.md#what-is-stored): found by rendering a
 * second time with other secrets of the same shape, because what differs then is secret. Pure.
 */
import { Schema } from "effect"

/** A line without its indentation, of which the part from `from` to `to` is secret. */
export const SecretLine = Schema.Struct({ line: Schema.String, from: Schema.Int, to: Schema.Int })
export type SecretLine = typeof SecretLine.Type

export const DerivedSecrets = Schema.Struct({
  /** Texts that are secret wherever they stand. */
  values: Schema.Array(Schema.String),
  lines: Schema.Array(SecretLine)
})
export type DerivedSecrets = typeof DerivedSecrets.Type

/** Of templates that use no secrets. */
export const noSecrets: DerivedSecrets = { values: [], lines: [] }

/** So many are kept of a device: an undo brings back earlier ones. */
const MOST = 500

/** Those of now and of earlier times, the newest first. */
export const together = (now: DerivedSecrets, before: DerivedSecrets): DerivedSecrets => ({
  values: [...new Set([...now.values, ...before.values])].slice(0, MOST),
  lines: [...new Map([...before.lines, ...now.lines].map((line) => [line.line, line])).values()].slice(-MOST)
})

const lineParts = /^([+-]?\s*)(.*?)(\s*)$/

/** A configuration or a difference, with these lines and values hidden: `mark` makes what stands in the place of a secret. */
export const hideDerived = (
  text: string,
  { lines, values }: DerivedSecrets,
  mark: (secret: string) => string
): string => {
  if (lines.length + values.length === 0) return text
  const shown = new Map(
    lines.map(({ from, line, to }) => [line, line.slice(0, from) + mark(line.slice(from, to)) + line.slice(to)])
  )
  const withoutLines = text
    .split("\n")
    .map((line) => {
      const [, before = "", command = "", after = ""] = lineParts.exec(line) ?? []
      const hidden = shown.get(command)
      return hidden === undefined ? line : before + hidden + after
    })
    .join("\n")
  return values
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, mark(value)) : rest), withoutLines)
}
