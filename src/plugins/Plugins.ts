/** The plugins that this server has loaded, as the API shows and tests them (docs/plugins.md#what-can-be-seen). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type CallCounts, PluginCallStore } from "../store/PluginCallStore.ts"
import type { HookName } from "./Plugin.ts"
import type { PluginFile } from "./PluginFile.ts"
import { type PluginEntry, PluginRegistry } from "./PluginRegistry.ts"
import { hiddenVariables } from "./PluginVariables.ts"

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

/** One entry of the plugin file: whether it is loaded, and what became of its calls. */
export interface PluginState {
  readonly filename: string
  readonly loaded: boolean
  /** Why it is not loaded. */
  readonly problem: string | null
  readonly hooks: ReadonlyArray<HookName>
  /** Calls that were given up. */
  readonly failed_calls: number
  /** Calls that failed and are tried again. */
  readonly retried_calls: number
  readonly last_error: string | null
  readonly last_error_at: string | null
}

/** `plugindata` is the parsed plugin file as plain JSON, null when there is none. */
export interface LoadedPlugins {
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
    failed_calls: known?.failed ?? 0,
    retried_calls: known?.retrying ?? 0,
    last_error: known?.lastError ?? null,
    last_error_at: known?.lastErrorAt ?? null
  }
}

const make = Effect.gen(function* () {
  const { entries, file, plugins, selftest } = yield* PluginRegistry
  const calls = yield* PluginCallStore
  const loaded = Effect.gen(function* () {
    const [all, known, counts] = yield* Effect.all([entries, plugins, calls.counts])
    return {
      loaded_plugins: known.map(({ name }) => `switchyard.plugins.${name}`),
      plugindata: Option.getOrNull(Option.map(file, hidden)),
      plugin_states: all.map((entry) => stateOf(entry, counts))
    }
  })
  return Plugins.of({ loaded, selftest })
})

/** Lists and tests plugins. */
export class Plugins extends Context.Service<
  Plugins,
  {
    readonly loaded: Effect.Effect<LoadedPlugins, PluginsUnavailable | SqlError.SqlError>
    /** What the selftests returned, last loaded plugin first; without those that have none. */
    readonly selftest: Effect.Effect<ReadonlyArray<boolean>>
  }
>()("switchyard/plugins/Plugins") {
  static readonly layer = Layer.effect(Plugins, make)
}
