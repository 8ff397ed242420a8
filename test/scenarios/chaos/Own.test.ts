/**
 * The machine of the server lacks something: descriptors, room on its disk, inodes, memory, the database, its locks, its shared memory or
 * its volume. No switch is blamed, no database is made, no job is lost, health says what is lacking, and the server goes on by itself.
 * The short form plays each once; `npm run chaos -- own` plays `CHAOS_RUNS` of them in any order, `CHAOS_FAULT` those with this word.
 */
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { seconds } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import { randomOf } from "../../support/Random.ts"
import { clusters, faults, make, type Outcome, play } from "./Own.ts"

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

describe("a fault of the server's own machine", () => {
  it.live(
    "blames no switch, makes no database, loses no job, is told by health and passes by itself",
    () =>
      Effect.gen(function* () {
        const scene = yield* make(DEVICES)
        const outcomes: Array<Outcome> = []
        for (const fault of plan()) {
          if (!fault.isPossible(scene)) {
            yield* Console.log(`Left out, because it cannot be made on this machine: ${fault.name}`)
            continue
          }
          const outcome = yield* Effect.scoped(play(scene, fault, LASTS_MS))
          outcomes.push(outcome)
          yield* Console.log(JSON.stringify(outcome))
        }
        const broken = outcomes.filter(({ violations }) => violations.length > 0)
        assert.deepStrictEqual(broken, [], scene.program().text().slice(-20_000))
      }).pipe(Effect.scoped),
    seconds(300) + Number(RUNS ?? "0") * seconds(60)
  )

  it.live(
    "is a volume that is not there: the start refuses and makes no database, and goes on when it is there again",
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
