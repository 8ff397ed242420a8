/** One change on one device: the order of work in every mode, and the end of an abandoned change. */
import { describe, expect, it } from "@effect/vitest"
import {
  abandon,
  cancel,
  type NewChange,
  newChange,
  outcomeOf,
  reasonSentences
} from "../../../machines/change/ChangeDecision.ts"
import {
  type ChangeEvent,
  changePhases,
  type ChangeRow,
  isFinal,
  type Observation
} from "../../../machines/change/ChangeRow.ts"
import { after, arrive, rowAt, take, type Walk } from "./ChangeWalk.ts"

const live: NewChange = {
  mode: 1,
  dryRun: false,
  force: false,
  sessionName: "job412",
  expectedHash: "old",
  timerSeconds: 300
}

const row = (changes: Partial<ChangeRow> = {}): ChangeRow => ({ ...newChange(live), ...changes })

const seen = (running: Observation["running"], timerRuns = false, ourSession = false) =>
  ({ type: "OBSERVED", running, ourTimer: timerRuns ? "runs" : "gone", ourSession }) as const satisfies ChangeEvent

/** A switch that shows neither that our timer runs nor that it has ended. */
const unseen = (running: Observation["running"], ourSession = false): ChangeEvent => ({
  type: "OBSERVED",
  running,
  ourTimer: "unseen",
  ourSession
})

/** A device that cannot be reached, however often it is tried. */
const away: ReadonlyArray<ChangeEvent> = Array.from({ length: 4 }, () => ({ type: "UNREACHABLE" }) as const)

/** An unreachable switch: only its timer can take the change back. */
const untold: ReadonlyArray<ChangeEvent> = [{ type: "LOST" }, ...away]

const step = ({ step: wanted }: Walk) => wanted?.src ?? null
const outcome = (walk: Walk) => outcomeOf(rowAt(walk))
const begin = (start: ChangeRow) => arrive(start)

/** The order of work: a step behind the phase that it claims, and `end`. */
const trail = (start: ChangeRow, ...events: ReadonlyArray<ChangeEvent>): ReadonlyArray<string> => {
  const words: Array<string> = []
  const say = (walk: Walk) => {
    const { step: wanted } = walk
    const claim = wanted?.task.claim === true ? `[${wanted.task.row.phase}] ` : ""
    words.push(wanted === null ? "end" : `${claim}${wanted.src}`)
    return walk
  }
  const last = events.reduce((walk, event) => say(take(walk, event)), say(arrive(start)))
  if (step(last) === "claim") say(take(last, { type: "CLAIMED", at: 2_000 }))
  return words
}

const opened: ReadonlyArray<ChangeEvent> = [
  { type: "OPENED" },
  { type: "RUNNING_READ", hash: "old", foreignTimer: false }
]
const loaded: ReadonlyArray<ChangeEvent> = [...opened, { type: "LOADED", diff: "+vlan 320", candidateHash: "new" }]
const committed: ReadonlyArray<ChangeEvent> = [...loaded, { type: "COMMITTED", at: 1_000, candidateHash: null }]

const left = (phase: ChangeRow["phase"], changes: Partial<ChangeRow> = {}) => arrive(row({ phase, ...changes }))

describe("a candidate that ends with its login", () => {
  const ended = { ...seen("old"), endsWithLogin: true }
  const lostCommit = (start: ChangeRow) => after(begin(start), ...loaded, { type: "LOST" })

  it("is loaded anew when no answer came to its commit and the device runs the old configuration", () => {
    const again = after(lostCommit(row()), ended)
    expect(rowAt(again)).toMatchObject({
      phase: "planned",
      round: 2,
      sessionName: "job412-2",
      goal: "new",
      reason: null
    })
  })

  it("is not loaded anew once a timer was seen, or its end cannot be seen", () => {
    expect(outcome(after(lostCommit(row({ timerSeen: true })), ended))).toMatchObject({ reason: "rolledBack" })
    expect(outcome(after(lostCommit(row()), seen("old")))).toMatchObject({ result: "reverted", reason: "rolledBack" })
  })

  it("says what was the case when it was lost too often", () => {
    expect(outcome(after(lostCommit(row({ round: 3, sessionName: "job412-3" })), ended))).toMatchObject({
      result: "reverted",
      runs: "old",
      reason: "candidateEnded"
    })
  })
})

describe("a change that brings a login which the device refuses", () => {
  const refused = (timerRuns: boolean): ChangeEvent => ({
    type: "OBSERVED",
    running: "candidate",
    ourTimer: timerRuns ? "runs" : "gone",
    ourSession: false,
    loginRefused: true,
    failure: "ConnectAuthError: refused\n"
  })

  it("is taken back where a timer runs, and never confirmed", () => {
    const back: ReadonlyArray<ChangeEvent> = [{ type: "DISCARDED" }, seen("old")]
    const walk = after(begin(row()), ...committed, refused(true), ...back)
    expect(outcome(walk)).toMatchObject({ result: "reverted", reason: "loginRefused", ok: false })
  })

  it("is not counted as done without a timer, and not saved", () => {
    const mode0 = row({ mode: 0, timerSeconds: null })
    expect(trail(mode0, ...committed, refused(false)).slice(-2)).toEqual(["[unknown] claim", "end"])
    expect(outcome(after(begin(mode0), ...committed, refused(false)))).toMatchObject({
      reason: "loginRefused",
      ok: false
    })
  })
})

describe.each([
  ["a live change", row()],
  ["a dry run", row({ dryRun: true })]
])("%s whose configuration contains a command", (_name, start) => {
  const strayed: ReadonlyArray<ChangeEvent> = [...opened, { type: "LEFT", failure: "LeftConfiguration: line 3\n" }]
  const discarded: ReadonlyArray<ChangeEvent> = [...strayed, { type: "DISCARDED" }]

  it("discards the loaded candidate, and ends when the device runs its previous configuration", () => {
    expect(trail(start, ...discarded, seen("old")).slice(2)).toEqual([
      "[loading] load",
      "[discarding] discard",
      "observe",
      "[discarded] claim",
      "end"
    ])
    const ended = after(begin(start), ...discarded, seen("old"))
    expect(outcome(ended)).toMatchObject({ result: "discarded", runs: "old", reason: "leftConfiguration", ok: false })
    expect(ended.snapshot.context.failure).toBe("LeftConfiguration: line 3\n")
  })

  it("ends as unknown when the device runs something else, and is never begun again", () => {
    const ended = after(begin(start), ...discarded, seen("neither"))
    expect(outcome(ended)).toMatchObject({ result: "unknown", runs: "unclear", reason: "leftConfiguration", ok: false })
    expect(outcome(after(begin(start), ...discarded, ...away))).toMatchObject({
      result: "unknown",
      reason: "unreachable"
    })
  })

  it("takes back a commit with a timer that the command has made, and a remaining session", () => {
    const timed = after(begin(start), ...discarded, seen("neither", true), { type: "DISCARDED" }, seen("old"))
    expect(outcome(timed)).toMatchObject({ result: "discarded", runs: "old" })
    const open = after(begin(start), ...discarded, seen("old", false, true), { type: "DISCARDED" }, seen("old"))
    expect(outcome(open)).toMatchObject({ result: "discarded", runs: "old" })
  })

  it("looks at the device after a kill as well, because it may have been altered", () => {
    const killed = arrive({ ...start, phase: "discarding", oldHash: "old", goal: "old", reason: "leftConfiguration" })
    expect(outcome(after(killed, { type: "DISCARDED" }, seen("neither")))).toMatchObject({ result: "unknown" })
  })
})

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
      "[confirmed] claim",
      "end"
    ])
  })

  it("in mode 0 is committed without a timer and saved only after it was proved", () => {
    const start = row({ mode: 0, timerSeconds: null })
    expect(trail(start, ...committed, seen("candidate"), { type: "SAVED" }, seen("candidate")).slice(3)).toEqual([
      "[committing] commit",
      "[committed] observe",
      "[saving] save",
      "observe",
      "[confirmed] claim",
      "end"
    ])
  })

  it("in mode 2 waits for the other devices after it was proved", () => {
    const start = newChange({ ...live, mode: 2 })
    const proved = after(begin(start), ...committed, seen("candidate", true))
    expect(proved).toMatchObject({ snapshot: { value: { proved: "waiting" } }, step: { src: "awaitVerdict" } })
    expect(rowAt(proved)).toMatchObject({ phase: "proved" })
    expect(after(proved, { type: "ALL_DEVICES_OK" })).toMatchObject({
      step: { src: "confirm", task: { claim: true, row: { phase: "confirming", sessionName: "job412" } } }
    })
    expect(after(proved, { type: "OTHERS_FAILED" })).toMatchObject({
      step: { src: "discard", task: { row: { goal: "old", reason: "othersFailed" } } }
    })
    expect(after(proved, { type: "REVERT_NOW" })).toMatchObject({ step: { src: "discard" } })
  })

  it("in mode 2 lets the switch settle before it is proved", () => {
    const start = newChange({ ...live, mode: 2 })
    const settling = committed.reduce(take, arrive(start, null, 3))
    expect(settling).toMatchObject({ step: null, delays: [{ name: "after proofDelay", delay: 3_000 }] })
    expect(after(settling)).toMatchObject({ step: { src: "observe", task: { claim: true, newConnection: true } } })
  })

  it("in mode 2 on a platform without timers does not wait, because it could not be taken back", () => {
    const start = newChange({ ...live, mode: 2, timerSeconds: null })
    expect(after(begin(start), ...committed, seen("candidate"))).toMatchObject({ step: { src: "save" } })
  })

  it("ends unchanged, with its candidate discarded, when the diff is empty", () => {
    const events = [...opened, { type: "LOADED", diff: "", candidateHash: null }, { type: "DISCARDED" }] as const
    expect(trail(row(), ...events).slice(3)).toEqual(["[discarding] discard", "[unchanged] claim", "end"])
  })

  it("discards the candidate of a dry run and keeps its diff", () => {
    const walk = after(begin(row({ dryRun: true })), ...loaded, { type: "DISCARDED" })
    expect(outcome(walk)).toMatchObject({ result: "discarded", reason: "dryRun", ok: true, runs: "old" })
    expect(rowAt(walk).diff).toBe("+vlan 320")
  })

  it("waits for another user's session in its way, and gives up when it stays", () => {
    const loading = after(begin(row()), ...opened)
    const locked = { type: "LOCKED", failure: "SessionLockedException: in use\n" } as const
    const waiting = after(loading, locked, locked, locked, locked, locked)
    expect(waiting).toMatchObject({ step: { src: "load", task: { claim: true } } })
    expect(rowAt(after(waiting, { type: "LOADED", diff: "+vlan 320", candidateHash: "new" })).phase).toBe("committing")
    const given = after(waiting, locked)
    expect(outcome(given)).toMatchObject({ result: "discarded", reason: "locked" })
    expect(given.snapshot.context.failure).toBe(locked.failure)
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
    const walk = after(begin(start), { type: "OPENED" }, { type: "RUNNING_READ", ...read })
    expect(walk.snapshot.status).toBe("done")
    expect(outcome(walk)).toMatchObject({ result: "discarded", reason, ok: false })
  })

  it("says whose commit timer runs", () => {
    const failure = "SessionLockedException: Pending commit confirm already in process!\n"
    const read = { type: "RUNNING_READ", hash: "old", foreignTimer: true, failure } as const
    expect(after(begin(row()), { type: "OPENED" }, read).snapshot.context.failure).toBe(failure)
  })

  it("requires the running configuration and the diff of the dry run, forced or not", () => {
    const shown = { running: "old", diff: "digest" }
    const start = begin(row({ force: true, expectedHash: null, shown }))
    const read = (hash: string) => ({ type: "RUNNING_READ", hash, foreignTimer: false }) as const
    const load = (diff: string, isOther: boolean) => ({ type: "LOADED", diff, isOther, candidateHash: "new" }) as const
    const altered = after(start, { type: "OPENED" }, read("alien"))
    expect(outcome(altered)).toMatchObject({ result: "discarded", reason: "otherRunning", ok: false, runs: "old" })
    const other = after(start, { type: "OPENED" }, read("old"), load("+vlan 1", true), { type: "DISCARDED" })
    expect(outcome(other)).toMatchObject({ result: "discarded", reason: "otherDiff", ok: false, runs: "old" })
    const same = after(start, { type: "OPENED" }, read("old"), load("+vlan 320", false))
    expect(rowAt(same).phase).toBe("committing")
    const nothing = after(start, { type: "OPENED" }, read("old"), load("", true), { type: "DISCARDED" })
    expect(outcome(nothing)).toMatchObject({ result: "unchanged", ok: true })
  })

  it.each([
    ["it is forced", row({ force: true })],
    ["no hash is known yet", row({ expectedHash: null })],
    ["the change is its own from an earlier round", row({ candidateHash: "alien" })]
  ])("continues over an altered configuration when %s", (_name, start) => {
    const walk = after(begin(start), { type: "OPENED" }, { type: "RUNNING_READ", hash: "alien", foreignTimer: false })
    expect(walk).toMatchObject({ step: { src: "load" } })
  })

  it("continues if only lines differ that the device writes automatically, pinned to a dry run or not", () => {
    const start = begin(row({ shown: { running: "old", diff: "digest" } }))
    const read = { type: "RUNNING_READ", hash: "other image", foreignTimer: false } as const
    const both = after(start, { type: "OPENED" }, { ...read, isExpected: true, isShown: true })
    expect(both).toMatchObject({ step: { src: "load" } })
    expect(rowAt(both).oldHash).toBe("other image")
    const one = after(start, { type: "OPENED" }, { ...read, isExpected: true, isShown: false })
    expect(outcome(one)).toMatchObject({ result: "discarded", reason: "otherRunning" })
  })
})

describe("a change that cannot be proved", () => {
  const pending = after(begin(row()), ...committed)
  it.each([
    ["is unreachable", away],
    ["runs something else under our timer", [seen("neither", true)]],
    ["cannot be proved in the wanted way", [seen("unproved", true)]],
    ["has begun to go back", [seen("old", true)]]
  ] as const)("is never confirmed but taken back, or left to its timer, when the device %s", (_name, events) => {
    const told = after(pending, ...events)
    expect(told).toMatchObject({ step: { src: "discard", task: { row: { phase: "withdrawing", goal: "old" } } } })
    expect(outcome(after(told, { type: "DISCARDED" }, seen("old")))).toMatchObject({ result: "reverted", ok: false })
    const waiting = after(told, ...untold)
    expect(waiting.snapshot.value).toEqual({ expiring: { waiting: "resting" } })
    expect(outcome(after(waiting, "expiry", seen("old")))).toMatchObject({ result: "reverted", runs: "old", ok: false })
  })

  it("is waited for until its timer must have expired, counted from its commit", () => {
    const waiting = after(pending, ...away, ...untold)
    expect(waiting.delays.map(({ delay, name }) => [name, delay])).toEqual([
      ["after expiry", 1_000 + 345_000 - 2_000],
      ["after expiryPause", 3_000]
    ])
  })

  it("is taken back as soon as the device answers, with at most three attempts, and then waited for", () => {
    const asked = after(pending, ...away, ...untold, "expiryPause")
    expect(step(asked)).toBe("askTimer")
    expect(after(asked, { type: "UNREACHABLE" }).snapshot.value).toEqual({ expiring: { waiting: "resting" } })
    const answers = [{ type: "TIMER_SEEN", runs: true }, seen("candidate", true)] as const
    const second = after(asked, ...answers)
    expect(step(second)).toBe("discard")
    const third = after(second, ...untold, "expiryPause", ...answers)
    expect(step(third)).toBe("discard")
    const last = after(third, ...untold, "expiryPause", answers[0])
    expect(last.snapshot.value).toEqual({ expiring: { waiting: "resting" } })
    const gone = after(last, "expiryPause", { type: "TIMER_SEEN", runs: false })
    expect(gone.snapshot.value).toEqual({ expired: "observing" })
  })

  it("is waited for where the device cannot take it back, however often it was looked at before", () => {
    const refused = [seen("candidate", true), { type: "CONFIRM_REFUSED", failure: "CommitError: no\n" }] as const
    const looked = after(pending, ...Array.from({ length: 6 }, () => refused).flat())
    expect(rowAt(looked)).toMatchObject({ looks: 5, reason: "notProved" })
    const again = ["expiryPause", { type: "TIMER_SEEN", runs: true }, seen("candidate", true)] as const
    const waiting = after(looked, ...untold, ...again, ...untold, ...again, ...untold)
    expect(waiting.snapshot.value).toEqual({ expiring: { waiting: "resting" } })
    const gone = after(waiting, "expiryPause", { type: "TIMER_SEEN", runs: false })
    expect(outcome(after(gone, seen("old")))).toMatchObject({ result: "reverted", runs: "old", ok: false })
    const stuck = after(waiting, "expiry", seen("candidate", true))
    expect(outcome(stuck)).toMatchObject({ result: "unknown", reason: "timerStuck" })
  })

  it("is looked at again when one attempt fails, and keeps no word of that", () => {
    const tried = after(
      pending,
      { type: "UNREACHABLE", failure: "ConnectionException: away\n" },
      seen("candidate", true)
    )
    expect(tried).toMatchObject({ step: { src: "confirm" } })
    expect(tried.snapshot.context.failure).toBeNull()
  })

  it("is reported unknown when the device stays unreachable after the timer", () => {
    const walk = after(pending, ...away, ...untold, "expiry", ...away)
    expect(outcome(walk)).toMatchObject({ result: "unknown", runs: "unclear", reason: "unreachable" })
  })

  it("is kept and saved when a user confirmed it on the device meanwhile", () => {
    const walk = after(pending, ...away, ...untold, "expiry", seen("candidate"))
    expect(walk).toMatchObject({ step: { src: "save", task: { row: { reason: "keptNew" } } } })
  })

  it("is reported unknown when the device runs neither configuration and no timer", () => {
    expect(outcome(after(pending, seen("neither")))).toMatchObject({ result: "unknown", reason: "outsideChange" })
  })

  it("is reported as not proved, not as another user's, when it looks like ours and no timer takes it back", () => {
    expect(outcome(after(pending, seen("unproved")))).toMatchObject({ result: "unknown", reason: "notProved" })
  })

  it("keeps the proof that was made, and the reason why one could not be made", () => {
    const proved = after(pending, { ...seen("candidate", true), proof: "promised-text" })
    expect(proved).toMatchObject({ step: { src: "confirm", task: { row: { proof: "promised-text" } } } })
    const unproved = after(pending, { ...seen("unproved", true), failure: "CommitError: no session\n" })
    expect(unproved.snapshot.context).toMatchObject({ failure: "CommitError: no session\n" })
    expect(unproved.snapshot.context.row).not.toHaveProperty("proof")
  })

  it("is withdrawn when the device claims success but committed nothing", () => {
    const withdrawing = after(pending, seen("old", false, true))
    expect(withdrawing).toMatchObject({
      step: { src: "discard", task: { claim: true, row: { phase: "withdrawing" } } }
    })
    expect(outcome(after(withdrawing, { type: "DISCARDED" }, seen("old")))).toMatchObject({
      result: "reverted",
      reason: "commitNotApplied"
    })
  })

  it("is not done while the timer still runs after the answer to the confirmation", () => {
    const settled = after(pending, seen("candidate", true), { type: "CONFIRMED" }, seen("candidate", true))
    expect(rowAt(settled)).toMatchObject({ goal: "old", reason: "confirmIgnored" })
    expect(after(settled, ...untold).snapshot.value).toEqual({ expiring: { waiting: "resting" } })
  })

  it("is withdrawn when the device refuses the commit", () => {
    const walk = after(begin(row()), ...loaded, { type: "COMMIT_REFUSED" }, { type: "DISCARDED" }, seen("old"))
    expect(outcome(walk)).toMatchObject({ result: "reverted", reason: "commitRefused" })
  })
})

describe("a change whose commit timer is invisible", () => {
  const pending = after(begin(row()), ...committed)
  const confirming = after(pending, unseen("candidate"))
  const waiting = after(confirming, { type: "CONFIRM_UNSEEN" })

  it("is confirmed in spite of that, and neither saved nor done before the timer must have expired", () => {
    expect(confirming).toMatchObject({ step: { src: "confirm" } })
    expect(waiting).toMatchObject({ step: null, snapshot: { value: { outlasting: "waiting" } } })
    expect(rowAt(waiting).phase).toBe("outlasting")
    expect(waiting.delays.map(({ delay, name }) => [name, delay])).toEqual([["after expiry", 1_000 + 345_000 - 2_000]])
    const looking = after(waiting, "expiry")
    expect(looking).toMatchObject({ step: { src: "observe", task: { newConnection: true } } })
    const saving = after(looking, unseen("candidate"))
    expect(saving).toMatchObject({ step: { src: "save", task: { claim: true } } })
    const done = after(saving, { type: "SAVED" }, unseen("candidate"))
    expect(outcome(done)).toMatchObject({ result: "confirmed", runs: "new", ok: true, reason: null })
  })

  it.each([
    ["has gone back", [unseen("old")], { result: "reverted", runs: "old", reason: "rolledBack" }],
    ["runs something else", [unseen("neither")], { result: "unknown", runs: "unclear", reason: "outsideChange" }],
    ["stays away", away, { result: "unknown", runs: "unclear", reason: "unreachable" }]
  ] as const)("is not done when the device %s after the timer", (_name, events, end) => {
    expect(outcome(after(waiting, "expiry", ...events))).toMatchObject(end)
  })

  it("is taken back when the timer is seen to run long after its end", () => {
    expect(after(waiting, "expiry", seen("candidate", true))).toMatchObject({
      step: { src: "discard", task: { row: { reason: "confirmIgnored" } } }
    })
  })

  it("is waited for, too, when it is not seen any more after the save", () => {
    const settled = after(pending, seen("candidate", true), { type: "CONFIRMED" }, unseen("candidate"))
    expect(settled.snapshot.value).toEqual({ outlasting: "waiting" })
  })

  it("that has taken back what was saved already has the old configuration saved again", () => {
    const settled = after(pending, seen("candidate", true), { type: "CONFIRMED" }, unseen("candidate"))
    const back = after(settled, "expiry", seen("old"))
    expect(back).toMatchObject({ step: { src: "save", task: { row: { phase: "restoring", reason: "rolledBack" } } } })
    expect(outcome(after(back, { type: "SAVED" }))).toMatchObject({ result: "reverted", ok: false })
  })

  it("is resumed by confirming once more", () => {
    const walk = after(left("outlasting"), unseen("candidate"))
    expect(walk).toMatchObject({ step: { src: "confirm", task: { row: { epoch: 2 } } } })
  })

  it("is taken back when something else runs, with three attempts before it is waited for", () => {
    const told = after(pending, unseen("neither"))
    expect(told).toMatchObject({ step: { src: "discard", task: { row: { reason: "notProved" } } } })
    const again = ["expiryPause", { type: "TIMER_SEEN", runs: true }, unseen("neither")] as const
    const last = after(
      told,
      { type: "DISCARDED" },
      unseen("neither"),
      ...again,
      { type: "DISCARDED" },
      unseen("neither")
    )
    const third = after(last, ...again, { type: "DISCARDED" }, unseen("neither"))
    expect(outcome(after(third, "expiry", unseen("neither")))).toMatchObject({ reason: "outsideChange" })
    expect(after(third, "expiry", unseen("candidate"))).toMatchObject({
      step: { src: "save", task: { row: { reason: "keptNew" } } }
    })
  })

  it("is withdrawn at once when the old configuration runs and its session is open", () => {
    const walk = after(pending, unseen("old", true))
    expect(walk).toMatchObject({ step: { src: "discard", task: { row: { reason: "commitNotApplied" } } } })
  })

  it("in mode 2 waits for the other devices first", () => {
    const proved = after(begin(newChange({ ...live, mode: 2 })), ...committed, unseen("candidate"))
    expect(proved).toMatchObject({ step: { src: "awaitVerdict" } })
    const told = after(proved, { type: "ALL_DEVICES_OK" }, { type: "CONFIRM_UNSEEN" })
    expect(told.snapshot.value).toEqual({ outlasting: "waiting" })
    expect(after(proved, { type: "OTHERS_FAILED" })).toMatchObject({ step: { src: "discard" } })
  })

  it("is remembered once it was seen", () => {
    expect(rowAt(confirming).timerSeen).toBe(false)
    expect(rowAt(after(pending, seen("candidate", true))).timerSeen).toBe(true)
  })
})

it("is looked at again only if the device just leaves the timer out, and it was not waited out", () => {
  const omitted = { ...seen("candidate"), timerOmitted: true } as const
  const confirmed = after(begin(row()), ...committed, seen("candidate", true), { type: "CONFIRMED" })
  expect(rowAt(after(confirmed, omitted))).toMatchObject({ phase: "confirmed", lookAgain: true })
  expect(rowAt(after(confirmed, seen("candidate")))).not.toHaveProperty("lookAgain")
  const waitedOut = after(confirmed, unseen("candidate"), "expiry", unseen("candidate"), { type: "SAVED" }, omitted)
  expect(rowAt(waitedOut)).toMatchObject({ phase: "confirmed" })
  expect(rowAt(waitedOut)).not.toHaveProperty("lookAgain")
})

it("runs the new configuration when it was confirmed and cannot be saved", () => {
  const failed = [{ type: "SAVE_FAILED" }, seen("candidate")] as const
  const saving = after(begin(row()), ...committed, seen("candidate", true), ...failed)
  const last = after(saving, ...failed, ...failed, ...failed, ...failed, { type: "SAVE_FAILED" })
  expect(outcome(last)).toMatchObject({ result: "unknown", reason: "notSaved", runs: "new", ok: false })
})

describe("a change on a device that saves with each commit", () => {
  const saves: ChangeEvent = { type: "RUNNING_READ", hash: "old", foreignTimer: false, savesAtCommit: true }
  const loadedThere: ReadonlyArray<ChangeEvent> = [
    { type: "OPENED" },
    saves,
    { type: "LOADED", diff: "+vlan 320", candidateHash: "new" }
  ]
  const pending = after(begin(row()), ...loadedThere, { type: "COMMITTED", at: 1_000, candidateHash: null })
  const goneBack = after(pending, seen("old"))

  it("is reported as taken back only when the old configuration is saved again", () => {
    expect(goneBack).toMatchObject({ step: { src: "save", task: { claim: true, row: { phase: "restoring" } } } })
    expect(outcome(after(goneBack, { type: "SAVED" }))).toMatchObject({ result: "reverted", reason: "rolledBack" })
  })

  it("is unknown when it cannot be saved again", () => {
    const again = [{ type: "SAVE_FAILED" }, seen("old")] as const
    const last = after(goneBack, ...again, ...again, ...again, ...again, ...again)
    expect(outcome(after(last, { type: "SAVE_FAILED" }))).toMatchObject({
      result: "unknown",
      runs: "unclear",
      reason: "notRestored"
    })
  })

  it("is begun once more only after that", () => {
    const walk = after(left("committing", { savesAtCommit: true }), seen("old", false, true), { type: "DISCARDED" })
    const restoring = after(walk, seen("old"))
    expect(restoring).toMatchObject({ step: { src: "save", task: { row: { phase: "restoring" } } } })
    expect(after(restoring, { type: "SAVED" })).toMatchObject({ step: { src: "open", task: { row: { round: 2 } } } })
  })

  it("continues as elsewhere when it is proved", () => {
    const end = after(pending, seen("candidate", true), { type: "CONFIRMED" }, seen("candidate"))
    expect(outcome(end)).toMatchObject({ result: "confirmed", ok: true })
  })
})

describe("a change of a killed process", () => {
  it.each(changePhases)("%s is taken over with a higher epoch, or is over", (phase) => {
    const walk = left(phase, { epoch: 2 })
    if (isFinal(phase)) return expect([walk.snapshot.status, walk.step]).toEqual(["done", null])
    expect(walk).toMatchObject({ step: { task: { claim: true, row: { epoch: 3 } } } })
  })

  it("is begun once more, without a word in the database, when nothing was ever claimed for it", () => {
    expect(left("planned")).toMatchObject({ step: { src: "open" }, snapshot: { context: { row: { epoch: 1 } } } })
  })

  it.each(["committing", "committed", "proved", "confirming", "saving", "expiring", "looking"] as const)(
    "%s is looked at over a new connection before anything else",
    (phase) => expect(left(phase)).toMatchObject({ step: { src: "observe", task: { newConnection: true } } })
  )

  it("is confirmed at once when it was proved and its verdict is known", () => {
    const walk = arrive(row({ phase: "proved", mode: 2, confirmAllowed: false }), "ALL_DEVICES_OK")
    expect(walk).toMatchObject({ step: { src: "confirm", task: { claim: true, row: { epoch: 1 } } } })
  })

  it("follows a verdict that came before it was proved again", () => {
    const walk = arrive(row({ phase: "committing", mode: 2, confirmAllowed: false }), "ALL_DEVICES_OK")
    expect(after(walk, seen("candidate", true))).toMatchObject({ step: { src: "confirm" } })
  })

  it("starts over with a new session when nothing was committed yet", () => {
    const walk = after(left("loading"), { type: "DISCARDED" })
    expect(walk).toMatchObject({ step: { src: "open" } })
    expect(rowAt(walk)).toMatchObject({ round: 2, sessionName: "job412-2", epoch: 2 })
  })

  it("gives up after three rounds", () => {
    const walk = after(left("loading", { round: 3, sessionName: "job412-3" }), { type: "DISCARDED" })
    expect(outcome(walk)).toMatchObject({ result: "discarded", reason: "tooManyRestarts" })
  })

  it.each([
    ["confirms what is proved under its timer", {}, seen("candidate", true), "confirm"],
    ["saves what runs without a timer", {}, seen("candidate"), "save"],
    ["waits for the verdict in mode 2", { confirmAllowed: false }, seen("candidate", true), "awaitVerdict"],
    ["takes a rejected change back", { goal: "old" }, seen("candidate", true), "discard"],
    ["aborts the session of a commit that never ran", {}, seen("old", false, true), "discard"]
  ] as const)("%s", (_name, changes, event, src) => {
    expect(after(left("committing", changes), event)).toMatchObject({ step: { src } })
  })

  it("repeats a commit that provably never ran", () => {
    const walk = after(left("committing"), seen("old", false, true), { type: "DISCARDED" }, seen("old"))
    expect(walk).toMatchObject({ step: { src: "open", task: { row: { round: 2 } } } })
  })

  it("recognises the commit of an earlier round and saves it", () => {
    const second = row({ phase: "planned", round: 2, diff: "+vlan 320", sessionName: "job412-2", expectedHash: null })
    const walk = after(
      begin(second),
      ...opened,
      { type: "LOADED", diff: "", candidateHash: null },
      { type: "DISCARDED" }
    )
    expect(walk).toMatchObject({ step: { src: "save" } })
    expect(rowAt(walk)).toMatchObject({ diff: "+vlan 320", candidateHash: "old", oldHash: null, reason: null })
  })

  it("does not commit again when the switch has already rolled back", () => {
    expect(outcome(after(left("committing"), seen("old")))).toMatchObject({ result: "reverted" })
  })
})

describe("the record of a change", () => {
  it("has a sentence for every reason that needs one", () => {
    const silent = Object.entries(reasonSentences).flatMap(([reason, sentence]) => (sentence === "" ? [reason] : []))
    expect(silent).toEqual(["dryRun", "unchanged"])
  })

  it("contains nothing about an unfinished change", () => expect(outcomeOf(row({ phase: "proved" }))).toBeNull())

  it("refuses an event that does not belong to its state", () => {
    expect(() => take(begin(row()), { type: "CONFIRMED" })).toThrow('{"planned":"opening"} takes no CONFIRMED')
  })

  it("is cancelled only while nothing was sent", () => {
    expect(cancel(row())).toMatchObject({
      from: { phase: "planned", epoch: 1 },
      row: { phase: "discarded", epoch: 1, reason: "cancelled" }
    })
    expect(cancel(row({ phase: "loading" }))).toBeNull()
  })
})

describe("a change whose job has ended", () => {
  const abandoned = (phase: ChangeRow["phase"], changes: Partial<ChangeRow> = {}) => {
    const claim = abandon(row({ phase, oldHash: "old", candidateHash: "new", ...changes }))
    if (claim === null) throw new Error(`a change that is ${phase} is not abandoned`)
    return claim
  }

  it("is taken over from any process that works on it, at its phase", () => {
    const { from, row: taken } = abandoned("committed")
    expect(from).toEqual({ phase: "committed", epoch: 1 })
    expect(taken).toMatchObject({ phase: "committed", epoch: 2, goal: "old", reason: "othersFailed" })
  })

  it.each([
    ["loading", {}, [{ type: "DISCARDED" }], "discarded"],
    ["discarding", {}, [{ type: "DISCARDED" }], "discarded"],
    ["committing", {}, [seen("old")], "reverted"],
    ["committed", {}, [seen("candidate", true), { type: "DISCARDED" }, seen("old")], "reverted"],
    ["proved", { mode: 2 }, [seen("candidate", true), { type: "DISCARDED" }, seen("old")], "reverted"],
    ["looking", {}, [seen("old", false, true), { type: "DISCARDED" }, seen("old")], "reverted"],
    ["withdrawing", {}, [{ type: "DISCARDED" }, seen("old")], "reverted"],
    [
      "committed",
      { mode: 0, timerSeconds: null },
      [seen("candidate"), { type: "SAVED" }, seen("candidate")],
      "confirmed"
    ]
  ] as const)("is not begun again when it was %s", (phase, changes, events, end) => {
    const walk = after(arrive(abandoned(phase, changes).row), ...events)
    expect(outcome(walk)).toMatchObject({ result: end })
  })

  it.each([
    "confirming",
    "outlasting",
    "saving",
    "restoring",
    "expiring",
    "confirmed",
    "reverted",
    "unchanged",
    "discarded",
    "unknown"
  ] as const)("stays unchanged when it is %s", (phase) => expect(abandon(row({ phase }))).toBeNull())

  it.each(["unchanged", "dryRun"] as const)("keeps the reason why its candidate is discarded: %s", (reason) => {
    expect(abandon(row({ phase: "discarding", reason }))).toBeNull()
  })
})
