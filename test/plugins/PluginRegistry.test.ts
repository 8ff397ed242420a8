import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { PluginRegistry } from "../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-plugins-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

/** Starts the plugins with this environment; yields how many there are and what was logged. */
const start = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${JSON.stringify(message)}`))
  const plugins = yield* Effect.provide(
    Effect.flatMap(PluginRegistry, (registry) => registry.plugins),
    PluginRegistry.layer.pipe(Layer.provide(ServerConfig.layerOf(environment)), Layer.provide(Logger.layer([logger])))
  )
  return { count: plugins.length, logged }
})

describe("The plugin file", () => {
  it.effect("is nothing to speak of when nobody set one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* start({}), { count: 0, logged: [] })
    })
  )

  it.effect("is missed with a warning that names it when it was set", () =>
    Effect.gen(function* () {
      const { logged } = yield* start({ PLUGIN_FILE: "/nowhere/plugins.yml" })
      assert.strictEqual(logged.length, 1)
      assert.match(logged[0] ?? "", /^Warn .*PLUGIN_FILE.*\/nowhere\/plugins\.yml.*does not exist/)
    })
  )

  for (const [name, text, reason] of [
    ["is no YAML", "plugins: [\npassword: hunter2\n", /line 2/],
    ["has another shape", "plugins:\n  - vars: {password: hunter2}\n", /plugins.*filename/]
  ] as const) {
    it.effect(`is reported as an error without its secrets when it ${name}`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* folder, "plugins.yml")
        yield* Effect.promise(() => fs.writeFile(file, text))
        const { count, logged } = yield* start({ PLUGIN_FILE: file })
        assert.strictEqual(count, 0)
        assert.strictEqual(logged.length, 1)
        const [line = ""] = logged
        assert.isTrue(line.startsWith("Error "), line)
        assert.include(line, file)
        assert.match(line, reason)
        assert.notInclude(line, "hunter2")
      })
    )
  }
})
