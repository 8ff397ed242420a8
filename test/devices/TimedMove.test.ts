/** The move of a new Junos switch under its timer, on the lab: it stays only if it is confirmed at the new address. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as BaseConfiguration from "../../src/devices/BaseConfiguration.ts"
import type { DeviceLogin } from "../../src/devices/DeviceLogin.ts"
import * as TimedMove from "../../src/devices/TimedMove.ts"
import { offered } from "../../src/drivers/Verbs.ts"
import { ConfigStore } from "../../src/store/ConfigStore.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { LONG_MINUTE, meet, OLD, within } from "../drivers/junos/OneJunosLab.ts"
import { junosConfig } from "../support/lab/JunosCampus.ts"
import { seconds } from "../support/Patience.ts"
import { storesOn } from "../support/TestStores.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

// its last new line is not the address
const MOVED = junosConfig("lhv-acc5", "10.9.2.7").replace(
  "    v10 {\n        vlan-id 10;\n    }\n",
  "    v10 {\n        vlan-id 10;\n    }\n    v20 {\n        vlan-id 20;\n    }\n"
)
const JOB = "job7"

/** A new switch of the lab, with everything that pushes to it. */
const newSwitch = Effect.fnUntraced(function* (minuteMs: number) {
  const met = yield* meet({ minuteMs })
  const { learned } = yield* ConfigStore
  const device = yield* (yield* DeviceStore).insert({
    hostname: `mac-${met.port}`,
    state: "DISCOVERED",
    device_type: "UNKNOWN",
    platform: "junos"
  })
  const login: DeviceLogin["Service"] = {
    open: (_, options) =>
      Effect.map(met.driver.open({ ...met.target, address: options?.address ?? "10.9.2.7" }), (session) => ({
        driver: met.driver,
        session,
        pinned: null,
        user: "admin",
        otherUsers: []
      }))
  }
  const push = (more: { readonly newAddress?: string; readonly lookOnly?: boolean } = {}) =>
    BaseConfiguration.push(
      { login, learned },
      device,
      {
        sessionName: JOB,
        jobId: 7,
        config: MOVED,
        newHostname: "lhv-acc5",
        oldAddress: "10.9.2.1",
        newAddress: "10.9.2.7",
        seconds: 1,
        lookOnly: false,
        ...more
      },
      Effect.succeed(true)
    )
  const kinds = () => met.device.commits().map(({ kind }) => kind)
  return { ...met, push, kinds }
})

/** Commits with the timer, as a server that is killed right afterwards. */
const commitAndDie = (met: Effect.Success<ReturnType<typeof newSwitch>>) =>
  within(met, (session) =>
    Effect.gen(function* () {
      yield* session.load({ text: MOVED, mode: "replace", name: JOB, foreignSessions: 0 })
      yield* (yield* offered(session, "move", "sw1")).commit(JOB, 120, 1)
    })
  )

const MOVE = { newAddressAnswers: true, oldAddressAnswers: false, aborted: false, failure: null }

/** Two of them are over before a test has done its work, but not before a login. */
const shortMinute = () => seconds(1)

layer(storesOn(TestDatabase), { excludeTestServices: true })("a new switch that moves under its timer", (it) => {
  it.effect("is confirmed at its new address", () =>
    Effect.gen(function* () {
      const met = yield* newSwitch(LONG_MINUTE)
      assert.deepStrictEqual(yield* met.push(), MOVE)
      assert.deepStrictEqual(met.kinds().slice(-2), ["commitTimer", "confirm"])
      assert.isUndefined(met.device.timer())
      assert.deepStrictEqual(met.device.addresses(), ["127.9.2.7"])
    })
  )

  it.effect("comes back from an address where nobody looks for it, and the push says so", () =>
    Effect.gen(function* () {
      const met = yield* newSwitch(shortMinute())
      const before = met.device.running()
      const pushed = yield* met.push({ newAddress: "10.9.2.99" })
      assert.deepInclude(pushed, { newAddressAnswers: false, oldAddressAnswers: true })
      assert.match(
        pushed.failure ?? "",
        /^MoveTakenBack: mac-\d+ has gone back to its old configuration by its timer of 120 s, because it was not seen as lhv-acc5 at 10\.9\.2\.99\n$/
      )
      assert.deepStrictEqual(met.kinds().slice(-2), ["commitTimer", "expired"])
      assert.strictEqual(met.device.running(), before)
    })
  )

  it.effect("is not confirmed if it runs something else than it has promised", () =>
    Effect.gen(function* () {
      const met = yield* newSwitch(shortMinute())
      met.device.setFault({ kind: "runsOther", how: "lacksLastLine" })
      const pushed = yield* met.push()
      assert.deepInclude(pushed, { newAddressAnswers: false, oldAddressAnswers: true })
      assert.include(pushed.failure ?? "", "it does not run the configuration that it has promised")
      assert.notInclude(met.kinds(), "confirm")
      assert.deepStrictEqual(met.device.addresses(), ["127.9.2.1"])
    })
  )

  it.effect("is confirmed after a restart of the server, which only looks for it", () =>
    Effect.gen(function* () {
      const met = yield* newSwitch(LONG_MINUTE)
      yield* commitAndDie(met)
      assert.isDefined(met.device.timer())
      assert.deepStrictEqual(yield* met.push({ lookOnly: true }), MOVE)
      assert.isUndefined(met.device.timer())
      // once more, as after a restart behind the confirmation
      assert.deepStrictEqual(yield* met.push({ lookOnly: true }), MOVE)
      assert.deepStrictEqual(met.kinds().slice(-2), ["commitTimer", "confirm"])
    })
  )

  it.effect("is found on its old address after a restart, if nothing was committed", () =>
    Effect.gen(function* () {
      const untouched = yield* newSwitch(LONG_MINUTE)
      const there = { newAddressAnswers: false, oldAddressAnswers: true, aborted: false }
      assert.deepStrictEqual(yield* untouched.push({ lookOnly: true }), { ...there, failure: null })
    })
  )

  it.effect("does not finish its initialisation while a commit waits", () =>
    Effect.gen(function* () {
      const met = yield* newSwitch(LONG_MINUTE)
      const look = within({ ...met, login: met.driver.open({ ...met.target, address: "10.9.2.7" }) }, (session) =>
        TimedMove.insistOnEnd({ driver: met.driver, session, pinned: null, user: "admin", otherUsers: [] }, "lhv-acc5")
      )
      yield* commitAndDie(met)
      assert.deepInclude(yield* Effect.flip(look), { _tag: "CommitError", session: JOB })
      yield* met.push({ lookOnly: true })
      yield* look
      assert.strictEqual(met.device.hostname(), "lhv-acc5")
      assert.notStrictEqual(met.device.running(), OLD)
    })
  )
})
