/** Checks run in processes of their own: what one does there ends neither a call for an event nor another check. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { CheckStep } from "../../src/plugins/Plugin.ts"
import { PluginRegistry } from "../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { seconds } from "../support/Patience.ts"
import { DEVICE, FIRST, folder, started } from "./PluginFolder.ts"

const CHECKS = `
import { existsSync, writeFileSync } from "node:fs"
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
export default ({ vars }) => ({
  async new_managed_device() {
    writeFileSync(vars.folder + "/called", "")
    while (!existsSync(vars.folder + "/go")) await pause()
  },
  checks: {
    says: { commands: ({ arguments: given }) => [given.command], items: ({ outputs }) => [{ name: outputs.join(" "), [vars.token]: vars.token }] },
    hangs: { items: ({ mark }) => { if (mark !== undefined) writeFileSync(mark, ""); for (;;); } },
    exits: { items: () => process.exit(1) },
    big: { items: () => [{ name: "x".repeat(600000) }] },
    alive: { items: () => [{ name: "alive" }] },
    nothing: {},
    "commands only": { commands: () => [] }
  }
})`

const items = (check: string, given: CheckStep["given"] = {}): CheckStep => ({ check, step: "items", given })

const exists = (file: string) =>
  Effect.promise(() =>
    fs.access(file).then(
      () => true,
      () => false
    )
  )

describe("A plugin's check", () => {
  it.live("yields what it answers, without the plugin's secrets, and names what went wrong", () =>
    Effect.gen(function* () {
      const plugin = yield* started(CHECKS, {
        vars: { token: "hunter2", folder: "/nowhere" },
        hide: (text) => text.replaceAll("hunter2", "<hidden>"),
        longest: 1_048_576
      })
      assert.deepStrictEqual((yield* plugin.loaded).checks, ["says", "hangs", "exits", "big", "alive"])
      const asked = { check: "says", step: "commands", given: { arguments: { command: "show hunter2" } } } as const
      assert.deepStrictEqual(yield* plugin.check(asked), ["show <hidden>"])
      const long = "y".repeat(300_000)
      assert.deepStrictEqual(yield* plugin.check(items("says", { outputs: [long] })), [
        { name: long, "<hidden>": "<hidden>" }
      ])
      assert.isNull(yield* plugin.check({ check: "alive", step: "commands", given: {} }))
      assert.match((yield* Effect.flip(plugin.check(items("big")))).message, /^its answer has 6\d{5} characters/)
      assert.match((yield* Effect.flip(plugin.check(items("exits")))).message, /ended itself \(exit code 1\)/)
      assert.deepStrictEqual(yield* plugin.check(items("alive")), [{ name: "alive" }])
    }).pipe(Effect.scoped)
  )

  it.live("that nobody waits for any more ends with its process, and the next one has another", () =>
    Effect.gen(function* () {
      const plugin = yield* started(CHECKS)
      yield* plugin.loaded
      const mark = path.join(yield* folder, "begun")
      const fiber = yield* Effect.forkChild(plugin.check(items("hangs", { mark })))
      yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), exists(mark)), { until: (is) => is })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* plugin.check(items("alive")), [{ name: "alive" }])
    }).pipe(Effect.scoped)
  )

  it.live("that hangs or exits ends no call for an event, and no check of another device", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* Effect.promise(async () => {
        await fs.writeFile(path.join(home, "checks.mjs"), CHECKS)
        await fs.writeFile(path.join(home, "plugins.yml"), `plugins: [{filename: checks, vars: {folder: "${home}"}}]`)
      })
      const config = ServerConfig.layerOf({
        PLUGIN_FILE: path.join(home, "plugins.yml"),
        PLUGIN_FOLDER: home,
        PLUGIN_TIMEOUT: String(Math.ceil(seconds(10) / 1_000))
      })
      yield* Effect.gen(function* () {
        const [plugin] = yield* (yield* PluginRegistry).plugins
        assert.isDefined(plugin)
        const event = yield* Effect.forkChild(plugin.call({ hook: "new_managed_device", ...DEVICE }, FIRST))
        const called = exists(path.join(home, "called"))
        yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), called), { until: (is) => is })
        const others = Array.from({ length: 5 }, () => plugin.check(items("alive")))
        const [hung, exited, ...alive] = yield* Effect.all(
          [
            Effect.flip(plugin.check(items("hangs"))),
            Effect.flip(plugin.check(items("exits"))),
            ...others.map((other) => Effect.map(other, (answer) => JSON.stringify(answer)))
          ],
          { concurrency: "unbounded" }
        )
        assert.match(String(hung), /hangs took longer than \d+ seconds/)
        assert.match(String(exited), /ended itself/)
        assert.deepStrictEqual(
          alive,
          others.map(() => `[{"name":"alive"}]`)
        )
        yield* Effect.promise(() => fs.writeFile(path.join(home, "go"), ""))
        yield* Fiber.join(event)
      }).pipe(Effect.provide(PluginRegistry.layer.pipe(Layer.provide(config))))
    }).pipe(Effect.scoped)
  )
})
