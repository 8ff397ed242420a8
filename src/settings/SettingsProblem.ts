/**
 * What can be wrong with a settings repository, as data: every problem knows its kind, which decides the HTTP answer of a
 * refresh (docs/settings-repository.md#refresh), and its exact message (docs/settings-repository.md#messages).
 */
import { Schema } from "effect"
import { type Remark, remarkText } from "../domain/Repository.ts"
import { Finding, locate, located } from "./Finding.ts"
import { hiddenText, pythonText } from "./PythonText.ts"
import type { Fault } from "./SettingValidator.ts"

/**
 * `structure`: a file or directory is missing or of the wrong type. `validation`: a value does not fit the model.
 * `yaml`: a file cannot be read. `content`: a file can be read and must not be used: its top is no mapping, or a text in it may not
 * travel (`domain/Text.ts`). `groups`: the group definitions contradict each other. `vlan`: VLANs or VNIs collide.
 * `strict`: a warning that STRICT_SETTINGS makes an error. `other`: anything else.
 */
export const ProblemKind = Schema.Literals([
  "structure",
  "validation",
  "yaml",
  "content",
  "groups",
  "vlan",
  "strict",
  "other"
])
export type ProblemKind = typeof ProblemKind.Type

/** One problem; `message` is what an operator reads, `findings` the places that it speaks of, as far as they are known. */
export const SettingsProblem = Schema.Struct({
  kind: ProblemKind,
  message: Schema.String,
  findings: Schema.optionalKey(Schema.Array(Finding))
})
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

/** Which files a value that begins with this key may stand in, and where there. */
export type SourceOf = (path: Fault["path"]) => Pick<Finding, "files" | "path">

const ruleOf = ({ description, message }: Fault): string =>
  description === undefined ? message : `${message}, field should be: ${description}`

const faultText = (fault: Fault, originOf: OriginOf): string => {
  const { bad, hidden, path } = fault
  const value = hidden === true && bad !== null ? hiddenText : pythonText(bad)
  const origin = originOf(String(path[0] ?? ""))
  return (
    `Validation error for setting ${path.join("->")}, bad value: ${value} (value origin: ${origin})\n` +
    `Message: ${ruleOf(fault)}\n`
  )
}

/** All faults as one message of docs/settings-repository.md#messages; very long lists of faults are cut. */
export const validationMessage = (faults: ReadonlyArray<Fault>, originOf: OriginOf): string => {
  let text = ""
  for (const [index, fault] of faults.entries()) {
    if (text.length > MAX_MESSAGE) return `${text}... and ${faults.length - index} more\n`
    text += faultText(fault, originOf)
  }
  return text
}

/** The faults as a problem of kind `validation`. */
export const validationProblem = (
  faults: ReadonlyArray<Fault>,
  originOf: OriginOf,
  sourceOf: SourceOf
): SettingsProblem => ({
  kind: "validation",
  message: validationMessage(faults, originOf),
  findings: faults.map((fault) => ({ ...sourceOf(fault.path), message: ruleOf(fault) }))
})

/** Every place that the problems speak of; a problem of which none is known stands for itself. */
export const problemRemarks = (
  problems: ReadonlyArray<SettingsProblem>,
  files: Parameters<typeof locate>[1]
): ReadonlyArray<Remark> =>
  locate(
    problems.flatMap(({ findings = [], message }) =>
      findings.length > 0 ? findings : [{ files: [], path: [], message }]
    ),
    files
  )

/** Warnings as problems. */
export const strictProblems = (warnings: ReadonlyArray<Remark>): ReadonlyArray<SettingsProblem> =>
  warnings.map((warning) => ({
    kind: "strict",
    message: remarkText(warning),
    findings: [located(warning)]
  }))

const PREFIXES: Partial<Record<ProblemKind, string>> = {
  structure: "Repository structure is invalid (VerifyPathException): ",
  validation: "Syntax error in repository: ",
  content: "Unusable file in repository: ",
  strict: "Refused by STRICT_SETTINGS: "
}

/** The answer to a refresh that met this problem: HTTP status and message (docs/settings-repository.md#refresh). */
export const refreshAnswer = (problem: SettingsProblem): { readonly status: 400 | 500; readonly message: string } => {
  const prefix = PREFIXES[problem.kind]
  return prefix === undefined
    ? { status: 500, message: `Error in repository: ${problem.message}` }
    : { status: 400, message: prefix + problem.message }
}
