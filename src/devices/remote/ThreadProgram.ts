/** What an SSH worker does, whichever drivers it has: serves the main thread until it is told to stop. */
import { Effect, Layer, References } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import type { DriverRegistry } from "../Driver.ts"
import type { FromWorker, ToWorker, WorkerStart } from "./Messages.ts"
import { layerSending } from "./RemoteLog.ts"
import * as SessionServer from "./SessionServer.ts"

/** What the main thread started this worker with. */
export const start: WorkerStart = workerData

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- is about windows, not threads
const send = (message: FromWorker): void => parentPort?.postMessage(message)

const serve = Effect.gen(function* () {
  const receive = yield* SessionServer.make(send)
  yield* Effect.callback<void>((resume) => {
    parentPort?.on("message", (message: ToWorker) => {
      if (message._tag === "Stop") resume(Effect.void)
      else receive(message)
    })
  })
}).pipe(Effect.scoped)

const logging = Layer.merge(layerSending(send), Layer.succeed(References.MinimumLogLevel, start.logLevel))

/** Serves with these drivers; ends the worker. */
export const run = async (drivers: Layer.Layer<DriverRegistry>): Promise<never> => {
  await Effect.runPromise(Effect.provide(serve, Layer.merge(drivers, logging)))
  process.exit(0)
}
