/** Proofs of a change that was merged, on a switch of the lab and on a real router (docs/changes.md#proof). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Proof } from "../../machines/change/ChangeRow.ts"
import * as ChangeProof from "../../src/devices/ChangeProof.ts"
import type { LoggedIn } from "../../src/devices/DeviceLogin.ts"
import * as KnownSecrets from "../../src/devices/KnownSecrets.ts"
import { missingLines } from "../../src/drivers/MissingLines.ts"
import type { Driver, DriverTarget } from "../../src/drivers/Driver.ts"
import { makeOneSwitch } from "../drivers/eos/OneSwitchLab.ts"
import { makeOneRouter } from "../drivers/frr/OneRouter.ts"
import { describeReal } from "../support/RealFabric.ts"

/** A switch that has merged the text with a timer, and how it proves that. */
const merged = Effect.fnUntraced(function* (driver: Driver, target: DriverTarget, text: string) {
  const session = yield* driver.open(target)
  yield* session.load({ text, mode: "merge", name: "job1" })
  yield* session.commitTimed("job1", 300)
  const loggedIn: LoggedIn = { driver, session, pinned: null, user: target.username, otherUsers: [] }
  const { platform } = driver
  const secrets = KnownSecrets.make({ platform, deviceId: 1, candidate: text, known: null, digest: (value) => value })
  const prove = (promised: boolean, suffices: ReadonlyArray<Proof> = ["loaded-again", "promised-text", "lines"]) =>
    Effect.flatMap(session.runningConfig, (running) =>
      ChangeProof.prove(
        {
          candidate: text,
          loadMode: "merge",
          mayAbort: { _tag: "only", jobs: [] },
          secrets,
          suffices,
          missing: (_, now) => Effect.succeed(missingLines(platform, text, now))
        },
        loggedIn,
        { sessionName: "job1", promised, setSecrets: [] },
        running,
        undefined
      )
    )
  return { session, prove }
})

const list = (number: number) => `ip prefix-list OFFICES seq ${number} permit 10.${number}.0.0/16`

describeReal("what was merged on a router that promises no text", () => {
  it.live("a merge is proved when nothing remains to merge, and not when a line is lost", () =>
    Effect.gen(function* () {
      const { driver, shell, target } = yield* makeOneRouter()
      const { prove, session } = yield* merged(driver, target, `${list(5)}\n${list(10)}\n`)
      expect(yield* prove(false)).toEqual({ proof: "loaded-again" })
      expect(yield* prove(false, ["lines"])).toMatchObject({
        proof: null,
        failure: expect.stringContaining("promised")
      })
      yield* shell(`vtysh -c 'configure terminal' -c 'no ${list(10)}' 2>/dev/null`)
      expect(yield* prove(false)).toMatchObject({ proof: null, failure: expect.stringContaining(list(10)) })
      const names = (yield* session.sessions).sessions.map(({ name }) => name)
      expect(names).toEqual(["job1"])
    }).pipe(Effect.scoped)
  )
})

it.live("a merge on a switch that promised a text is proved by that text, otherwise by the lines", () =>
  Effect.gen(function* () {
    const { driver, target } = yield* makeOneSwitch()
    const { prove } = yield* merged(driver, target, "interface Ethernet2\n   description desk 2\n")
    expect(yield* prove(true)).toEqual({ proof: "promised-text" })
    expect(yield* prove(false)).toEqual({ proof: "loaded-again" })
  }).pipe(Effect.scoped)
)
