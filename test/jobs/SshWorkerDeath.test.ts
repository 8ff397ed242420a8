/** A live sync whose SSH worker dies: no switch is left unknown, and the record says what each runs (promises 3 and 5). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Worker } from "node:worker_threads"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Lab from "./SyncLab.ts"

/** The workers that this process starts while the scope is open. */
const startedWorkers = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const workers: Array<Worker> = []
      const listen = (worker: Worker) => void workers.push(worker)
      process.on("worker", listen)
      return { workers, listen }
    }),
    ({ listen }) => Effect.sync(() => process.off("worker", listen))
  ),
  ({ workers }) => workers
)

const isLoading = (device: LabSwitch) => device.sessions().some(({ state }) => state === "pending")
const hasCommitted = (device: LabSwitch) => device.timer() !== undefined

/** Changes all devices, ends the worker as soon as a switch has got so far, and looks at what the record says. */
const dieAt = Effect.fnUntraced(function* (
  lab: Lab.SyncLab,
  workers: ReadonlyArray<Worker>,
  instant: (device: LabSwitch) => boolean,
  text: string
) {
  yield* Lab.want(lab, text)
  const before = lab.switches.map(Lab.described)
  const syncing = yield* Effect.forkChild(Lab.sync())
  yield* Lab.until(() => lab.switches.some(instant))
  yield* Effect.promise(() => workers.at(-1)?.terminate() ?? Promise.resolve(0))
  const job = yield* Fiber.join(syncing)
  assert.strictEqual(job.status, "FINISHED", JSON.stringify(job.exception))
  const outcomes = Lab.outcomes(job)
  for (const [index, name] of lab.names.entries()) {
    const expected = outcomes[name] === "ok" ? `wanted ${text}` : before[index]
    assert.strictEqual(Lab.described(Lab.switchAt(lab, index)), expected, outcomes[name])
  }
  yield* Lab.nothingLeft(lab)
  const again = yield* Lab.sync()
  assert.strictEqual(again.status, "FINISHED")
  assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
})

it.live(
  "ends every device on the old or the new configuration and says which, and the next sync goes on",
  () =>
    Effect.gen(function* () {
      const workers = yield* startedWorkers
      const body = Effect.fnUntraced(function* (lab: Lab.SyncLab) {
        const earlier = workers.length
        yield* dieAt(lab, workers, isLoading, "one1")
        yield* dieAt(lab, workers, hasCommitted, "two2")
        // one for each that died
        assert.strictEqual(workers.length - earlier, 2)
      })
      yield* Lab.withLab(4, body, { SSH_WORKERS: "1", COMMIT_CONFIRMED_TIMEOUT: "10" })
    }).pipe(Effect.scoped),
  60_000
)
