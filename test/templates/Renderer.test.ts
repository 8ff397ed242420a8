/** The costs of long renderings for others: the thread of the API, the other devices of the job, other jobs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { Renderer } from "../../src/templates/Renderer.ts"
import type { RenderTask } from "../../src/templates/Rendering.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"

const rendererWith = (environment: Readonly<Record<string, string>>) =>
  Renderer.layer.pipe(Layer.provide(ServerConfig.layerOf(environment)))

const oneSecond = rendererWith({ RENDER_DEVICE_SECONDS: "1" })

/** Tasks with files of one commit. */
const commit = (files: Readonly<Record<string, string>>) => {
  const all = new Map([
    ["eos/mapping.yml", "ACCESS:\n  entrypoint: access.j2\n"],
    ...Object.entries(files).map(([name, text]) => [`eos/${name}`, text] as const)
  ])
  const platform = buildTemplateSnapshot({ files: all, root: "templates" }).platforms.get("eos")
  assert.isDefined(platform)
  return (variables: Readonly<Record<string, unknown>> = {}, file = "access.j2"): RenderTask => {
    if (platform === undefined) throw new Error("no platform")
    return { platform, file, variables: new Map(Object.entries(variables)) }
  }
}

const endless = "hostname {{ host }}\n{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}\n"

/** Takes a few hundred milliseconds: more than a first try may, and far less than a device. */
const long = "{% for a in range(3000) %}{% for b in range(3000) %}{% endfor %}{% endfor %}{{ host }}{{ vlans }}"

/** How often the event loop came round meanwhile: not at all while it was held. */
const rounds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let count = 0
    const timer = setInterval(() => count++, 5)
    const answer = yield* Effect.ensuring(
      effect,
      Effect.sync(() => clearInterval(timer))
    )
    return { answer, count }
  })

const processorSeconds = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

const job = Effect.flatMap(Renderer, ({ renderer }) => renderer)

describe("a template that does not end", () => {
  it.live("fails with its place and the setting that bounds it, and leaves the thread of the API to others", () =>
    Effect.gen(function* () {
      const render = yield* job
      const { answer, count } = yield* rounds(Effect.flip(render(commit({ "access.j2": endless })({ host: "a" }))))
      assert.strictEqual(answer.kind, "LimitExceeded")
      assert.strictEqual(
        answer.sentence,
        "rendering needs more than its 1 seconds of processor time (RENDER_DEVICE_SECONDS)"
      )
      assert.deepInclude(answer.place, { template: "eos/access.j2", line: 2 })
      assert.isAbove(count, 20, "the event loop was held")
    }).pipe(Effect.provide(oneSecond))
  )

  it.live("fails for all further devices of the job at once, whatever their variables", () =>
    Effect.gen(function* () {
      const render = yield* job
      const task = commit({ "access.j2": endless, "dist.j2": "{{ host }}" })
      const hosts = Array.from({ length: 200 }, (_, index) => `sw${index}`)
      const before = processorSeconds()
      const results = yield* Effect.forEach(hosts, (host) => Effect.result(render(task({ host }))), {
        concurrency: "unbounded"
      })
      assert.isBelow(processorSeconds() - before, 60, "each device took its whole second")
      const sentences = results.map((result) => (Result.isFailure(result) ? result.failure.sentence : "rendered"))
      const [first = "", ...others] = sentences.toSorted((a, b) => b.length - a.length).toReversed()
      assert.strictEqual(first, "rendering needs more than its 1 seconds of processor time (RENDER_DEVICE_SECONDS)")
      assert.deepStrictEqual([...new Set(others)], [`not rendered again, because just before ${first}`])
      assert.strictEqual((yield* render(task({ host: "sw1" }, "dist.j2"))).text, "sw1")
    }).pipe(Effect.provide(oneSecond))
  )

  it.live("is not retried by the next request for this commit, and is by one for a corrected commit", () =>
    Effect.gen(function* () {
      const broken = commit({ "access.j2": endless })
      yield* Effect.flip((yield* job)(broken()))
      const again = yield* Effect.flip((yield* job)(broken()))
      assert.match(again.sentence, /^not rendered again, because just before rendering needs more than its 1 seconds/)
      assert.deepInclude(again.place, { template: "eos/access.j2", line: 2 })
      assert.strictEqual((yield* (yield* job)(commit({ "access.j2": "mended" })())).text, "mended")
    }).pipe(Effect.provide(oneSecond))
  )

  it.live("that makes values without end fails with the setting that bounds its memory", () =>
    Effect.gen(function* () {
      const source =
        "{% set l = [] %}{% for a in range(99999) %}{% for b in range(99) %}{% set _ = l.append('x' * 900 ~ b) %}{% endfor %}{% endfor %}"
      const failed = yield* Effect.flip((yield* job)(commit({ "access.j2": source })()))
      assert.strictEqual(failed.sentence, "rendering uses too much memory: more than its 64 MB (RENDER_MEMORY)")
    }).pipe(Effect.provide(rendererWith({ RENDER_MEMORY: "64" })))
  )
})

describe("a template that takes long", () => {
  it.live("is rendered as on the thread of the API, for any number of devices", () =>
    Effect.gen(function* () {
      const render = yield* job
      const task = commit({ "access.j2": long })
      const vlans = new Map<unknown, unknown>([
        [30, "staff"],
        ["guests", [1n << 70n, null, 1.5, true]]
      ])
      const { answer, count } = yield* rounds(
        Effect.forEach(["sw1", "sw2", "sw3", "sw4", "sw5"], (host) => render(task({ host, vlans })), { concurrency: 5 })
      )
      assert.deepStrictEqual(
        answer.map(({ text }) => text),
        [1, 2, 3, 4, 5].map((n) => `sw${n}{30: 'staff', 'guests': [1180591620717411303424, None, 1.5, True]}`)
      )
      assert.isAbove(count, 20, "the event loop was held")
    }).pipe(Effect.provide(rendererWith({})))
  )

  it.live("ends when the job has used its time, and the failures say so", () =>
    Effect.gen(function* () {
      const render = yield* job
      const task = commit({ "access.j2": long.replace("range(3000)", "range(12000)") })
      const hosts = Array.from({ length: 40 }, (_, index) => `sw${index}`)
      const results = yield* Effect.forEach(hosts, (host) => Effect.result(render(task({ host }))), { concurrency: 40 })
      const last = yield* Effect.flip(render(task({ host: "last" })))
      assert.include(last.sentence, "(RENDER_JOB_SECONDS)")
      assert.isTrue(results.some(Result.isFailure))
      assert.strictEqual((yield* (yield* job)(commit({ "access.j2": "other" })())).text, "other")
    }).pipe(Effect.provide(rendererWith({ RENDER_JOB_SECONDS: "1" })))
  )
})

describe("a template that prints forbidden characters", () => {
  const files = {
    "access.j2": "hostname {{ host }}\n{% include 'ports.j2' %}",
    "ports.j2": "interface Ethernet1\n   description {{ text }}\n   no shutdown\n"
  }
  for (const [what, text, says] of [
    ["a control character", "a\u0007b", "U+0007"],
    ["an escape sequence", "\u001b[2J", "U+001B"],
    ["a line separator", "a\u2028reload", "U+2028"],
    ["NUL", "\u0000", "U+0000"],
    ["half of a surrogate pair", "\ud800", "U+D800"],
    ["a carriage return", "a\rreload", "U+000D"]
  ] as const) {
    it.live(`fails with the line of the template and the variable: ${what}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* job)(commit(files)({ host: "a", text })))
        assert.deepInclude(error.place, { template: "eos/ports.j2", line: 2 })
        assert.match(error.message, /line 3 of the result/)
        assert.include(error.message, says)
        assert.include(error.message, "variable text")
        assert.notInclude(error.message, text)
      }).pipe(Effect.provide(rendererWith({})))
    )
  }
})
