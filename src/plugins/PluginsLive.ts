/** Shows and tests the loaded plugins. */
import { Effect, Layer, Option } from "effect"
import { PluginRegistry } from "./PluginRegistry.ts"
import { Plugins } from "./Plugins.ts"

const make = Effect.gen(function* () {
  const { file, plugins, selftest } = yield* PluginRegistry
  return Plugins.of({
    loaded: Effect.succeed({
      loaded_plugins: plugins.map(({ name }) => `switchyard.plugins.${name}`),
      plugindata: Option.getOrNull(file)
    }),
    selftest
  })
})

export const layer = Layer.effect(Plugins, make)
