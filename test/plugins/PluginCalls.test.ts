/** Recorded calls of plugins: each is made once, in the order of its device, repeated after a failure, and reported as an event. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { PluginActions } from "../../src/plugins/PluginActions.ts"
import { loadedPlugins, PluginRegistry } from "../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { PluginCallStore } from "../../src/store/PluginCallStore.ts"
import { seconds } from "../support/Patience.ts"
import { until } from "../support/Program.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { DEVICE, folder } from "./PluginFolder.ts"

const LIMIT = seconds(2) / 1000

/** Writes a line for each call; the name of a device says what becomes of its call. */
const PLUGIN = `
import { appendFile } from "node:fs/promises"
export default ({ name, vars }) => ({
  async new_managed_device({ hostname }, { attempt, again, id }) {
    await appendFile(vars.log, [name, hostname, attempt, again].join(" ") + "\\n")
    if (hostname.startsWith("twice") && attempt === 1) throw new Error("not yet, " + vars.apitoken)
    if (hostname.startsWith("never")) throw new Error("no, " + vars.apitoken)
    if (hostname.startsWith("final")) throw Object.assign(new Error("wrong"), { retry: false })
    if (hostname.startsWith("hang") && name === "one") await new Promise(() => {})
  },
  async upgrade_reboot_starting({ hostname }) {
    await appendFile(vars.log, [name, hostname, "starting"].join(" ") + "\\n")
  }
})`

class Scene extends Context.Service<Scene, { readonly log: string; readonly lines: ReadonlyArray<string> }>()(
  "test/PluginScene"
) {}

const live = Layer.unwrap(
  Effect.gen(function* () {
    const home = yield* folder
    const log = path.join(home, "calls.log")
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))
    const vars = `vars: {log: "${log}", apitoken: hunter2}`
    yield* Effect.promise(async () => {
      for (const name of ["one.mjs", "two.js", "quiet.ts"]) await fs.writeFile(path.join(home, name), PLUGIN)
      await fs.writeFile(path.join(home, "quiet.ts"), "export default () => ({ allocated_ipv4() {} })")
      await fs.writeFile(
        path.join(home, "plugins.yml"),
        `plugins: [{filename: one.py, ${vars}}, {filename: two.py, ${vars}}, {filename: quiet.py}, {filename: absent.py}]`
      )
    })
    const config = ServerConfig.layerOf({
      PLUGIN_FILE: path.join(home, "plugins.yml"),
      PLUGIN_FOLDER: home,
      PLUGIN_TIMEOUT: String(Math.ceil(LIMIT)),
      PLUGIN_ATTEMPTS: "3",
      PLUGIN_RETRY_DELAY: "0"
    })
    return Layer.mergeAll(PluginActions.layer, Layer.succeed(Scene, { log, lines })).pipe(
      Layer.provideMerge(PluginRegistry.layer),
      Layer.provideMerge(PluginCallStore.layer),
      Layer.provideMerge(config),
      Layer.provideMerge(TestDatabase),
      Layer.provideMerge(Logger.layer([logger]))
    )
  })
)

const tell = (hostname: string) =>
  Effect.flatMap(PluginCallStore, ({ record }) =>
    record({ hook: "new_managed_device", ...DEVICE, hostname }, { deviceId: null, jobId: null })
  )

/** The calls of devices with this name, as the plugins wrote them. */
const heard = Effect.fnUntraced(function* (name: string) {
  const { log } = yield* Scene
  const text = yield* Effect.promise(() => fs.readFile(log, "utf8").catch(() => ""))
  return text.split("\n").filter((line) => line.split(" ")[1] === name)
})

const runOpen = Effect.flatMap(PluginActions, (actions) => actions.runOpen)

const eventsOf = (hostname: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{
      action: string
      data: { plugin: string; attempt: number; error?: string; retry_in_seconds?: number | null }
    }>`
      select action, data from event where kind = 'plugin' and hostname = ${hostname} order by id`
  )

const openActions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select id from device_action where done_at is null`
)

layer(live, { excludeTestServices: true })("A recorded call", (it) => {
  describe("of plugins that work", () => {
    it.effect("is made once by each, whoever asks and however often, and reported as an event", () =>
      Effect.gen(function* () {
        yield* tell("good")
        yield* Effect.all(
          Array.from({ length: 10 }, () => runOpen),
          { concurrency: "unbounded" }
        )
        yield* runOpen
        assert.deepStrictEqual((yield* heard("good")).toSorted(), ["one good 1 false", "two good 1 false"])
        const events = yield* eventsOf("good")
        assert.deepStrictEqual(events.map(({ action, data }) => [action, data.plugin]).toSorted(), [
          ["called", "one"],
          ["called", "two"]
        ])
        assert.deepStrictEqual(yield* openActions, [])
      })
    )

    it.effect("is made once when several servers are asked at the same moment", () =>
      Effect.gen(function* () {
        yield* tell("shared")
        const other = Layer.build(
          Layer.fresh(PluginActions.layer).pipe(
            Layer.provide(Layer.fresh(PluginRegistry.layer)),
            Layer.provide(
              Layer.succeedContext(yield* Effect.context<ServerConfig | PluginCallStore | SqlClient.SqlClient>())
            )
          )
        )
        const others = yield* Effect.all([other, other])
        const all = others.map((services) => Context.get(services, PluginActions).runOpen)
        yield* Effect.all([runOpen, ...all], { concurrency: "unbounded" })
        assert.lengthOf(yield* heard("shared"), 2)
      })
    )

    it.effect("is marked as possibly repeated when a server was killed in the middle of it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const begun = sql`insert into plugin_run (action_id, plugin) select id, 'one' from device_action where payload ->> 'hostname' = 'cut'`
        // in one transaction, because earlier attempts are still queried
        yield* sql.withTransaction(Effect.andThen(tell("cut"), begun))
        yield* runOpen
        assert.deepStrictEqual((yield* heard("cut")).toSorted(), ["one cut 2 true", "two cut 1 false"])
      })
    )

    it.effect("is given up when the server ended during each attempt, because it may be the cause", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const begun = sql`insert into plugin_run (action_id, plugin, attempts)
          select id, 'one', 6 from device_action where payload ->> 'hostname' = 'poison'`
        yield* sql.withTransaction(Effect.andThen(tell("poison"), begun))
        yield* runOpen
        assert.deepStrictEqual(yield* heard("poison"), ["two poison 1 false"])
        const events = (yield* eventsOf("poison")).filter(({ data }) => data.plugin === "one")
        assert.include(events[0]?.data.error, "the server ended during each attempt")
        assert.deepStrictEqual(yield* openActions, [])
      })
    )
  })

  describe("that fails", () => {
    it.effect("is repeated and reported, until it works", () =>
      Effect.gen(function* () {
        yield* tell("twice")
        yield* runOpen
        const calls = ["one twice 1 false", "one twice 2 true", "two twice 1 false", "two twice 2 true"]
        assert.deepStrictEqual((yield* heard("twice")).toSorted(), calls)
        const events = (yield* eventsOf("twice")).filter(({ data }) => data.plugin === "one")
        assert.deepStrictEqual(
          events.map(({ action, data }) => [action, data.attempt]),
          [
            ["failed", 1],
            ["called", 2]
          ]
        )
      })
    )

    it.effect("is given up after its attempts, or at once if it says so, and shown without secrets", () =>
      Effect.gen(function* () {
        yield* tell("never")
        yield* tell("final")
        yield* runOpen
        assert.lengthOf(yield* heard("never"), 6)
        assert.lengthOf(yield* heard("final"), 2)
        const events = yield* eventsOf("never")
        assert.deepInclude(events.at(-1)?.data, { attempt: 3, error: "no, <hidden>", retry_in_seconds: null })
        const { plugin_states } = yield* loadedPlugins
        const [one, , quiet, absent] = plugin_states
        assert.deepInclude(one, { filename: "one.py", loaded: true, retried_calls: 0 })
        assert.isAtLeast(one?.failed_calls ?? 0, 2)
        assert.match(one?.last_error_at ?? "", /^\d{4}-\d\d-\d\dT/)
        assert.deepInclude(quiet, { hooks: ["allocated_ipv4"], failed_calls: 0, last_error: null })
        assert.include(absent?.problem, "no such file")
        const sql = yield* SqlClient.SqlClient
        const stored =
          yield* sql`select r::text as row from plugin_run r union all select e::text from event e where kind = 'plugin'`
        assert.notInclude(JSON.stringify(stored), "hunter2")
        assert.notInclude(JSON.stringify(yield* loadedPlugins), "hunter2")
        assert.notInclude((yield* Scene).lines.join("\n"), "hunter2")
        assert.match((yield* Scene).lines.join("\n"), /Plugin one failed in new_managed_device: no, <hidden>/)
      })
    )

    it.effect("delays later events of its device, and no other device", () =>
      Effect.gen(function* () {
        const { record } = yield* PluginCallStore
        const sql = yield* SqlClient.SqlClient
        yield* Effect.gen(function* () {
          yield* tell("twice-later")
          yield* record({ hook: "upgrade_reboot_starting", hostname: "twice-later" }, { deviceId: null, jobId: null })
          // the first attempt has failed, and the next one is not due yet
          yield* sql`insert into plugin_run (action_id, plugin, error, next_at)
            select id, 'one', 'not yet', now() + interval '1 hour' from device_action
            where payload ->> 'hostname' = 'twice-later' and payload ->> 'hook' = 'new_managed_device'`
        }).pipe(sql.withTransaction)
        yield* tell("beside")
        yield* runOpen
        const ofOne = Effect.map(heard("twice-later"), (lines) => lines.filter((line) => line.startsWith("one")))
        assert.deepStrictEqual(yield* ofOne, [])
        assert.lengthOf(yield* heard("beside"), 2)
        yield* sql`update plugin_run set next_at = now() where done_at is null`
        yield* runOpen
        assert.deepStrictEqual(yield* ofOne, ["one twice-later 2 true", "one twice-later starting"])
      })
    )
  })

  describe("that hangs", () => {
    it.effect("delays neither other plugins nor a job for longer than a call may take", () =>
      Effect.gen(function* () {
        yield* tell("hang1")
        yield* tell("hang2")
        const started = performance.now()
        const { runPatiently } = yield* PluginActions
        const waiting = yield* Effect.forkChild(runPatiently)
        yield* until(Effect.map(heard("hang2"), (lines) => lines.includes("two hang2 1 false")))
        const other = performance.now() - started
        yield* until(Effect.sync(() => waiting.pollUnsafe() !== undefined))
        const waited = performance.now() - started
        // six attempts of `one` take six limits
        assert.isBelow(other, LIMIT * 1000)
        assert.isBelow(waited, LIMIT * 3000)
        yield* runOpen
        assert.lengthOf(
          (yield* heard("hang1")).filter((line) => line.startsWith("one")),
          3
        )
        assert.include((yield* eventsOf("hang1")).at(-1)?.data.error, "took longer than")
      })
    )
  })
})
