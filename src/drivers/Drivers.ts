/** The drivers of all platforms that this server can log in to, and how one is found. A driver more is a folder and one line here. */
import { Context, Effect, Layer } from "effect"
import type { Driver } from "./Driver.ts"
import { UnknownPlatform } from "./DriverErrors.ts"
import * as Eos from "./eos/Driver.ts"
import * as Frr from "./frr/Driver.ts"
import * as Junos from "./junos/Driver.ts"
import type { SshLimits } from "./ssh/SshLimits.ts"

/** Each as the effect that makes it on the connection limits of its thread. */
export const makers: ReadonlyArray<Effect.Effect<Driver, never, SshLimits>> = [Eos.make, Junos.make, Frr.make]

/** The drivers of a server: all of them, unless it is given others. */
export const Makers = Context.Reference("switchyard/drivers/Makers", { defaultValue: () => makers })

/** Finds the driver of a platform. */
export class DriverRegistry extends Context.Service<
  DriverRegistry,
  {
    readonly get: (platform: string) => Effect.Effect<Driver, UnknownPlatform>
  }
>()("switchyard/drivers/DriverRegistry") {
  static readonly layer = Layer.effect(
    DriverRegistry,
    Effect.gen(function* () {
      const drivers = new Map((yield* Effect.all(yield* Makers)).map((driver) => [driver.platform.name, driver]))
      return DriverRegistry.of({
        get: (platform) => {
          const driver = drivers.get(platform)
          return driver === undefined
            ? Effect.fail(new UnknownPlatform({ platform, known: [...drivers.keys()] }))
            : Effect.succeed(driver)
        }
      })
    })
  )
}
