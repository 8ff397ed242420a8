/** The program of the threads in `ThreadPool.test.ts`. */
import { Effect } from "effect"
import { serve } from "../../src/runtime/ThreadProgram.ts"
import { CalculationsRpc, Odd } from "./CalculationsRpc.ts"

const spin = (cpuMillis: number): number => {
  const before = process.threadCpuUsage()
  const used = () => {
    const { system, user } = process.threadCpuUsage(before)
    return (system + user) / 1000
  }
  let rounds = 0
  while (used() < cpuMillis) rounds++
  return rounds
}

const fill = (): number => {
  const lists: Array<ReadonlyArray<number>> = []
  for (;;) lists.push(Array.from({ length: 10_000 }, (_, index) => index + lists.length))
}

serve(
  CalculationsRpc,
  CalculationsRpc.toLayer({
    Half: ({ number }) => (number % 2 === 0 ? Effect.succeed(number / 2) : Effect.fail(new Odd({ number }))),
    Spin: ({ cpuMillis }) => Effect.sync(() => spin(cpuMillis)),
    Fill: () => Effect.sync(fill),
    Die: () => Effect.die(new Error("boom")),
    Exit: () => Effect.sync(() => process.exit(3))
  })
)
