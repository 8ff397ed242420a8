/**
 * kill -9 of the server at each step of a live sync of real routers: each router is at another step when the server is killed and completes
 * its present command, and another server ends the job (promises 3, 4 and 5).
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import type { DeviceResult } from "../../../src/domain/Job.ts"
import * as Database from "../../../src/store/Database.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import { devicesOf } from "../chaos/ManagedCampus.ts"
import { killCells, killGroups } from "./RouterKills.ts"
import { armAll, leftInDatabase, makeSite, nameOf, type RouterCell, seedRouters } from "./RouterScene.ts"
import { judge } from "./RouterVerdict.ts"

const play = Effect.gen(function* () {
  const held = new Set<string>()
  const gates = new Map<string, Deferred.Deferred<void>>()
  const hold = (_: unknown, name: string) =>
    Effect.suspend(() => {
      held.add(name)
      const gate = gates.get(name)
      return gate === undefined ? Effect.void : Deferred.await(gate)
    })
  const cells = killCells.map((cell): RouterCell => ({ ...cell, strike: hold }))
  const { environment, fabric } = yield* makeSite(cells)
  const url = yield* databaseUrl
  const env = { ...environment, COMMIT_CONFIRMED_TIMEOUT: timer(150), DATABASE_URL: url }
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url)), env))
  return yield* Effect.gen(function* () {
    let server = yield* ServerProcess.launch(env)
    yield* server.refresh("templates")
    yield* server.refresh("settings")
    yield* seedRouters(fabric, cells)
    const outcomesOf = yield* armAll(fabric, cells)
    let results: Readonly<Record<string, DeviceResult>> = {}
    for (const group of killGroups) {
      const hostnames = killCells.flatMap(({ at }, index) =>
        group.some((step) => step.at === at) ? [nameOf(index)] : []
      )
      const gate = yield* Deferred.make<void>()
      for (const name of hostnames) gates.set(name, gate)
      const id = yield* server.start("sync_devices", { hostnames, dry_run: false })
      yield* ServerProcess.killWhen(server, () => hostnames.every((name) => held.has(name)))
      yield* server.ended
      yield* Deferred.succeed(gate, undefined)
      server = yield* ServerProcess.launch(env)
      const job = yield* ServerProcess.untilEnded(id)
      assert.strictEqual(job.status, "FINISHED")
      results = { ...results, ...devicesOf(job) }
    }
    const leftOpen = yield* leftInDatabase
    const outcomes = yield* outcomesOf(results)
    server.terminate()
    assert.strictEqual(yield* server.ended, 0)
    return { leftOpen, outcomes }
  }).pipe(Effect.provide(stores))
}).pipe(Effect.scoped)

describeReal("a server that is killed during a live sync of real routers", () => {
  it.live(
    "a killed server is followed by one that ends the job, and records the truth for each router",
    () =>
      Effect.gen(function* () {
        const { leftOpen, outcomes } = yield* play
        assert.deepStrictEqual(leftOpen, [])
        const wrong = killCells.flatMap((cell, index) => {
          const outcome = outcomes[index]
          return outcome === undefined ? [] : judge(cell, outcome).map((text) => `${cell.place}: ${text}`)
        })
        assert.deepStrictEqual(wrong, [])
        assert.lengthOf(outcomes, killCells.length)
      }),
    seconds(600)
  )
})
