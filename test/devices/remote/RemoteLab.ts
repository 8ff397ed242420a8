/** A lab of one switch with a driver on this thread and one in an SSH worker, both found through a registry. */
import { Effect, Layer } from "effect"
import { type Driver, DriverRegistry } from "../../../src/devices/Driver.ts"
import * as Drivers from "../../../src/devices/Drivers.ts"
import * as RemoteDriver from "../../../src/devices/remote/RemoteDriver.ts"
import { SshThreads, type SshThreadsOptions } from "../../../src/devices/remote/SshThreads.ts"
import { SshLimits } from "../../../src/devices/ssh/SshLimits.ts"
import { makeOneSwitch } from "../eos/OneSwitchLab.ts"

/** The EOS driver with its sessions in workers; they end with the scope. */
export const remoteDriver = Effect.fnUntraced(function* (
  port: number,
  options: Partial<SshThreadsOptions> & { readonly maxSessions?: number } = {}
) {
  const { maxSessions = 1000, ...more } = options
  const limits = { port, addressMap: "10.0.0.0/8=127.0.0.0/8", refusedDelay: 0.05 }
  const layer = DriverRegistry.layer(Drivers.makers.map(RemoteDriver.make)).pipe(
    Layer.provide(SshThreads.layer({ threads: 1, limits, ...more })),
    Layer.provide(SshLimits.layer({ maxSessions }))
  )
  const registry = yield* Layer.build(layer)
  return yield* Effect.flatMap(DriverRegistry, ({ get }) => get("eos")).pipe(Effect.provide(registry))
})

/** The lab of `makeOneSwitch` with both drivers. */
export const makeBoth = Effect.fnUntraced(function* () {
  const one = yield* makeOneSwitch()
  const remote: Driver = yield* remoteDriver(one.lab.port)
  return { ...one, local: one.driver, remote }
})
