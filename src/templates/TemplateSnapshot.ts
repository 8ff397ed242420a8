/**
 * All templates of one commit of the templates repository: one environment of the engine per platform, each with its
 * mapping. A snapshot never changes, so that a rendering sees one commit whatever a refresh does meanwhile; templates are
 * compiled once per snapshot, and platforms that did not change keep what the snapshot before has compiled.
 */
import { Array as Arr, Equal, Result } from "effect"
import { remark } from "../domain/Repository.ts"
import type { FileRefusal } from "../git/FileText.ts"
import { Environment, type Limits, memoryLoader } from "../jinja/Jinja.ts"
import { type MappingOrFaults, type PlatformMapping, readMapping } from "./PlatformMapping.ts"
import { RepoStructureError } from "./TemplateErrors.ts"
import { templateFilters } from "./TemplateFilters.ts"

/** What a snapshot is built from. */
export interface TemplateSnapshotInput {
  /** Text of each file by its path in the repository. */
  readonly files: ReadonlyMap<string, string>
  /** Files that could not be read, each with the reason. */
  readonly refused?: ReadonlyMap<string, FileRefusal>
  /** What messages put before paths: the place of the local copy. */
  readonly root: string
  /** The snapshot in force, whose unchanged platforms need not be compiled again. */
  readonly previous?: TemplateSnapshot
  readonly limits?: Partial<Limits>
}

/** One platform directory. */
export interface TemplatePlatform {
  readonly name: string
  /** The directory as messages name it. */
  readonly directory: string
  /** Text of each file by its path in the directory. */
  readonly files: ReadonlyMap<string, string>
  /** Why a file could not be read, by its path in the directory; the whole directory has an empty path. */
  readonly refused: ReadonlyMap<string, FileRefusal>
  /** The mapping, or everything that is wrong with it. */
  readonly mapping: MappingOrFaults
  readonly environment: Environment
}

/** The templates of one commit. */
export interface TemplateSnapshot {
  readonly root: string
  readonly platforms: ReadonlyMap<string, TemplatePlatform>
}

/** The file that makes a directory a platform. */
export const MAPPING_FILE = "mapping.yml"

/** True for a path that belongs to a platform; nothing else need be loaded from the repository. */
export const isTemplatePath = (path: string): boolean => path.includes("/") && !path.startsWith(".")

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
  byPlatform(new Map([...files].filter(([path]) => isTemplatePath(path))))

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

/**
 * Arranges the files of a commit. Never fails: what is wrong with a platform is found by `checkTemplates`, and by the
 * renderings that need it.
 */
export const buildTemplateSnapshot = (input: TemplateSnapshotInput): TemplateSnapshot => {
  const files = textsByPlatform(input.files)
  const refused = byPlatform(input.refused ?? NO_REFUSALS)
  const names = new Set([...files.keys(), ...refused.keys()])
  const make = (name: string) =>
    makePlatform(name, files.get(name) ?? NO_FILES, refused.get(name) ?? NO_REFUSALS, input)
  return { root: input.root, platforms: new Map([...names].map((name) => [name, make(name)])) }
}

/**
 * A platform by name with its mapping. Fails with RepoStructureError when the directory or its mapping is missing or
 * cannot be used.
 */
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
