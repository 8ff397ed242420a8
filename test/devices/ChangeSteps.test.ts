/** The results of the steps of a change on a switch of the lab. */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import * as ChangeSteps from "../../src/devices/ChangeSteps.ts"
import type { LoggedIn } from "../../src/devices/DeviceLogin.ts"
import * as KnownSecrets from "../../src/devices/KnownSecrets.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { LearnedLineNotFound } from "../../src/store/LearnedLines.ts"
import { candidate, makeOneSwitch } from "../drivers/eos/OneSwitchLab.ts"

const text = candidate("vlan 20", "   name guests")

const change = {
  ...newChange({ mode: 1, dryRun: false, force: false, sessionName: "job412", expectedHash: null, timerSeconds: 300 }),
  phase: "committed" as const
}

/** A switch with a loaded candidate that promised nothing, and the steps of its change. */
const loaded = Effect.gen(function* () {
  const { device, driver, target } = yield* makeOneSwitch()
  const session = yield* driver.open(target)
  const oldHash = driver.configHash(yield* session.runningConfig)
  yield* session.load({ text, mode: "replace", name: "job412" })
  const loggedIn: LoggedIn = { driver, session, pinned: null, user: target.username, otherUsers: [] }
  const current = Effect.succeed(loggedIn)
  const connection = { current, fresh: current, freshAs: () => current, close: Effect.void, committed: () => undefined }
  const steps = ChangeSteps.make({
    connection,
    checks: {
      deviceId: 1,
      hostname: "lhv-acc1",
      connection,
      neighbours: Effect.succeed([]),
      askOutside: () => Effect.succeed([]),
      portsOf: () => Effect.succeed(new Set()),
      ask: () => Effect.succeed([])
    },
    suffices: ["loaded-again"],
    runsOther: () => Effect.void,
    platform: eos,
    seen: { running: null, before: null, remarks: [] },
    candidate: text,
    loadMode: "replace",
    secrets: KnownSecrets.make({ platform: eos, deviceId: 1, candidate: text, known: null, digest: (value) => value }),
    mayAbort: { _tag: "only", jobs: [] },
    shown: {
      hostname: device.name,
      release: "",
      learned: {
        refresh: () => Effect.succeed(() => undefined),
        lookup: () => Effect.succeed(() => undefined),
        learn: () => Effect.void,
        list: () => Effect.succeed([]),
        withdraw: (id) => new LearnedLineNotFound({ id })
      },
      previous: Effect.succeed(Option.none()),
      proved: Effect.succeed(Option.none()),
      remark: () => undefined
    },
    isExpected: () => Effect.succeed(false)
  })
  return { device, driver, oldHash, session, steps }
})

it.live("the steps accept the configuration after a commit without a promised text as ours", () =>
  Effect.gen(function* () {
    const { driver, oldHash, session, steps } = yield* loaded
    const event = yield* steps.commit({ ...change, oldHash })
    assert.deepInclude(event, { type: "COMMITTED", candidateHash: driver.configHash(yield* session.runningConfig) })
  }).pipe(Effect.scoped)
)

it.live("the steps do not accept the old configuration as ours when the commit was taken back before the read", () =>
  Effect.gen(function* () {
    const { device, oldHash, steps } = yield* loaded
    device.setFault({ kind: "timerCancelled", times: 1 })
    assert.deepInclude(yield* steps.commit({ ...change, oldHash }), { type: "COMMITTED", candidateHash: null })
  }).pipe(Effect.scoped)
)

it.live("the steps name the commit timer of another person that is in the way", () =>
  Effect.gen(function* () {
    const { device, session, steps } = yield* loaded
    yield* session.discard("job412")
    device.foreignSession("night-shift", 300)
    const event = yield* steps.verify({ ...change, phase: "planned" })
    assert.deepInclude(event, { type: "RUNNING_READ", foreignTimer: true })
    assert.match(
      "failure" in event ? (event.failure ?? "") : "",
      /night-shift[^]*\nSessionLockedException: Pending commit confirm already in process!\n$/
    )
  }).pipe(Effect.scoped)
)
