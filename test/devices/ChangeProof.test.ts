/** Proofs of a change on a switch of the lab (docs/changes.md#proof). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import type { Proof } from "../../machines/change/ChangeRow.ts"
import * as ChangeProof from "../../src/devices/ChangeProof.ts"
import * as KnownSecrets from "../../src/devices/KnownSecrets.ts"
import type { LoggedIn } from "../../src/devices/DeviceLogin.ts"
import { missingLines } from "../../src/drivers/MissingLines.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import type { Quirks } from "../../src/lab/eos/Quirks.ts"
import { candidate, makeOneSwitch } from "../drivers/eos/OneSwitchLab.ts"

const USER = "username eve privilege 15 role network-admin secret"
const LINE = `${USER} ********`
const ADMIN = "username admin privilege 15 role network-admin secret ********"
const text = candidate(`${USER} wonder`)

const wanted = (suffices: ReadonlyArray<Proof>, loaded = text): ChangeProof.ProofWanted => ({
  candidate: loaded,
  loadMode: "replace",
  mayAbort: { _tag: "only", jobs: [] },
  secrets: KnownSecrets.make({ platform: eos, deviceId: 1, candidate: loaded, known: null, digest: (value) => value }),
  suffices,
  missing: (_, running) => Effect.succeed(missingLines(eos, loaded, running))
})

const every: ReadonlyArray<Proof> = ["loaded-again", "promised-text", "lines"]
const row = { sessionName: "job412", promised: true, setSecrets: [KnownSecrets.markOf(LINE)] }

/** A switch that has committed the candidate with a timer, and a login to it. */
const committed = Effect.fnUntraced(function* (quirks: Quirks, loaded = text) {
  const { device, driver, target } = yield* makeOneSwitch({ quirks, dropDefaults: false })
  const session = yield* driver.open(target)
  yield* session.load({ text: loaded, mode: "replace", name: "job412" })
  yield* session.commitTimed("job412", 300)
  const loggedIn: LoggedIn = { driver, session, pinned: null, user: target.username, otherUsers: [] }
  return { device, loggedIn, running: yield* session.runningConfig }
})

describe("a proof", () => {
  it.live(
    "accepts another hash of a secret that the load has set, and treats one of any other secret as a difference",
    () =>
      Effect.gen(function* () {
        const { loggedIn, running } = yield* committed({ saltsSecrets: true })
        const own = { ...row, setSecrets: [LINE, ADMIN].map(KnownSecrets.markOf) }
        assert.deepStrictEqual(yield* ChangeProof.prove(wanted(every), loggedIn, own, running, undefined), {
          proof: "loaded-again"
        })
        const foreign = { ...own, setSecrets: [KnownSecrets.markOf(LINE)] }
        assert.deepStrictEqual(yield* ChangeProof.prove(wanted(every), loggedIn, foreign, running, undefined), {
          proof: null,
          failure: null
        })
      }).pipe(Effect.scoped)
  )

  it.live("is not weaker after an earlier difference of the device", () =>
    Effect.gen(function* () {
      const { loggedIn, running } = yield* committed({})
      const other = wanted(every, `${text}vlan 99\n`)
      assert.deepStrictEqual(yield* ChangeProof.prove(other, loggedIn, row, running, undefined), {
        proof: null,
        failure: 'CommitError: 1 lines of the candidate were not found (line 13 "vlan 99")\n'
      })
    }).pipe(Effect.scoped)
  )

  it.live("is the promise alone, without a second load, if the switch has stated it as a whole", () =>
    Effect.gen(function* () {
      const { device, loggedIn, running } = yield* committed({})
      const before = device.commands().length
      const stated = { ...row, readBack: true }
      assert.deepStrictEqual(yield* ChangeProof.prove(wanted(every), loggedIn, stated, running, undefined), {
        proof: "promised-text"
      })
      assert.lengthOf(device.commands(), before)
      assert.deepStrictEqual(yield* ChangeProof.prove(wanted(["loaded-again"]), loggedIn, stated, running, undefined), {
        proof: "loaded-again"
      })
    }).pipe(Effect.scoped)
  )

  it.live("uses other means if the switch has no room for another session", () =>
    Effect.gen(function* () {
      const { device, loggedIn, running } = yield* committed({})
      for (const name of ["a", "b", "c", "d"]) assert.isUndefined(device.foreignSession(name))
      assert.deepStrictEqual(yield* ChangeProof.prove(wanted(every), loggedIn, row, running, undefined), {
        proof: "lines"
      })
    }).pipe(Effect.scoped)
  )

  it.live("compares lines if the switch opens no session beside its timer, and names the missing ones", () =>
    Effect.gen(function* () {
      const { loggedIn, running } = yield* committed({ sessionBesideTimer: "refused", saltsSecrets: true })
      assert.deepStrictEqual(yield* ChangeProof.prove(wanted(every), loggedIn, row, running, undefined), {
        proof: "lines"
      })
      const other = wanted(every, `${text}${USER.replace("eve", "bob")} hidden\nvlan 99\n`)
      const found = yield* ChangeProof.prove(other, loggedIn, row, running, undefined)
      assert.isNull(found.proof)
      const failure = "failure" in found ? (found.failure ?? "") : ""
      assert.match(
        failure,
        /2 lines of the candidate were not found \(line \d+ "username bob .* secret \*{8}", line \d+ "vlan 99"\)/
      )
      assert.notInclude(failure, "hidden")
    }).pipe(Effect.scoped)
  )

  it.live("is impossible if no promised text is known, or if no other means suffices", () =>
    Effect.gen(function* () {
      const { loggedIn, running } = yield* committed({ sessionBesideTimer: "refused" })
      for (const [asked, given] of [
        [wanted(every), { ...row, promised: false }],
        [wanted(["loaded-again"]), row]
      ] as const) {
        const found = yield* ChangeProof.prove(asked, loggedIn, given, running, undefined)
        assert.isNull(found.proof)
        assert.match("failure" in found ? (found.failure ?? "") : "", /^CommitError: .*could not be loaded again/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not made while another user's timer runs", () =>
    Effect.gen(function* () {
      const { device, loggedIn, running } = yield* committed({})
      yield* loggedIn.session.confirm("job412")
      device.foreignSession("theirs", 300)
      const tried = yield* Effect.result(ChangeProof.prove(wanted(every), loggedIn, row, running, undefined))
      assert.strictEqual(Option.getOrNull(Result.getFailure(tried))?._tag, "SessionLockedException")
    }).pipe(Effect.scoped)
  )
})
