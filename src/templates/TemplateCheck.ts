/**
 * The faults of a snapshot that can be found without rendering: mappings, entry points that do not exist, templates that do not compile. A
 * fault that no device meets, or perhaps none, is a remark and does not stop a refresh.
 */
import { Result } from "effect"
import { mayHideFiles } from "../git/GitTree.ts"
import { textFault } from "../domain/Text.ts"
import { placesIn } from "../settings/SettingsProblem.ts"
import { AUTO_PUSH_FILE, autoPushRules } from "./AutoPushFile.ts"
import { type CheckSources, unknownSources } from "./ChecksFile.ts"
import {
  errorRemark,
  MAPPING_FILE,
  mappingRemarks,
  type PlatformMapping,
  RepoStructureError,
  type TemplateError,
  templateError,
  type TemplatePlatform,
  type TemplateSnapshot
} from "./TemplateSnapshot.ts"
import { hideForms } from "./TemplateSecrets.ts"
import { reachOf, referencesOf } from "./TemplateReferences.ts"
import { type Remark, remark, remarkText } from "../domain/Repository.ts"

/** The result of a check. Nothing is rendered from a snapshot with problems. */
interface TemplateCheck {
  readonly problems: ReadonlyArray<RepoStructureError | TemplateError>
  readonly warnings: ReadonlyArray<Remark>
}

/** Files that are sent to switches unchanged; the template engine does not read them. */
const NEVER_RENDERED = "dhcp-init.j2"
const FIXED_NAMES = ["hostname.j2", "bounce-down.j2", "bounce-up.j2"]

const MAX_REPORTED = 200

/** `place.file` is a path in the platform's directory. */
const structureError = ({ name }: TemplatePlatform, place: Remark) =>
  new RepoStructureError({ message: place.message, place: inPlatform(name, place) })

const inPlatform = (name: string, place: Remark): Remark => ({
  ...place,
  file: place.file === null || place.file === "" ? name : `${name}/${place.file}`
})

const entrypointProblems = (
  platform: TemplatePlatform,
  mapping: PlatformMapping
): ReadonlyArray<RepoStructureError> => {
  const { directory, files, refused } = platform
  return [...new Set([...mapping.values()].map(({ entrypoint }) => entrypoint))]
    .filter((file) => !files.has(file) && !refused.has(file))
    .map((file) => structureError(platform, remark(`File ${directory}/${file} not found in template repo`, { file })))
}

const compileError = (platform: TemplatePlatform, file: string): TemplateError | undefined => {
  const compiled = platform.environment.compile(file)
  if (compiled.ok) return undefined
  return templateError(compiled.failure, platform.name, (template) => platform.files.get(template), hideForms)
}

const missingReferences = (platform: TemplatePlatform, reached: ReadonlyArray<string>): ReadonlyArray<Remark> =>
  reached.flatMap((file) =>
    referencesOf(platform, file)
      .named.filter((reference) => !reference.optional && !platform.files.has(reference.file))
      .map(({ column, file: named, line }) => remark(`file ${named} does not exist`, { file, line, column }))
  )

const missingDependencies = ({ files }: TemplatePlatform, mapping: PlatformMapping): ReadonlyArray<Remark> => {
  const places = placesIn(files.get(MAPPING_FILE) ?? "")
  return [...mapping].flatMap(([type, { dependencies }]) =>
    [...dependencies.entries()]
      .filter(([, file]) => !files.has(file))
      .map(([position, file]) => {
        const { column = null, line = null } = places([type, "dependencies", position]) ?? {}
        return remark(`dependency ${file} of ${type} does not exist`, { file: MAPPING_FILE, line, column })
      })
  )
}

const refusals = ({ directory, refused }: TemplatePlatform): ReadonlyArray<readonly [file: string, place: Remark]> =>
  [...refused].map(([file, { line, reason }]) => {
    const path = file === "" ? directory : `${directory}/${file}`
    return [file, remark(`File ${path} cannot be read: ${reason}`, { file, line })]
  })

/** Readable files with a forbidden character; YAML is checked where it is parsed. */
const unfit = ({ files }: TemplatePlatform): ReadonlyArray<readonly [file: string, place: Remark]> =>
  [...files].flatMap(([file, text]) => {
    const fault = /\.ya?ml$/.test(file) ? undefined : textFault(text, "lines")
    if (fault === undefined) return []
    const { column, line, message } = fault
    return [[file, remark(`the file ${message}`, { file, line, column })] as const]
  })

/** Whether a file of this name is rendered, read or served; other files are ignored. */
const isOurs = (file: string): boolean => /\.(?:j2|ya?ml)$/.test(file) || file === ""

const notUsed = "not used: no device type leads to it"

const unusedRemarks = (
  platform: TemplatePlatform,
  unused: ReadonlyArray<string>,
  isUnused: (file: string) => boolean
): ReadonlyArray<Remark> =>
  unused.flatMap((file) => {
    const error = compileError(platform, file)
    if (error !== undefined) {
      const found = errorRemark(error)
      return [{ ...found, file, message: `Not used by any device type: ${found.message}` }]
    }
    return isUnused(file) ? [remark(notUsed, { file })] : []
  })

/** A broken rule would let a change pass that the site wants to see first. */
const autoPushProblems = (platform: TemplatePlatform): ReadonlyArray<RepoStructureError> => {
  const unread = refusals(platform).filter(([file]) => file === AUTO_PUSH_FILE)
  const rules = autoPushRules(platform)
  const broken = Result.isFailure(rules)
    ? rules.failure.map((message) => remark(message, { file: AUTO_PUSH_FILE }))
    : []
  return [...unread.map(([, place]) => place), ...broken].map((place) => structureError(platform, place))
}

const checkPlatform = (platform: TemplatePlatform): TemplateCheck => {
  const { files, mapping } = platform
  const refused = [...refusals(platform), ...unfit(platform)]
  if (Result.isFailure(mapping)) {
    const unread = refused.filter(([file]) => file === MAPPING_FILE || file === "").map(([, place]) => place)
    const places = unread.length > 0 ? unread : mapping.failure
    const problems = places.map((place) => structureError(platform, place))
    return { problems: [...problems, ...autoPushProblems(platform)], warnings: [] }
  }
  const entrypoints = [...mapping.success.values()].map(({ entrypoint }) => entrypoint)
  const { computed, files: reached } = reachOf(platform, [...entrypoints, ...FIXED_NAMES])
  const used = [...reached].filter((file) => files.has(file))
  const listed = new Set([...mapping.success.values()].flatMap(({ dependencies }) => dependencies))
  const unused = [...files.keys()].filter(
    (file) => file.endsWith(".j2") && file !== NEVER_RENDERED && !reached.has(file)
  )
  const isHidden = (file: string) => {
    const refusal = platform.refused.get(file)
    return refusal !== undefined && mayHideFiles(file, refusal)
  }
  // the target of a computed name is unknown
  const isMissed = (file: string) => file !== AUTO_PUSH_FILE && (reached.has(file) || isOurs(file) || isHidden(file))
  const errorsIn = (names: ReadonlyArray<string>) => names.flatMap((file) => compileError(platform, file) ?? [])
  return {
    problems: [
      ...refused.filter(([file]) => isMissed(file)).map(([, place]) => structureError(platform, place)),
      ...entrypointProblems(platform, mapping.success),
      ...errorsIn(used),
      ...autoPushProblems(platform)
    ],
    warnings: [
      ...refused.filter(([file]) => !isMissed(file) && file !== AUTO_PUSH_FILE).map(([, place]) => place),
      ...mappingRemarks(files.get(MAPPING_FILE) ?? ""),
      ...missingReferences(platform, used),
      ...missingDependencies(platform, mapping.success),
      ...unusedRemarks(platform, unused, (file) => !computed && !listed.has(file))
    ].map((found) => inPlatform(platform.name, found))
  }
}

/**
 * Checks every platform, and compiles every template. At most 200 problems and 200 remarks. `sources` are the hosts and plugins that
 * checks may ask; null where no server is known, and then they are not judged.
 */
export const checkTemplates = (
  { checks: inChecks, platforms }: TemplateSnapshot,
  sources: CheckSources | null = null
): TemplateCheck => {
  const checks = [...platforms.values()].map(checkPlatform)
  const unknown = sources === null ? [] : unknownSources(inChecks, sources)
  const wrong = [...inChecks.problems, ...unknown].map(
    (place) => new RepoStructureError({ message: remarkText(place), place })
  )
  return {
    problems: [...wrong, ...checks.flatMap(({ problems }) => problems)].slice(0, MAX_REPORTED),
    warnings: checks.flatMap(({ warnings }) => warnings).slice(0, MAX_REPORTED)
  }
}
