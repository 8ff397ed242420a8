/**
 * The engine with its templates: loads files, compiles each once, and renders it as often as the caller wants. Make one environment per
 * state of a repository (a commit); its cache then never becomes stale. Nothing throws: all functions return a `Result`.
 */
import { compileTemplate } from "./compile/Templates.ts"
import { attempt, fail, type Failure, Position, type Result } from "./Failure.ts"
import { commonFilters, jsonFilters, numberFilters } from "./library/ValueFilters.ts"
import { functionFilters, sequenceFilters } from "./library/SequenceFilters.ts"
import { globals } from "./library/Globals.ts"
import { tests } from "./library/Tests.ts"
import { textFilters } from "./library/TextFilters.ts"
import { defaultLimits, exceed, type Limits, metered } from "./Meter.ts"
import {
  BaseNames,
  type CompiledTemplate,
  Context,
  type LogEntry,
  Rendering,
  type Surroundings,
  type UndefinedPrint
} from "./runtime/Rendering.ts"
import { parseTemplate } from "./syntax/Parser.ts"
import type { Library } from "./values/Builtin.ts"
import { Dict, type Value } from "./values/Value.ts"
import { convertValue } from "./Variables.ts"
import { readFileSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"

// Where templates come from, and how their names are resolved: relative to the directory of the file that asks, never above the
// root. See docs/templates.md#files.

/** Gives the text of a template; undefined if there is none of this name. Names are relative to the root, with slashes. */
export interface Loader {
  readonly read: (name: string) => string | undefined
}

/**
 * The name that `name` means in the file `from`: joined to that file's directory; with a slash in front, counted from the
 * root. Undefined for names with a `..` segment, which lead nowhere.
 */
export const resolveName = (name: string, from: string): string | undefined => {
  if (/[\\\0]/.test(name)) return undefined
  const directory = name.startsWith("/") ? [] : from.split("/").slice(0, -1)
  const segments = [...directory, ...name.split("/")].filter((segment) => segment !== "" && segment !== ".")
  return segments.length === 0 || segments.includes("..") ? undefined : segments.join("/")
}

/** Templates held in memory: a map from name to text, such as the files of a commit. */
export const memoryLoader = (files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Loader => {
  const map = files instanceof Map ? files : new Map(Object.entries(files))
  return { read: (name) => map.get(name) }
}

const largestFile = 4 * 1024 * 1024

/** Templates in a directory. Symbolic links that lead out of it and files larger than 4 MiB are not found. */
export const directoryLoader = (directory: string): Loader => ({
  read: (name) => {
    try {
      const root = realpathSync(directory)
      const path = realpathSync(join(root, name))
      const stat = statSync(path)
      if (!path.startsWith(root + sep) || !stat.isFile() || stat.size > largestFile) return undefined
      return readFileSync(path, "utf8")
    } catch {
      return undefined
    }
  }
})

/** How to make an environment. */
export interface EnvironmentOptions {
  readonly loader: Loader
  /** Filters beyond Jinja2's own; later ones win. */
  readonly filters?: ReadonlyArray<Library>
  /** Names that every template knows, beyond Jinja2's own. */
  readonly globals?: ReadonlyMap<string, Value>
  readonly limits?: Partial<Limits>
}

/** A template that compiled, to be rendered by the environment it came from. */
export interface Template {
  readonly name: string
  readonly compiled: CompiledTemplate
}

/** The result of a rendering. */
export interface Rendered {
  readonly text: string
  /** Messages of the global function `log`, in order, at most 1,000. */
  readonly log: ReadonlyArray<LogEntry>
  /** Where undefined values were printed as nothing, each place once, at most 100. */
  readonly undefinedPrints: ReadonlyArray<UndefinedPrint>
}

/** Variables of a rendering: values of the engine, or plain data of JavaScript, which is converted. */
export type Variables = Dict | ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>

/** Jinja2's own filters. */
export const builtinFilters: Library = new Map([
  ...textFilters,
  ...sequenceFilters,
  ...functionFilters,
  ...numberFilters,
  ...jsonFilters,
  ...commonFilters
])

const mostAsked = 10_000

// Milliseconds of processor time for one template and the templates that it needs to be compiled; some hundred kilobytes.
const compileDeadline = 500

/** Compiles and renders templates. */
export class Environment {
  readonly limits: Limits
  private readonly loader: Loader
  private readonly cache = new Map<string, CompiledTemplate>()
  // The templates that files have asked for, by the file that asks and the name it uses.
  private readonly asked = new Map<string, CompiledTemplate>()
  // Files that took too long to compile, which is not tried again.
  private readonly refused = new Map<string, Failure>()
  private readonly surroundings: Surroundings

  constructor(options: EnvironmentOptions) {
    this.loader = options.loader
    this.limits = { ...defaultLimits, ...options.limits }
    this.surroundings = {
      filters: new Map([builtinFilters, ...(options.filters ?? [])].flatMap((library) => [...library])),
      tests,
      globals: new Map([...globals, ...(options.globals ?? [])]),
      find: (name, from) => this.find(name, from),
      compileText: (name, source) => this.compileSource(name, source)
    }
  }

  /**
   * The template in a file. Fails with TemplateNotFound, a syntax error, or LimitExceeded when it takes too long. Compiled
   * once, then kept.
   */
  compile(name: string): Result<Template> {
    const refused = this.refused.get(name)
    if (refused !== undefined) return { ok: false, failure: refused }
    const result = this.guard(name, () => this.template(name))
    if (!result.ok && result.failure.kind === "LimitExceeded") this.refused.set(name, result.failure)
    return result
  }

  /** A template from a text; `name` stands in error messages and is what relative includes start from. Not kept. */
  compileText(name: string, source: string): Result<Template> {
    return this.guard(name, () => ({ name, compiled: this.compileSource(name, source) }))
  }

  /** Renders a template. Values of the engine among the variables are shared, so a template can change them. */
  render(template: Template, variables: Variables): Result<Rendered> {
    const rendering = new Rendering(this.surroundings, new Position(template.name, 1, 1))
    return attempt(
      () => metered(this.limits, () => this.run(template, variables, rendering)),
      () => rendering.at
    )
  }

  /** Compiles (or takes from the cache) and renders a file, both together within the limits, or within narrower ones. */
  renderFile(name: string, variables: Variables, narrower: Partial<Limits> = {}): Result<Rendered> {
    const rendering = new Rendering(this.surroundings, new Position(name, 1, 1))
    return attempt(
      () => metered({ ...this.limits, ...narrower }, () => this.run(this.template(name), variables, rendering)),
      () => rendering.at
    )
  }

  private template(name: string): Template {
    const compiled = this.find(name, "") ?? fail("TemplateNotFound", `template '${name}' was not found`)
    return { name, compiled }
  }

  private run(template: Template, variables: Variables, rendering: Rendering): Rendered {
    const converted = variables instanceof Dict ? variables : convertValue(variables)
    const names = converted instanceof Dict ? converted : fail("TypeError", "variables must be a mapping")
    const context = new Context(template.compiled, new BaseNames(names, this.surroundings.globals))
    const text = rendering.capture(() => template.compiled.run(context, rendering))
    if (Buffer.byteLength(text) > this.limits.output) {
      exceed("output", `output is larger than ${this.limits.output} bytes`)
    }
    const undefinedPrints = Array.from(rendering.undefinedPrints, ([at, message]) => ({ at, message }))
    return { text, log: rendering.log, undefinedPrints }
  }

  private guard<A>(name: string, run: () => A): Result<A> {
    return attempt(
      () => metered({ ...this.limits, deadline: compileDeadline }, run, "compiling"),
      () => new Position(name, 1, 1)
    )
  }

  private find(name: string, from: string): CompiledTemplate | undefined {
    const key = `${from}\0${name}`
    const asked = this.asked.get(key)
    if (asked !== undefined) return asked
    const found = this.load(name, from)
    if (this.asked.size >= mostAsked) this.asked.clear()
    if (found !== undefined) this.asked.set(key, found)
    return found
  }

  private load(name: string, from: string): CompiledTemplate | undefined {
    const resolved = resolveName(name, from)
    if (resolved === undefined) return undefined
    const known = this.cache.get(resolved)
    if (known !== undefined) return known
    const source = this.loader.read(resolved)
    if (source === undefined) return undefined
    const compiled = this.compileSource(resolved, source)
    this.cache.set(resolved, compiled)
    return compiled
  }

  private compileSource(name: string, source: string): CompiledTemplate {
    return compileTemplate(parseTemplate(name, source), this.surroundings)
  }
}
