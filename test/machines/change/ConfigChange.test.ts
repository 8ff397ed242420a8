/** One change on one device: what is done in which order in every mode, and what becomes of a change that was left behind. */
import { describe, expect, it } from "@effect/vitest"
import {
  abandon,
  begin,
  type ChangeDecision,
  type NewChange,
  newChange,
  nextStep,
  outcomeOf,
  reasonSentences,
  resume
} from "../../../machines/change/ChangeDecision.ts"
import { type ChangeEvent, changePhases, type ChangeRow, type Observation } from "../../../machines/change/ChangeRow.ts"

const live: NewChange = {
  mode: 1,
  dryRun: false,
  force: false,
  sessionName: "job412",
  expectedHash: "old",
  timerSeconds: 300
}

const row = (changes: Partial<ChangeRow> = {}): ChangeRow => ({ ...newChange(live), ...changes })

const seen = (running: Observation["running"], ourTimer = false, ourSession = false): ChangeEvent => ({
  type: "OBSERVED",
  running,
  ourTimer,
  ourSession
})

const after = (decision: ChangeDecision, ...events: ReadonlyArray<ChangeEvent>): ChangeDecision =>
  events.reduce((current, event) => {
    if (current._tag === "Refused") throw new Error(current.message)
    return nextStep(current.change, event)
  }, decision)

const trail = (start: ChangeRow, ...events: ReadonlyArray<ChangeEvent>): ReadonlyArray<string> => {
  const words: Array<string> = []
  let decision: ChangeDecision = begin(start)
  for (const event of [...events, null]) {
    if (decision._tag === "Refused") throw new Error(decision.message)
    const claim = decision.claim === null ? "" : `[${decision.claim.row.phase}] `
    words.push(decision._tag === "Ended" ? `${claim}end` : `${claim}${decision.step.type}`)
    if (event !== null) decision = nextStep(decision.change, event)
  }
  return words
}

const opened: ReadonlyArray<ChangeEvent> = [
  { type: "OPENED" },
  { type: "RUNNING_READ", hash: "old", foreignTimer: false }
]
const loaded: ReadonlyArray<ChangeEvent> = [...opened, { type: "LOADED", diff: "+vlan 320", candidateHash: "new" }]
const committed: ReadonlyArray<ChangeEvent> = [...loaded, { type: "COMMITTED", at: 1_000, candidateHash: null }]

const left = (phase: ChangeRow["phase"], changes: Partial<ChangeRow> = {}) => resume(row({ phase, ...changes }))

describe("a live change", () => {
  it("in mode 1 is committed with a timer, proved over a new connection, confirmed and looked at again", () => {
    expect(trail(row(), ...committed, seen("candidate", true), { type: "CONFIRMED" }, seen("candidate"))).toEqual([
      "open",
      "verify",
      "[loading] load",
      "[committing] commit",
      "[committed] observe",
      "[confirming] confirm",
      "observe",
      "[confirmed] end"
    ])
  })

  it("in mode 0 is committed without a timer and saved only after it was proved", () => {
    const start = row({ mode: 0, timerSeconds: null })
    expect(trail(start, ...committed, seen("candidate"), { type: "SAVED" }, seen("candidate")).slice(3)).toEqual([
      "[committing] commit",
      "[committed] observe",
      "[saving] save",
      "observe",
      "[confirmed] end"
    ])
  })

  it("in mode 2 waits for the other devices after it was proved", () => {
    const start = newChange({ ...live, mode: 2 })
    const proved = after(begin(start), ...committed, seen("candidate", true))
    expect(proved).toMatchObject({ claim: { row: { phase: "proved" } }, step: { type: "awaitVerdict" } })
    expect(after(proved, { type: "ALL_DEVICES_OK" })).toMatchObject({
      step: { type: "confirm", sessionName: "job412" }
    })
    expect(after(proved, { type: "OTHERS_FAILED" })).toMatchObject({
      step: { type: "waitForExpiry", since: 1_000, seconds: 345 }
    })
    expect(after(proved, { type: "REVERT_NOW" })).toMatchObject({ step: { type: "discard" } })
  })

  it("in mode 2 on a platform without timers does not wait, because it could not be taken back", () => {
    const start = newChange({ ...live, mode: 2, timerSeconds: null })
    expect(after(begin(start), ...committed, seen("candidate"))).toMatchObject({ step: { type: "save" } })
  })

  it("ends unchanged, with its candidate thrown away, when the difference is empty", () => {
    const events = [...opened, { type: "LOADED", diff: "", candidateHash: null }, { type: "DISCARDED" }] as const
    expect(trail(row(), ...events).slice(3)).toEqual(["[discarding] discard", "[unchanged] end"])
  })

  it("throws the candidate of a dry run away and keeps its difference", () => {
    const decision = after(begin(row({ dryRun: true })), ...loaded, { type: "DISCARDED" })
    expect(decision).toMatchObject({
      _tag: "Ended",
      outcome: { result: "discarded", reason: "dryRun", ok: true, runs: "old" },
      change: { row: { diff: "+vlan 320" } }
    })
  })

  it.each([
    ["the configuration was altered by others", row(), { hash: "alien", foreignTimer: false }, "hashMismatch"],
    ["somebody else's commit timer runs", row(), { hash: "old", foreignTimer: true }, "locked"],
    [
      "somebody else's commit timer runs, forced or not",
      row({ force: true }),
      { hash: "old", foreignTimer: true },
      "locked"
    ]
  ] as const)("sends nothing when %s", (_name, start, read, reason) => {
    const decision = after(begin(start), { type: "OPENED" }, { type: "RUNNING_READ", ...read })
    expect(decision).toMatchObject({ _tag: "Ended", outcome: { result: "discarded", reason, ok: false } })
  })

  it.each([
    ["it is forced", row({ force: true })],
    ["no hash is known yet", row({ expectedHash: null })],
    ["the change is its own from an earlier round", row({ candidateHash: "alien" })]
  ])("goes on over an altered configuration when %s", (_name, start) => {
    const decision = after(
      begin(start),
      { type: "OPENED" },
      { type: "RUNNING_READ", hash: "alien", foreignTimer: false }
    )
    expect(decision).toMatchObject({ step: { type: "load" } })
  })
})

describe("a change that cannot be proved", () => {
  const pending = after(begin(row()), ...committed)
  it.each([
    ["is unreachable", { type: "UNREACHABLE" }],
    ["runs something else under our timer", seen("neither", true)],
    ["has begun to go back", seen("old", true)]
  ] as const)("is never confirmed but left to its timer when the device %s", (_name, event) => {
    const waiting = after(pending, event)
    expect(waiting).toMatchObject({ step: { type: "waitForExpiry" }, change: { row: { goal: "old" } } })
    expect(after(waiting, { type: "EXPIRY_PASSED" }, seen("old"))).toMatchObject({
      outcome: { result: "reverted", runs: "old", ok: false }
    })
  })

  it("is reported unknown when the device stays away after the timer", () => {
    const decision = after(pending, { type: "UNREACHABLE" }, { type: "EXPIRY_PASSED" }, { type: "UNREACHABLE" })
    expect(decision).toMatchObject({ outcome: { result: "unknown", runs: "unclear", reason: "unreachable" } })
  })

  it("is kept and saved when somebody confirmed it on the device meanwhile", () => {
    const decision = after(pending, { type: "UNREACHABLE" }, { type: "EXPIRY_PASSED" }, seen("candidate"))
    expect(decision).toMatchObject({ step: { type: "save" }, change: { row: { reason: "keptNew" } } })
  })

  it("is reported unknown when the device runs neither configuration and no timer", () => {
    expect(after(pending, seen("neither"))).toMatchObject({ outcome: { result: "unknown", reason: "outsideChange" } })
  })

  it("is withdrawn when the device claims success but committed nothing", () => {
    const withdrawing = after(pending, seen("old", false, true))
    expect(withdrawing).toMatchObject({ claim: { row: { phase: "withdrawing" } }, step: { type: "discard" } })
    expect(after(withdrawing, { type: "DISCARDED" }, seen("old"))).toMatchObject({
      outcome: { result: "reverted", reason: "commitNotApplied" }
    })
  })

  it("is not done while the timer runs on after the confirmation was answered", () => {
    const settled = after(pending, seen("candidate", true), { type: "CONFIRMED" }, seen("candidate", true))
    expect(settled).toMatchObject({ step: { type: "waitForExpiry" }, change: { row: { reason: "confirmIgnored" } } })
  })

  it("is withdrawn when the device refuses the commit", () => {
    const decision = after(begin(row()), ...loaded, { type: "COMMIT_REFUSED" }, { type: "DISCARDED" }, seen("old"))
    expect(decision).toMatchObject({ outcome: { result: "reverted", reason: "commitRefused" } })
  })
})

describe("a change that a killed process left behind", () => {
  it.each(changePhases)("%s is taken over with a higher epoch, or is over", (phase) => {
    const decision = left(phase)
    if (decision._tag === "Ended") return expect(outcomeOf(decision.change.row)).not.toBeNull()
    expect(decision).toMatchObject({ claim: { from: { phase, epoch: 1 }, row: { epoch: 2 } } })
  })

  it.each(["committing", "committed", "proved", "confirming", "saving", "expiring", "looking"] as const)(
    "%s is looked at over a new connection before anything else",
    (phase) => expect(left(phase)).toMatchObject({ step: { type: "observe", newConnection: true } })
  )

  it("starts over with a new session when nothing was committed yet", () => {
    const decision = after(left("loading"), { type: "DISCARDED" })
    expect(decision).toMatchObject({
      step: { type: "open" },
      change: { row: { round: 2, sessionName: "job412-2", epoch: 2 } }
    })
  })

  it("gives up after three rounds", () => {
    const decision = after(left("loading", { round: 3, sessionName: "job412-3" }), { type: "DISCARDED" })
    expect(decision).toMatchObject({ outcome: { result: "discarded", reason: "tooManyRestarts" } })
  })

  it.each([
    ["confirms what is proved under its timer", {}, seen("candidate", true), { type: "confirm" }],
    ["saves what runs without a timer", {}, seen("candidate"), { type: "save" }],
    ["waits for the verdict in mode 2", { confirmAllowed: false }, seen("candidate", true), { type: "awaitVerdict" }],
    ["lets a rejected change expire", { goal: "old" }, seen("candidate", true), { type: "waitForExpiry" }],
    ["aborts the session of a commit that never ran", {}, seen("old", false, true), { type: "discard" }]
  ] as const)("%s", (_name, changes, event, step) => {
    expect(after(left("committing", changes), event)).toMatchObject({ step })
  })

  it("redoes a commit that provably never ran", () => {
    const decision = after(left("committing"), seen("old", false, true), { type: "DISCARDED" }, seen("old"))
    expect(decision).toMatchObject({ step: { type: "open" }, change: { row: { round: 2 } } })
  })

  it("recognises the commit of an earlier round and saves it", () => {
    const second = row({ phase: "planned", round: 2, diff: "+vlan 320", sessionName: "job412-2", expectedHash: null })
    const decision = after(
      begin(second),
      ...opened,
      { type: "LOADED", diff: "", candidateHash: null },
      { type: "DISCARDED" }
    )
    expect(decision).toMatchObject({
      step: { type: "save" },
      change: { row: { diff: "+vlan 320", candidateHash: "old", oldHash: null, reason: null } }
    })
  })

  it("does not commit again when the switch has gone back already", () => {
    expect(after(left("committing"), seen("old"))).toMatchObject({ outcome: { result: "reverted" } })
  })
})

describe("the record of a change", () => {
  it("has a sentence for every reason that needs one", () => {
    const silent = Object.entries(reasonSentences).flatMap(([reason, sentence]) => (sentence === "" ? [reason] : []))
    expect(silent).toEqual(["dryRun", "unchanged"])
  })

  it("says nothing about a change that is not over", () => expect(outcomeOf(row({ phase: "proved" }))).toBeNull())

  it("refuses an event that does not belong to its state", () => {
    expect(nextStep({ state: "planned", row: row() }, { type: "CONFIRMED" })).toEqual({
      _tag: "Refused",
      rule: "expectedInThisState",
      message: "A change that is planned takes no CONFIRMED"
    })
  })
})

describe("a change whose job is over", () => {
  const abandoned = (phase: ChangeRow["phase"], changes: Partial<ChangeRow> = {}) => {
    const claim = abandon(row({ phase, oldHash: "old", candidateHash: "new", ...changes }))
    if (claim === null) throw new Error(`a change that is ${phase} is not abandoned`)
    return claim
  }

  it("is taken over from whoever works on it, at the phase where it is", () => {
    const { from, row: taken } = abandoned("committed")
    expect(from).toEqual({ phase: "committed", epoch: 1 })
    expect(taken).toMatchObject({ phase: "committed", epoch: 2, goal: "old", reason: "othersFailed" })
  })

  it.each([
    ["loading", {}, [{ type: "DISCARDED" }], "discarded"],
    ["discarding", {}, [{ type: "DISCARDED" }], "discarded"],
    ["committing", {}, [seen("old")], "reverted"],
    ["committed", {}, [seen("candidate", true), { type: "EXPIRY_PASSED" }, seen("old")], "reverted"],
    [
      "proved",
      { mode: 2 },
      [seen("candidate", true), { type: "REVERT_NOW" }, { type: "DISCARDED" }, seen("old")],
      "reverted"
    ],
    ["looking", {}, [seen("old", false, true), { type: "DISCARDED" }, seen("old")], "reverted"],
    ["withdrawing", {}, [{ type: "DISCARDED" }, seen("old")], "reverted"],
    [
      "committed",
      { mode: 0, timerSeconds: null },
      [seen("candidate"), { type: "SAVED" }, seen("candidate")],
      "confirmed"
    ]
  ] as const)("is not begun again when it was %s", (phase, changes, events, end) => {
    const decision = after(resume(abandoned(phase, changes).row), ...events)
    expect(decision).toMatchObject({ _tag: "Ended", outcome: { result: end } })
  })

  it.each(["confirming", "saving", "expiring", "confirmed", "reverted", "unchanged", "discarded", "unknown"] as const)(
    "is left as it is when it is %s",
    (phase) => expect(abandon(row({ phase }))).toBeNull()
  )

  it.each(["unchanged", "dryRun"] as const)("keeps the reason why its candidate is thrown away: %s", (reason) => {
    expect(abandon(row({ phase: "discarding", reason }))).toBeNull()
  })
})
