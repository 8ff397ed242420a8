/**
 * Finds the first prompt after a login. Banners may end in `#` or `>`, so a prompt is believed only when an empty line brings
 * the same last line again (docs/switch-dialogues.md#prompts); one that has not the platform's form, only when two do.
 */
import type { Conversation, Step } from "./Conversation.ts"
import { waiting } from "./Conversation.ts"
import { mayBe, timesBefore } from "./Prompt.ts"
import { demandsNewPassword } from "./LoginPrompts.ts"
import type { TerminalText } from "./TerminalText.ts"

// Two lines of a banner may be the same too; after the real prompt nothing more comes.
const settleMillis = 20
const retryMillis = 1_000
const mostNewlines = 5

/** The conversation of a login; its value is the prompt, or the question for a new password. */
export const loginExchange = (prompt: RegExp): Conversation<string> => {
  let newlines = 0
  const isProved = ({ lines, partial }: TerminalText): boolean => {
    const needed = prompt.test(partial) ? 1 : mayBe(partial) ? 2 : Infinity
    return timesBefore(lines, partial) >= needed
  }
  const newline = (): Step<string> =>
    newlines++ < mostNewlines ? { done: false, write: "\n", settle: retryMillis } : waiting
  const look = (terminal: TerminalText): Step<string> => {
    if (demandsNewPassword(terminal.partial)) return { done: true, value: terminal.partial.trimEnd() }
    const { lines, partial } = terminal
    const known = prompt.test(partial)
    if (!known && !mayBe(partial)) return waiting
    if (newlines === 0) return known ? newline() : { done: false, settle: retryMillis }
    if (isProved(terminal)) return { done: false, settle: settleMillis }
    // the first of two empty lines was answered
    return timesBefore(lines, partial) === newlines ? newline() : { done: false, settle: retryMillis }
  }
  return {
    keepsEarlier: true,
    begin: look,
    chunk: look,
    quiet: (terminal) => (isProved(terminal) ? { done: true, value: terminal.partial.trimEnd() } : newline())
  }
}
