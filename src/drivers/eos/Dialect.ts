/** The command line of Arista EOS as data: prompts, modes, errors and deadlines (docs/switch-dialogues.md). */
import { eos } from "../../domain/platforms/Eos.ts"
import { anyRemark, type Dialect, errorBut } from "../ssh/Dialect.ts"

/** Remarks that only some releases make are those of a target. */
const remarks = eos.remarks.filter(({ releases }) => releases === undefined)

export const dialect: Dialect = {
  prompt: /^[\w.\-@()/: ]{1,255}(\(config[^()\s]{0,255}\))?[>#]\s?$/,
  // "(s1)" of a modular switch belongs to the name; only "(config…)" is a mode, with lists and names of any characters
  promptEnd: /(?:\(config[^()\s]*\))?[>#]\s*$/,
  unprivileged: />\s?$/,
  error: errorBut(remarks, /^(?:% |(?:% )?Maximum number of pending sessions|Cannot enter session|get: )/),
  remark: anyRemark(remarks),
  warning: /^!/,
  asksForText: /\btype ['"]?EOF['"]?/i,
  denied: /\bauthorization denied for command\b/i,
  showsData: /^(?:show|bash|dir|more|verify)\b/,
  // the time as `logging format timestamp` has it: traditional with or without year and zone, high-resolution
  logLine:
    /^(?:[A-Z][a-z]{2} [ \d]\d(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{2,5})?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)) \S+ \S+: %[A-Z0-9_]+-\d-[A-Z0-9_]+:/,
  pager: /^\s*--\s?More\s?--\s*$/i,
  enable: { command: "enable", password: /assword:\s*$/i },
  prepare: ["terminal length 0", "terminal width 511", "no terminal monitor"],
  timeouts: { connect: 20, firstPrompt: 30, show: 30, runningConfig: 90, load: 90, commit: 180, save: 90 },
  linesPerSecond: 250,
  // below the 4,096 bytes that a pty holds; a smaller window costs more round trips
  windowBytes: 3584,
  longestEcho: 400
}

/** What EOS prints after `write memory` and `copy` when all went well. */
export const copyDone = /^Copy completed successfully\./

/** Whether a copy went well, by everything that was said to it: bars of its progress may stand before the words. */
export const isCopied = (answer: string): boolean => answer.includes("Copy completed successfully")
