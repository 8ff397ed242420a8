/**
 * Every step of a live sync of a real router × every possible fault. In every case the router runs the old or the new configuration unless
 * another user has edited it, the record names which, and nothing of ours remains.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { outOfSight } from "../chaos/FaultEndings.ts"
import { devicesOf } from "../chaos/ManagedCampus.ts"
import { type Round, rounds, sample, stepNames, steps } from "./RouterFaults.ts"
import { armAll, leftInDatabase, makeSite, nameOf, type Outcome, seedRouters } from "./RouterScene.ts"
import { judge } from "./RouterVerdict.ts"

/** Routers that are worked on at once: the machine's own processor time must not look like a silent router. */
const CONCURRENCY = "8"

interface Story {
  readonly status: string
  readonly leftOpen: ReadonlyArray<string>
  readonly outcomes: ReadonlyArray<Outcome>
}

const play = ({ cells, timerSeconds }: Round) =>
  Effect.gen(function* () {
    const { environment, fabric } = yield* makeSite(cells)
    const env = { ...environment, COMMIT_CONFIRMED_TIMEOUT: timer(timerSeconds), SYNC_CONCURRENCY: CONCURRENCY }
    const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)))
    return yield* Effect.gen(function* () {
      const engine = yield* JobEngine
      yield* refresh("templates", "tester")
      yield* refresh("settings", "tester")
      yield* seedRouters(fabric, cells)
      const outcomesOf = yield* armAll(fabric, cells)
      const args = { hostnames: cells.map((_, index) => nameOf(index)), dry_run: false }
      const job = yield* engine.ended(yield* engine.start(SyncDevices, args, { user: "tester" }))
      const leftOpen = yield* leftInDatabase
      return { status: job.status, leftOpen, outcomes: yield* outcomesOf(devicesOf(job)) } satisfies Story
    }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

it("tests every fault and every step of the table also in part", () => {
  const played = sample.flatMap(({ cells }) => cells)
  const whole = rounds.flatMap(({ cells }) => cells)
  assert.sameMembers([...new Set(played.map(({ fault }) => fault))], [...new Set(whole.map(({ fault }) => fault))])
  for (const name of stepNames) assert.isAtLeast(played.filter(({ at }) => at === steps[name].at).length, 2, name)
})

describeReal("a live sync of real routers", () => {
  const isCampaign = process.env["CHAOS_RUNS"] !== undefined
  for (const round of isCampaign ? rounds : sample) {
    describe(round.title, () => {
      let story: Story
      beforeAll(async () => {
        story = await Effect.runPromise(play(round))
      }, seconds(600))

      it("ends, and leaves no lock and no open change", () => {
        assert.strictEqual(story.status, "FINISHED")
        // that of a router that stays out of reach ends after its job (LockWaiting.test.ts)
        const staysOpen = round.cells.filter(({ ending }) => ending === outOfSight)
        assert.notInclude(story.leftOpen, "a lock is held")
        assert.lengthOf(story.leftOpen, staysOpen.length, String(story.leftOpen))
      })

      for (const [index, cell] of round.cells.entries()) {
        it(`ends as expected: ${cell.fault}, ${cell.place}`, () => {
          const outcome = story.outcomes[index]
          assert.isDefined(outcome)
          assert.deepStrictEqual(judge(cell, outcome), [])
        })
      }
    })
  }
})
