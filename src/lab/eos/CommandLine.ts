/**
 * The way from a typed line to an answer: configuration modes first, then the commands of the exec modes, with the faults armed
 * for the step that the line belongs to. See docs/switch-dialogues.md.
 */
import { runBash } from "./commands/Bash.ts"
import * as Aliases from "./Aliases.ts"
import { besideShow } from "./Chatter.ts"
import { matchCommand, runMatched } from "./commands/Command.ts"
import * as Commands from "./commands/Commands.ts"
import * as ConfigMode from "./ConfigMode.ts"
import * as History from "../History.ts"
import { type Output, type Shell, withFaults } from "./Shell.ts"

/** Whether the site's AAA refuses the command; configuration lines are commands too. */
const isDenied = ({ device }: Shell, line: string): boolean =>
  device.behaviour.quirks.denied.some((begin) => line === begin || line.startsWith(`${begin} `))

/** Runs one line. The answer ends with a newline or is empty; it may set a reader. */
export const run = (shell: Shell, raw: string): Output => {
  if (shell.mode.kind === "bash") return runLine(shell, raw)
  const written = withoutDo(raw)
  const lines = Aliases.commandsOf(shell, written.trim())
  if (lines === undefined) return runLine(shell, written)
  return lines.reduce<Output>(
    (said, line) =>
      typeof said === "string"
        ? joined(said, runLine(shell, line))
        : said.then((text) => joined(text, runLine(shell, line))),
    ""
  )
}

const joined = (before: string, output: Output): Output =>
  typeof output === "string" ? before + output : output.then((text) => before + text)

/** Switches that know `do` take it before any command; here it only says that what follows is none of configuration. */
const withoutDo = (raw: string): string => raw.replace(/^\s*do\s+(?=\S)/i, "")

const runLine = (shell: Shell, raw: string): Output => {
  const line = raw.trim()
  if (line === "" || (line.startsWith("!") && shell.mode.kind !== "bash" && !line.startsWith("!!"))) return ""
  if (shell.mode.kind === "bash") return withFaults(shell, "bash", () => runBash(shell, raw))
  if (isDenied(shell, line)) return `% Authorization denied for command '${line}'\n`
  if (shell.mode.kind !== "exec") {
    const answer = ConfigMode.run(shell, raw, line)
    if (answer !== undefined) return answer
  }
  const { device } = shell
  History.push(device.history, device.history.commands, { user: shell.user, command: line, at: Date.now() })
  const matched = matchCommand(Commands.all, line, shell.privileged)
  if (typeof matched === "string") return `${matched}\n`
  const answer = withFaults(shell, matched.command.step(shell, matched.args), () => runMatched(shell, matched))
  return typeof answer === "string" && line.startsWith("show ") ? besideShow(device) + answer : answer
}
