/**
 * The work of `switchyard check`: reads directories as a refresh reads a commit, checks them in the same way, and prints one line for each
 * mistake in the form of compilers, which editors and pipelines understand.
 */
import { Console, Effect, FileSystem, Option, Path, type PlatformError, Result, Runtime, Schema } from "effect"
import { blankFields, Device, type DeviceType, deviceTypes } from "../domain/Device.ts"
import { wouldBeMade } from "../domain/checks/CheckSentences.ts"
import { effectSentences } from "../domain/words/EffectSentences.ts"
import {
  type FileRefusal,
  fileText,
  isForeign,
  LINK_NOWHERE,
  LINK_OUTSIDE,
  SUBMODULE,
  unfitName
} from "../git/GitTree.ts"
import { messageOf } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { isWithinSettings } from "../settings/RepositoryPaths.ts"
import { checkSettings, type Inventory } from "../settings/SettingsCheck.ts"
import { problemRemarks } from "../settings/SettingsProblem.ts"
import { buildSnapshot, type SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { checkTemplates } from "../templates/TemplateCheck.ts"
import {
  buildTemplateSnapshot,
  errorRemark,
  isTemplatePath,
  type TemplateSnapshot
} from "../templates/TemplateSnapshot.ts"
import { checkedSettings } from "./AtDatabase.ts"
import { harmless } from "./client/Terminal.ts"
import { ask } from "./client/Server.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { cellsPerMegabyte } from "../jinja/Meter.ts"
import { deviceTask } from "../templates/Rendering.ts"
import { UndefinedLedger } from "../templates/UndefinedPrints.ts"
import type { SiteInputs } from "../templates/VariableInputs.ts"
import { type Remark, remark } from "../domain/Repository.ts"

// Finds names that templates print and that nothing defines, without a server: each device, or one for each platform and type, is rendered
// with the settings of a working copy. Values that only a database has (links, ports, management domains) have a stand-in, so that a
// warning names only what no variable, setting or secret could define.

/** A device in the answer of GET /devices. */
export type ListedDevice = Pick<
  Device,
  "id" | "hostname" | "device_type" | "state" | "model" | "platform" | "os_version"
>

const LIMITS = { deadline: 5_000, cells: 128 * cellsPerMegabyte }
/** This many devices of one platform and type are enough; the others would show the same. */
const MOST_OF_A_KIND = 25

/** Addresses of documentation (RFC 5737). */
const ADDRESS = "192.0.2.10"
const DOMAIN: MgmtDomain = {
  id: 1,
  ipv4_gw: "192.0.2.1/24",
  ipv6_gw: null,
  device_a_id: 0,
  device_a_ip: null,
  device_b_id: 0,
  device_b_ip: null,
  site_id: null,
  vlan: 600,
  description: null,
  esi_mac: null
}

const standIn = (listed: ListedDevice): Device => ({
  ...blankFields,
  management_ip: ADDRESS,
  infra_ip: "192.0.2.11",
  synchronized: true,
  ...listed
})

const isDeviceType = (text: string): text is DeviceType => deviceTypes.some((type) => type === text)

/** One device for each platform and type that has templates. */
const kindsOf = (templates: TemplateSnapshot): ReadonlyArray<ListedDevice> =>
  [...templates.platforms.values()].flatMap(({ mapping, name: platform }) =>
    Result.match(mapping, {
      onFailure: () => [],
      onSuccess: (types) =>
        [...types.keys()].filter(isDeviceType).map((device_type) => ({
          id: 1,
          hostname: `any-${platform}-${device_type.toLowerCase()}`.replaceAll("_", "-"),
          device_type,
          state: "MANAGED" as const,
          model: null,
          platform,
          os_version: null
        }))
    })
  )

/** Keys at the top of any file: a named device may lack keys that a group sets for others. */
const settingNames = ({ files }: SettingsSnapshot): ReadonlySet<unknown> =>
  new Set(
    [...files.values()].flatMap(({ content }) => (Result.isSuccess(content) ? [...content.success.values.keys()] : []))
  )

/** The undefined names that templates print for these devices; without devices, for one of each platform and type. */
export const undefinedNames = (
  settings: SettingsSnapshot,
  templates: TemplateSnapshot,
  devices: ReadonlyArray<ListedDevice> | undefined,
  site: Pick<SiteInputs, "secrets" | "override">
): ReadonlyArray<Remark> => {
  const inputs = { ...site, mgmtDomains: [DOMAIN], coreDevices: [], evpnPeers: new Map() }
  const ledger = new UndefinedLedger()
  const names = settingNames(settings)
  const managed = devices?.filter(({ device_type, state }) => state === "MANAGED" && device_type !== "UNKNOWN")
  const kinds = Map.groupBy(managed ?? kindsOf(templates), ({ device_type, platform }) => `${platform} ${device_type}`)
  for (const listed of [...kinds.values()].flatMap((alike) => alike.slice(0, MOST_OF_A_KIND))) {
    const device = standIn(listed)
    const layered = settings.layering.forDevice(device, [])
    if (Result.isFailure(layered)) continue
    const { settings: own } = layered.success
    const about = { device, settings: own, interfaces: [], links: [], stackMembers: [], mirrorSource: null }
    const task = deviceTask(templates, about, inputs)
    if (Result.isFailure(task)) continue
    const { file, platform, variables } = task.success
    const rendered = platform.environment.renderFile(file, variables, LIMITS)
    if (!rendered.ok) continue
    const prints = rendered.value.undefinedPrints.filter(({ message }) => {
      const [, name] = /^'(\w+)' is undefined$/.exec(message) ?? []
      return name !== undefined && !names.has(name) && !name.startsWith("TEMPLATE_SECRET_")
    })
    ledger.note(device.hostname, templates, platform.name, prints)
  }
  return ledger.remarks([templates])
}

/** The request of a check. */
export interface CheckRequest {
  readonly settings: Option.Option<string>
  readonly templates: Option.Option<string>
  readonly devices: Option.Option<string>
  /** The server that is asked what the files would mean. */
  readonly against: Option.Option<string>
}

/** Errors and warnings of one repository. */
interface Mistakes {
  readonly errors: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
  /** Files that no schema reads. */
  readonly ignored: ReadonlyArray<string>
  /** The content that could be read. */
  readonly settings?: SettingsSnapshot
  readonly templates?: TemplateSnapshot
}

const ERRORS = 1
const WARNINGS_ONLY = 2

/** Mistakes were found and have been printed. Exit code 1, or 2 if none of them would stop a refresh. */
export class MistakesFound extends Schema.TaggedError<MistakesFound>()("MistakesFound", {
  exitCode: Schema.Literals([ERRORS, WARNINGS_ONLY])
}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = this.exitCode
}

/** The check could not be made; the message has been printed. Exit code 1. */
export class CheckImpossible extends Schema.TaggedError<CheckImpossible>()("CheckImpossible", {
  message: Schema.String
}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = ERRORS
}

/** git's own folder, which no commit has; in a submodule it is a file. */
const isGit = (file: string): boolean => file === ".git" || file.startsWith(".git/")

/** The real place of a path, or why it is not within the directory. */
const makeReality = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(directory)
  return (full: string, above: ReadonlyArray<string>) =>
    Effect.match(fs.realPath(full), {
      onFailure: () => ({ broken: LINK_NOWHERE }),
      onSuccess: (real) => {
        if (real !== root && !real.startsWith(`${root}${path.sep}`)) return { broken: LINK_OUTSIDE }
        return above.includes(real) ? { broken: LINK_NOWHERE } : { real }
      }
    })
})

/** The wanted files of a directory, by their path in it, as a refresh would read them from a commit (`git/GitTree.ts`). */
const readFiles = Effect.fnUntraced(function* (directory: string, isWanted: (file: string) => boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const reality = yield* makeReality(directory)
  const files = new Map<string, string>()
  const refused = new Map<string, FileRefusal>()
  const ignored: Array<string> = []
  const look = (below: string, above: ReadonlyArray<string>): Effect.Effect<void, PlatformError.PlatformError> =>
    Effect.gen(function* () {
      for (const name of (yield* fs.readDirectory(path.join(directory, below))).toSorted()) {
        const file = below === "" ? name : `${below}/${name}`
        const isMissed = isWanted(file) || isWanted(`${file}/`)
        if (isGit(file)) continue
        const unfit = unfitName(file)
        if (isForeign(file)) {
          if (isMissed) ignored.push(unfit?.name ?? file)
          continue
        }
        if (unfit !== undefined) {
          if (isMissed) refused.set(unfit.name, unfit.refused)
          continue
        }
        const full = path.join(directory, file)
        const place = yield* reality(full, above)
        if ("broken" in place) {
          if (isMissed) refused.set(file, { reason: place.broken, line: null })
          continue
        }
        const { type } = yield* fs.stat(full)
        if (type === "Directory") {
          const isSubmodule = yield* fs.exists(path.join(full, ".git"))
          if (isSubmodule && isMissed) refused.set(file, { reason: SUBMODULE, line: null })
          else if (!isSubmodule) yield* look(file, [...above, place.real])
        } else if (type === "File" && isWanted(file)) {
          const read = fileText(file, yield* fs.readFile(full))
          if ("ignored" in read) ignored.push(file)
          else if ("refused" in read) refused.set(file, read.refused)
          else files.set(file, read.text)
        }
      }
    })
  yield* look("", [yield* fs.realPath(directory)])
  return { files, ignored, refused }
})

const List = Schema.Array(
  Schema.Struct({
    id: Device.fields.id,
    hostname: Device.fields.hostname,
    device_type: Device.fields.device_type,
    state: Device.fields.state,
    model: Device.fields.model,
    platform: Device.fields.platform,
    os_version: Device.fields.os_version
  })
)
const Answer = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ devices: List }) }))

const readDevices = Effect.fnUntraced(function* (file: string) {
  const text = yield* (yield* FileSystem.FileSystem).readFileString(file)
  const { data } = yield* Effect.mapError(
    Schema.decodeEffect(Answer)(text),
    () => new CheckImpossible({ message: `${file} does not hold the answer of GET /devices` })
  )
  return data.devices
})

const checkSettingsIn = Effect.fnUntraced(function* (directory: string, devices: Option.Option<string>) {
  const { GLOBAL_UNIQUE_VLANS: globalUniqueVlans, SETTINGS_KEYS_TO_MERGE: keysToMerge } = yield* ServerConfig
  const { files, ignored, refused } = yield* readFiles(directory, isWithinSettings)
  const texts = new Map([...files].map(([file, text]) => [file, { text }]))
  const built = buildSnapshot({ files, refused, root: directory, keysToMerge })
  if (Result.isFailure(built)) return { errors: problemRemarks(built.failure, texts), warnings: [], ignored }
  const inventory: Inventory | undefined = Option.isNone(devices)
    ? undefined
    : { devices: yield* readDevices(devices.value), linknets: [], managementDomains: [], globalUniqueVlans }
  const { problems, warnings } = checkSettings(built.success, inventory)
  const errors = problemRemarks(problems, texts)
  return { errors, warnings, ignored: [...ignored, ...built.success.ignored], settings: built.success }
})

const checkTemplatesIn = Effect.fnUntraced(function* (directory: string) {
  const { files, ignored, refused } = yield* readFiles(directory, isTemplatePath)
  if (files.size === 0 && refused.size === 0) {
    return { errors: [remark("no platform: there is no directory with templates")], warnings: [], ignored }
  }
  const templates = buildTemplateSnapshot({ files, refused, root: directory })
  const { problems, warnings } = checkTemplates(templates)
  return { errors: problems.map(errorRemark), warnings, ignored, templates }
})

const lineOf = (directory: string, kind: "error" | "warning", one: Remark): string => {
  const place = [one.file === null ? directory : `${directory}/${one.file}`, one.line, one.column]
  const text = [one.path, one.message].filter((part) => part !== null).join(": ")
  return `${place.filter((part) => part !== null).join(":")}: ${kind}: ${text.trim().replaceAll(/\s*\n\s*/g, "; ")}`
}

const print = Effect.fnUntraced(function* (directory: string, { errors, ignored, warnings }: Mistakes) {
  for (const error of errors) yield* Console.log(harmless(lineOf(directory, "error", error)))
  for (const warning of warnings) yield* Console.log(harmless(lineOf(directory, "warning", warning)))
  if (ignored.length > 0) yield* Console.error(harmless(`Ignored: ${ignored.join(", ")}`))
})

const withoutSlash = (directory: string): string => directory.replace(/(.)\/+$/, "$1")

type Repository = "settings" | "templates"

const WANTED = { settings: isWithinSettings, templates: isTemplatePath }

/** Asks a server what the files would mean; mistakes that it finds beyond the local check count as well. */
const checkAgainst = Effect.fnUntraced(function* (
  server: string,
  name: Repository,
  directory: string,
  local: Mistakes
) {
  const files = Object.fromEntries((yield* readFiles(directory, WANTED[name])).files)
  const { answer } = yield* ask("POST /repository/:name/check", { server, params: { name }, body: { files } })
  const { checks = [], effects, problems, warnings } = answer.data
  const known = new Set([...local.errors, ...local.warnings].map((one) => lineOf(directory, "error", one)))
  const isNew = (one: Remark) => !known.has(lineOf(directory, "error", one))
  const mustConfirm = effects.confirm.map((reason) => remark(`must be confirmed: ${reason}`))
  const more = { errors: problems.filter(isNew), warnings: [...warnings.filter(isNew), ...mustConfirm], ignored: [] }
  yield* print(directory, more)
  for (const sentence of effectSentences(effects)) yield* Console.log(harmless(`${directory}: effect: ${sentence}`))
  for (const check of checks) yield* Console.log(harmless(`${directory}: ${wouldBeMade(check)}: it ${check.sentence}`))
  return more
})

/** Templates are rendered with the settings if neither has errors. */
const checkTogether = Effect.fnUntraced(function* (
  found: ReadonlyArray<Mistakes>,
  directory: string,
  file: CheckRequest["devices"]
) {
  const settings = found.find((one) => one.settings !== undefined)?.settings
  const templates = found.find((one) => one.templates !== undefined)?.templates
  if (settings === undefined || templates === undefined || found.some(({ errors }) => errors.length > 0)) return []
  const { SETTINGS_OVERRIDE: override, templateSecrets: secrets } = yield* ServerConfig
  const devices = Option.isNone(file) ? undefined : yield* readDevices(file.value)
  const warnings = undefinedNames(settings, templates, devices, { override, secrets })
  const together: Mistakes = { errors: [], warnings, ignored: [] }
  yield* print(directory, together)
  return [together]
})

const checkAll = Effect.fnUntraced(function* ({ against, devices, settings, templates }: CheckRequest) {
  if (Option.isNone(settings) && Option.isNone(templates)) {
    return yield* new CheckImpossible({ message: "Nothing to check: give --settings DIR, --templates DIR or both" })
  }
  const found: Array<Mistakes> = []
  const asked = [
    ...Option.toArray(settings).map((directory) => ({
      name: "settings" as const,
      directory,
      mistakes: checkSettingsIn(directory, devices)
    })),
    ...Option.toArray(templates).map((directory) => ({
      name: "templates" as const,
      directory,
      mistakes: checkTemplatesIn(directory)
    }))
  ]
  for (const { directory: given, mistakes, name } of asked) {
    const directory = withoutSlash(given)
    const one = yield* mistakes
    yield* print(directory, one)
    found.push(one)
    if (Option.isSome(against) && one.errors.length === 0) {
      found.push(yield* checkAgainst(against.value, name, directory, one))
    }
  }
  if (Option.isNone(against) && Option.isSome(templates)) {
    found.push(...(yield* checkTogether(found, withoutSlash(templates.value), devices)))
  }
  const errors = found.reduce((sum, one) => sum + one.errors.length, 0)
  const warnings = found.reduce((sum, one) => sum + one.warnings.length, 0)
  yield* Console.error(`${errors} errors, ${warnings} warnings`)
  if (errors > 0) return yield* new MistakesFound({ exitCode: ERRORS })
  if (warnings > 0) return yield* new MistakesFound({ exitCode: WARNINGS_ONLY })
})

/** Checks, prints, and fails if there are mistakes. */
export const checkRepositories = (request: CheckRequest) =>
  checkAll(request).pipe(
    Effect.provide(ServerConfig.layerChecking(checkedSettings.check)),
    Effect.mapError((error) =>
      error._tag === "MistakesFound" || error._tag === "CheckImpossible"
        ? error
        : new CheckImpossible({ message: messageOf(error) })
    ),
    Effect.tapError((error) => (error._tag === "CheckImpossible" ? Console.error(error.message) : Effect.void))
  )
