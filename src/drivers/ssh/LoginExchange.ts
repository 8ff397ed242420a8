/**
 * Finds the first prompt after a login. Banners may end in `#` or `>`, so a prompt is believed only when an empty line brings
 * the same last line again (docs/switch-dialogues.md#deadlines).
 */
import type { Conversation, Step } from "./Conversation.ts"
import { waiting } from "./Conversation.ts"
import { demandsNewPassword } from "./LoginPrompts.ts"
import type { TerminalText } from "./TerminalText.ts"

// Two lines of a banner may be the same too; after the real prompt nothing more comes.
const settleMillis = 20
const retryMillis = 1_000
const mostNewlines = 5

/** The conversation of a login; its value is the prompt, or the question for a new password. */
export const loginExchange = (prompt: RegExp): Conversation<string> => {
  let newlines = 0
  const repeated = (terminal: TerminalText): boolean =>
    prompt.test(terminal.partial) && terminal.lines.at(-1)?.trimEnd() === terminal.partial.trimEnd()
  const newline = (): Step<string> =>
    newlines++ < mostNewlines ? { done: false, write: "\n", settle: retryMillis } : waiting
  const look = (terminal: TerminalText): Step<string> => {
    if (demandsNewPassword(terminal.partial)) return { done: true, value: terminal.partial.trimEnd() }
    if (!prompt.test(terminal.partial)) return waiting
    if (newlines === 0) return newline()
    return { done: false, settle: repeated(terminal) ? settleMillis : retryMillis }
  }
  return {
    keepsEarlier: true,
    begin: look,
    chunk: look,
    quiet: (terminal) => (repeated(terminal) ? { done: true, value: terminal.partial.trimEnd() } : newline())
  }
}
