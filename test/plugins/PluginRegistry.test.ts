import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
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

/** Starts what this plugin file lists, with these files in the site's folder; yields its entries and what their selftests say. */
const loaded = Effect.fnUntraced(function* (yaml: string, files: Readonly<Record<string, string>> = {}) {
  const home = yield* folder
  yield* Effect.promise(async () => {
    for (const [name, text] of Object.entries({ ...files, "plugins.yml": yaml }))
      await fs.writeFile(path.join(home, name), text)
  })
  const environment = { PLUGIN_FILE: path.join(home, "plugins.yml"), PLUGIN_FOLDER: home, PLUGIN_TIMEOUT: "3" }
  const registry = PluginRegistry.layer.pipe(Layer.provide(ServerConfig.layerOf(environment)))
  const both = Effect.flatMap(PluginRegistry, ({ entries, selftest }) => Effect.all([entries, selftest]))
  const [entries, selftests] = yield* Effect.provide(both, registry)
  return { entries, selftests, home }
})

describe("Plugins of a site", () => {
  it.live("come before bundled ones, and the same one can be listed several times", () =>
    Effect.gen(function* () {
      const { entries, selftests } = yield* loaded(
        "plugins: [{filename: nav.py}, {filename: nav.ts}, {filename: ni}]",
        {
          "nav.mjs": "export default () => ({ selftest: () => true, removed_device() {} })"
        }
      )
      assert.deepStrictEqual(
        entries.map(({ key, plugin }) => [key, Option.getOrUndefined(plugin)?.hooks]),
        [
          ["nav", ["selftest", "removed_device"]],
          ["nav#2", ["selftest", "removed_device"]],
          ["ni", ["selftest", "new_managed_device"]]
        ]
      )
      assert.deepStrictEqual(selftests, [false, true, true])
    })
  )

  it.live("that hang or throw in their selftest are false, and those without a selftest are left out", () =>
    Effect.gen(function* () {
      const { selftests } = yield* loaded(
        "plugins: [{filename: a}, {filename: b}, {filename: c}, {filename: d}, {filename: e}]",
        {
          "a.mjs": "export default () => ({ selftest: () => true })",
          "b.mjs": "export default () => ({ selftest: () => new Promise(() => {}) })",
          "c.mjs": "export default () => ({ selftest: () => null })",
          "d.mjs": "export default () => ({ selftest: () => { throw 5 } })",
          "e.mjs": "export default () => ({ })"
        }
      )
      assert.deepStrictEqual(selftests, [false, false, true])
    })
  )

  for (const filename of [
    "../outside.mjs",
    "..",
    ".",
    "",
    "__proto__.py",
    "constructor",
    "a/../../b.ts",
    "a\u0000b.ts",
    "x.json"
  ]) {
    it.live(`are never loaded as ${JSON.stringify(filename)}`, () =>
      Effect.gen(function* () {
        const { entries } = yield* loaded(`plugins: [{filename: ${JSON.stringify(filename)}}]`)
        assert.lengthOf(entries, 1)
        assert.include(entries[0]?.problem, "no such file is in")
      })
    )
  }
})

describe("The plugin file", () => {
  it.effect("is ignored if none is set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* start({}), { count: 0, logged: [] })
    })
  )

  it.effect("is reported as missing with its name if it was set", () =>
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
