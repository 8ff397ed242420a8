/** The plugins that this server has loaded, as the API shows and tests them (docs/operations.md#plugins). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type PluginFile, PluginRegistry } from "./PluginRegistry.ts"

/** The plugin file cannot be shown. */
export class PluginsUnavailable extends Schema.TaggedError<PluginsUnavailable>()("PluginsUnavailable", {
  message: Schema.String
}) {
  get httpStatus() {
    return 500 as const
  }
  get refusal() {
    return `Error retrieving plugins ${this.message}`
  }
}

/** `plugindata` is the parsed plugin file as plain JSON, null when there is none. */
export interface LoadedPlugins {
  readonly loaded_plugins: ReadonlyArray<string>
  readonly plugindata: {
    readonly plugins: ReadonlyArray<{ readonly filename: string; readonly vars?: Readonly<Record<string, unknown>> }>
  } | null
}

/** Variables that hold what other systems ask for. The name of a secret (`…_secret`) is none. */
const SECRET = /pass|token|secret|key|communit|credential|authorization/i
const NAMED = /_secret$/i
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?:@[^\s/@]*)*@/gi

const hide = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll(IN_URL, "$1<hidden>@")
  if (Array.isArray(value)) return value.map(hide)
  if (typeof value !== "object" || value === null) return value
  return hiddenVars(Object.fromEntries(Object.entries(value)))
}

const hiddenVars = (vars: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [
      name,
      SECRET.test(name) && !NAMED.test(name) ? "<hidden>" : hide(value)
    ])
  )

/** The plugin file without its secrets. */
const hidden = ({ plugins }: PluginFile): NonNullable<LoadedPlugins["plugindata"]> => ({
  plugins: plugins.map(({ filename, vars }) =>
    vars === undefined ? { filename } : { filename, vars: hiddenVars(vars) }
  )
})

const make = Effect.map(Effect.service(PluginRegistry), ({ file, plugins, selftest }) =>
  Plugins.of({
    loaded: Effect.succeed({
      loaded_plugins: plugins.map(({ name }) => `switchyard.plugins.${name}`),
      plugindata: Option.getOrNull(Option.map(file, hidden))
    }),
    selftest
  })
)

/** Lists and tests plugins. */
export class Plugins extends Context.Service<
  Plugins,
  {
    readonly loaded: Effect.Effect<LoadedPlugins, PluginsUnavailable>
    /** What the selftests returned, last loaded plugin first; without those that have none. */
    readonly selftest: Effect.Effect<ReadonlyArray<boolean>>
  }
>()("switchyard/plugins/Plugins") {
  static readonly layer = Layer.effect(Plugins, make)
}
