/**
 * What can be wrong with a settings repository, as data: every problem knows its kind, which decides the HTTP answer of
 * a refresh (contract, settings §7.5), and its exact message (§6).
 */
import { Schema } from "effect"
import { hiddenText, pythonText } from "./PythonText.ts"
import type { Fault } from "./SettingValidator.ts"

/**
 * `structure`: a file or directory is missing or of the wrong type. `validation`: a value does not fit the model.
 * `yaml`: a file cannot be read. `groups`: the group definitions contradict each other. `vlan`: VLANs or VNIs collide.
 * `policy`: a route map is not defined. `other`: anything else.
 */
export const ProblemKind = Schema.Literals(["structure", "validation", "yaml", "groups", "vlan", "policy", "other"])
export type ProblemKind = typeof ProblemKind.Type

/** One problem; `message` is what an operator reads. */
export const SettingsProblem = Schema.Struct({ kind: ProblemKind, message: Schema.String })
export type SettingsProblem = typeof SettingsProblem.Type

const MAX_MESSAGE = 60_000

/** The settings cannot be used; a retry helps only after the repository has changed. At least one problem. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  problems: Schema.NonEmptyArray(SettingsProblem)
}) {
  override get message() {
    return this.problems[0].message
  }
}

/** Where the value of a top-level setting comes from, for messages. */
export type OriginOf = (key: string) => string

const faultText = ({ bad, description, hidden, message, path }: Fault, originOf: OriginOf): string => {
  const value = hidden === true && bad !== null ? hiddenText : pythonText(bad)
  const what = description === undefined ? "" : `, field should be: ${description}`
  const origin = originOf(String(path[0] ?? ""))
  return (
    `Validation error for setting ${path.join("->")}, bad value: ${value} (value origin: ${origin})\n` +
    `Message: ${message}${what}\n`
  )
}

/** All faults as one message of contract, settings §6.1; very long lists of faults are cut. */
export const validationMessage = (faults: ReadonlyArray<Fault>, originOf: OriginOf): string => {
  let text = ""
  for (const [index, fault] of faults.entries()) {
    if (text.length > MAX_MESSAGE) return `${text}... and ${faults.length - index} more\n`
    text += faultText(fault, originOf)
  }
  return text
}

/** The faults as a problem of kind `validation`. */
export const validationProblem = (faults: ReadonlyArray<Fault>, originOf: OriginOf): SettingsProblem => ({
  kind: "validation",
  message: validationMessage(faults, originOf)
})

const PREFIXES: Partial<Record<ProblemKind, string>> = {
  structure: "Repository structure is invalid (VerifyPathException): ",
  validation: "Syntax error in repository: "
}

/** The answer to a refresh that met this problem: HTTP status and message (contract, settings §7.5). */
export const refreshAnswer = (problem: SettingsProblem): { readonly status: 400 | 500; readonly message: string } => {
  const prefix = PREFIXES[problem.kind]
  return prefix === undefined
    ? { status: 500, message: `Error in repository: ${problem.message}` }
    : { status: 400, message: prefix + problem.message }
}
