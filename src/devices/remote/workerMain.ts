/** The program of an SSH worker: runs the real drivers for the main thread until it is told to stop. */
import { Effect, Layer, References, Result } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { DriverRegistry } from "../Driver.ts"
import { makers } from "../Drivers.ts"
import { parse } from "../ssh/AddressMap.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import type { FromWorker, ToWorker, WorkerStart } from "./Messages.ts"
import { layerSending } from "./RemoteLog.ts"
import * as SessionServer from "./SessionServer.ts"

const start: WorkerStart = workerData
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

// how many sessions may be open is bounded by the main thread, for all workers together
const limits = SshLimits.layer({
  ...start.limits,
  maxSessions: Number.MAX_SAFE_INTEGER,
  addressMap: Result.getOrThrow(parse(start.limits.addressMap))
})

const services = Layer.mergeAll(
  DriverRegistry.layer(makers).pipe(Layer.provide(limits)),
  layerSending(send),
  Layer.succeed(References.MinimumLogLevel, start.logLevel)
)

await Effect.runPromise(Effect.provide(serve, services))
process.exit(0)
