/**
 * The files that a template refers to by a constant name: through include, import, from and extends. Names that are computed during
 * rendering cannot be followed; such a template is marked.
 */
import { allStatements } from "../jinja/compile/Walk.ts"
import { attempt, Position } from "../jinja/Failure.ts"
import { defaultLimits, resolveName } from "../jinja/Jinja.ts"
import { metered } from "../jinja/Meter.ts"
import { parseTemplate } from "../jinja/syntax/Parser.ts"
import type { Expression, Statement } from "../jinja/syntax/Tree.ts"
import { MAPPING_FILE, type MappingEntry, type TemplatePlatform, type TemplateSnapshot } from "./TemplateSnapshot.ts"
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"

/** A file that a template names. */
interface Reference {
  /** Path in the platform's directory; names that lead out of it are unchanged. */
  readonly file: string
  /** True if a missing file is no error. */
  readonly optional: boolean
  readonly line: number
  readonly column: number
}

/** The references of one template. */
interface References {
  readonly named: ReadonlyArray<Reference>
  /** True if it computes the name of a file. */
  readonly computed: boolean
}

interface Names {
  readonly constants: ReadonlyArray<string>
  readonly computed: boolean
}

const NONE: References = { named: [], computed: false }

const together = (parts: ReadonlyArray<Names>): Names => ({
  constants: parts.flatMap(({ constants }) => constants),
  computed: parts.some(({ computed }) => computed)
})

const namesIn = (expression: Expression): Names => {
  switch (expression.type) {
    case "constant":
      return typeof expression.value === "string"
        ? { constants: [expression.value], computed: false }
        : { constants: [], computed: false }
    case "list":
    case "tuple":
      return together(expression.items.map(namesIn))
    case "conditional":
      return together([expression.value, ...(expression.otherwise ? [expression.otherwise] : [])].map(namesIn))
    default:
      return { constants: [], computed: true }
  }
}

const inStatement = (statement: Statement, from: string): References => {
  switch (statement.type) {
    case "include":
    case "import":
    case "from":
    case "extends": {
      const { computed, constants } = namesIn(statement.template)
      // One missing file of a list is no fault: the first existing one is used.
      const optional = (statement.type === "include" && statement.ignoreMissing) || constants.length > 1
      const named = constants.map((name) => ({
        file: resolveName(name, from) ?? name,
        optional,
        line: statement.at.line,
        column: statement.at.column
      }))
      return { named, computed }
    }
    default:
      return NONE
  }
}

/** Processor time for parsing one template; more than any template needs that compiles in time. */
const LIMITS = { ...defaultLimits, deadline: 500 }

const readReferences = (file: string, source: string): References => {
  const parsed = attempt(
    () =>
      metered(LIMITS, () =>
        allStatements(parseTemplate(file, source).body).map((statement) => inStatement(statement, file))
      ),
    () => new Position(file, 1, 1)
  )
  // A file that cannot be parsed cannot be rendered either, so it refers to nothing.
  if (!parsed.ok) return NONE
  return {
    named: parsed.value.flatMap(({ named }) => named),
    computed: parsed.value.some(({ computed }) => computed)
  }
}

const known = new WeakMap<TemplatePlatform, Map<string, References>>()

/** The references of a file; none if it does not exist or has a syntax error. Read once per snapshot. */
export const referencesOf = (platform: TemplatePlatform, file: string): References => {
  const files = known.get(platform) ?? new Map<string, References>()
  known.set(platform, files)
  const before = files.get(file)
  if (before !== undefined) return before
  const source = platform.files.get(file)
  const references = source === undefined ? NONE : readReferences(file, source)
  files.set(file, references)
  return references
}

/** Files that are reachable from others. */
interface Reach {
  /** Paths in the platform's directory, the starting files first; some may not exist. */
  readonly files: ReadonlySet<string>
  /** True if any of them computes the name of a file, so that there may be more. */
  readonly computed: boolean
}

/** All files that are reachable from these, with these. */
export const reachOf = (platform: TemplatePlatform, starts: Iterable<string>): Reach => {
  const files = new Set(starts)
  let computed = false
  // Iterating over a set includes elements that are added meanwhile.
  for (const file of files) {
    const references = referencesOf(platform, file)
    computed ||= references.computed
    for (const { file: next } of references.named) files.add(next)
  }
  return { files, computed }
}

// The devices that are no longer synchronized after a change of the templates (docs/templates.md#who-becomes-unsynchronized). Pure.

/** Devices of one type on one platform. */
interface AffectedType {
  readonly platform: string
  readonly device_type: string
}

const entryIn = (platform: TemplatePlatform | undefined, type: string): MappingEntry | undefined =>
  platform !== undefined && Result.isSuccess(platform.mapping) ? platform.mapping.success.get(type) : undefined

const typesIn = (platform: TemplatePlatform | undefined): ReadonlyArray<string> =>
  platform !== undefined && Result.isSuccess(platform.mapping) ? [...platform.mapping.success.keys()] : []

const sameEntry = (a: MappingEntry | undefined, b: MappingEntry | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.entrypoint === b.entrypoint &&
  a.needsRunningConfig === b.needsRunningConfig &&
  [...a.dependencies].toSorted().join("\0") === [...b.dependencies].toSorted().join("\0")

/** Whether one of these files is among those of the entry's rendering. `changed` are paths in the platform's directory. */
const dependsOn = (platform: TemplatePlatform | undefined, type: string, changed: ReadonlySet<string>): boolean => {
  const entry = entryIn(platform, type)
  if (platform === undefined || entry === undefined) return false
  const { computed, files } = reachOf(platform, [entry.entrypoint, ...entry.dependencies])
  if (!files.isDisjointFrom(changed)) return true
  return computed && [...changed].some((file) => file !== MAPPING_FILE)
}

const changedByPlatform = (changedPaths: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const platforms = new Map<string, Set<string>>()
  for (const path of changedPaths) {
    const slash = path.indexOf("/")
    if (slash <= 0) continue
    const name = path.slice(0, slash)
    const files = platforms.get(name) ?? new Set<string>()
    platforms.set(name, files.add(path.slice(slash + 1)))
  }
  return platforms
}

/**
 * The device types, by platform, whose configuration may differ: their entry point, a listed dependency or a file that is reachable from
 * these has changed, or their entry in the mapping has. A template that computes names of files counts as depending on every file of its
 * platform. `before` is the snapshot that was in force, if any.
 */
export const affectedTypes = (
  changedPaths: Iterable<string>,
  before: TemplateSnapshot | undefined,
  after: TemplateSnapshot
): ReadonlyArray<AffectedType> =>
  [...changedByPlatform(changedPaths)].flatMap(([name, changed]) => {
    const [old, current] = [before?.platforms.get(name), after.platforms.get(name)]
    const types = new Set([...typesIn(current), ...typesIn(old)])
    return [...types]
      .filter((type) => {
        const remapped = changed.has(MAPPING_FILE) && !sameEntry(entryIn(old, type), entryIn(current, type))
        return remapped || dependsOn(current, type, changed) || dependsOn(old, type, changed)
      })
      .map((type) => ({ platform: name, device_type: type }))
  })

/** The devices of these types, in the given order; their state does not matter. */
export const devicesOfTypes = <D extends Pick<Device, "platform" | "device_type">>(
  affected: ReadonlyArray<AffectedType>,
  devices: ReadonlyArray<D>
): ReadonlyArray<D> => {
  const wanted = new Set(affected.map(({ device_type, platform }) => `${platform}\0${device_type}`))
  return devices.filter(({ device_type, platform }) => wanted.has(`${platform}\0${device_type}`))
}

/** The paths that differ between two snapshots, if there are no commits to compare. */
export const changedTemplateFiles = (before: TemplateSnapshot, after: TemplateSnapshot): ReadonlyArray<string> => {
  const names = new Set([...before.platforms.keys(), ...after.platforms.keys()])
  return [...names].flatMap((name) => {
    const old = before.platforms.get(name)?.files ?? new Map<string, string>()
    const current = after.platforms.get(name)?.files ?? new Map<string, string>()
    const paths = new Set([...old.keys(), ...current.keys()])
    return [...paths].filter((path) => old.get(path) !== current.get(path)).map((path) => `${name}/${path}`)
  })
}
