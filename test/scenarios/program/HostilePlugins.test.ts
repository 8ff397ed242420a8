/** A server with badly behaved plugins: it starts, answers, reports them, sends its events to others, and ends at once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { seconds } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"

const PLUGINS: Readonly<Record<string, string>> = {
  "stuck.mjs": "await new Promise(() => setInterval(() => {}, 1000)); export default () => ({})",
  "broken.ts": "import { nothing } from 'a-package-that-is-not-there'; export default () => nothing",
  "quitter.js": "process.exit(0)",
  "spinner.mjs": "export default () => ({ selftest() { for (;;); } })",
  "leaker.mjs":
    "export default () => ({ selftest() { const all = new Map(); for (let i = 0; ; i++) all.set(i, i) }, removed_device() { process.exit(1) } })",
  "thrower.mjs":
    "export default () => { setTimeout(() => { throw new Error('later') }, 50); return { selftest: () => true } }"
}

/** As an answer of the API has it. */
interface States {
  readonly data: {
    readonly loaded_plugins: ReadonlyArray<string>
    readonly plugin_states: ReadonlyArray<{
      readonly filename: string
      readonly problem: string | null
      readonly failed_calls: number
      readonly retried_calls: number
    }>
  }
}

const LIMIT = seconds(3) / 1000

it.live("serves in spite of plugins that hang, spin, leak, exit and throw, and reports each", () =>
  Effect.gen(function* () {
    const folder = yield* Program.dataFolder
    const own = path.join(folder, "plugins")
    const log = path.join(folder, "events.log")
    const names = Object.keys(PLUGINS).map((filename) => `  - filename: ${filename}\n`)
    yield* Effect.promise(async () => {
      await fs.mkdir(own)
      for (const [name, source] of Object.entries(PLUGINS)) await fs.writeFile(path.join(own, name), source)
      const good = `  - filename: filewriter.py\n    vars: {logfile: "${log}"}\n`
      await fs.writeFile(path.join(folder, "plugins.yml"), `plugins:\n${names.join("")}${good}`)
    })
    const env = {
      DATA_DIR: folder,
      PLUGIN_FILE: path.join(folder, "plugins.yml"),
      PLUGIN_TIMEOUT: String(Math.ceil(LIMIT))
    }
    const server = yield* Program.start({ ...env, PLUGIN_ATTEMPTS: "2", PLUGIN_RETRY_DELAY: "1" })
    const url = yield* server.url
    const ask = (method: string, place: string, body?: object) =>
      Effect.promise(async () => {
        const content = body === undefined ? {} : { body: JSON.stringify(body) }
        const answer = await fetch(`${url}${place}`, {
          method,
          headers: { "content-type": "application/json" },
          ...content
        })
        return { status: answer.status, text: await answer.text() }
      })

    // while they are loaded and tested
    const started = performance.now()
    assert.strictEqual((yield* ask("GET", "/api/health/live")).status, 200)
    assert.isBelow(performance.now() - started, LIMIT * 1000)
    const states = Effect.map(ask("GET", "/api/v1.0/plugins"), ({ text }): States => JSON.parse(text))
    const { loaded_plugins, plugin_states } = (yield* states).data
    assert.deepStrictEqual(
      loaded_plugins.map((name) => name.replace("switchyard.plugins.", "")),
      ["spinner", "leaker", "thrower", "filewriter"]
    )
    const problemOf = (name: string) => plugin_states.find(({ filename }) => filename.startsWith(name))?.problem ?? ""
    assert.include(problemOf("stuck"), "loading it took longer than")
    assert.include(problemOf("broken"), "a-package-that-is-not-there")
    assert.include(problemOf("quitter"), "it ended itself")
    const tested = yield* ask("PUT", "/api/v1.0/plugins", { action: "selftest" })
    const { data } = JSON.parse(tested.text)
    assert.strictEqual(data.result[0], true, "the filewriter")
    assert.deepStrictEqual(data.result.slice(2), [false, false], "the leaker and the spinner")

    const device = {
      hostname: "acc1",
      device_type: "ACCESS",
      state: "UNMANAGED",
      platform: "eos",
      management_ip: "10.0.6.9"
    }
    const made = yield* ask("POST", "/api/v1.0/device", device)
    assert.strictEqual(made.status, 200, made.text)
    const removed = yield* ask("DELETE", `/api/v1.0/device/${JSON.parse(made.text).data.added_device.id}`)
    assert.strictEqual(removed.status, 200, removed.text)
    const written = Effect.promise(() => fs.readFile(log, "utf8").catch(() => ""))
    yield* Program.until(Effect.map(written, (text) => text.includes("removed_device: ")))
    yield* Program.until(
      Effect.map(states, (now) => now.data.plugin_states.some(({ failed_calls }) => failed_calls === 1))
    )
    assert.lengthOf((yield* written).split("\n"), 2)
    assert.match(server.text(), /Plugin leaker failed in removed_device: it ended itself \(exit code 1\)/)

    server.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
  }).pipe(Effect.scoped)
)
