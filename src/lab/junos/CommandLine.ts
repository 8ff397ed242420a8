/** The command line of Junos: operational mode, configuration mode with its path, loading from the terminal, commits. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Faults from "../Faults.ts"
import { pushRecord, type Switch } from "../Switch.ts"
import type { Language, Output, Reader } from "../Terminal.ts"
import * as Commits from "./Commits.ts"
import * as Config from "./Config.ts"
import type { Issue } from "./Config.ts"
import * as Database from "./Database.ts"
import type { Login } from "./Database.ts"
import * as Facts from "./Facts.ts"
import { zeroize } from "./rpc/Committing.ts"
import { loadInto } from "./rpc/Configuration.ts"
import { mayConfigure, seesSecrets } from "./rpc/Reply.ts"
import * as SetLines from "./SetLines.ts"
import * as Shows from "./Shows.ts"

export interface Shell {
  readonly device: Switch
  readonly login: Login
  width: number
  reader: Reader | undefined
  gone: boolean
  isConfiguring: boolean
  path: ReadonlyArray<string>
  /** Ends the conversation as `exit` does. */
  readonly logOut: () => void
  readonly hangUp: () => void
  readonly silence: () => void
}

const sign = ({ behaviour: { junos } }: Switch): string =>
  junos.members > 1 ? "{master:0}" : junos.routingEngines > 1 ? "{master}" : ""

/** What stands before the next line. */
export const prompt = ({ device, isConfiguring, login, path }: Shell): string => {
  const who = `${login.user}@${device.facts.hostname}`
  const where = path.length === 0 ? "[edit]" : `[edit ${path.join(" ")}]`
  const before = `${sign(device)}${isConfiguring ? where : ""}`
  return `\r\n${before === "" ? "" : `${before}\r\n`}${who}${isConfiguring ? "#" : ">"} `
}

/** What the device says about a command, as people read it. */
const told = (issues: ReadonlyArray<Issue>): string =>
  issues
    .map(({ badElement, message, path, severity }) => {
      const place = path === undefined ? "" : `${path}\n`
      const element = badElement === undefined ? "" : `  '${badElement}'\n`
      return `${place}${element}${path === undefined && badElement === undefined ? "" : "    "}${severity === "error" && path !== undefined ? "" : `${severity}: `}${message}\n`
    })
    .join("")

const SYNTAX = "                  ^\nsyntax error.\n"
const UNKNOWN = "      ^\nunknown command.\n"

const hasError = (issues: ReadonlyArray<Issue>) => issues.some(({ severity }) => severity === "error")

// Faults.

const stepOf = (shell: Shell, words: ReadonlyArray<string>): Faults.Step => {
  const [first = "", second = ""] = words
  if (first === "configure") return "openSession"
  if (first === "commit") return Commits.stepOf(shell.device, requestOf(words))
  if (first === "load") return "load"
  if (first === "rollback") return "clean"
  if (first === "show" && shell.isConfiguring) return words.includes("compare") ? "diff" : "showCandidate"
  if (first === "show" && second === "configuration") return "showRunning"
  if (first === "show") return second === "lldp" ? "showLldp" : second === "version" ? "showVersion" : "show"
  return SetLines.isCommand(first) ? "load" : "other"
}

/** True when a fault ends or silences the conversation here. */
export const breaksAt = (shell: Shell, step: Faults.Step, when: "before" | "after"): boolean => {
  const { faults } = shell.device
  if (Faults.strikes(faults, "cut", step, when, 0)) shell.hangUp()
  else if (Faults.strikes(faults, "silent", step, when, 0)) shell.silence()
  else return false
  shell.gone = true
  return true
}

const withFaults = (shell: Shell, step: Faults.Step, act: () => Output): Output => {
  const { behaviour, faults } = shell.device
  if (faults.length === 0 && behaviour.commandMs === 0) return act()
  if (breaksAt(shell, step, "before")) return ""
  const slow = Faults.takeAt(faults, "slow", step)?.milliseconds ?? behaviour.commandMs
  const refused = Faults.takeAt(faults, "error", step)
  const isLie = Faults.takeAt(faults, "lie", step) !== undefined
  const later = async () => {
    if (slow > 0) await sleep(slow)
    if (refused !== undefined) return `error: ${refused.message}\n`
    const output = isLie ? (step.startsWith("commit") ? "commit complete\n" : "") : await act()
    return breaksAt(shell, step, "after") ? "" : output
  }
  return later()
}

// Operational mode.

const configure = (shell: Shell, word: string | undefined): string => {
  const { device, login } = shell
  if (!mayConfigure(device, login.user)) return SYNTAX
  const mode = word === "exclusive" || word === "private" ? word : "shared"
  if (word !== undefined && mode === "shared") return SYNTAX
  const issues = Database.open(device, login, mode)
  if (hasError(issues)) return told(issues)
  shell.isConfiguring = true
  shell.path = []
  const others = Database.others(Database.of(device), login)
  const list = others
    .map(
      ({ pid, since, terminal, user }) =>
        `  ${user} terminal ${terminal} (pid ${pid}) on since ${Database.moment(since)}\n      [edit]\n`
    )
    .join("")
  const dirty =
    mode === "shared" && Database.isDirty(device) ? "The configuration has been changed but not committed\n" : ""
  return `${told(issues)}Entering configuration mode\n${list === "" ? "" : `Users currently editing the configuration:\n${list}`}${dirty}`
}

const REQUESTS: Readonly<Record<string, (shell: Shell) => string>> = {
  "request system configuration rescue save": ({ device }) => {
    Database.of(device).rescue = device.running
    return ""
  },
  "request system configuration rescue delete": ({ device }) => {
    Database.of(device).rescue = undefined
    return ""
  },
  "request system reboot": ({ device }) => {
    setImmediate(() => device.world.reload(device))
    return "Shutdown NOW!\n"
  },
  "request system zeroize": ({ device }) => {
    zeroize(device)
    return "warning: zeroizing re0\n"
  }
}

/** Asks before a command that cannot be taken back. */
const asked = (shell: Shell, name: string): string => {
  const question = name.endsWith("zeroize")
    ? "warning: System will be rebooted and may not boot without configuration\nErase all data, including configuration and log files? [yes,no] (no) "
    : "Reboot the system ? [yes,no] (no) "
  shell.reader = {
    echo: true,
    stream: false,
    line: (text) => {
      shell.reader = undefined
      return text.trim() === "yes" ? (REQUESTS[name]?.(shell) ?? "") : ""
    },
    end: () => {
      shell.reader = undefined
      return ""
    }
  }
  return question
}

const operational = (shell: Shell, line: string): string => {
  const { device, login } = shell
  const [first = "", second, third] = Shows.split(line).words
  if (first === "configure" || first === "edit") return configure(shell, second)
  if (first === "exit" || first === "quit") {
    shell.logOut()
    return ""
  }
  if (first === "set" && second === "cli")
    return third?.startsWith("screen") === true ? `Screen ${third.slice(7)} set to ${line.split(" ")[3] ?? ""}\n` : ""
  const name = line.trim().replaceAll(/\s+/g, " ")
  if (REQUESTS[name] !== undefined)
    return /reboot|zeroize/.test(name) ? asked(shell, name) : (REQUESTS[name]?.(shell) ?? "")
  return Shows.run(device, login, line) ?? (first === "show" || first === "request" ? SYNTAX : UNKNOWN)
}

// Configuration mode.

const leave = (shell: Shell): string => {
  const { device, login } = shell
  Database.close(device, login)
  shell.isConfiguring = false
  shell.path = []
  return "Exiting configuration mode\n"
}

const exit = (shell: Shell): string => {
  if (shell.path.length > 0) {
    shell.path = []
    return ""
  }
  const { device, login } = shell
  const isChanged =
    login.own === undefined ? Database.isDirty(device) : Database.compare(device, login, 0, "plain") !== ""
  if (!isChanged) return leave(shell)
  const question =
    login.mode === "shared"
      ? "The configuration has been changed but not committed\nExit with uncommitted changes? [yes,no] (yes) "
      : "The configuration has been modified but not committed\nDiscard uncommitted changes? [yes,no] (yes) "
  const end = (text: string) => {
    shell.reader = undefined
    return text.trim() === "no" ? "" : leave(shell)
  }
  shell.reader = { echo: true, stream: false, line: end, end: () => end("") }
  return question
}

const ACTIONS = new Set(["merge", "override", "replace", "update", "set"])

/** Reads a configuration up to Ctrl-D. */
const loadTerminal = (shell: Shell, action: string): string => {
  const { device, login } = shell
  const lines: Array<string> = []
  shell.reader = {
    echo: true,
    stream: true,
    line: (text) => {
      lines.push(text)
      return ""
    },
    end: () => {
      shell.reader = undefined
      const text = `${lines.join("\n")}\n`
      if (action === "override") Database.of(device).overridden = true
      const issues = Database.edit(device, login, (root) =>
        loadInto(device, root, action === "set" ? { action, set: text } : { action, text })
      )
      const errors = issues.filter(({ severity }) => severity === "error").length
      return `${told(issues)}load complete${errors === 0 ? "" : ` (${errors} errors)`}\n`
    }
  }
  return "[Type ^D at a new line to end input]\n"
}

const load = (shell: Shell, [, action = "", source, ...rest]: ReadonlyArray<string>): string => {
  const { device, login } = shell
  if (action === "factory-default" || source !== "terminal" || !ACTIONS.has(action)) return SYNTAX
  if (action === "update" && device.behaviour.junos.noLoadUpdate) return SYNTAX
  const locked = Database.lockedBy(Database.of(device), login)
  return locked !== undefined || rest.length > 0
    ? told(locked === undefined ? [] : [locked]) + (rest.length > 0 ? SYNTAX : "")
    : loadTerminal(shell, action)
}

const requestOf = (words: ReadonlyArray<string>): Commits.Request => {
  const confirmed = words.indexOf("confirmed")
  const comment = words.indexOf("comment")
  const minutes = Number(words[confirmed + 1])
  return {
    check: words.includes("check"),
    confirmed: confirmed < 0 ? undefined : Number.isInteger(minutes) ? minutes : Commits.DEFAULT_MINUTES,
    log: comment < 0 ? undefined : words[comment + 1]
  }
}

const commit = async (shell: Shell, words: ReadonlyArray<string>): Promise<string> => {
  const { device, login } = shell
  const wanted = requestOf(words)
  if (wanted.confirmed === 0) return "error: Value 0 is not within range (1..65535)\n"
  const { issues, minutes } = await Commits.commit(device, login, wanted)
  if (hasError(issues)) return told(issues)
  const notice =
    minutes === undefined
      ? ""
      : `commit confirmed will be automatically rolled back in ${minutes} minutes unless confirmed\n`
  const done = wanted.check ? "configuration check succeeds\n" : "commit complete\n"
  const members = device.behaviour.junos.members
  const each = members > 1 ? Array.from({ length: members }, (_, member) => `fpc${member}:\n${done}`).join("\n") : done
  const text = `${told(issues)}${notice}${each}`
  return words.includes("and-quit") ? text + leave(shell) : text
}

const rollback = ({ device, login }: Shell, word = "0"): string => {
  const issues = word === "rescue" ? Database.rescue(device, login) : Database.rollback(device, login, Number(word))
  return issues.length === 0 ? "load complete\n" : told(issues)
}

const show = (shell: Shell, line: string): string => {
  const { device, login, path } = shell
  const { pipes, words } = Shows.split(line)
  const compare = pipes.find(([word]) => word === "compare")
  if (compare !== undefined)
    return (
      Database.compare(device, login, Number(compare[2] ?? 0), seesSecrets(device, login.user) ? "marked" : "hidden") ??
      "error: no such rollback file\n"
    )
  const root = Database.candidate(device, login)
  const header =
    Database.isDirty(device) && words.length === 1 && path.length === 0
      ? `## Last changed: ${Database.moment(Date.now())}\n`
      : ""
  return header + (Shows.configuration(device, login, root, [...path, ...words.slice(1)], pipes) ?? "")
}

/** Goes to a section, which is made when it is not there. */
const edit = (shell: Shell, words: ReadonlyArray<string>): string => {
  const step = Config.follow(Config.clone(Database.candidate(shell.device, shell.login)), [...shell.path, ...words])
  if (Config.isIssue(step)) return SYNTAX
  shell.path = [...shell.path, ...words]
  return ""
}

const change = (shell: Shell, line: string): string => {
  const issues = Database.edit(shell.device, shell.login, (root) => {
    const issue = SetLines.run(root, line, shell.path)
    return issue === undefined ? [] : [issue]
  })
  return issues.some(({ message }) => message === "syntax error") ? SYNTAX : told(issues)
}

const configuration = (shell: Shell, line: string): Output => {
  const { words } = Shows.split(line)
  const [first = "", second] = words
  if (SetLines.isCommand(first)) return change(shell, line)
  if (first === "commit") return commit(shell, words)
  if (first === "rollback") return rollback(shell, second)
  if (first === "load") return load(shell, words)
  if (first === "show") return show(shell, line)
  if (first === "edit") return edit(shell, words.slice(1))
  if (first === "run") return operational(shell, line.trim().slice("run ".length))
  if (first === "top" || first === "up") {
    shell.path = first === "top" ? [] : shell.path.slice(0, -1)
    return ""
  }
  if (first === "status") return configureStatus(shell)
  return first === "exit" || first === "quit" ? exit(shell) : UNKNOWN
}

const configureStatus = ({ device, login }: Shell): string =>
  Database.others(Database.of(device), login)
    .map(
      ({ pid, since, terminal, user }) =>
        `  ${user} terminal ${terminal} (pid ${pid}) on since ${Database.moment(since)}\n`
    )
    .join("")

/** Takes a typed line. */
export const run = (shell: Shell, line: string): Output => {
  if (line.trim() === "") return ""
  const { device, login } = shell
  pushRecord(device.history, device.history.commands, { user: login.user, command: line, at: Date.now() })
  const { words } = Shows.split(line)
  return withFaults(shell, stepOf(shell, words), () => typed(shell, line))
}

/** The same line where no fault strikes. */
export const typed = (shell: Shell, line: string): Output =>
  shell.isConfiguring ? configuration(shell, line) : operational(shell, line)

/** What a login reads first. */
export const greeting = ({ device, login }: Shell): string =>
  `${device.facts.motd ?? ""}--- JUNOS ${device.version} Kernel 64-bit  JNPR-12.1-20221123.2f5e4ae_buil\n${
    Facts.classOf(device.running, login.user) === "unauthorized" ? "warning: no permissions\n" : ""
  }`

/** The words of this command line for a terminal. */
export const language = (device: Switch): Language<Shell> => ({ run, prompt, pages: device.behaviour.junos.pages })
