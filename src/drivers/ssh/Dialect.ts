/**
 * A platform's command line as data for the shell engine: prompts, errors, how to become privileged, deadlines. Each driver has one
 * table of this type; the engine knows no platform.
 */
import type { DeviceRemark } from "../../domain/platforms/Platform.ts"
import type { DriverTimeouts } from "../Driver.ts"

/** The patterns by which answers to lines are classified. */
export interface Speech {
  /** A line by which the switch rejects what it was given, in the words of its platform. */
  readonly error: RegExp
  /** A line that is said for information and is known. */
  readonly remark: RegExp
  /** The marks of a warning: the line was taken, whatever words follow. */
  readonly warning: RegExp
  /** Said when a command reads a text up to a line `EOF`. */
  readonly asksForText: RegExp
}

/** The kind of a line other than an echo: a refusal, one that need not be reported, or an unknown one. */
export type Said = "refusal" | "known" | "unknown"

/** Words by which a line is refused, whatever stands around them. */
const refusing =
  /\b(?:errors?|invalid|denied|fail(?:ed|ure|s)?|incomplete|unknown|ambiguous|reject(?:ed)?|refused|un(?:supported|recogni[sz]ed|authori[sz]ed)|(?:not|isn't) (?:supported|allowed|permitted|authori[sz]ed|recogni[sz]ed|valid|found)|cannot|can't|could not|unable to|illegal|bad (?:command|secret|value))\b/i

/** Judges a line between two prompts that is neither echo nor log message. */
export const judge = ({ asksForText, error, remark, warning }: Speech, text: string): Said => {
  if (remark.test(text) || asksForText.test(text)) return "known"
  if (error.test(text)) return "refusal"
  return !warning.test(text) && refusing.test(text) ? "refusal" : "unknown"
}

/** The pattern of nothing. */
const nothing = /(?!)/

/** The pattern of a line that is one of these remarks. */
export const anyRemark = (remarks: ReadonlyArray<DeviceRemark>): RegExp =>
  remarks.length === 0 ? nothing : new RegExp(remarks.map(({ line }) => `(?:${line.source})`).join("|"))

export interface Dialect extends Speech {
  /** Matches a whole last line that is any prompt of the command line (docs/switch-dialogues.md#reading-answers). */
  readonly prompt: RegExp
  /** The end of a prompt, after the name part that configuration prompts extend. */
  readonly promptEnd: RegExp
  /** A prompt without privileges. */
  readonly unprivileged: RegExp
  /** The pattern of a line that says that the account may not give the command. */
  readonly denied: RegExp
  /** Commands whose output is data, so that only its first line can be an error (docs/switch-dialogues.md#reading-answers). */
  readonly showsData: RegExp
  /** A log message printed into the session; ignored. */
  readonly logLine: RegExp
  /** The whole last line while the switch pages and waits for a key; a blank shows the next page. */
  readonly pager: RegExp
  readonly enable: { readonly command: string; readonly password: RegExp }
  /** Commands after login, in order: paging off, width, no log messages. */
  readonly prepare: ReadonlyArray<string>
  readonly timeouts: DriverTimeouts
  /** The switch gets another second for each so many lines of configuration when it computes silently. */
  readonly linesPerSecond: number
  /** Bytes of configuration sent ahead of the answers. */
  readonly windowBytes: number
  /** Longest line whose echo comes back unwrapped. Longer ones are sent alone and their echo is not compared. */
  readonly longestEcho: number
}

/** The name part of a prompt: `acc-b2-01` for `acc-b2-01#` and for `acc-b2-01(config-if-Et1)#`. */
export const promptName = (dialect: Dialect, prompt: string): string => prompt.replace(dialect.promptEnd, "")

/** Text as a pattern that matches just it. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** The pattern of a line that is an error and none of the known remarks. */
export const errorBut = (remarks: ReadonlyArray<DeviceRemark>, error: RegExp): RegExp =>
  remarks.length === 0
    ? error
    : new RegExp(`^(?!${remarks.map(({ line }) => line.source).join("|")})(?:${error.source})`)

/** The dialect of a switch that prints these lines for information too. */
export const withRemarks = (dialect: Dialect, remarks: ReadonlyArray<DeviceRemark>): Dialect => ({
  ...dialect,
  error: errorBut(remarks, dialect.error),
  remark: new RegExp(`${dialect.remark.source}|${anyRemark(remarks).source}`)
})

// Prompts as text (docs/switch-dialogues.md#prompts): the comparison of prompts that differ in their clock, and the pattern of a
// prompt that was learnt at the login because the platform's own pattern does not match it.

/** A time of day, which is another one whenever the prompt is printed. */
const clock = /\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?/g
const anyClock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?`

/** A prompt is no longer than this. */
export const longestPrompt = 512

/** The end of every prompt, so a question or half a line does not count as one. */
const sign = /[>#]\s?$/

const withoutClock = (text: string): string => text.trimEnd().replaceAll(clock, "0:00")

/** Whether two texts are the same prompt. */
export const isSame = (one: string, other: string): boolean => {
  const left = one.trimEnd()
  const right = other.trimEnd()
  return left === right || (left.includes(":") && withoutClock(left) === withoutClock(right))
}

/** Whether a last line may be a prompt of any form; it counts only if an empty line brings it again. */
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
