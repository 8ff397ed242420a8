/** A key and its certificate on a simulated switch over real SSH. */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted, Ref } from "effect"
import { offered } from "../../../src/drivers/Verbs.ts"
import { makeOneSwitch, name } from "./OneSwitchLab.ts"

const pair = { key: Redacted.make("-----BEGIN KEY-----\n"), certificate: "-----BEGIN CERTIFICATE-----\n".repeat(200) }
const text = (stored: Buffer | undefined) => stored?.toString()

it.live(
  "key and certificate are put into the stores, nothing remains on the flash, and each step is claimed first",
  () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const certificates = yield* offered(session, "certificates", name)
      const claims = yield* Ref.make(0)
      const before = [...device.files().keys()]
      yield* certificates.install(
        pair,
        Ref.update(claims, (count) => count + 1)
      )
      expect(text(device.certificates().get("cnaasnms.crt"))).toBe(pair.certificate)
      expect(text(device.keys().get("cnaasnms.key"))).toBe(Redacted.value(pair.key))
      expect([...device.files().keys()]).toEqual(before)
      expect(yield* Ref.get(claims)).toBe(4)
    }).pipe(Effect.scoped)
)

it.live("stops at a failed claim, and removes the key from the flash", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    const session = yield* driver.open(target)
    const certificates = yield* offered(session, "certificates", name)
    const claims = yield* Ref.make(0)
    const claim = Effect.flatMap(
      Ref.updateAndGet(claims, (count) => count + 1),
      (count) => (count < 3 ? Effect.void : Effect.fail("taken over"))
    )
    expect(yield* Effect.flip(certificates.install(pair, claim))).toBe("taken over")
    expect(device.certificates().size + device.keys().size).toBe(0)
    expect([...device.files().keys()].filter((file) => file.startsWith("cnaasnms"))).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("quotes the switch when there is no room", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch({ flashBytes: 1_000 })
    const session = yield* driver.open(target)
    const certificates = yield* offered(session, "certificates", name)
    const error = yield* Effect.flip(certificates.install(pair, Effect.void))
    expect(error).toMatchObject({ _tag: "CommandRejected" })
    expect(error.message).toMatch(/^Unable to copy cert file to device: acc-b2-01: .*No space left/)
    expect(device.certificates().size + device.keys().size).toBe(0)
  }).pipe(Effect.scoped)
)
