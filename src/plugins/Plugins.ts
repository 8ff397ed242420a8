/** The plugins that this server has loaded, as the API shows and tests them (docs/operations.md#plugins). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { PluginRegistry } from "./PluginRegistry.ts"

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

const make = Effect.map(Effect.service(PluginRegistry), ({ file, plugins, selftest }) =>
  Plugins.of({
    loaded: Effect.succeed({
      loaded_plugins: plugins.map(({ name }) => `switchyard.plugins.${name}`),
      plugindata: Option.getOrNull(file)
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
