/**
 * Reads `checks.yml` at the top of the templates repository (docs/checks.md). A mistake in it is a problem of the commit, as a template that
 * does not compile is, because a check that does not run protects nobody.
 */
import { Result } from "effect"
import { type Check, isOutside } from "../domain/checks/Check.ts"
import type { CheckFault } from "../domain/checks/CheckFaults.ts"
import { readCheckFile } from "../domain/checks/CheckFile.ts"
import { type CheckHost, hostOf, originOf } from "../domain/checks/HttpQuestion.ts"
import { type CheckPlugin, pluginFault } from "../domain/checks/PluginQuestion.ts"
import { readySets } from "../domain/checks/ReadySets.ts"
import { pathText, type Remark, remark } from "../domain/Repository.ts"
import { plainYaml } from "../settings/SettingsFile.ts"
import { placesIn } from "../settings/SettingsProblem.ts"
import { readYaml } from "../settings/YamlFile.ts"

/** The file with the checks. */
export const CHECKS_FILE = "checks.yml"

/** A check, and the line of the file that it begins in; null for one of a ready set. */
export interface PlacedCheck {
  readonly check: Check
  readonly line: number | null
  /** Where the address, or the function of a plugin, stands that it asks. */
  readonly asks?: Pick<Remark, "line" | "column">
}

/** What the file of a commit holds; no checks if it has problems. */
export interface TemplateChecks {
  readonly checks: ReadonlyArray<PlacedCheck>
  readonly problems: ReadonlyArray<Remark>
}

const NONE: TemplateChecks = { checks: [], problems: [] }

const problemOf = (places: ReturnType<typeof placesIn>, { message, onKey, path }: CheckFault): Remark => {
  const place = places(path, onKey)
  return remark(message, {
    file: CHECKS_FILE,
    line: place?.line ?? 1,
    column: place?.column ?? 1,
    path: path.length === 0 ? null : pathText(path)
  })
}

/** The checks in a text; none without a text. */
export const readChecks = (text: string | undefined): TemplateChecks => {
  if (text === undefined) return NONE
  const file = readYaml(CHECKS_FILE, text)
  if (Result.isFailure(file)) return { checks: [], problems: [file.failure] }
  const { value, warnings } = file.success
  const places = placesIn(text)
  const { checks, faults } = readCheckFile(plainYaml(value), readySets)
  const problems = [...warnings, ...faults.map((fault) => problemOf(places, fault))]
  if (problems.length > 0) return { checks: [], problems }
  return {
    problems,
    checks: checks.map((check) => {
      const own = check.set === null ? places(["checks", check.name], true) : undefined
      const asks = places(["checks", check.name, ...asksKeys(check)])
      return { check, line: own?.line ?? null, ...(asks === undefined || !isOutside(check.question) ? {} : { asks }) }
    })
  }
}

/** The keys that lead to what a check asks outside the device. */
const asksKeys = ({ question: { reads } }: Check): ReadonlyArray<string> =>
  reads === "http" ? ["reads", "http", "url"] : ["reads", "plugin", "function"]

/** What checks of a server may ask outside the devices. */
export interface CheckSources {
  readonly hosts: ReadonlyArray<CheckHost>
  readonly plugins: ReadonlyArray<CheckPlugin>
}

/** Why a question cannot be asked by this server, as a sentence; null if it can. */
const sourceFault = ({ hosts, plugins }: CheckSources, { question }: Check): string | null => {
  if (question.reads === "plugin") return pluginFault(plugins, question)
  if (question.reads !== "http" || hostOf(hosts, question.url) !== undefined) return null
  return `${originOf(question.url)} is not named in CHECK_HOSTS`
}

/** The checks that ask a host or a plugin which this server cannot ask, as mistakes of the file. */
export const unknownSources = ({ checks }: TemplateChecks, sources: CheckSources): ReadonlyArray<Remark> =>
  checks.flatMap(({ asks, check }) => {
    const fault = sourceFault(sources, check)
    if (fault === null) return []
    const place = { file: CHECKS_FILE, line: asks?.line ?? 1, column: asks?.column ?? 1 }
    return [remark(fault, { ...place, path: pathText(["checks", check.name, ...asksKeys(check)]) })]
  })

/** Whether a check of the file is answered by a plugin. */
export const asksPlugins = ({ checks }: TemplateChecks): boolean =>
  checks.some(({ check }) => check.question.reads === "plugin")
