/**
 * Entering configuration modes, and the session commands of privileged mode. See
 * docs/switch-dialogues.md#eos-loading-a-candidate and docs/switch-dialogues.md#eos-commit-confirm-discard.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { remarksOnCommit } from "../Wording.ts"
import * as ConfigSessions from "../ConfigSessions.ts"
import * as Faults from "../../Faults.ts"
import * as Flash from "../../Flash.ts"
import * as Loader from "../ConfigLoader.ts"
import { render } from "../ConfigTree.ts"
import { expression } from "../Words.ts"
import type { Output, Shell } from "../Shell.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command } from "./Command.ts"
import * as Hardware from "../Hardware.ts"
import { salted } from "../ConfigFacts.ts"

/** The rules that configuration lines meet on this switch. */
const loaderRules = (
  device: Switch.Switch,
  reject: ((line: string) => string | undefined) | undefined
): Loader.LoaderRules => ({
  hasInterface: device.behaviour.checkInterfaces ? (name) => Hardware.hasInterface(device.hardware, name) : undefined,
  poe: device.hardware.poe,
  strictWords: device.behaviour.strictWords,
  dropDefaults: device.behaviour.dropDefaults,
  salt: device.behaviour.quirks.saltsSecrets ? salted : undefined,
  reject
})

/** `HH:MM:SS` in seconds; undefined when it is not a time. */
export const seconds = (time: string): number | undefined => {
  const match = /^(\d{1,2}):(\d{1,2}):(\d{1,2})$/.exec(time)
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

/** What the tree has taken shows at once: in the running configuration, or in the session. */
export const takeChanges = (shell: Shell): void => {
  const { mode, device } = shell
  if (mode.kind === "session" && mode.session.state === "pending") ConfigSessions.edit(mode.session)
  if (mode.kind !== "config") return
  mode.printed = render(mode.loader.root)
  Switch.setRunning(device, mode.printed)
}

/** Leaves all sections; those of group-change modes take effect now. */
export const takeSections = (shell: Shell): void => {
  const { mode } = shell
  if ((mode.kind !== "config" && mode.kind !== "session") || mode.loader === undefined) return
  if (Loader.finish(mode.loader)) takeChanges(shell)
}

/** Back to privileged mode; an open session stays open. */
export const leave = (shell: Shell): void => {
  takeSections(shell)
  shell.mode = { kind: "exec" }
  shell.reader = undefined
}

/** The rules that lines typed in this shell meet: the switch's own, and the lines that a fault rejects. */
export const rules = (shell: Shell) =>
  loaderRules(shell.device, (line) => {
    const { faults } = shell.device
    if (faults.length === 0) return undefined
    const fault = Faults.take(faults, "reject", (candidate) => expression(candidate.pattern).test(line))
    return fault === undefined ? undefined : (fault.message ?? "% Invalid input")
  })

const enterSession = (call: Call, name: string): string => {
  const { shell, device } = call
  const session = ConfigSessions.open(device, name, shell.user, shell.terminal)
  if (typeof session === "string") return `${session}\n`
  takeSections(shell)
  shell.mode = { kind: "session", session, loader: undefined }
  shell.loadedLines = 0
  return ""
}

const enterConfig = ({ shell, device }: Call): string => {
  if (device.behaviour.quirks.terminalDisabled) return "% Configuration is allowed in sessions only\n"
  takeSections(shell)
  shell.mode = {
    kind: "config",
    loader: Loader.make(Loader.parse(device.running), rules(shell)),
    printed: device.running
  }
  return ""
}

/** Replaces the running configuration at once. */
const replace = ({ device, args }: Call): string => {
  const path = args["path"] ?? ""
  const text =
    path === "clean-config"
      ? ""
      : path === "startup-config"
        ? (device.startup ?? "")
        : device.flash.files.get(Flash.nameIn(path) ?? "")?.content?.toString("utf8")
  if (text === undefined) return `% Error replacing by ${path} (No such file or directory)\n`
  Switch.setRunning(device, render(Loader.parse(text)))
  Switch.pushCommit(device.history, { session: "", kind: "direct", at: Date.now() })
  return ""
}

const commit = (call: Call, time: string | undefined): Output => {
  const { device, args } = call
  const limit = time === undefined ? undefined : seconds(time)
  if (time !== undefined && limit === undefined) return "% Invalid input\n"
  const act = () => {
    const error = ConfigSessions.commit(device, args["name"] ?? "", limit)
    return error === undefined ? remarksOnCommit(device) : answer(error)
  }
  // a confirmation only stops the timer: the switch has nothing to apply
  const confirms = limit === undefined && device.timer?.session === args["name"]
  const commitMs = confirms ? 0 : device.behaviour.commitMs
  return commitMs === 0 ? act() : sleep(commitMs).then(act)
}

const answer = (error: string | undefined) => (error === undefined ? "" : `${error}\n`)

const commitStep = (shell: Shell, args: Readonly<Record<string, string>>): Faults.Step =>
  shell.device.timer?.session === args["name"] ? "confirm" : "commit"

/** Configuration commands of privileged mode. */
export const commands: ReadonlyArray<Command> = [
  command("configure", "other", enterConfig),
  command("configure terminal", "other", enterConfig),
  command("configure replace <path>", "commit", replace),
  command("configure session", "openSession", (call) => enterSession(call, `sess-${Date.now() % 1_000_000}`)),
  command("configure session <name>", "openSession", (call) => enterSession(call, call.args["name"] ?? "")),
  command("configure session <name> abort", "abort", (call) =>
    answer(ConfigSessions.abort(call.device, call.args["name"] ?? ""))
  ),
  command("configure session <name> commit", commitStep, (call) => commit(call, undefined)),
  command("configure session <name> commit timer <time>", "commitTimer", (call) =>
    commit(call, call.args["time"] ?? "")
  )
]
