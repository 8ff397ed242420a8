/**
 * The plugins that the plugin file asks for, loaded once at the start (docs/plugins.md#the-plugin-file). They are loaded beside each other and
 * beside everything else, so that one that hangs keeps nobody waiting but who asks for plugins.
 */
import { Context, Effect, Fiber, Layer, Option } from "effect"
import * as path from "node:path"
import { ServerConfig } from "../ServerConfig.ts"
import { type HookName, type Plugin, PluginError } from "./Plugin.ts"
import * as PluginFile from "./PluginFile.ts"
import * as PluginModules from "./PluginModules.ts"
import * as PluginProcess from "./PluginProcess.ts"
import { readyVariables } from "./PluginVariables.ts"

/** One entry of the plugin file, loaded or not. */
export interface PluginEntry {
  readonly filename: string
  /** Its name; with a number where an earlier entry has the same. */
  readonly key: string
  readonly plugin: Option.Option<Plugin>
  /** Why it is not loaded; null when it is. */
  readonly problem: string | null
}

const SELFTEST = { id: "selftest", attempt: 1, again: false }

const pluginOf = (
  key: string,
  name: string,
  hooks: ReadonlyArray<HookName>,
  process: PluginProcess.PluginProcess
): Plugin => ({
  key,
  name,
  hooks,
  selftest: hooks.includes("selftest")
    ? Effect.catch(process.call("selftest", null, SELFTEST), ({ message }) =>
        Effect.as(Effect.logError(`The selftest of plugin ${name} failed: ${message}`), false)
      )
    : Effect.succeed(null),
  call: ({ hook, ...event }, delivery) => Effect.asVoid(process.call(hook, event, delivery))
})

/** Entries that name the same plugin are told apart by their number. */
const keysOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}#${before + 1}`
  })

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const { PLUGIN_FILE, PLUGIN_MEMORY, PLUGIN_TIMEOUT, pluginSecrets } = config
  const folder = Option.getOrElse(config.PLUGIN_FOLDER, () => path.join(config.DATA_DIR, "plugins"))
  const file = yield* PluginFile.read(PLUGIN_FILE)
  const given = Option.isSome(file) ? file.value.plugins : []
  const keys = keysOf(given.map(({ filename }) => PluginModules.nameOf(filename)))

  const open = Effect.fnUntraced(function* (key: string, name: string, given: Readonly<Record<string, unknown>>) {
    const { hide, vars } = readyVariables(given, pluginSecrets)
    const module = yield* PluginModules.find(name, folder)
    const limits = { seconds: PLUGIN_TIMEOUT, megabytes: PLUGIN_MEMORY }
    const process = yield* PluginProcess.make({ name, file: module, vars, hide, ...limits })
    return pluginOf(key, name, yield* process.hooks, process)
  })

  const load = ({ filename, vars = {} }: PluginFile.PluginFile["plugins"][number], index: number) => {
    const name = PluginModules.nameOf(filename)
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

  /** The last loaded one first, as clients know it. */
  const selftest = Effect.flatMap(plugins, (all) =>
    Effect.forEach(all.toReversed(), (plugin) => plugin.selftest, { concurrency: "unbounded" })
  ).pipe(Effect.map((results) => results.filter((result) => result !== null)))

  yield* selftest.pipe(
    Effect.tap((results) =>
      results.every((passed) => passed) ? Effect.void : Effect.logError("The selftest of a plugin failed")
    ),
    Effect.forkScoped
  )
  return PluginRegistry.of({ entries, plugins, file, selftest })
})

/** Loaded plugins. All effects wait until each is loaded, or has failed to. */
export class PluginRegistry extends Context.Service<
  PluginRegistry,
  {
    /** What the plugin file lists, in its order. */
    readonly entries: Effect.Effect<ReadonlyArray<PluginEntry>>
    readonly plugins: Effect.Effect<ReadonlyArray<Plugin>>
    readonly file: Option.Option<PluginFile.PluginFile>
    /** What the selftests say, last loaded plugin first; without those that say nothing. */
    readonly selftest: Effect.Effect<ReadonlyArray<boolean>>
  }
>()("switchyard/plugins/PluginRegistry") {
  static readonly layer = Layer.effect(PluginRegistry, make)
}
