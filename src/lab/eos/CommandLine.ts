/**
 * The way from a typed line to an answer: configuration modes first, then the commands of the exec modes, with the faults armed
 * for the step that the line belongs to. See docs/switch-dialogues.md.
 */
import * as Bash from "./commands/Bash.ts"
import { aliasIn } from "./ConfigFacts.ts"
import { refusal, remarksOnLine, remarksOnShow, spelled } from "./Wording.ts"
import { matchCommand, runMatched } from "./commands/Command.ts"
import { breaksAt, type Mode, type Output, type Shell, withFaults } from "./Shell.ts"
import * as Configure from "./commands/Configure.ts"
import * as Files from "./commands/Files.ts"
import * as Show from "./commands/Show.ts"
import * as ShowInterfaces from "./commands/ShowInterfaces.ts"
import * as ShowState from "./commands/ShowState.ts"
import * as System from "./commands/System.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { hintOf } from "./ConfigGrammar.ts"
import { meaningOf } from "./ExecWords.ts"
import * as ConfigSessions from "./ConfigSessions.ts"
import * as Faults from "../Faults.ts"
import * as Flash from "../Flash.ts"
import * as Loader from "./ConfigLoader.ts"
import * as Switch from "../Switch.ts"
import { firstWord } from "./Words.ts"

// Configuration modes: what a line means in `configure terminal` and in a configuration session (leaving, committing, texts up to
// `EOF`, copies from the terminal, configuration lines).

/** Most errors that one copy from the terminal reports. */
const MAX_ERRORS = 100

type ConfigurationMode = Extract<Mode, { readonly kind: "config" | "session" }>

/** Runs a line of a configuration mode; undefined when it is a command of privileged mode. */
const runConfiguration = (shell: Shell, raw: string, line: string): Output | undefined => {
  const { mode } = shell
  if (mode.kind !== "config" && mode.kind !== "session") return undefined
  const typed = firstWord(line)
  const meaning = meaningOf(mode.kind, line)
  if (meaning.kind === "ambiguous") return `% Ambiguous command (at token 0: '${typed}')\n`
  if (mode.kind === "session" && line === "copy terminal: session-config") {
    recordCommand(shell, line)
    return copyFromTerminal(shell)
  }
  if (meaning.kind === "command") return undefined
  if (meaning.kind === "leaving") {
    const command = meaning.word + line.slice(typed.length)
    const answer = leavingCommand(shell, mode, command)
    if (answer !== undefined) {
      if (command !== "exit") recordCommand(shell, command)
      return answer
    }
  }
  return withFaults(shell, "load", () => configLine(shell, raw))
}

const leavingCommand = (shell: Shell, mode: ConfigurationMode, line: string): Output | undefined => {
  if (mode.kind === "config") prepare(shell)
  if (line === "end") {
    Configure.leave(shell)
    return ""
  }
  if (line === "exit") {
    if (mode.loader === undefined || !Loader.exit(mode.loader)) Configure.leave(shell)
    else Configure.takeChanges(shell)
    return ""
  }
  if (line === "abort" && mode.loader !== undefined && Loader.discard(mode.loader)) return ""
  return mode.kind === "session" ? sessionCommand(shell, mode.session, line) : undefined
}

const recordCommand = ({ device: { history }, user }: Shell, command: string) =>
  Switch.pushRecord(history, history.commands, { user, command, at: Date.now() })

const sessionCommand = (shell: Shell, session: ConfigSessions.ConfigSession, line: string): Output | undefined => {
  const { device } = shell
  if (line === "abort") {
    return withFaults(shell, "abort", () => finish(shell, ConfigSessions.abort(device, session.name)))
  }
  if (line === "commit") {
    const step = device.timer?.session === session.name ? "confirm" : "commit"
    Configure.takeSections(shell)
    return withFaults(shell, step, () => finish(shell, ConfigSessions.commit(device, session.name, undefined)))
  }
  const timer = /^commit ti(?:m(?:er?)?)? (\S+)$/.exec(line)
  if (timer !== null) {
    return withFaults(shell, "commitTimer", () => {
      const time = Configure.seconds(timer[1] ?? "")
      Configure.takeSections(shell)
      return time === undefined ? "% Invalid input\n" : finish(shell, ConfigSessions.commit(device, session.name, time))
    })
  }
  if (/^rollback clean(?:-config)?$/.test(line)) return withFaults(shell, "clean", () => clean(shell, session))
  return undefined
}

const finish = (shell: Shell, error: string | undefined): string => {
  if (error !== undefined) return `${error}\n`
  Configure.leave(shell)
  return ""
}

const clean = (shell: Shell, session: ConfigSessions.ConfigSession): Output => {
  ConfigSessions.clean(session)
  if (shell.mode.kind === "session") shell.mode.loader = undefined
  const { cleanMs } = shell.device.behaviour
  return cleanMs === 0 ? "" : sleep(cleanMs, "")
}

const configLine = (shell: Shell, raw: string): Output => {
  const loader = prepare(shell)
  if (loader === undefined) return ""
  shell.loadedLines += 1
  if (isLost(shell)) return ""
  const boot = /^\s*boot system (\S+)\s*$/.exec(raw)
  const { device } = shell
  // the image of the next boot is no configuration: it is chosen at once, in a session too
  if (boot !== null) {
    recordCommand(shell, raw.trim())
    return bootSystem(shell, boot[1] ?? "")
  }
  const error = Loader.feed(loader, spelled(device.behaviour.quirks, raw))
  if (error !== undefined) return refusal(device, error)
  if (loader.heredoc !== undefined) {
    shell.reader = {
      echo: true,
      stream: false,
      line: (text) => heredocLine(shell, loader, text),
      end: () => heredocLine(shell, loader, "EOF")
    }
    return hintOf(loader.heredoc.command)
  }
  Configure.takeChanges(shell)
  return remarksOnLine(device, shell.loadedLines)
}

const heredocLine = (shell: Shell, loader: Loader.Loader, text: string): string => {
  Loader.feed(loader, text)
  if (loader.heredoc !== undefined) return ""
  shell.reader = undefined
  Configure.takeChanges(shell)
  return ""
}

/** In `configure terminal` the tree follows the running configuration and each line takes effect at once. */
const prepare = (shell: Shell): Loader.Loader | undefined => {
  const { mode, device } = shell
  if (mode.kind === "session") return sessionLoader(shell, mode)
  if (mode.kind !== "config") return undefined
  if (mode.printed !== device.running) {
    mode.loader = Loader.make(Loader.parse(device.running), mode.loader.rules)
    mode.printed = device.running
  }
  return mode.loader
}

/** If another user has ended the session meanwhile, the shell returns to privileged mode. */
const sessionLoader = (shell: Shell, mode: Extract<Mode, { readonly kind: "session" }>): Loader.Loader | undefined => {
  const { session } = mode
  if (session.state !== "pending" || shell.device.sessions.get(session.name) !== session) {
    Configure.leave(shell)
    return undefined
  }
  const root = ConfigSessions.edit(session)
  if (mode.loader?.root !== root) mode.loader = Loader.make(root, Configure.rules(shell))
  return mode.loader
}

const isLost = (shell: Shell): boolean =>
  Faults.take(shell.device.faults, "truncate", (fault) => fault.step === "load" && shell.loadedLines > fault.lines) !==
  undefined

const bootSystem = (shell: Shell, path: string): Output => {
  const name = Flash.nameIn(path)
  return withFaults(shell, "boot", () => {
    if (name === undefined || !shell.device.flash.files.has(name))
      return `% Error: ${path}: No such file or directory\n`
    if (!name.endsWith(".swi")) return `% Error: ${path} is not a valid software image\n`
    shell.device.bootImage = name
    return ""
  })
}

const copyFromTerminal = (shell: Shell): string => {
  const { faults } = shell.device
  const target = prepare(shell)
  if (target === undefined || breaksAt(shell, "load", "before")) return ""
  const refused = Faults.takeAt(faults, "error", "load")
  if (refused !== undefined) return `${refused.message}\n`
  const lies = Faults.takeAt(faults, "lie", "load") !== undefined
  const loader = Loader.make(target.root, target.rules)
  const errors: Array<string> = []
  let number = 0
  const take = (text: string) => {
    number += 1
    shell.loadedLines += 1
    if (lies || shell.gone || breaksAt(shell, "load", "before") || isLost(shell)) return ""
    const error = Loader.feed(loader, text)
    if (error !== undefined && errors.length < MAX_ERRORS) errors.push(`${error} at line ${number}\n`)
    return ""
  }
  const end = () => {
    shell.reader = undefined
    Loader.finish(loader)
    return breaksAt(shell, "load", "after") ? "" : `${errors.join("")}Copy completed successfully.\n`
  }
  shell.reader = { echo: true, stream: true, line: take, end }
  return ""
}

// The commands of the exec modes, and a site's aliases for them.

/** All commands: words, `<name>` for one free word, `<name...>` for the rest of the line. */
export const execCommands = [
  ...Bash.commands,
  ...System.commands,
  ...Configure.commands,
  ...Show.commands,
  ...ShowInterfaces.commands,
  ...Show.sessionCommands,
  ...ShowInterfaces.stationCommands,
  ...ShowState.commands,
  ...Files.commands
]

/** The commands that a typed line stands for; undefined when its first word is no alias. */
const commandsOf = ({ device, mode }: Shell, line: string): ReadonlyArray<string> | undefined => {
  const name = firstWord(line)
  const candidate = mode.kind === "session" ? mode.session.tree : undefined
  const like = device.behaviour.quirks.moreCommands[name]
  const commands = like === undefined ? (aliasIn(candidate, name) ?? device.facts.aliases.get(name)) : [like]
  if (commands === undefined) return undefined
  const [, ...words] = line.split(/\s+/)
  return commands.map((command) =>
    command.includes("%")
      ? command.replaceAll(/%(\d)/g, (_, place: string) => words[Number(place) - 1] ?? "")
      : [command, ...words].join(" ")
  )
}

/** Whether the site's AAA refuses the command; configuration lines are commands too. */
const isDenied = ({ device }: Shell, line: string): boolean =>
  device.behaviour.quirks.denied.some((begin) => line === begin || line.startsWith(`${begin} `))

/** Runs one line. The answer ends with a newline or is empty; it may set a reader. */
export const run = (shell: Shell, raw: string): Output => {
  if (shell.mode.kind === "bash") return runLine(shell, raw)
  const written = withoutDo(raw)
  const lines = commandsOf(shell, written.trim())
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

/** Switches that know `do` take it before any command; here it only marks the following command as no configuration. */
const withoutDo = (raw: string): string => raw.replace(/^\s*do\s+(?=\S)/i, "")

const runLine = (shell: Shell, raw: string): Output => {
  const line = raw.trim()
  if (line === "" || (line.startsWith("!") && shell.mode.kind !== "bash" && !line.startsWith("!!"))) return ""
  if (shell.mode.kind === "bash") return withFaults(shell, "bash", () => Bash.runBash(shell, raw))
  if (isDenied(shell, line)) return `% Authorization denied for command '${line}'\n`
  if (shell.mode.kind !== "exec") {
    const answer = runConfiguration(shell, raw, line)
    if (answer !== undefined) return answer
  }
  const { device } = shell
  Switch.pushRecord(device.history, device.history.commands, { user: shell.user, command: line, at: Date.now() })
  const matched = matchCommand(execCommands, line, shell.privileged)
  if (typeof matched === "string") return `${matched}\n`
  const answer = withFaults(shell, matched.command.step(shell, matched.args), () => runMatched(shell, matched))
  return typeof answer === "string" && line.startsWith("show ") ? remarksOnShow(device) + answer : answer
}
