/** Read-only commands of checks on a switch: their text, their limits, and what is never sent. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeOneSwitch } from "./OneSwitchLab.ts"

it.live("shows what a read-only command says, as text or as JSON, and sends no other", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    const { show: verbs } = yield* driver.open(target)
    assert.isNotNull(verbs)
    const show = (command: string) => verbs?.show(command) ?? Effect.die("no verbs")
    assert.match(yield* show("show interfaces status | include desk"), /^Et1 +desk 1 +\S+/)
    assert.property(JSON.parse(yield* show("show vlan | json")).vlans, "10")
    assert.strictEqual(yield* show("show running-config | section nothing"), "")
    for (const command of ["write memory", "show version > flash:x", "show version | tee flash:x", "reload now"]) {
      const refused = yield* Effect.flip(show(command))
      assert.strictEqual(refused._tag, "CommandRejected")
      assert.match(refused.message, /^it was not sent: /)
    }
    const unknown = yield* Effect.flip(show("show nothing"))
    assert.match(unknown.message, /^% Invalid input/)
    const sent = device.commands().map(({ command }) => command)
    assert.deepStrictEqual(
      sent.filter((command) => /write|reload|flash/.test(command)),
      []
    )
    assert.isFalse(device.files().has("x"))
  }).pipe(Effect.scoped)
)

it.live("ends the session of a command that shows too much", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    device.setFault({ kind: "logFlood", messages: 20_000 })
    const { show: verbs } = yield* driver.open(target)
    const show = (command: string) => verbs?.show(command) ?? Effect.die("no verbs")
    assert.match((yield* Effect.flip(show("show logging"))).message, /is longer than 0\.25 MiB/)
    assert.strictEqual((yield* Effect.flip(show("show version")))._tag, "ConnectionException")
  }).pipe(Effect.scoped)
)
