/** kill -9 during init step 1 and step 2 of an access switch (promises 3 and 4). `CHAOS_RUNS=20` adds random instants. */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as InitScene from "./InitScene.ts"

const RANDOM_RUNS = Number(process.env["CHAOS_RUNS"] ?? "2")
/** Both steps together take about this long, in milliseconds. */
const INIT_MS = 4_500

const command = (name: string, pattern: RegExp): InitScene.Kill => ({
  name,
  reached: (device, since) => device.commands().some(({ at, command }) => at >= since && pattern.test(command))
})

const sinceMoved = (device: LabSwitch) => device.commands().filter(({ user }) => user === "switchyard")

const steps: ReadonlyArray<InitScene.Kill> = [
  command("while it is surveyed", /^show lldp neighbors/),
  command("before the load", /^configure session job\d+$/),
  command("after the load", /^show session-config diffs/),
  {
    name: "after the commit",
    reached: (device, since) => device.commits().some(({ at, session }) => at >= since && /^job\d+$/.test(session))
  },
  { name: "when the new address answers", reached: InitScene.movedAndSeen },
  {
    name: "while step 2 saves",
    reached: (device) => sinceMoved(device).some((line) => line.command === "write memory")
  }
]

const random: ReadonlyArray<InitScene.Kill> = Array.from({ length: RANDOM_RUNS }, (_, index) => {
  const afterMs = Math.round(((index * 0.618_034 + 0.2) % 1) * INIT_MS)
  return { name: `${afterMs} ms after the start`, afterMs }
})

it.live(
  "makes a new switch MANAGED, or leaves it DISCOVERED without a trace, wherever the server is killed",
  () =>
    Effect.gen(function* () {
      const kills = [...steps, ...random]
      const scene = yield* InitScene.make(kills.length + 1)
      const { left: unharmed } = yield* scene.run(null)
      assert.deepInclude(unharmed, { state: "MANAGED", announced: 1, commits: 1, debris: [], saved: true })
      const outcomes: Array<readonly [string, boolean, number]> = []
      for (const kill of kills) {
        const { killed, left, recoveryMs } = yield* scene.run(kill)
        outcomes.push([kill.name, killed, recoveryMs])
        assert.deepStrictEqual(left, unharmed, `killed ${kill.name}`)
      }
      if (process.env["CHAOS_RUNS"] !== undefined) yield* Console.log(outcomes)
      assert.isAtLeast(outcomes.filter(([, killed]) => killed).length, steps.length)
    }).pipe(Effect.scoped),
  120_000 + RANDOM_RUNS * 30_000
)
