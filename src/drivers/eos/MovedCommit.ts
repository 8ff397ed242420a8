/**
 * A commit after which the switch may no longer be at the address we talk to
 * (docs/switch-dialogues.md#eos-commit-confirm-discard). Commit and save leave in one packet, because the second would not
 * reach the switch later; then silence is as good as an answer.
 */
import { Effect } from "effect"
import type { MovedCommit } from "../Driver.ts"
import { CommitError } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type Cli, named } from "../ssh/Cli.ts"
import type { Conversation, Step } from "../ssh/Conversation.ts"
import type { TerminalText } from "../ssh/TerminalText.ts"
import { commitComplaint } from "./Commit.ts"
import { copyDone } from "./Dialect.ts"
import { saveCommand } from "./Save.ts"

const settleMillis = 100
// After a complaint or without the words of a save, more may come before the last prompt.
const patienceMillis = 1_000

interface Outcome {
  readonly silent: boolean
  /** What came before the echo of the save. */
  readonly commitLines: ReadonlyArray<string>
  readonly prompt: string
}

const outcome = (terminal: TerminalText, silent: boolean): Outcome => {
  const save = terminal.lines.findLastIndex((line) => line.trimEnd().endsWith(saveCommand))
  return {
    silent,
    commitLines: save < 0 ? terminal.lines : terminal.lines.slice(0, save),
    prompt: terminal.partial.trimEnd()
  }
}

/** Ends when the save has answered, or when nothing came for so many milliseconds, or when the connection closes. */
const movedCommitExchange = (cli: Cli, command: string, silenceMillis: number): Conversation<Outcome> => {
  const atPrompt = (terminal: TerminalText): boolean => cli.anyPrompt().test(terminal.partial)
  return {
    begin: () => ({ done: false, write: `${command}\n${saveCommand}\n`, settle: silenceMillis }),
    chunk: (terminal): Step<Outcome> => {
      if (!atPrompt(terminal)) return { done: false, settle: silenceMillis }
      const saved = terminal.lines.some((line) => copyDone.test(line))
      const refused = commitComplaint(cli, terminal.lines) !== undefined
      return {
        done: false,
        settle: saved ? settleMillis : refused ? Math.min(patienceMillis, silenceMillis) : silenceMillis
      }
    },
    quiet: (terminal) => {
      const answered =
        atPrompt(terminal) &&
        (terminal.lines.some((line) => copyDone.test(line)) || commitComplaint(cli, terminal.lines) !== undefined)
      return { done: true, value: outcome(terminal, !answered) }
    },
    closed: (terminal) => ({ value: outcome(terminal, true) })
  }
}

/** Commits and saves. On `silent` the connection is destroyed; whether the change was taken is then to be found out. */
export const commitAndSave = Effect.fnUntraced(function* (
  cli: Cli,
  name: string,
  silenceSeconds: number,
  destroy: () => void
) {
  const command = `configure session ${name} commit`
  const seconds = Math.max(cli.timeouts.commit, silenceSeconds * 2)
  const outcome = yield* cli.converse(command, seconds, movedCommitExchange(cli, command, silenceSeconds * 1000))
  const complaint = commitComplaint(cli, outcome.commitLines)
  if (complaint !== undefined) {
    return yield* new CommitError({
      hostname: cli.target.hostname,
      session: name,
      message: maskSecrets(named(cli.dialect, command, complaint))
    })
  }
  if (outcome.silent) destroy()
  else cli.standAt(outcome.prompt)
  return (outcome.silent ? "silent" : "answered") satisfies MovedCommit
})
