/**
 * The plugins that the plugin file names, loaded once at the start (docs/plugins.md#the-plugin-file). They load in parallel with each other
 * and with everything else, so that a plugin that hangs delays only callers who ask for plugins.
 */
import { Context, Effect, Fiber, Layer, Option, Pool, Schema, SchemaIssue } from "effect"
import * as path from "node:path"
import { DEFAULT_PLUGIN_FILE, ServerConfig } from "../ServerConfig.ts"
import { type CheckStep, hiddenVariables, type HookName, type Plugin, PluginError, readyVariables } from "./Plugin.ts"
import type { CheckPlugin } from "../domain/checks/PluginQuestion.ts"
import * as PluginProcess from "./PluginProcess.ts"
import * as fs from "node:fs/promises"
import { parse, YAMLParseError } from "yaml"
import { codeOf, isMissing } from "../runtime/SystemErrors.ts"
import { pathToFileURL } from "node:url"
import { ownModule } from "../runtime/OwnModule.ts"
import type { SqlError } from "effect/sql"
import { type CallCounts, PluginCallStore } from "../store/PluginCallStore.ts"

// Where the modules of plugins are: the site's folder first, then the bundled ones (docs/plugins.md#the-plugin-file).

/** The plugins that come with the server. */
const bundled = ["filewriter", "nav", "netbox", "ni", "prometheus", "show", "zabbix"] as const

const ENDINGS = [".ts", ".mts", ".mjs", ".js"]

/** Without a path: files outside the folder are not plugins. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/** The name of a plugin: its file without the ending, which may be any, because other programs' plugin files name modules of Python. */
const nameOf = (filename: string): string => path.basename(filename, path.extname(filename))

const isFile = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      (found) => found.isFile(),
      () => false
    )
  )

/** The URL of a plugin's module. Fails with PluginError if there is none. */
export const findModule = Effect.fn("PluginModules.find")(function* (name: string, folder: string) {
  for (const ending of NAME.test(name) ? ENDINGS : []) {
    const file = path.resolve(folder, name + ending)
    if (yield* isFile(file)) return pathToFileURL(file)
  }
  if (bundled.some((known) => known === name)) return ownModule(`./bundled/${name}`, import.meta.url)
  const message = `no such file is in ${folder}, and the bundled plugins are ${bundled.join(", ")}`
  return yield* new PluginError({ plugin: name, message, retry: false })
})

// The plugin file: the plugins to run, and their variables (docs/plugins.md#the-plugin-file).

/** The plugin file as the API shows it. */
const PluginFile = Schema.Struct({
  plugins: Schema.Array(
    Schema.Struct({
      filename: Schema.String,
      vars: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
})
type PluginFile = typeof PluginFile.Type

/** The plugin file is unusable; the server runs without plugins. The reason quotes nothing of the file's content. */
class PluginFileUnusable extends Schema.TaggedError<PluginFileUnusable>()("PluginFileUnusable", {
  reason: Schema.String,
  missing: Schema.Boolean
}) {}

const unusable = (reason: string) => new PluginFileUnusable({ reason, missing: false })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const readText = (file: string) =>
  Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) =>
      isMissing(error)
        ? new PluginFileUnusable({ reason: "it does not exist", missing: true })
        : unusable(`it cannot be read (${codeOf(error) ?? "unknown"})`)
  })

const readYaml = (text: string) =>
  Effect.try({
    try: (): unknown => parse(text, { maxAliasCount: 10 }),
    catch: (error) => {
      const place = error instanceof YAMLParseError ? error.linePos?.[0] : undefined
      return unusable(`it is no YAML${place === undefined ? "" : ` (line ${place.line}, column ${place.col})`}`)
    }
  })

const readPlugins = (yaml: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(PluginFile)(yaml), ({ issue }) =>
    unusable(
      `its form is wrong at ${issuesOf(issue)
        .issues.map(({ path }) => path?.join(".") || "its top")
        .join(", ")}`
    )
  )

/** The file's plugins; none, with a line in the log, if it is unusable. A file that no setting names may be missing. */
const readPluginFile = (file: string): Effect.Effect<Option.Option<PluginFile>> =>
  readText(file).pipe(
    Effect.flatMap(readYaml),
    Effect.flatMap(readPlugins),
    Effect.tapError(({ missing, reason }) => {
      const line = `No plugins: PLUGIN_FILE is ${file}, but ${reason}`
      if (!missing) return Effect.logError(line)
      return file === DEFAULT_PLUGIN_FILE ? Effect.void : Effect.logWarning(line)
    }),
    Effect.option
  )

/** One entry of the plugin file, loaded or not. */
interface PluginEntry {
  readonly filename: string
  /** Its name; with a number if an earlier entry has the same. */
  readonly key: string
  readonly plugin: Option.Option<Plugin>
  /** Why it is not loaded; null if it is. */
  readonly problem: string | null
}

const SELFTEST = { id: "selftest", attempt: 1, again: false }

/** A step of a check is quick; a plugin that hangs must not use up the commit timers of devices. */
const CHECK_SECONDS = 10

/** The most processes of a plugin that answer checks, each for one device at a time. */
const CHECKS_AT_ONCE = 4
const CHECKS_IDLE = "1 minute"

/** Checks have processes of their own: one that hangs, or floods, ends neither a call for an event nor the check of another device. */
const makeChecks = Effect.fnUntraced(function* (options: PluginProcess.PluginProcessOptions) {
  const processes = yield* Pool.makeWithTTL({
    acquire: PluginProcess.make({
      ...options,
      seconds: Math.min(options.seconds, CHECK_SECONDS),
      longest: PluginProcess.LONGEST_OF_CHECK
    }),
    min: 0,
    max: CHECKS_AT_ONCE,
    timeToLive: CHECKS_IDLE
  })
  return (step: CheckStep) => Pool.use(processes, ({ check }) => check(step))
})

const pluginOf = (
  key: string,
  name: string,
  { checks, hooks }: PluginProcess.Loaded,
  process: PluginProcess.PluginProcess,
  check: Plugin["check"]
): Plugin => ({
  key,
  name,
  hooks,
  checks,
  check,
  selftest: hooks.includes("selftest")
    ? Effect.catch(process.call("selftest", null, SELFTEST), ({ message }) =>
        Effect.as(Effect.logError(`The selftest of plugin ${name} failed: ${message}`), false)
      )
    : Effect.succeed(null),
  call: ({ hook, ...event }, delivery) => Effect.asVoid(process.call(hook, event, delivery))
})

/** The keys of entries; entries that name the same plugin get numbers. */
const keysOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}#${before + 1}`
  })

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { PLUGIN_FILE, PLUGIN_MEMORY, PLUGIN_TIMEOUT, pluginSecrets } = config
  const folder = Option.getOrElse(config.PLUGIN_FOLDER, () => path.join(config.DATA_DIR, "plugins"))
  const file = yield* readPluginFile(PLUGIN_FILE)
  const given = Option.isSome(file) ? file.value.plugins : []
  const keys = keysOf(given.map(({ filename }) => nameOf(filename)))

  const open = Effect.fnUntraced(function* (key: string, name: string, given: Readonly<Record<string, unknown>>) {
    const { hide, vars } = readyVariables(given, pluginSecrets)
    const module = yield* findModule(name, folder)
    const limits = { seconds: PLUGIN_TIMEOUT, megabytes: PLUGIN_MEMORY }
    const options = { name, file: module, vars, hide, ...limits }
    const process = yield* PluginProcess.make(options)
    return pluginOf(key, name, yield* process.loaded, process, yield* makeChecks(options))
  })

  const load = ({ filename, vars = {} }: PluginFile["plugins"][number], index: number) => {
    const name = nameOf(filename)
    const key = keys[index] ?? name
    return open(key, name, vars).pipe(
      Effect.map((plugin): PluginEntry => ({ filename, key, plugin: Option.some(plugin), problem: null })),
      Effect.catch(({ message }: PluginError) =>
        Effect.as(Effect.logError(`Plugin ${name} is not loaded: ${message}`), {
          filename,
          key,
          plugin: Option.none(),
          problem: message
        })
      )
    )
  }

  const loading = yield* Effect.forkScoped(Effect.forEach(given, load, { concurrency: "unbounded" }))
  const entries = Fiber.join(loading)
  const plugins = Effect.map(entries, (all) => all.flatMap(({ plugin }) => Option.toArray(plugin)))

  const forChecks = Effect.map(entries, (all) =>
    all.map(({ key, plugin }): CheckPlugin => ({ name: key, checks: Option.getOrNull(plugin)?.checks ?? null }))
  )

  /** The last loaded one first, in the order that clients know. */
  const selftest = Effect.flatMap(plugins, (all) =>
    Effect.forEach(all.toReversed(), (plugin) => plugin.selftest, { concurrency: "unbounded" })
  ).pipe(Effect.map((results) => results.filter((result) => result !== null)))

  yield* selftest.pipe(
    Effect.tap((results) =>
      results.every((passed) => passed) ? Effect.void : Effect.logError("The selftest of a plugin failed")
    ),
    Effect.forkScoped
  )
  return PluginRegistry.of({ entries, plugins, forChecks, file, selftest })
})

/** Loaded plugins. All effects wait until each is loaded, or has failed to. */
export class PluginRegistry extends Context.Service<
  PluginRegistry,
  {
    /** The entries of the plugin file, in its order. */
    readonly entries: Effect.Effect<ReadonlyArray<PluginEntry>>
    readonly plugins: Effect.Effect<ReadonlyArray<Plugin>>
    /** The entries as checks know them, whether they are loaded or not. */
    readonly forChecks: Effect.Effect<ReadonlyArray<CheckPlugin>>
    readonly file: Option.Option<PluginFile>
    /** The results of the selftests, last loaded plugin first; without plugins that give none. */
    readonly selftest: Effect.Effect<ReadonlyArray<boolean>>
  }
>()("switchyard/plugins/PluginRegistry") {
  static readonly layer = Layer.effect(PluginRegistry, make)
}

// The plugins of this server, for the API's list and tests (docs/plugins.md#what-can-be-seen).

/** One entry of the plugin file: whether it is loaded, and the outcome of its calls. */
interface PluginState {
  readonly filename: string
  readonly loaded: boolean
  /** Why it is not loaded. */
  readonly problem: string | null
  readonly hooks: ReadonlyArray<HookName>
  /** The names of its functions for checks. */
  readonly checks: ReadonlyArray<string>
  /** Calls that were given up. */
  readonly failed_calls: number
  /** Calls that failed and will be repeated. */
  readonly retried_calls: number
  readonly last_error: string | null
  readonly last_error_at: string | null
}

/** `plugindata` is the parsed plugin file as plain JSON, null without one. */
interface LoadedPlugins {
  readonly loaded_plugins: ReadonlyArray<string>
  readonly plugindata: {
    readonly plugins: ReadonlyArray<{ readonly filename: string; readonly vars?: Readonly<Record<string, unknown>> }>
  } | null
  readonly plugin_states: ReadonlyArray<PluginState>
}

/** The plugin file without its secrets. */
const hidden = ({ plugins }: PluginFile): NonNullable<LoadedPlugins["plugindata"]> => ({
  plugins: plugins.map(({ filename, vars }) =>
    vars === undefined ? { filename } : { filename, vars: hiddenVariables(vars) }
  )
})

const stateOf = ({ filename, key, plugin, problem }: PluginEntry, counts: ReadonlyArray<CallCounts>): PluginState => {
  const known = counts.find((one) => one.plugin === key)
  return {
    filename,
    loaded: Option.isSome(plugin),
    problem,
    hooks: Option.isSome(plugin) ? plugin.value.hooks : [],
    checks: Option.isSome(plugin) ? plugin.value.checks : [],
    failed_calls: known?.failed ?? 0,
    retried_calls: known?.retrying ?? 0,
    last_error: known?.lastError ?? null,
    last_error_at: known?.lastErrorAt ?? null
  }
}

/** The entries of the plugin file, whether each is loaded, and the outcome of its calls. */
export const loadedPlugins: Effect.Effect<LoadedPlugins, SqlError.SqlError, PluginRegistry | PluginCallStore> =
  Effect.gen(function* () {
    const { entries, file, plugins } = yield* PluginRegistry
    const calls = yield* PluginCallStore
    const [all, known, counts] = yield* Effect.all([entries, plugins, calls.counts])
    return {
      loaded_plugins: known.map(({ name }) => `switchyard.plugins.${name}`),
      plugindata: Option.getOrNull(Option.map(file, hidden)),
      plugin_states: all.map((entry) => stateOf(entry, counts))
    }
  })
