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
