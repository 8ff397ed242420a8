import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, References } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { seconds } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { allCommitted, makeManyRouters, names, seed, standing, synchronized, wants } from "./ManyRouters.ts"
import { failures, syncRouters } from "./RouterSite.ts"

const modes = [
  { mode: 0, list: "NONE" },
  { mode: 1, list: "EACH" },
  { mode: 2, list: "ALL" }
] as const

const dead = names[20] ?? ""

const others =
  "Subtask: Sync device config (failed)\nThe device runs the configuration that it had before.\n" +
  `CommitError: Device ${dead} failed, and confirm mode 2 changes all devices or none, so the change was taken back\n`

describeReal("forty real routers", () => {
  it.live(
    "are changed at once in each confirm mode, and all go back when one of them dies before the confirmation",
    () =>
      Effect.gen(function* () {
        const { environment, fabric, settings } = yield* makeManyRouters
        const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(environment)))
        const change = (list: string) => Effect.andThen(settings.commit(wants(list)), refresh("settings", "tester"))
        yield* Effect.gen(function* () {
          yield* seed
          for (const { list, mode } of modes) {
            yield* change(list)
            expect(failures(yield* syncRouters(names, mode))).toEqual({})
            expect(yield* synchronized).toEqual(names)
            expect(yield* standing(fabric)).toEqual([`runs ${list}, starts with ${list}, left nothing`])
          }
          yield* change("LOST")
          const lossOfPower = Effect.andThen(fabric.halt(dead), fabric.boot(dead))
          const striking = yield* Effect.forkChild(Effect.andThen(allCommitted(fabric), lossOfPower))
          const job = yield* syncRouters(names, 2)
          yield* Fiber.join(striking)
          const { [dead]: saidOfDead, ...saidOfOthers } = failures(job)
          expect(saidOfDead).toContain("The device runs the configuration that it had before.\n")
          expect(Object.keys(saidOfOthers)).toHaveLength(names.length - 1)
          expect([...new Set(Object.values(saidOfOthers))]).toEqual([others])
          expect(yield* standing(fabric)).toEqual(["runs ALL, starts with ALL, left nothing"])
          expect(yield* fabric.run(dead, "cat /etc/frr/switchyard/last")).toBe(`reverted job${job.id} restart\n`)
          expect(yield* synchronized).toEqual([])
        }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
      }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error")),
    seconds(900)
  )
})
