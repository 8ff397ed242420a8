/** Devices that are looked at again after their confirmation, end to end on the lab. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

it.live("finds a switch that has hidden its timer and gone back, and leaves the others as they are", () =>
  Lab.withLab(
    3,
    (lab) =>
      Effect.gen(function* () {
        const [honest = "", liar = "", forgetful = ""] = lab.names
        Lab.switchAt(lab, 1).setFault({ kind: "confirmIgnored", listed: true })
        Lab.switchAt(lab, 2).setFault({ kind: "confirmIgnored" })
        yield* Lab.want(lab, "two")
        const job = yield* Lab.sync({ confirm_mode_override: 1 })
        // their lists are those of switches that have confirmed
        assert.deepStrictEqual(Lab.outcomes(job), { [honest]: "ok", [liar]: "ok", [forgetful]: "ok" })
        assert.sameMembers([...(yield* Lab.synchronized(lab))], [...lab.names])
        const found = Effect.map(Lab.synchronized(lab), (names) => (names.length === 1 ? names : undefined))
        assert.deepStrictEqual(yield* Lab.untilSome(found), [honest])
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted one", "wanted one"])
        for (const name of [liar, forgetful]) assert.deepStrictEqual(yield* Lab.causes(name), ["commit_confirm_failed"])
        assert.deepStrictEqual(yield* Lab.causes(honest), [])
        // once is enough
        const commands = Lab.switchAt(lab, 0).commands().length
        yield* Effect.sleep("16 seconds")
        assert.strictEqual(Lab.switchAt(lab, 0).commands().length, commands)
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(10) },
    [{ personality: "timerAtTop" }, { personality: "timerAtTop" }, { quirks: { maxSaved: 0 } }]
  )
)
