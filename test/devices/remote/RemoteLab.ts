/** Drivers whose sessions live in SSH workers, found through a registry as the server finds them. */
import { Effect, Layer, Redacted } from "effect"
import { Worker } from "node:worker_threads"
import { type DriverTarget, DriverRegistry } from "../../../src/devices/Driver.ts"
import * as Drivers from "../../../src/devices/Drivers.ts"
import * as RemoteDriver from "../../../src/devices/remote/RemoteDriver.ts"
import { newWorker } from "../../../src/devices/remote/SshThread.ts"
import { SshThreads, type SshThreadsOptions } from "../../../src/devices/remote/SshThreads.ts"
import { SshLimits } from "../../../src/devices/ssh/SshLimits.ts"

/** The driver of EOS in workers that end with the scope, and all workers that were started for it. */
export const makeRemote = Effect.fnUntraced(function* (
  options: Partial<SshThreadsOptions> & { readonly port?: number; readonly maxSessions?: number } = {}
) {
  const { maxSessions = 1000, port = 22, ...more } = options
  const workers: Array<Worker> = []
  const limits = { port, addressMap: "10.0.0.0/8=127.0.0.0/8", refusedDelay: 0.05 }
  const threads = SshThreads.layer({
    threads: 1,
    limits,
    ...more,
    newWorker: (start) => {
      const worker = (more.newWorker ?? newWorker)(start)
      workers.push(worker)
      return worker
    }
  })
  const registry = yield* Layer.build(
    DriverRegistry.layer(Drivers.makers.map(RemoteDriver.make)).pipe(
      Layer.provide(threads),
      Layer.provide(SshLimits.layer({ maxSessions }))
    )
  )
  const driver = yield* Effect.provide(
    Effect.flatMap(DriverRegistry, ({ get }) => get("eos")),
    registry
  )
  return { driver, workers }
})

/** As `makeRemote`, with the workers of `scriptedWorker.ts`. */
export const makeScripted = Effect.fnUntraced(function* (options: Partial<SshThreadsOptions> = {}) {
  const program = new URL("./scriptedWorker.ts", import.meta.url)
  return yield* makeRemote({
    newWorker: (workerData) => new Worker(program, { workerData, resourceLimits: { maxOldGenerationSizeMb: 120 } }),
    ...options
  })
})

/** A target of the scripted driver, which fails with the error of this tag when its name is not `well`. */
export const scriptedTarget = (hostname = "well"): DriverTarget => ({
  hostname,
  address: "10.66.0.1",
  username: "admin",
  password: Redacted.make("admin"),
  hostKey: { _tag: "accept" }
})
