/**
 * The machine of the server lacks something: descriptors, room on its disk, inodes, memory, the database, its locks, its shared memory or
 * its volume. No switch is blamed, no database is created, no job is lost, health names the lack, and the server continues automatically.
 * The short form tests each once; `npm run chaos -- own` tests `CHAOS_RUNS` of them in any order, `CHAOS_FAULT` those with this word.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Console, Context, Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { seconds } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import { randomOf } from "../../support/Random.ts"
import { clusters, faults, make, play } from "./Own.ts"

const RUNS = process.env["CHAOS_RUNS"]
const ONLY = process.env["CHAOS_FAULT"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261125")
const DEVICES = RUNS === undefined ? 4 : 20
const LASTS_MS = RUNS === undefined ? 2_000 : 8_000

const chosen = faults.filter(({ name }) => ONLY === undefined || new RegExp(ONLY).test(name))

const plan = () => {
  if (RUNS === undefined) return chosen
  const random = randomOf(SEED)
  return Array.from({ length: Number(RUNS) }, () => chosen[Math.floor(random() * chosen.length)]).filter(
    (fault) => fault !== undefined
  )
}

/** The server that meets one fault after the other. */
class Scene extends Context.Service<Scene, Effect.Success<ReturnType<typeof make>>>()("test/chaos/Own") {
  static readonly layer = Layer.effect(Scene, make(DEVICES))
}

describe("a fault of the server's own machine", () => {
  layer(Scene.layer, { excludeTestServices: true })((it) => {
    for (const [index, fault] of plan().entries()) {
      it.effect(
        `blames no switch, creates no database, loses no job, is reported by health and ends automatically: ${index + 1}, ${fault.name}`,
        (test) =>
          Effect.gen(function* () {
            const scene = yield* Scene
            if (!fault.isPossible(scene)) return test.skip("It cannot be made on this machine.")
            const outcome = yield* Effect.scoped(play(scene, fault, LASTS_MS))
            yield* Console.log(JSON.stringify(outcome))
            assert.deepStrictEqual(outcome.violations, [], scene.program().text().slice(-20_000))
          }),
        seconds(180)
      )
    }
  })

  it.live(
    "includes a missing volume: the start refuses and creates no database, and continues when it is mounted again",
    () =>
      Effect.gen(function* () {
        const scene = yield* make(1)
        const { env, folder, program } = scene
        const before = yield* clusters(folder)
        program().kill("SIGTERM")
        yield* program().ended
        const away = path.join(folder, "away")
        yield* Effect.promise(() => fs.rename(path.join(folder, "database"), away))
        const refused = yield* Program.start(env)
        const code = yield* refused.ended
        assert.notStrictEqual(code, 0)
        assert.include(refused.text(), "database", refused.text())
        assert.deepStrictEqual(
          (yield* clusters(folder)).map((name) => name.replace(/^away/, "database")),
          before
        )
        yield* Effect.promise(async () => {
          await fs.rm(path.join(folder, "database"), { recursive: true, force: true })
          await fs.rename(away, path.join(folder, "database"))
        })
        yield* scene.restart
        const { text } = yield* scene.call("GET", "/v1.0/devices")
        assert.include(text, scene.names[0] ?? "")
      }).pipe(Effect.scoped),
    seconds(120)
  )
})
