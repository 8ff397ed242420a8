/**
 * Reading `auto_push.yml` of a platform's directory: changes that the site does not want pushed without a person, in addition to
 * those of the platform. A mistake in it is a problem of the commit, because a rule that does not work is worse than none.
 *
 *     never:
 *       - name: qos_policy                 # letters, digits and _; the name in the record of a refused job
 *         message: A QoS policy changes    # optional: a sentence for people
 *         change: any                      # optional: added, removed or any (the default)
 *         section: interface Port-Channel  # optional: one of the sections around the line
 *         line: service-policy             # the changed line without its indentation
 *
 * `section` and `line` are regular expressions in Python's syntax, matched from the start of the line, as those of groups are.
 */
import { Array as Arr, Result } from "effect"
import { remarkText } from "../domain/Repository.ts"
import { ownRuleNames } from "../domain/AutoPush.ts"
import type { AutoPushRule, LineTest } from "../domain/ChangeRisk.ts"
import { compileGroupPattern } from "../settings/GroupPattern.ts"
import { pythonTypeName } from "../settings/PythonText.ts"
import { readYaml } from "../settings/YamlFile.ts"
import type { TemplatePlatform } from "./TemplateSnapshot.ts"

/** The file with the rules. */
export const AUTO_PUSH_FILE = "auto_push.yml"

type RulesOrFaults = Result.Result<ReadonlyArray<AutoPushRule>, Arr.NonEmptyReadonlyArray<string>>

const MAX_RULES = 200
const KEYS = ["name", "message", "change", "section", "line"]
const CHANGES: ReadonlyArray<AutoPushRule["change"]> = ["added", "removed", "any"]
const NAME = /^[a-z][a-z0-9_]{0,63}$/

/** The texts of a rule by key, or a list of faults. */
interface Entry {
  readonly texts: ReadonlyMap<string, string>
  readonly faults: ReadonlyArray<string>
}

const textsOf = (value: ReadonlyMap<unknown, unknown>): Entry => {
  const texts = new Map<string, string>()
  const faults: Array<string> = []
  for (const [key, text] of value) {
    if (typeof key !== "string" || !KEYS.includes(key)) {
      faults.push(`unknown key '${String(key).slice(0, 100)}', known are ${KEYS.join(", ")}`)
    } else if (typeof text === "string" && text !== "") texts.set(key, text)
    else faults.push(`'${key}' must be a text, not ${pythonTypeName(text)}`)
  }
  return { texts, faults }
}

const patternOf = (texts: Entry["texts"], key: string): Result.Result<LineTest | null, string> => {
  const source = texts.get(key)
  if (source === undefined) return Result.succeed(null)
  return Result.mapError(compileGroupPattern(source), (fault) => `'${key}' is no regular expression: ${fault}`)
}

const readRule = (value: unknown, taken: ReadonlySet<string>): Result.Result<AutoPushRule, ReadonlyArray<string>> => {
  if (!(value instanceof Map)) return Result.fail([`expected a mapping, not ${pythonTypeName(value)}`])
  const { faults, texts } = textsOf(value)
  const name = texts.get("name") ?? ""
  const change = CHANGES.find((known) => known === (texts.get("change") ?? "any"))
  const line = patternOf(texts, "line")
  const section = patternOf(texts, "section")
  const all = [
    ...faults,
    ...(NAME.test(name) ? [] : ["'name' must be lower-case letters, digits and _, beginning with a letter"]),
    ...(ownRuleNames.has(name) ? [`the name ${name} is one of the server's own`] : []),
    ...(taken.has(name) ? [`the name ${name} is given twice`] : []),
    ...(change === undefined ? [`'change' must be one of ${CHANGES.join(", ")}`] : []),
    ...(texts.has("line") || faults.some((fault) => fault.startsWith("'line'")) ? [] : ["'line' is missing"]),
    ...[line, section].flatMap((pattern) => (Result.isFailure(pattern) ? [pattern.failure] : []))
  ]
  if (all.length > 0 || change === undefined || Result.isFailure(line) || Result.isFailure(section)) {
    return Result.fail(all)
  }
  return Result.succeed({
    name,
    message: texts.get("message") ?? `The rule ${name} of the templates repository`,
    change,
    line: line.success ?? (() => false),
    section: section.success,
    where: "anywhere",
    exceptOrphans: false
  })
}

const nameOf = (value: unknown): string => {
  const name: unknown = value instanceof Map ? value.get("name") : undefined
  return typeof name === "string" ? ` (${name.slice(0, 100)})` : ""
}

/** The rules in a text. `directory` is the platform's directory for messages. Fails with all faults. */
export const readAutoPushRules = (directory: string, text: string): RulesOrFaults => {
  const fault = (reason: string) => `Could not parse ${directory}/${AUTO_PUSH_FILE} in template repo: ${reason}`
  const file = readYaml(AUTO_PUSH_FILE, text)
  if (Result.isFailure(file))
    return Result.fail(Arr.of(fault(remarkText(file.failure).replace(/^Could not parse /, ""))))
  const { value, warnings } = file.success
  if (!(value instanceof Map)) return Result.fail(Arr.of(fault(`expected a mapping, not ${pythonTypeName(value)}`)))
  const never: unknown = value.get("never")
  if (!Array.isArray(never)) return Result.fail(Arr.of(fault("expected a list of rules under the key 'never'")))
  const others = [...value.keys()].filter((key) => key !== "never").map((key) => `unknown key '${String(key)}'`)
  const tooMany = never.length > MAX_RULES ? [`more than ${MAX_RULES} rules`] : []
  const rules: Array<AutoPushRule> = []
  const faults = [...warnings.map(remarkText), ...others, ...tooMany]
  for (const [index, entry] of never.slice(0, MAX_RULES).entries()) {
    const rule = readRule(entry, new Set(rules.map(({ name }) => name)))
    if (Result.isSuccess(rule)) rules.push(rule.success)
    else faults.push(...rule.failure.map((what) => `rule ${index + 1}${nameOf(entry)}: ${what}`))
  }
  const messages = faults.map(fault)
  return Arr.isReadonlyArrayNonEmpty(messages) ? Result.fail(messages) : Result.succeed(rules)
}

/** The rules of a platform; none without such a file. */
export const autoPushRules = ({ directory, files }: Pick<TemplatePlatform, "directory" | "files">): RulesOrFaults => {
  const text = files.get(AUTO_PUSH_FILE)
  return text === undefined ? Result.succeed([]) : readAutoPushRules(directory, text)
}
