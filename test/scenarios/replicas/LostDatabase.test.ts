/**
 * A replica that loses its connection to the database, which the others keep: it sends nothing more to switches, another one brings its job
 * to a true end, its callers get 503, and it returns automatically (promises 1 to 5 and 8). `LOST_RUNS=24` makes a campaign of it.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Fiber, Option } from "effect"
import { seconds } from "../../support/Patience.ts"
import { until } from "../../support/Program.ts"
import { type Loss, losses } from "../../support/Silence.ts"
import { markOf } from "../chaos/SyncVerdict.ts"
import * as ServedReplicas from "./ServedReplicas.ts"

const RUNS = Number(process.env["LOST_RUNS"] ?? "3")
const COMMIT_MS = 1_500
const PATIENCE = seconds(180)

const health = (base: string, of: "ready" | "replicas") =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/api/health/${of}`)
    return { status: response.status, text: await response.text() }
  })

interface Blow {
  readonly mode: number
  readonly how: Loss
}

const round = Effect.fnUntraced(function* (scene: ServedReplicas.ServedReplicas, number: number, { how, mode }: Blow) {
  const description = `round ${number}`
  yield* scene.want(description)
  const marks = scene.switches.map((device) => markOf(device))
  const id = yield* scene.sync(scene.at(number % 3), mode)
  const { held, index, replica } = yield* scene.working
  const other = scene.at((index + 1) % 3)
  yield* replica.toDatabase.lose(how)
  const since = Date.now()
  const sinceThen = Effect.sync(() => Date.now() - since)
  // in parallel with the requests to the replica that is cut off, which answers slowly
  const ending = yield* Effect.forkChild(Effect.andThen(other.api.ended(id), sinceThen))
  yield* until(
    Effect.map(health(other.url, "replicas"), ({ status, text }) => status === 503 && text.includes(replica.cluster))
  )
  const toldMs = yield* sinceThen
  yield* until(Effect.map(health(replica.url, "ready"), ({ status }) => status === 503))
  assert.strictEqual((yield* health(replica.url, "replicas")).status, 503)
  assert.strictEqual((yield* replica.api.send("GET", "/devices")).status, 503)
  const endedMs = yield* Fiber.join(ending)
  yield* replica.toDatabase.restore
  const restored = Date.now()
  yield* until(Effect.map(health(replica.url, "ready"), ({ status }) => status === 200))
  yield* until(Effect.map(health(other.url, "replicas"), ({ status }) => status === 200))
  assert.strictEqual((yield* replica.api.send("GET", "/devices")).status, 200)
  const judged = yield* scene.judged(id, marks, description)
  return { how, mode, held: held.length, toldMs, endedMs, backMs: Date.now() - restored, ...judged }
})

it.live(
  "hands over its work when it alone loses the database, and returns automatically",
  () =>
    Effect.gen(function* () {
      const scene = yield* ServedReplicas.make({ replicas: 3, switches: 6, commitMs: COMMIT_MS })
      for (let number = 0; number < RUNS; number += 1) {
        const blow: Blow = { how: losses[number % 3] ?? "cut", mode: (number + Math.floor(number / 3)) % 3 }
        const ended = yield* Effect.timeoutOption(round(scene, number, blow), PATIENCE)
        if (process.env["LOST_RUNS"] !== undefined)
          yield* Console.log(JSON.stringify(Option.getOrElse(ended, () => blow)))
        assert.deepStrictEqual(
          Option.match(ended, { onNone: () => ["lost job"], onSome: ({ violations }) => violations }),
          [],
          `${JSON.stringify(blow)}\n${scene.logs()}`
        )
      }
    }).pipe(Effect.scoped),
  seconds(200 + RUNS * 180)
)
