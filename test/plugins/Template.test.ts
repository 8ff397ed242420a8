/** The template for authors of plugins: it is loaded unchanged from a site's folder, and works as described. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as path from "node:path"
import { eventHooks } from "../../src/plugins/Plugin.ts"
import * as PluginRegistry from "../../src/plugins/PluginRegistry.ts"
import { serve } from "./JsonServer.ts"
import { DEVICE, FIRST, started } from "./PluginFolder.ts"

const FOLDER = path.join(import.meta.dirname, "../../examples/plugins")

it.live("The template for plugins sends every event, and marks final errors", () =>
  Effect.gen(function* () {
    let status = 200
    const server = yield* serve(() => ({ status }))
    const file = yield* PluginRegistry.findModule("template", FOLDER)
    const vars = { url: `${server.url}/events`, apitoken: "t0ken" }
    const plugin = yield* started("", { file, name: "template", vars })
    assert.deepStrictEqual((yield* plugin.loaded).hooks, ["selftest", ...eventHooks])
    assert.isTrue(yield* plugin.call("selftest", null, FIRST))
    for (const hook of eventHooks) yield* plugin.call(hook, DEVICE, FIRST)
    const told = server.asked.filter(({ method }) => method === "POST")
    assert.deepStrictEqual(
      told.map(({ text }) => JSON.parse(text)),
      eventHooks.map((hook) => ({ id: "event-1", again: false, hook, ...DEVICE }))
    )
    assert.isTrue(told.every(({ headers }) => headers.authorization === "Bearer t0ken"))
    status = 503
    assert.isTrue((yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))).retry)
    status = 400
    assert.isFalse((yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))).retry)
    const bare = yield* started("", { file, name: "template" })
    assert.match((yield* Effect.flip(bare.loaded)).message, /url and apitoken are needed/)
  })
)
