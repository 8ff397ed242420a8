/** However many devices change at once, a monitoring system is asked at most 16 questions at the same time. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type * as http from "node:http"
import { setTimeout } from "node:timers/promises"
import { MonitoringSystem } from "../../src/devices/MonitoringSystem.ts"
import type { HttpQuestion } from "../../src/domain/checks/HttpQuestion.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as AlertReceiver from "../support/AlertReceiver.ts"
import { seconds } from "../support/Patience.ts"

const AT_ONCE = 16

const device = (hostname: string) => ({
  hostname,
  management_ip: null,
  device_type: "ACCESS",
  platform: "eos",
  model: null,
  serial: null
})

const questionsTo = (origin: string) =>
  Array.from({ length: 20 }, (_, n): HttpQuestion => ({
    reads: "http",
    url: `${origin}/${n}/{{ hostname }}`,
    query: {},
    path: "$.value",
    name: [],
    numbers: false
  }))

it.live("is asked at most 16 questions at once, by all devices together, and answers all of them", () =>
  Effect.gen(function* () {
    const waiting: Array<http.ServerResponse> = []
    let most = 0
    const monitoring = yield* AlertReceiver.listen((_request, response) => {
      waiting.push(response)
      most = Math.max(most, waiting.length)
    })
    const origin = new URL(monitoring.url).origin
    const questions = questionsTo(origin)
    const config = ServerConfig.layerOf({ CHECK_HOSTS: origin })
    yield* Effect.gen(function* () {
      const { ask } = yield* MonitoringSystem
      const asking = Effect.forEach(
        ["lhv-acc1", "lhv-acc2"],
        (hostname) => ask(questions, device(hostname), seconds(10)),
        { concurrency: "unbounded" }
      )
      const answering = Effect.gen(function* () {
        for (let answered = 0; answered < 40;) {
          // the places are all taken before one is given back, unless fewer questions are left
          while (waiting.length < Math.min(AT_ONCE, 40 - answered)) yield* Effect.sleep("5 millis")
          for (const response of waiting.splice(0)) {
            answered += 1
            response.end(`{"value": 1}`)
          }
        }
      })
      const [answers] = yield* Effect.all([asking, answering], { concurrency: "unbounded" })
      assert.isTrue(answers.flat().every(Result.isSuccess))
      assert.strictEqual(answers.flat().length, 40)
      assert.strictEqual(most, AT_ONCE)
      assert.strictEqual(monitoring.received.length, 40)
    }).pipe(Effect.provide(MonitoringSystem.layer.pipe(Layer.provide(config))))
  }).pipe(Effect.scoped)
)

it.effect("has the time of one question for all of them, also for those that wait for their turn", () =>
  Effect.gen(function* () {
    const monitoring = yield* AlertReceiver.listen(AlertReceiver.behaviours.silent)
    const origin = new URL(monitoring.url).origin
    const config = ServerConfig.layerOf({ CHECK_HOSTS: origin })
    yield* Effect.gen(function* () {
      const { ask } = yield* MonitoringSystem
      const asking = yield* Effect.forkChild(ask(questionsTo(origin), device("lhv-acc1"), 8_000))
      while (monitoring.received.length < AT_ONCE) yield* Effect.promise(() => setTimeout(5))
      yield* TestClock.adjust("8 seconds")
      const answers = yield* Fiber.join(asking)
      assert.strictEqual(answers.length, 20)
      for (const answer of answers) {
        assert.match(Result.isFailure(answer) ? answer.failure.message : "", /there was no answer in time/)
      }
    }).pipe(Effect.provide(MonitoringSystem.layer.pipe(Layer.provide(config))))
  }).pipe(Effect.scoped)
)
