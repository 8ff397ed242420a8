/** The way back to the factory default, on a simulated switch over real SSH. */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { offered } from "../../../src/drivers/Verbs.ts"
import { makeOneSwitch, name } from "./OneSwitchLab.ts"

it.live("wipes startup configuration, key and certificate, twice if necessary, and restarts", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    const session = yield* driver.open(target)
    yield* session.save
    const certificates = yield* offered(session, "certificates", name)
    yield* certificates.install({ key: Redacted.make("key"), certificate: "certificate" }, Effect.void)
    const reset = yield* offered(session, "reset", name)
    yield* reset.wipe
    yield* reset.wipe
    expect(device.startup()).toBeUndefined()
    expect(device.certificates().size + device.keys().size).toBe(0)
    expect(device.running()).toContain(`hostname ${name}`)
    yield* reset.reload
    expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
  }).pipe(Effect.scoped)
)
