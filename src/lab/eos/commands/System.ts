/**
 * Login session, privilege, reload. See docs/switch-dialogues.md#preparation and
 * docs/switch-dialogues.md#eos-firmware-and-reload.
 */
import type { Output, Shell } from "../Shell.ts"
import { type Call, type Command, command } from "./Command.ts"

const ENABLE_TRIES = 3

const enable = ({ shell, device }: Call): Output => {
  const secret = device.facts.enableSecret
  if (secret === undefined || shell.privileged) {
    shell.privileged = true
    return ""
  }
  let tries = 0
  const line = (typed: string): string => {
    tries += 1
    if (typed === secret) shell.privileged = true
    else if (tries < ENABLE_TRIES) return "Password: "
    shell.reader = undefined
    return shell.privileged ? "" : "% Bad secret\n"
  }
  shell.reader = { echo: false, stream: false, line, end: () => line("") }
  return "Password: "
}

const exit = ({ shell }: Call): Output => {
  shell.gone = true
  shell.logOut()
  return ""
}

/** Asks, and acts if the answer is Enter or `y`. */
const confirmed = (shell: Shell, question: string, act: () => Output): Output => {
  const line = (typed: string): Output => {
    shell.reader = undefined
    return /^(?:y(?:es)?)?$/i.test(typed.trim()) ? act() : ""
  }
  shell.reader = { echo: true, stream: false, line, end: () => "" }
  return question
}

const reload = ({ shell, device }: Call): Output => {
  shell.gone = true
  device.world.reload(device)
  return ""
}

const width = ({ shell, args }: Call): Output => {
  const columns = Number(args["columns"])
  if (!Number.isInteger(columns) || columns < 10 || columns > 32_767) return "% Invalid input\n"
  shell.width = columns
  return `Width set to ${columns} columns.\n`
}

const length = ({ shell, args }: Call): Output => {
  const rows = Number(args["rows"])
  if (!Number.isInteger(rows) || rows < 0 || rows > 32_767) return "% Invalid input\n"
  shell.length = rows
  return rows === 0 ? "Pagination disabled.\n" : `Pagination set to ${rows} lines.\n`
}

const eraseStartup = ({ device }: Call): Output => {
  device.startup = undefined
  return ""
}

/** Commands whose effects are not simulated. */
const WITHOUT_TRACE = [
  "agent <name> shutdown",
  "agent <name> terminate",
  "attach <what...>",
  "cd <path>",
  "clear <what...>",
  "clock set <time...>",
  "debug <what...>",
  "no debug <what...>",
  "diff <what...>",
  "extension <name>",
  "mkdir <path>",
  "pwd",
  "reset <what...>",
  "rmdir <path>",
  "send <what...>",
  "ssh <what...>",
  "tcpdump <what...>",
  "telnet <what...>",
  "traceroute <what...>",
  "undebug <what...>",
  "watch <what...>",
  "who",
  "zerotouch cancel",
  "zerotouch disable"
]

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("enable", "other", enable, { user: true }),
  command("disable", "other", ({ shell }) => ((shell.privileged = false), ""), { user: true }),
  command("exit", "other", exit, { user: true }),
  command("logout", "other", exit, { user: true }),
  command("quit", "other", exit, { user: true }),
  command("end", "other", () => "", { user: true }),
  command("terminal length <rows>", "other", length, { user: true }),
  command("terminal width <columns>", "other", width),
  command("terminal monitor", "other", () => ""),
  command("no terminal monitor", "other", () => ""),
  command("reload", "reload", (call) => confirmed(call.shell, "Proceed with reload? [confirm]", () => reload(call))),
  command("reload now", "reload", reload),
  command("reload force", "reload", reload),
  command("write erase", "delete", (call) =>
    confirmed(call.shell, "Proceed with erasing startup configuration? [confirm]", () => eraseStartup(call))
  ),
  command("write erase now", "delete", eraseStartup),
  command("erase startup-config", "delete", (call) =>
    confirmed(call.shell, "Proceed with erasing startup configuration? [confirm]", () => eraseStartup(call))
  ),
  command("erase startup-config now", "delete", eraseStartup),
  command("reload <how...>", "reload", (call) =>
    / (?:now|force)$/.test(` ${call.args["how"] ?? ""}`)
      ? reload(call)
      : confirmed(call.shell, "Proceed with reload? [confirm]", () => "")
  ),
  command("redundancy force-switchover", "reload", (call) =>
    confirmed(call.shell, "Proceed with switchover? [confirm]", () => reload(call))
  ),
  ...WITHOUT_TRACE.map((pattern) => command(pattern, "other", () => ""))
]
