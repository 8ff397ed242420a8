/**
 * Everything that is wrong with a snapshot, found without rendering: mappings, entry points that do not exist, templates
 * that do not compile. What no device can meet, or only perhaps, is a remark and does not stop a refresh.
 */
import { Result } from "effect"
import { AUTO_PUSH_FILE, autoPushRules } from "./AutoPushFile.ts"
import type { PlatformMapping } from "./PlatformMapping.ts"
import { RepoStructureError, type TemplateError, templateError } from "./TemplateErrors.ts"
import { reachOf, referencesOf } from "./TemplateReferences.ts"
import { MAPPING_FILE, type TemplatePlatform, type TemplateSnapshot } from "./TemplateSnapshot.ts"

/** What a check found. Nothing is rendered from a snapshot with problems. */
export interface TemplateCheck {
  readonly problems: ReadonlyArray<RepoStructureError | TemplateError>
  readonly warnings: ReadonlyArray<string>
}

/** Handed to switches as it is, and written for them, not for the template engine. */
const NEVER_RENDERED = "dhcp-init.j2"
const FIXED_NAMES = ["hostname.j2", "bounce-down.j2", "bounce-up.j2"]

const MAX_REPORTED = 200

const structureError = (message: string) => new RepoStructureError({ message })

const entrypointProblems = (
  { directory, files, refused }: TemplatePlatform,
  mapping: PlatformMapping
): ReadonlyArray<RepoStructureError> =>
  [...new Set([...mapping.values()].map(({ entrypoint }) => entrypoint))]
    .filter((file) => !files.has(file) && !refused.has(file))
    .map((file) => structureError(`File ${directory}/${file} not found in template repo`))

const compileError = (platform: TemplatePlatform, file: string): TemplateError | undefined => {
  const compiled = platform.environment.compile(file)
  if (compiled.ok) return undefined
  return templateError(
    compiled.failure,
    platform.name,
    (template) => platform.files.get(template),
    (text) => text
  )
}

const missingReferences = (platform: TemplatePlatform, reached: ReadonlyArray<string>): ReadonlyArray<string> =>
  reached.flatMap((file) =>
    referencesOf(platform, file)
      .named.filter((reference) => !reference.optional && !platform.files.has(reference.file))
      .map((reference) => `${platform.name}/${file}, line ${reference.line}: file ${reference.file} does not exist`)
  )

const missingDependencies = ({ files, name }: TemplatePlatform, mapping: PlatformMapping): ReadonlyArray<string> =>
  [...mapping].flatMap(([type, { dependencies }]) =>
    dependencies
      .filter((file) => !files.has(file))
      .map((file) => `${name}/${MAPPING_FILE}: dependency ${file} of ${type} does not exist`)
  )

const refusals = ({ directory, refused }: TemplatePlatform): ReadonlyArray<readonly [file: string, message: string]> =>
  [...refused].map(([file, reason]) => [file, `File ${directory}/${file} cannot be read: ${reason}`])

/** A rule that does not work would let a change pass that the site wants to see first. */
const autoPushProblems = (platform: TemplatePlatform): ReadonlyArray<RepoStructureError> => {
  const unread = refusals(platform).filter(([file]) => file === AUTO_PUSH_FILE)
  const rules = autoPushRules(platform)
  return [...unread.map(([, message]) => message), ...(Result.isFailure(rules) ? rules.failure : [])].map(
    structureError
  )
}

const checkPlatform = (platform: TemplatePlatform): TemplateCheck => {
  const { files, mapping } = platform
  const refused = refusals(platform)
  if (Result.isFailure(mapping)) {
    const messages = refused.filter(([file]) => file === MAPPING_FILE).map(([, message]) => message)
    const problems = (messages.length > 0 ? messages : mapping.failure).map(structureError)
    return { problems: [...problems, ...autoPushProblems(platform)], warnings: [] }
  }
  const entrypoints = [...mapping.success.values()].map(({ entrypoint }) => entrypoint)
  const reached = reachOf(platform, [...entrypoints, ...FIXED_NAMES]).files
  const used = [...reached].filter((file) => files.has(file))
  const unused = [...files.keys()].filter(
    (file) => file.endsWith(".j2") && file !== NEVER_RENDERED && !reached.has(file)
  )
  const errorsIn = (names: ReadonlyArray<string>) => names.flatMap((file) => compileError(platform, file) ?? [])
  return {
    problems: [
      ...refused.filter(([file]) => reached.has(file)).map(([, message]) => structureError(message)),
      ...entrypointProblems(platform, mapping.success),
      ...errorsIn(used),
      ...autoPushProblems(platform)
    ],
    warnings: [
      ...refused.filter(([file]) => !reached.has(file) && file !== AUTO_PUSH_FILE).map(([, message]) => message),
      ...missingReferences(platform, used),
      ...missingDependencies(platform, mapping.success),
      ...errorsIn(unused).map((error) => `Not used by any device type: ${error.message}`)
    ]
  }
}

/** Checks every platform; compiles every template on the way. At most 200 problems and 200 remarks. */
export const checkTemplates = ({ platforms }: TemplateSnapshot): TemplateCheck => {
  const checks = [...platforms.values()].map(checkPlatform)
  return {
    problems: checks.flatMap(({ problems }) => problems).slice(0, MAX_REPORTED),
    warnings: checks.flatMap(({ warnings }) => warnings).slice(0, MAX_REPORTED)
  }
}
