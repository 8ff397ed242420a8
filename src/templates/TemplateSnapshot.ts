/**
 * All templates of one commit of the templates repository: one environment of the engine per platform, each with its mapping. A snapshot
 * never changes, so that a rendering sees one commit whatever a refresh does meanwhile; templates are compiled once per snapshot, and
 * unchanged platforms keep the compiled templates of the previous snapshot.
 */
import { Array as Arr, Equal, Result, Schema } from "effect"
import type { FileRefusal } from "../git/GitTree.ts"
import { Environment, type Failure, type Limits, memoryLoader, type Position } from "../jinja/Jinja.ts"
import { templateFilters } from "./TemplateFilters.ts"
import { pythonTypeName } from "../settings/PythonText.ts"
import { readYaml } from "../settings/YamlFile.ts"
import { CHECKS_FILE, readChecks, type TemplateChecks } from "./ChecksFile.ts"
import { placesIn } from "../settings/SettingsProblem.ts"
import { pathText, remark, Remark, remarkText } from "../domain/Repository.ts"

// The errors of a templates repository and of a rendering. Messages about the repository are those that existing clients know
// (docs/templates.md#who-becomes-unsynchronized); messages about a template name the place in it.

/** A mapping or a file is missing or unusable; a retry helps only after the repository has changed. */
export class RepoStructureError extends Schema.TaggedError<RepoStructureError>()("RepoStructureError", {
  message: Schema.String,
  /** The place in the repository, as far as it is known. */
  place: Schema.optionalKey(Remark)
}) {}

/** A place in a template; `template` is the path in the repository, line and column count from 1. */
const TemplatePlace = Schema.Struct({ template: Schema.String, line: Schema.Int, column: Schema.Int })
type TemplatePlace = typeof TemplatePlace.Type

/**
 * A template does not compile, or cannot be rendered with these variables. `kind` is the name that Jinja2 and Python give
 * the error, `via` the places of the includes, imports and calls that led there, innermost first.
 */
export class TemplateError extends Schema.TaggedError<TemplateError>()("TemplateError", {
  kind: Schema.String,
  sentence: Schema.String,
  place: TemplatePlace,
  sourceLine: Schema.NullOr(Schema.String),
  via: Schema.Array(TemplatePlace)
}) {
  override get message() {
    const { column, line, template } = this.place
    return `${this.kind}: ${this.sentence} (${template}, line ${line}, column ${column})`
  }
}

/** An error of the repository for its author, as an entry of a list, with its place apart from its text. */
export const errorRemark = (error: RepoStructureError | TemplateError): Remark => {
  if (error._tag === "RepoStructureError") return error.place ?? remark(error.message)
  const { column, line, template } = error.place
  return remark(`${error.kind}: ${error.sentence}`, { file: template, line, column })
}

const MAX_SENTENCE = 2_000
const MAX_LINE = 500

/** The text of one line of a file, counted from 1; null if the file or the line is unknown. */
const sourceLineOf = (source: string | undefined, line: number): string | null =>
  source?.split(/\r\n|\r|\n/, line)[line - 1]?.slice(0, MAX_LINE) ?? null

/**
 * A sentence quotes words of its line, in which the neighbouring words reveal a secret: words that are hidden in the line are hidden in the
 * sentence, too.
 */
const withoutHidden = (sentence: string, line: string, shown: string): string =>
  sentence.replaceAll(/'([^']*)'/g, (quoted, word: string) =>
    word !== "" && line.includes(word) && !shown.includes(word) ? "'<hidden>'" : quoted
  )

/**
 * A failure of the engine as an error. `directory` is put in front of template names, `sourceOf` yields the text of a template, `mask`
 * removes secrets from the sentence and the line.
 */
export const templateError = (
  { kind, message, position, via }: Failure,
  directory: string,
  sourceOf: (template: string) => string | undefined,
  mask: (text: string) => string
): TemplateError => {
  const placeOf = ({ column, line, template }: Position): TemplatePlace => ({
    template: directory === "" ? template : `${directory}/${template}`,
    line,
    column
  })
  const line = sourceLineOf(sourceOf(position.template), position.line)
  const shown = line === null ? null : mask(line)
  const sentence = mask(message)
  return new TemplateError({
    kind,
    sentence: (line === null || shown === null ? sentence : withoutHidden(sentence, line, shown)).slice(
      0,
      MAX_SENTENCE
    ),
    place: placeOf(position),
    sourceLine: shown,
    via: via.map(placeOf)
  })
}

/** The error for people: its sentence, the source line with a mark under the column, and the includes and calls that led there. */
export const describeTemplateError = ({ kind, place, sentence, sourceLine, via }: TemplateError): string => {
  const lines = [`${kind}: ${sentence}`, `  in ${placeText(place)}`]
  if (sourceLine !== null) {
    const margin = String(place.line).padStart(6)
    // Tabs stay tabs, so that the mark stands under its character whatever their width.
    const indent = sourceLine.slice(0, place.column - 1).replaceAll(/[^\t]/g, " ")
    lines.push(`${margin} | ${sourceLine}`, `${" ".repeat(margin.length)} | ${indent}^`)
  }
  return [...lines, ...via.map((from) => `  included or called from ${placeText(from)}`)].join("\n")
}

const placeText = ({ column, line, template }: TemplatePlace): string => `${template}, line ${line}, column ${column}`

// Reads `mapping.yml`: the template with which each device type of a platform starts (docs/templates.md#files).

/** The templates that one device type is rendered with. */
export interface MappingEntry {
  /** Template file, relative to the platform's directory. */
  readonly entrypoint: string
  /** Further files whose change concerns the device type. */
  readonly dependencies: ReadonlyArray<string>
  /** Whether rendering needs the device's running configuration, which is read first. */
  readonly needsRunningConfig: boolean
}

/** Entries by device type. */
export type PlatformMapping = ReadonlyMap<string, MappingEntry>

/** A mapping, or all its faults. */
type MappingOrFaults = Result.Result<PlatformMapping, Arr.NonEmptyReadonlyArray<Remark>>

/** Why an entry is unusable: the fault, and its keys. */
interface EntryFault {
  readonly message: string
  readonly path: ReadonlyArray<string>
}

/** The file that makes a directory a platform. */
export const MAPPING_FILE = "mapping.yml"
const DEVICE_TYPES = ["ACCESS", "DIST", "CORE"] as const

const entryFault = (type: string, reason: string, ...keys: ReadonlyArray<string>): EntryFault => ({
  message: `Could not parse ${MAPPING_FILE} in template repo for ${type}, ${reason}`,
  path: [type, ...keys]
})

const readEntry = (type: string, value: unknown): Result.Result<MappingEntry, EntryFault> => {
  if (!(value instanceof Map)) {
    return Result.fail(entryFault(type, `expected a mapping, not ${pythonTypeName(value)}`))
  }
  const entrypoint: unknown = value.get("entrypoint")
  if (entrypoint === undefined) return Result.fail(entryFault(type, "value not found: 'entrypoint'"))
  if (typeof entrypoint !== "string" || entrypoint === "") {
    const reason = `'entrypoint' must be the name of a file, not ${pythonTypeName(entrypoint)}`
    return Result.fail(entryFault(type, reason, "entrypoint"))
  }
  const dependencies: unknown = value.get("dependencies")
  return Result.succeed({
    entrypoint,
    dependencies: Array.isArray(dependencies) ? dependencies.filter((name) => typeof name === "string") : [],
    needsRunningConfig: Array.isArray(value.get("unmanaged_config_sections"))
  })
}

const placedIn = (text: string, onKey = false) => {
  const places = placesIn(text)
  return ({ message, path }: EntryFault): Remark => {
    const place = places(path, onKey)
    return remark(message, {
      file: MAPPING_FILE,
      line: place?.line ?? null,
      column: place?.column ?? null,
      path: pathText(path)
    })
  }
}

const ENTRY_KEYS = ["entrypoint", "dependencies", "unmanaged_config_sections"]
const TYPES: ReadonlyArray<unknown> = DEVICE_TYPES

const entryDoubts = (type: unknown, entry: ReadonlyMap<unknown, unknown>): ReadonlyArray<EntryFault> => {
  const doubt = (key: unknown, message: string) => ({ message, path: [String(type), String(key)] })
  const dependencies: unknown = entry.get("dependencies")
  const isList = dependencies === undefined || Array.isArray(dependencies)
  return [
    ...[...entry.keys()]
      .filter((key) => typeof key !== "string" || !ENTRY_KEYS.includes(key))
      .map((key) => doubt(key, `nothing here has this name; known are ${ENTRY_KEYS.join(", ")}`)),
    ...(isList
      ? []
      : [doubt("dependencies", `not used: expected a list of files, not ${pythonTypeName(dependencies)}`)])
  ]
}

/** Doubts about a usable mapping: duplicate keys, unknown names. */
export const mappingRemarks = (text: string): ReadonlyArray<Remark> => {
  const file = readYaml(MAPPING_FILE, text)
  if (Result.isFailure(file) || !(file.success.value instanceof Map)) return []
  const doubts = [...file.success.value].flatMap(([type, entry]: readonly [unknown, unknown]) => [
    ...(TYPES.includes(type)
      ? []
      : [{ message: `no device has this type; known are ${DEVICE_TYPES.join(", ")}`, path: [String(type)] }]),
    ...(entry instanceof Map ? entryDoubts(type, entry) : [])
  ])
  return [...file.success.warnings, ...doubts.map(placedIn(text, true))]
}

/**
 * The mapping in a text. `directory` is the platform's directory for messages. Fails with the exact messages of
 * docs/templates.md#who-becomes-unsynchronized, all of them.
 */
const readMapping = (directory: string, text: string): MappingOrFaults => {
  const unreadable = (reason: string, place: Partial<Remark>): MappingOrFaults =>
    Result.fail(
      Arr.of({
        ...remark(`Could not parse ${directory}/${MAPPING_FILE} in template repo: ${reason}`, place),
        file: MAPPING_FILE
      })
    )
  const file = readYaml(MAPPING_FILE, text)
  if (Result.isFailure(file)) return unreadable(remarkText(file.failure), file.failure)
  const { value } = file.success
  if (!(value instanceof Map)) return unreadable(`expected a mapping of device types, not ${pythonTypeName(value)}`, {})
  const entries = [...value].map(([type, entry]) => [String(type), readEntry(String(type), entry)] as const)
  const faults = entries.flatMap(([, entry]) => (Result.isFailure(entry) ? [entry.failure] : []))
  if (Arr.isReadonlyArrayNonEmpty(faults)) return Result.fail(Arr.map(faults, placedIn(text)))
  return Result.succeed(
    new Map(entries.flatMap(([type, entry]) => (Result.isSuccess(entry) ? [[type, entry.success] as const] : [])))
  )
}

/** The input of a snapshot. */
interface TemplateSnapshotInput {
  /** Text of each file by its path in the repository. */
  readonly files: ReadonlyMap<string, string>
  /** Files that could not be read, each with the reason. */
  readonly refused?: ReadonlyMap<string, FileRefusal>
  /** The prefix of paths in messages: the place of the local copy. */
  readonly root: string
  /** The snapshot in force, whose unchanged platforms need not be compiled again. */
  readonly previous?: TemplateSnapshot
  readonly limits?: Partial<Limits>
}

/** One platform directory. */
export interface TemplatePlatform {
  readonly name: string
  /** The directory's name for messages. */
  readonly directory: string
  /** Text of each file by its path in the directory. */
  readonly files: ReadonlyMap<string, string>
  /** Why a file could not be read, by its path in the directory; the whole directory has an empty path. */
  readonly refused: ReadonlyMap<string, FileRefusal>
  /** The mapping, or all its faults. */
  readonly mapping: MappingOrFaults
  readonly environment: Environment
}

/** The templates of one commit. */
export interface TemplateSnapshot {
  readonly root: string
  readonly platforms: ReadonlyMap<string, TemplatePlatform>
  /** The checks of the repository. */
  readonly checks: TemplateChecks
}

const isPlatformPath = (path: string): boolean => path.includes("/") && !path.startsWith(".")

/** True for a path that belongs to a platform or holds the checks; other files of the repository need not be loaded. */
export const isTemplatePath = (path: string): boolean => isPlatformPath(path) || path === CHECKS_FILE

const NO_FILES: ReadonlyMap<string, string> = new Map()
const NO_REFUSALS: ReadonlyMap<string, FileRefusal> = new Map()

const byPlatform = <A>(files: ReadonlyMap<string, A>): ReadonlyMap<string, ReadonlyMap<string, A>> => {
  const platforms = new Map<string, Map<string, A>>()
  for (const [path, content] of files) {
    const [name = "", ...rest] = path.split("/")
    const own = platforms.get(name) ?? new Map<string, A>()
    platforms.set(name, own.set(rest.join("/"), content))
  }
  return platforms
}

const textsByPlatform = (files: ReadonlyMap<string, string>) =>
  byPlatform(new Map([...files].filter(([path]) => isPlatformPath(path))))

const sameFiles = <A>(a: ReadonlyMap<string, A>, b: ReadonlyMap<string, A>): boolean =>
  a.size === b.size && [...a].every(([path, content]) => Equal.equals(b.get(path), content))

const makePlatform = (
  name: string,
  files: ReadonlyMap<string, string>,
  refused: ReadonlyMap<string, FileRefusal>,
  { limits = {}, previous, root }: TemplateSnapshotInput
): TemplatePlatform => {
  const directory = `${root}/${name}`
  const known = previous?.platforms.get(name)
  if (known !== undefined && known.directory === directory && sameFiles(known.files, files)) {
    return sameFiles(known.refused, refused) ? known : { ...known, refused }
  }
  const text = files.get(MAPPING_FILE)
  const mapping =
    text === undefined
      ? Result.fail(
          Arr.of(remark(`File ${MAPPING_FILE} not found in template repo ${directory}`, { file: MAPPING_FILE }))
        )
      : readMapping(directory, text)
  const environment = new Environment({ loader: memoryLoader(files), filters: templateFilters, limits })
  return { name, directory, files, refused, mapping, environment }
}

const checksOf = (text: string | undefined, refusal: FileRefusal | undefined): TemplateChecks => {
  if (refusal === undefined) return readChecks(text)
  const { line, reason } = refusal
  return {
    checks: [],
    problems: [remark(`File ${CHECKS_FILE} cannot be read: ${reason}`, { file: CHECKS_FILE, line })]
  }
}

/** Arranges the files of a commit. Never fails: `checkTemplates`, and renderings that need a platform, find its faults. */
export const buildTemplateSnapshot = (input: TemplateSnapshotInput): TemplateSnapshot => {
  const files = textsByPlatform(input.files)
  const given = input.refused ?? NO_REFUSALS
  const refused = byPlatform(new Map([...given].filter(([path]) => path !== CHECKS_FILE)))
  const names = new Set([...files.keys(), ...refused.keys()])
  const make = (name: string) =>
    makePlatform(name, files.get(name) ?? NO_FILES, refused.get(name) ?? NO_REFUSALS, input)
  return {
    root: input.root,
    platforms: new Map([...names].map((name) => [name, make(name)])),
    checks: checksOf(input.files.get(CHECKS_FILE), given.get(CHECKS_FILE))
  }
}

/** A platform by name with its mapping. Fails with RepoStructureError if the directory or its mapping is missing or unusable. */
export const platformOf = (
  { platforms, root }: TemplateSnapshot,
  name: string
): Result.Result<{ readonly platform: TemplatePlatform; readonly mapping: PlatformMapping }, RepoStructureError> => {
  const platform = platforms.get(name)
  if (platform === undefined || !platform.files.has(MAPPING_FILE)) {
    const message = `File ${root}/${name}/${MAPPING_FILE} not found in template repo`
    return Result.fail(new RepoStructureError({ message }))
  }
  return Result.mapBoth(platform.mapping, {
    onFailure: ([{ message }]) => new RepoStructureError({ message }),
    onSuccess: (mapping) => ({ platform, mapping })
  })
}
