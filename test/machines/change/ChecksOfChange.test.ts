/** The checks of a change: read before its commit, read again after its proof, and never at the cost of the confirmation. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { CheckOfChange, CheckResult } from "../../../machines/change/ChangeChecks.ts"
import { confirmMargin, endAt, untilReading } from "../../../machines/change/ChangeChecks.ts"
import { abandon, newChange, outcomeOf } from "../../../machines/change/ChangeDecision.ts"
import type { ChangeEvent, ChangeRow } from "../../../machines/change/ChangeRow.ts"
import { after, arrive, rowAt, type Walk } from "./ChangeWalk.ts"

const check: CheckOfChange = { name: "bgp", settle: 10, within: 30, definition: {} }

const row = (changes: Partial<ChangeRow> = {}): ChangeRow => ({
  ...newChange({
    mode: 1,
    dryRun: false,
    force: false,
    sessionName: "job412",
    expectedHash: "old",
    timerSeconds: 300,
    checks: [check]
  }),
  ...changes
})

const result = (held: boolean | null, more: Partial<CheckResult> = {}): CheckResult => ({
  name: "bgp",
  held,
  before: "2 BGP sessions",
  now: held === true ? "2 BGP sessions" : "1 BGP session",
  sentence: "before 2 BGP sessions, now 1 BGP session",
  tried: 1,
  seconds: 12,
  ...more
})

const COMMIT = 100_000
const opened: ReadonlyArray<ChangeEvent> = [
  { type: "OPENED" },
  { type: "RUNNING_READ", hash: "old", foreignTimer: false }
]
const loaded: ReadonlyArray<ChangeEvent> = [
  ...opened,
  { type: "LOADED", diff: "+router bgp 65001", candidateHash: "new", checking: { names: ["bgp"] } }
]
const read: ReadonlyArray<ChangeEvent> = [
  ...loaded,
  { type: "BEFORE_READ", isRefused: false, checking: { names: ["bgp"], at: COMMIT - 1_000, before: {} } }
]
const committed: ReadonlyArray<ChangeEvent> = [...read, { type: "COMMITTED", at: COMMIT, candidateHash: null }]
const runsNew = (ourTimer: "runs" | "gone" = "runs"): ChangeEvent => ({
  type: "OBSERVED",
  running: "candidate",
  proof: "promised-text",
  ourTimer,
  ourSession: false
})
const checked = (held: boolean | null, at: number, more: Partial<CheckResult> = {}): ChangeEvent => ({
  type: "CHECKED",
  at,
  results: [result(held, more)]
})

const step = ({ step: wanted }: Walk) => wanted?.src ?? null
const waits = ({ snapshot }: Walk) => snapshot.value
const begun = (start = row()) =>
  after(arrive(start), ...committed, runsNew(start.timerSeconds === null ? "gone" : "runs"))

describe("a change whose device has checks", () => {
  it("reads the state of the device between the load and the commit", () => {
    const walk = after(arrive(row()), ...loaded)
    expect(step(walk)).toBe("readBefore")
    expect(rowAt(walk).phase).toBe("loading")
    expect(step(after(arrive(row()), ...read))).toBe("commit")
  })

  it("commits nothing when a check that fails already forbids it", () => {
    const refused: ChangeEvent = {
      type: "BEFORE_READ",
      isRefused: true,
      checking: { names: ["bgp"], results: [result(false)] }
    }
    const walk = after(arrive(row()), ...loaded, refused, { type: "DISCARDED" })
    expect(outcomeOf(rowAt(walk))).toMatchObject({
      result: "discarded",
      reason: "checkRefused",
      ok: false,
      runs: "old"
    })
  })

  it("takes no step more when its difference calls for no check", () => {
    const plain: ChangeEvent = { type: "LOADED", diff: "+vlan 9", candidateHash: "new", checking: { names: [] } }
    expect(step(after(arrive(row()), ...opened, plain))).toBe("commit")
    const proved = after(
      arrive(row()),
      ...opened,
      plain,
      { type: "COMMITTED", at: COMMIT, candidateHash: null },
      runsNew()
    )
    expect(step(proved)).toBe("confirm")
  })

  it("writes that it checks, waits for the device to settle, and confirms once its checks hold", () => {
    const walk = begun()
    expect(rowAt(walk).phase).toBe("checking")
    expect(waits(walk)).toEqual({ checking: "waiting" })
    const held = after(walk, "checkPause", checked(true, COMMIT + 12_000))
    expect(step(held)).toBe("confirm")
    expect(rowAt(held)).toMatchObject({ phase: "confirming", checking: { end: "held", results: [{ held: true }] } })
  })

  it("reads a check again that does not hold yet, and takes the change back when its time is over", () => {
    const again = after(begun(), "checkPause", checked(false, COMMIT + 12_000))
    expect(waits(again)).toEqual({ checking: "waiting" })
    const late = after(again, "checkPause", checked(false, COMMIT + 40_000))
    expect(step(late)).toBe("discard")
    expect(rowAt(late)).toMatchObject({ phase: "withdrawing", goal: "old", reason: "checkFailed" })
    const back: ChangeEvent = { type: "OBSERVED", running: "old", ourTimer: "gone", ourSession: false }
    expect(outcomeOf(rowAt(after(late, { type: "DISCARDED" }, back)))).toMatchObject({
      result: "reverted",
      reason: "checkFailed",
      ok: false
    })
  })

  it("holds late and is confirmed all the same", () => {
    const again = after(
      begun(),
      "checkPause",
      checked(false, COMMIT + 12_000),
      "checkPause",
      checked(true, COMMIT + 30_000)
    )
    expect(step(again)).toBe("confirm")
  })

  it("is taken back when a check cannot be read afterwards", () => {
    const unread = after(begun(), "checkPause", checked(null, COMMIT + 41_000))
    expect(rowAt(unread)).toMatchObject({ phase: "withdrawing", goal: "old", reason: "checkUnread" })
  })

  it("is not decided by a check that failed before it already", () => {
    const walk = after(
      begun(),
      "checkPause",
      checked(false, COMMIT + 12_000, { ignored: "failed before the change already" })
    )
    expect(step(walk)).toBe("confirm")
  })

  it("is not decided by a neighbour that could not be read before it, but by the device itself", () => {
    const neighbour = result(null, {
      on: "dist1",
      tried: 0,
      seconds: 0,
      ignored: "could not be read before the change"
    })
    const before: ChangeEvent = {
      type: "BEFORE_READ",
      isRefused: false,
      checking: { names: ["bgp"], at: COMMIT - 1_000, before: {}, results: [neighbour] }
    }
    const proved = after(
      arrive(row()),
      ...loaded,
      before,
      { type: "COMMITTED", at: COMMIT, candidateHash: null },
      runsNew()
    )
    expect(rowAt(proved)).toMatchObject({ phase: "checking" })
    expect(step(after(proved, "checkPause", checked(true, COMMIT + 12_000)))).toBe("confirm")
    const failed = after(proved, "checkPause", checked(false, COMMIT + 41_000))
    expect(rowAt(failed)).toMatchObject({ phase: "withdrawing", reason: "checkFailed" })
  })

  it("waits for the other devices only with checks that hold", () => {
    const two = row({ mode: 2, confirmAllowed: false })
    const held = after(begun(two), "checkPause", checked(true, COMMIT + 12_000))
    expect(rowAt(held)).toMatchObject({ phase: "proved", checking: { end: "held" } })
    const failed = after(begun(two), "checkPause", checked(false, COMMIT + 41_000))
    expect(rowAt(failed)).toMatchObject({ phase: "withdrawing", reason: "checkFailed" })
  })

  it("stays on a device without a timer although a check failed, and is no success", () => {
    const start = row({ mode: 0, timerSeconds: null })
    const walk = after(begun(start), "checkPause", checked(false, COMMIT + 41_000))
    expect(step(walk)).toBe("save")
    const end = after(walk, { type: "SAVED" }, runsNew("gone"))
    expect(outcomeOf(rowAt(end))).toMatchObject({ result: "confirmed", reason: "checkFailed", ok: false, runs: "new" })
    const killed = after(arrive(rowAt(walk)), runsNew("gone"), { type: "SAVED" }, runsNew("gone"))
    expect(outcomeOf(rowAt(killed))).toMatchObject({ result: "confirmed", reason: "checkFailed", ok: false })
  })

  it("looks again after its process was killed, and reads again with the state of before that the row has kept", () => {
    const killed = arrive(rowAt(begun()))
    expect(rowAt(killed)).toMatchObject({ epoch: 2, phase: "looking", checking: { before: {} } })
    const again = after(killed, runsNew())
    expect(rowAt(again).phase).toBe("checking")
    expect(step(after(again, "checkPause", checked(true, COMMIT + 90_000)))).toBe("confirm")
    const failed = after(again, "checkPause", checked(false, COMMIT + 90_000))
    expect(rowAt(failed)).toMatchObject({ phase: "withdrawing", reason: "checkFailed" })
  })

  it("does not check once its job has given it up", () => {
    const claim = abandon(rowAt(begun()))
    const walk = after(arrive(claim?.row ?? row()), runsNew())
    expect(rowAt(walk)).toMatchObject({ goal: "old", reason: "othersFailed" })
    expect(rowAt(walk).phase).not.toBe("checking")
  })

  it("forgets the readings of a round that was taken back before it was proved", () => {
    const old: ChangeEvent = { type: "OBSERVED", running: "old", ourTimer: "gone", ourSession: false }
    const open: ChangeEvent = { ...old, ourSession: true }
    const next = after(arrive(row()), ...read, { type: "LOST" }, open, { type: "DISCARDED" }, old)
    expect(rowAt(next)).toMatchObject({ phase: "planned", round: 2 })
    expect(rowAt(next).checking).toBeUndefined()
    expect(rowAt(next).checks).toEqual([check])
  })
})

describe("the times of checks", () => {
  const seconds = Schema.Literals([0, 1, 5, 30, 90, 270, 299, 600])

  it.prop(
    "leave the margin of the timer to the confirmation, however long checks may settle",
    {
      timer: Schema.Literals([5, 20, 60, 149, 300, 3_600]),
      settle: seconds,
      within: seconds,
      proof: seconds,
      holds: Schema.Boolean
    },
    ({ holds, proof, settle, timer, within }) => {
      const since = COMMIT + proof * 1_000
      const last = COMMIT + (timer - confirmMargin(timer)) * 1_000
      let current = row({
        timerSeconds: timer,
        committedAt: COMMIT,
        checks: [{ name: "bgp", settle, within, definition: null }],
        checking: { names: ["bgp"], at: COMMIT }
      })
      let now = since
      let end: ReturnType<typeof endAt> = null
      for (let tried = 1; end === null; tried++) {
        now += untilReading(current, since, now)
        expect(now).toBeLessThanOrEqual(Math.max(last, since))
        const isDue = now >= COMMIT + settle * 1_000
        current = { ...current, checking: { names: ["bgp"], results: isDue ? [result(holds, { tried })] : [] } }
        end = endAt(current, since, now)
        if (end === "held") expect(now).toBeLessThanOrEqual(last)
      }
      expect(end === "held").toBe(holds && COMMIT + settle * 1_000 <= last && since <= last)
    }
  )
})
