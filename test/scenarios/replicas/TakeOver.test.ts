/**
 * A replica that is killed while it works on switches: another one continues them and the job (promises 1 to 5). `TAKEOVER_RUNS=20` makes a
 * campaign of it, which prints how long that took.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Option } from "effect"
import { seconds } from "../../support/Patience.ts"
import { until } from "../../support/Program.ts"
import { markOf } from "../chaos/SyncVerdict.ts"
import * as ServedReplicas from "./ServedReplicas.ts"

const RUNS = Number(process.env["TAKEOVER_RUNS"] ?? "1")
/** Long enough to be under way on several switches when the blow falls. */
const COMMIT_MS = 1_500

const round = Effect.fnUntraced(function* (scene: ServedReplicas.ServedReplicas, number: number) {
  const description = `round ${number}`
  yield* scene.want(description)
  const marks = scene.switches.map((device) => markOf(device))
  const id = yield* scene.sync(scene.at(number % 3), number % 3)
  const { held, index, replica } = yield* scene.working
  replica.program.kill("SIGKILL")
  yield* replica.program.ended
  const since = Date.now()
  const heard = held.map((device) => device.commands().length)
  yield* until(Effect.sync(() => held.some((device, place) => device.commands().length > (heard[place] ?? 0))))
  const touchedMs = Date.now() - since
  const { api } = scene.at((index + 1) % 3)
  yield* api.ended(id)
  const endedMs = Date.now() - since
  const { violations } = yield* scene.judged(id, marks, description)
  scene.replicas[index] = yield* scene.launch
  return { mode: number % 3, held: held.length, touchedMs, endedMs, violations }
})

it.live(
  "continues the switches and the job of a killed replica",
  () =>
    Effect.gen(function* () {
      const scene = yield* ServedReplicas.make({ replicas: 3, switches: 6, commitMs: COMMIT_MS })
      for (let number = 1; number <= RUNS; number += 1) {
        const ended = yield* Effect.timeoutOption(round(scene, number), seconds(120))
        if (RUNS > 1) yield* Console.log(JSON.stringify(Option.getOrNull(ended)))
        assert.deepStrictEqual(
          Option.match(ended, { onNone: () => ["lost job"], onSome: ({ violations }) => violations }),
          [],
          scene.logs()
        )
      }
    }).pipe(Effect.scoped),
  seconds(200 + RUNS * 120)
)
