/** Arista EOS as data: prompts, modes, errors and deadlines (contract device-cli §2, §3). */
import type { Platform } from "../ssh/Platform.ts"

export const eosPlatform: Platform = {
  name: "eos",
  prompt: /^[\w.\-@()/: ]{1,63}(\(config[\w.\-@/:+]{0,63}\))?[>#]\s?$/,
  // "(s1)" of a modular switch belongs to the name; only "(config…)" is a mode.
  promptEnd: /(?:\(config[\w.\-@/:+]*\))?[>#]\s*$/,
  unprivileged: />\s?$/,
  error: /^(?:% |(?:% )?Maximum number of pending sessions|Cannot enter session|get: )/,
  showsData: /^(?:show|bash|dir|more|verify)\b/,
  logLine: /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ \S+: %[A-Z0-9_]+-\d-[A-Z0-9_]+:/,
  enable: { command: "enable", password: /assword:\s*$/i },
  prepare: ["terminal length 0", "terminal width 511", "no terminal monitor"],
  timeouts: { connect: 20, firstPrompt: 30, show: 30, runningConfig: 90, load: 90, commit: 180, save: 90 },
  // below the 4,096 bytes that a pty holds; a smaller window costs more round trips
  windowBytes: 3584,
  longestEcho: 400
}

/** Only these characters of a session's name appear in the prompt (§3.1). */
const shownNameLength = 6

/** The mode part of the prompt inside a configuration session. */
export const sessionMode = (name: string): string => `(config-s-${name.slice(0, shownNameLength)})#`

/**
 * The number of the job that opened this session, or null when it is none of ours. Sessions that this product opens are
 * named `job{jobId}`; later rounds and comparisons add `-2`, `-check`.
 */
export const jobOfSession = (name: string): number | null => {
  const match = /^job(\d+)(?:-\w+)*$/.exec(name)
  return match === null ? null : Number(match[1])
}

/** Multi-line inputs: what opens them and how many texts, each ended by `EOF`, follow (§3.8). */
export const multiLineInputs: ReadonlyArray<{ readonly opens: RegExp; readonly texts: number }> = [
  { opens: /^banner (?:login|motd|exec)$/, texts: 1 },
  { opens: /^comment$/, texts: 1 },
  { opens: /^protocol https certificate$/, texts: 2 }
]

const volatileLine = "! (?:Command|device|Time):[^\\n]*"

/**
 * Volatile lines of `show running-config`, which do not belong to the configuration (§3.9): those at its beginning, with their
 * line ends, and those further down, each with the line end before it.
 */
export const volatileLines = [new RegExp(`^(?:${volatileLine}(?:\\n|$))+`), new RegExp(`\\n${volatileLine}`, "g")]

/** What EOS prints after `write memory` and `copy` when all went well. */
export const copyDone = /^Copy completed successfully\./
