/** A real router and the driver that talks to it. */
import { Effect, Redacted } from "effect"
import type { DriverTarget } from "../../../src/drivers/Driver.ts"
import * as Frr from "../../../src/drivers/frr/Driver.ts"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { addressOf, type FabricPlan, LOGIN, single } from "../../../src/fabric/FabricPlan.ts"

export const name = "core1"

/** Its running configuration as it starts, and lines to add below it. */
export const candidate = (...lines: ReadonlyArray<string>): string =>
  [
    "frr defaults datacenter",
    `hostname ${name}`,
    "service integrated-vtysh-config",
    "!",
    "interface eth0",
    ` ip address ${addressOf(name)}/24`,
    "exit",
    "!",
    ...lines,
    "end"
  ].join("\n")

/** The router, gone with the scope. */
export const makeOneRouter = Effect.fnUntraced(function* (plan: FabricPlan = single) {
  const fabric = yield* Fabric.make(plan)
  const driver = yield* Effect.provide(Frr.make, SshLimits.layer({ refusedRetries: 0 }))
  const port = yield* fabric.reach(addressOf(name), 22)
  const target: DriverTarget = {
    hostname: name,
    address: "127.0.0.1",
    port,
    username: LOGIN.username,
    password: Redacted.make(LOGIN.password),
    hostKey: { _tag: "accept" }
  }
  const shell = (line: string) => fabric.run(name, line)
  return { fabric, driver, target, shell, startup: shell("cat /etc/frr/frr.conf") }
})

/** Waits until a condition holds; a test that never gets there fails by its own time limit. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("200 millis"), until(condition))
  )
