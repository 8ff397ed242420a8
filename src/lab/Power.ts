/**
 * Switching on: with a startup configuration the switch boots into it; without one it does zero touch provisioning (asks DHCP,
 * fetches the initial configuration, starts it). See docs/provisioning.md#dhcp-and-boot-files.
 */
import { Effect, Fiber, FiberMap, type Scope } from "effect"
import * as Loader from "./eos/ConfigLoader.ts"
import { openForeign } from "./eos/ConfigSessions.ts"
import { render } from "./eos/ConfigTree.ts"
import * as DhcpServer from "./DhcpServer.ts"
import * as History from "./History.ts"
import { pause } from "./RealTime.ts"
import * as Switch from "./Switch.ts"

export interface Power {
  /** Boots in the background; a second call starts over. The effect waits for the end of the boot. */
  readonly boot: (device: Switch.Switch) => Effect.Effect<void>
  /** Off at once; ends a boot that is under way. */
  readonly off: (device: Switch.Switch) => Effect.Effect<void>
  /** Off and on again, in the background. */
  readonly reload: (device: Switch.Switch) => void
}

export interface PowerOptions {
  readonly dhcp: DhcpServer.DhcpServer
  /** What a blank switch is given. */
  readonly initialConfig: string
  /** Milliseconds between the first lease and the running initial configuration. */
  readonly provisioningMs: number
  /** Waits until the listeners are open. */
  readonly settled: Effect.Effect<void>
}

/** Power for the switches of a lab. */
export const make = Effect.fn("Power.make")(function* (
  options: PowerOptions
): Effect.fn.Return<Power, never, Scope.Scope> {
  const boots = yield* FiberMap.make<string, void>()
  const run = yield* FiberMap.runtime(boots)<never>()
  const start = (device: Switch.Switch) => {
    Switch.down(device, "booting")
    return run(device.name, bootSequence(device, options))
  }
  return {
    boot: (device) => Effect.suspend(() => Effect.asVoid(Fiber.await(start(device)))),
    off: (device) =>
      Effect.andThen(
        FiberMap.remove(boots, device.name),
        Effect.sync(() => Switch.down(device, "off"))
      ),
    reload: (device) => {
      start(device)
    }
  }
})

const bootSequence = (device: Switch.Switch, options: PowerOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* pause(device.behaviour.bootMs)
    const kind = device.startup === undefined ? "ztp" : "reload"
    if (device.startup === undefined) yield* provision(device, options)
    Switch.up(device)
    openForeign(device)
    History.pushCommit(device.history, { session: "", kind, at: Date.now() })
    yield* options.settled
  })

const provision = Effect.fnUntraced(function* (device: Switch.Switch, options: PowerOptions) {
  device.lease = options.dhcp.lease(device)
  yield* DhcpServer.logged(options.dhcp.commit(device))
  yield* pause(options.provisioningMs)
  device.startup = render(Loader.parse(options.initialConfig))
})
