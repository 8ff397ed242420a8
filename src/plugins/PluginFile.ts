/** The plugin file: which plugins run, and their variables (docs/plugins.md#the-plugin-file). */
import { Effect, type Option, Schema, SchemaIssue } from "effect"
import * as fs from "node:fs/promises"
import { parse, YAMLParseError } from "yaml"
import { codeOf, isMissing } from "../runtime/SystemErrors.ts"
import { DEFAULT_PLUGIN_FILE } from "../ServerConfig.ts"

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

/** The file's plugins; none, with a line in the log, when it is of no use. Nobody misses a file that nobody set. */
export const read = (file: string): Effect.Effect<Option.Option<PluginFile>> =>
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
