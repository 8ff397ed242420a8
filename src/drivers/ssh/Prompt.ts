/**
 * Prompts as text (docs/switch-dialogues.md#prompts): which of them are the same although a clock in them went on, and the
 * pattern of a prompt that was learnt at the login because the platform's own pattern does not have its form.
 */
import { escapeRegExp } from "./Dialect.ts"

/** A time of day, which is another one whenever the prompt is printed. */
const clock = /\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?/g
const anyClock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?`

/** A prompt is no longer than this. */
export const longestPrompt = 512

/** What every prompt ends with, so that a question or half a line is not taken for one. */
const sign = /[>#]\s?$/

const withoutClock = (text: string): string => text.trimEnd().replaceAll(clock, "0:00")

/** Whether two texts are the same prompt. */
export const isSame = (one: string, other: string): boolean => {
  const left = one.trimEnd()
  const right = other.trimEnd()
  return left === right || (left.includes(":") && withoutClock(left) === withoutClock(right))
}

/** Whether a last line may be a prompt of whatever form; an empty line has to bring it again before it is believed. */
export const mayBe = (text: string): boolean => text.length <= longestPrompt && sign.test(text)

/** How many of the last lines are the same prompt as this text. */
export const timesBefore = (lines: ReadonlyArray<string>, text: string): number => {
  const other = lines.findLastIndex((line) => !isSame(line, text))
  return lines.length - 1 - other
}

/** The source of a pattern that matches this text, whatever its clock shows. */
export const sourceOf = (text: string): string =>
  text
    .split(clock)
    .map((part) => escapeRegExp(part))
    .join(anyClock)

/** The source for a text in which `*` stands for anything. */
export const sourceOfPattern = (pattern: string): string =>
  pattern
    .split("*")
    .map((part) => escapeRegExp(part))
    .join(".{0,255}")
