/** The plugins that the plugin file asks for, made once at the start (docs/operations.md#plugins). */
import { Context, Effect, Layer, Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { parse, YAMLParseError } from "yaml"
import { DEFAULT_PLUGIN_FILE, ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import * as FileWriter from "./FileWriter.ts"
import * as Nav from "./Nav.ts"
import * as Ni from "./Ni.ts"
import { type Plugin, PluginError, type PluginVariables } from "./Plugin.ts"

/** Makers by the name of the plugin; the plugin file may write any extension behind it. */
const makers: Readonly<Record<string, (variables: PluginVariables) => Effect.Effect<Plugin, PluginError>>> = {
  filewriter: FileWriter.make,
  nav: Nav.make,
  ni: Ni.make
}

/** The plugin file as it is shown. */
export const PluginFile = Schema.Struct({
  plugins: Schema.Array(
    Schema.Struct({
      filename: Schema.String,
      vars: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
})
export type PluginFile = typeof PluginFile.Type

/** The plugin file cannot be used; the server runs without plugins. The reason shows nothing of what the file holds. */
class PluginFileUnusable extends Schema.TaggedError<PluginFileUnusable>()("PluginFileUnusable", {
  reason: Schema.String,
  missing: Schema.Boolean
}) {}

const unusable = (reason: string) => new PluginFileUnusable({ reason, missing: false })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const readText = (file: string) =>
  Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
      return code === "ENOENT"
        ? new PluginFileUnusable({ reason: "it does not exist", missing: true })
        : unusable(`it cannot be read (${code})`)
    }
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

/** The file's plugins; none, with a line in the log, when it is of no use. Nobody misses a file that nobody set. */
const readFile = (file: string): Effect.Effect<Option.Option<PluginFile>> =>
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

const SUFFIX = "_secret"

/** The variables with values of PLUGIN_SECRET_* in the place of their names: `apitoken_secret: NAV` is `apitoken`. */
const withSecrets = (vars: PluginVariables, secrets: ServerSettings["pluginSecrets"]): PluginVariables =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      const secret = name.endsWith(SUFFIX) ? secrets.get(`PLUGIN_SECRET_${String(value)}`) : undefined
      return secret === undefined ? [name, value] : [name.slice(0, -SUFFIX.length), Redacted.value(secret)]
    })
  )

const load = (entry: PluginFile["plugins"][number], secrets: ServerSettings["pluginSecrets"]) => {
  const name = path.basename(entry.filename, path.extname(entry.filename))
  const maker = makers[name]
  const made: Effect.Effect<Plugin, PluginError> =
    maker === undefined
      ? new PluginError({ plugin: name, message: `known plugins are ${Object.keys(makers).join(", ")}` })
      : maker(withSecrets(entry.vars ?? {}, secrets))
  return Effect.result(made)
}

const make = Effect.gen(function* () {
  const { PLUGIN_FILE, pluginSecrets } = yield* ServerConfig
  const file = yield* readFile(PLUGIN_FILE)
  const plugins: Array<Plugin> = []
  for (const entry of Option.isSome(file) ? file.value.plugins : []) {
    const loaded = yield* load(entry, pluginSecrets)
    if (Result.isSuccess(loaded)) plugins.push(loaded.success)
    else yield* Effect.logError(`Plugin ${loaded.failure.plugin} is not loaded: ${loaded.failure.message}`)
  }

  /** The last loaded one first, as clients know it. */
  const selftest = Effect.forEach(plugins.toReversed(), (plugin) => plugin.selftest ?? Effect.succeed(null)).pipe(
    Effect.map((results) => results.filter((result) => result !== null))
  )
  const failed = (yield* selftest).some((passed) => !passed)
  if (failed) yield* Effect.logError("The selftest of a plugin failed")
  return PluginRegistry.of({ plugins, file, selftest })
})

/** Loaded plugins. */
export class PluginRegistry extends Context.Service<
  PluginRegistry,
  {
    readonly plugins: ReadonlyArray<Plugin>
    readonly file: Option.Option<PluginFile>
    readonly selftest: Effect.Effect<ReadonlyArray<boolean>>
  }
>()("switchyard/plugins/PluginRegistry") {
  static readonly layer = Layer.effect(PluginRegistry, make)
}
