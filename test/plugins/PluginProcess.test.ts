/** A plugin cannot harm the server, and the reason is reported. Each attack runs together with a plugin that continues. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Schedule } from "effect"
import * as PluginProcess from "../../src/plugins/PluginProcess.ts"
import { DEVICE, FIRST, PATIENT, started } from "./PluginFolder.ts"

const hook = (body: string) => `export default () => ({ async new_managed_device(event, delivery) { ${body} } })`
const HEALTHY = hook("")

/** The action of each in a call, and the reported reason. */
const attacks: ReadonlyArray<readonly [name: string, body: string, reason: RegExp, seconds?: number]> = [
  ["throws", `throw new Error("no such site")`, /^no such site$/],
  ["throws what is no error", `throw null`, /^null$/],
  ["throws a symbol", `throw Symbol("x")`, /Symbol\(x\)/],
  ["throws what cannot be read", `throw { toString() { throw 1 } }`, /has no text/],
  [
    "throws an error whose message throws",
    `throw Object.create(Error.prototype, { message: { get() { throw 1 } } })`,
    /has no text/
  ],
  ["never answers", `await new Promise(() => {})`, /longer than 1 seconds/, 1],
  ["spins", `for (;;);`, /longer than 1 seconds/, 1],
  [
    "waits for a program for ever",
    `const { execSync } = await import("node:child_process"); execSync("sleep 1000")`,
    /longer than 1 seconds/,
    1
  ],
  ["leaks texts", `const all = []; for (;;) all.push("x".repeat(1000) + all.length)`, /memory/],
  ["leaks into a map", `const all = new Map(); for (let i = 0; ; i++) all.set(i, i)`, /memory/],
  ["makes one huge array", `new Array(4e8).fill(0)`, /memory|Invalid array length/],
  [
    "leaks buffers",
    `globalThis.all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 1); await new Promise(() => {})`,
    /memory/
  ],
  ["exits", `process.exit(0)`, /ended itself/],
  [
    "kills its process",
    `process.kill(process.pid, "SIGKILL"); await new Promise(() => {})`,
    /process ended \(SIGKILL\)/
  ],
  ["throws in a timer", `setTimeout(() => { throw new Error("later") }); await new Promise(() => {})`, /^later$/],
  ["rejects where nobody looks", `Promise.reject(new Error("later")); await new Promise(() => {})`, /^later$/],
  [
    "sends a giant message",
    `const { parentPort } = await import("node:worker_threads"); parentPort.postMessage("x".repeat(2e7)); await new Promise(() => {})`,
    /no answer/
  ],
  [
    "sends messages without end",
    `const { parentPort } = await import("node:worker_threads"); for (;;) parentPort.postMessage('{"type":"log","text":"x"}')`,
    /no answer|memory/
  ],
  [
    "sends what is no message",
    `const { parentPort } = await import("node:worker_threads"); parentPort.postMessage({ toString: () => 1 }.x); await new Promise(() => {})`,
    /no answer/
  ],
  [
    "writes past its console",
    `(await import("node:fs")).writeSync(1, "hello\\n"); await new Promise(() => {})`,
    /no answer/
  ]
]

describe("A plugin", () => {
  for (const [name, body, reason, seconds = PATIENT] of attacks) {
    it.live(`that ${name} harms neither the server nor another plugin, and the reason is reported`, () =>
      Effect.gen(function* () {
        const healthy = yield* started(HEALTHY)
        const attacker = yield* started(hook(`if (delivery.attempt === 1) { ${body} }`), { seconds: PATIENT })
        yield* attacker.loaded
        const limited = yield* started(hook(`if (delivery.attempt === 1) { ${body} }`), { seconds })
        const [error] = yield* Effect.all(
          [
            Effect.flip(limited.call("new_managed_device", DEVICE, FIRST)),
            healthy.call("new_managed_device", DEVICE, FIRST)
          ],
          { concurrency: "unbounded" }
        )
        assert.match(error.message, reason)
        assert.isTrue(error.retry)
        assert.isNull(yield* attacker.call("new_managed_device", DEVICE, { ...FIRST, attempt: 2, again: true }))
      })
    )
  }

  it.live("is started again after its end", () =>
    Effect.gen(function* () {
      const plugin = yield* started(hook(`if (delivery.attempt === 1) process.exit(1)`))
      yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))
      assert.isNull(yield* plugin.call("new_managed_device", DEVICE, { ...FIRST, attempt: 2 }))
    })
  )

  it.live("that throws when it is loaded is refused with the reason", () =>
    Effect.gen(function* () {
      for (const [source, reason] of [
        [`throw new Error("not today")`, /^not today$/],
        [`export default () => { throw new Error("no url") }`, /^no url$/],
        [`export default 5`, /no function/],
        [`export default () => null`, /makes no plugin/],
        [`process.exit(3)`, /ended itself \(exit code 3\)/],
        [`export const x: = 1`, /./]
      ] as const) {
        assert.match((yield* Effect.flip((yield* started(source)).loaded)).message, reason)
      }
    })
  )

  it.live("that never ends loading is ended after the limit", () =>
    Effect.gen(function* () {
      const plugin = yield* started(`await new Promise(() => setInterval(() => {}, 1000))`, { seconds: 1 })
      assert.match((yield* Effect.flip(plugin.loaded)).message, /loading it took longer than 1 seconds/)
    })
  )

  it.live("says with an error whether another attempt is useful", () =>
    Effect.gen(function* () {
      const plugin = yield* started(hook(`throw Object.assign(new Error("wrong"), { retry: false })`))
      assert.isFalse((yield* Effect.flip(plugin.call("new_managed_device", DEVICE, FIRST))).retry)
    })
  )

  it.live("cannot change the server's objects by its messages", () =>
    Effect.gen(function* () {
      const plugin = yield* started(
        hook(`const { parentPort } = await import("node:worker_threads")
          for (const key of ["__proto__", "constructor", "prototype"]) {
            parentPort.postMessage('{"type":"log","text":"x","' + key + '":{"polluted":true}}')
          }`)
      )
      assert.isNull(yield* plugin.call("new_managed_device", DEVICE, FIRST))
      assert.notProperty({}, "polluted")
    })
  )

  it.live("sees its variables, the event and nothing of the server", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      process.env["SECRET_OF_THE_SERVER"] = "hunter2"
      const plugin = yield* started(
        `import type { MakePlugin } from "nowhere"
        const make: MakePlugin = ({ log, name, vars }) => ({
          selftest: () => vars.url === "https://x",
          async new_managed_device(event, { again, attempt, id }) {
            const { readFileSync } = await import("node:fs")
            log([name, id, attempt, again, JSON.stringify(event), JSON.stringify(process.env), process.argv.length].join(" "))
            console.log(readFileSync("/proc/self/environ", "utf8").length)
          }
        })
        export default make`,
        { vars: { url: "https://x" }, name: "seer" }
      ).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual((yield* plugin.loaded).hooks, ["selftest", "new_managed_device"])
      assert.isTrue(yield* plugin.call("selftest", null, FIRST))
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => logged.length >= 2, schedule: Schedule.forever })
      assert.strictEqual(logged[0], `Plugin seer: seer event-1 1 false ${JSON.stringify(DEVICE)} {} 2`)
      assert.strictEqual(logged[1], "Plugin seer: 0")
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["SECRET_OF_THE_SERVER"])))
  )

  it.live("writes a bounded log, without control characters and secrets", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const plugin = yield* started(
        hook(`console.log("token hunter2 \\u001b[31m"); for (let i = 0; i < 10000; i++) console.log("x".repeat(5000))`),
        { hide: (text) => text.replaceAll("hunter2", "<hidden>") }
      ).pipe(Effect.provide(Logger.layer([logger])))
      yield* plugin.call("new_managed_device", DEVICE, FIRST)
      yield* Effect.repeat(Effect.sleep("20 millis"), {
        until: () => logged.at(-1)?.includes("more than is shown") === true,
        schedule: Schedule.forever
      })
      assert.strictEqual(logged[0], "Plugin attacker: token <hidden> [31m")
      assert.isAtMost(logged.length, 60)
      assert.isTrue(logged.every((line) => line.length < 600))
    })
  )
})

describe("the output of a plugin", () => {
  it("is accepted without forbidden characters", () => {
    const taken: Array<PluginProcess.Answer> = []
    const reader = PluginProcess.makeAnswerReader()
    const error = "no \u0000such\u0007 site\u2028\n\ud800\u001b[31m"
    for (const answer of [
      { type: "log", text: error },
      { type: "failed", id: 1, error, retry: false }
    ]) {
      assert.isTrue(reader.read(`${JSON.stringify(answer)}\n`, (said) => taken.push(said)))
    }
    const clean = "no such site\n[31m"
    assert.deepEqual(taken, [
      { type: "log", text: clean },
      { type: "failed", id: 1, error: clean, retry: false }
    ])
  })
})
