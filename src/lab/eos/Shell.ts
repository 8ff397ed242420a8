/**
 * One command line session on a switch: its mode, its prompt, the reader of its input, and the faults that strike at a step. See
 * docs/switch-dialogues.md#eos-modes-and-prompts.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { ConfigSession } from "./ConfigSessions.ts"
import { tags, type Loader } from "./ConfigLoader.ts"
import * as Faults from "../Faults.ts"
import type { Switch } from "../Switch.ts"
import type { Output, Reader } from "../Terminal.ts"

export type { Output, Reader } from "../Terminal.ts"

export type Mode =
  | { readonly kind: "exec" }
  | { readonly kind: "bash"; readonly behind: Mode; readonly sign: string }
  | { readonly kind: "config"; loader: Loader; printed: string }
  | { readonly kind: "session"; readonly session: ConfigSession; loader: Loader | undefined }

export interface Shell {
  readonly device: Switch
  readonly user: string
  /** `vty8` */
  readonly terminal: string
  privileged: boolean
  mode: Mode
  reader: Reader | undefined
  width: number
  length: number
  /** Configuration lines taken since the session was entered. */
  loadedLines: number
  /** Ends the conversation as `exit` does. */
  readonly logOut: () => void
  /** Break the connection behind. */
  readonly hangUp: () => void
  readonly silence: () => void
  gone: boolean
}

/** A command line for a logged-in user. */
export const make = (options: {
  readonly device: Switch
  readonly user: string
  readonly terminal: string
  readonly width: number
  readonly logOut: () => void
  readonly hangUp: () => void
  readonly silence: () => void
}): Shell => ({
  ...options,
  privileged: landsPrivileged(options.device, options.user),
  mode: { kind: "exec" },
  reader: undefined,
  length: 0,
  loadedLines: 0,
  gone: false
})

const landsPrivileged = (device: Switch, user: string) =>
  device.facts.execAuthorization && (device.facts.users.get(user)?.privilege ?? 15) >= 15

/** The end of a prompt: mode and sign. */
const modeOf = ({ mode, privileged }: Shell): string => {
  if (mode.kind === "exec" || mode.kind === "bash") return privileged ? "#" : ">"
  const session = mode.kind === "session" ? `-s-${mode.session.name.slice(0, 6)}` : ""
  return `(config${session}${mode.loader === undefined ? "" : tags(mode.loader)})#`
}

/** A configured prompt: `%H` is the host name, `%D` the time of day, `%P` mode and sign, `%%` a percent sign. */
const configured = (shell: Shell, text: string): string => {
  const words: Readonly<Record<string, string>> = {
    H: shell.device.facts.hostname,
    D: new Date().toTimeString().slice(0, "00:00:00".length),
    P: modeOf(shell),
    "%": "%"
  }
  return (/%P/.test(text) ? text : `${text}%P`).replaceAll(/%([HDP%])/g, (code, word: string) => words[word] ?? code)
}

/** The prompt of the present mode. */
export const prompt = (shell: Shell): string => {
  const { behaviour, facts } = shell.device
  if (shell.mode.kind === "bash") return shell.mode.sign
  if (behaviour.quirks.prompt !== "") return configured(shell, behaviour.quirks.prompt)
  const supervisor = behaviour.supervisor === undefined ? "" : `(${behaviour.supervisor})`
  return `${facts.hostname}${supervisor}${modeOf(shell)}`
}

/** Runs a step with the faults that are armed for it. */
export const withFaults = (shell: Shell, step: Faults.Step, act: () => Output): Output => {
  const { faults, behaviour } = shell.device
  if (faults.length === 0 && behaviour.commandMs === 0) return act()
  if (breaksAt(shell, step, "before")) return ""
  const slow = Faults.takeAt(faults, "slow", step)?.milliseconds ?? behaviour.commandMs
  return slow > 0 ? sleep(slow).then(() => actOrFail(shell, step, act)) : actOrFail(shell, step, act)
}

const GARBAGE = "}}} 0x7f 0x45 <<< corrupted\n"

const actOrFail = (shell: Shell, step: Faults.Step, act: () => Output): Output => {
  const { faults } = shell.device
  const refused = Faults.takeAt(faults, "error", step)
  if (refused !== undefined) return `${refused.message}\n`
  const lies = Faults.takeAt(faults, "lie", step) !== undefined
  if (Faults.takeAt(faults, "garbage", step) !== undefined) return afterwards(shell, step, GARBAGE)
  const output = lies ? (step === "write" || step === "copy" ? "Copy completed successfully.\n" : "") : act()
  return typeof output === "string"
    ? afterwards(shell, step, output)
    : output.then((text) => afterwards(shell, step, text))
}

const afterwards = (shell: Shell, step: Faults.Step, output: string): string => {
  if (breaksAt(shell, step, "after")) return ""
  const isConfig = step === "showRunning" || step === "showCandidate"
  const cut = isConfig ? Faults.takeAt(shell.device.faults, "truncate", step) : undefined
  return cut === undefined ? output : `${output.split("\n").slice(0, cut.lines).join("\n")}\n`
}

/** True when a fault ends or silences the conversation at this point; then nothing more may be answered. */
export const breaksAt = (shell: Shell, step: Faults.Step, when: "before" | "after"): boolean => {
  const { faults } = shell.device
  if (Faults.strikes(faults, "cut", step, when, shell.loadedLines)) shell.hangUp()
  else if (Faults.strikes(faults, "silent", step, when, shell.loadedLines)) shell.silence()
  else return false
  shell.gone = true
  return true
}
