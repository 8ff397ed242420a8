/** All paths of the change machine: every state is reached, and the row always says where a killed process was. */
import { describe, expect, it } from "@effect/vitest"
import { createTestModel } from "xstate/graph"
import { areOpen } from "../../../machines/change/ChangeChecks.ts"
import { inputOf, newChange } from "../../../machines/change/ChangeDecision.ts"
import { type ChangeEvent, changePhases } from "../../../machines/change/ChangeRow.ts"
import { configChange } from "../../../machines/change/ConfigChange.ts"
import { placeOf } from "../../../machines/Chart.ts"
import { asEvents, standIns } from "../PathModel.ts"
import { arrive, pass, take } from "./ChangeWalk.ts"

const observations: ReadonlyArray<ChangeEvent> = (["candidate", "old", "neither", "unproved"] as const).flatMap(
  (running) =>
    (["runs", "gone", "unseen"] as const).flatMap((ourTimer) =>
      [false, true].map((ourSession) => ({ type: "OBSERVED", running, ourTimer, ourSession }) as const)
    )
)

const plain = [
  "CANCELLED",
  "OPENED",
  "REJECTED",
  "LOCKED",
  "LEFT",
  "LOST",
  "DISCARDED",
  "COMMIT_REFUSED",
  "UNREACHABLE",
  "ALL_DEVICES_OK",
  "OTHERS_FAILED",
  "REVERT_NOW",
  "CONFIRMED",
  "CONFIRM_UNSEEN",
  "CONFIRM_REFUSED",
  "SAVED",
  "SAVE_FAILED"
] as const

const events: ReadonlyArray<ChangeEvent> = [
  ...plain.map((type) => ({ type })),
  { type: "CLAIMED", at: 2_000 },
  { type: "RUNNING_READ", hash: "old", foreignTimer: false },
  { type: "RUNNING_READ", hash: "alien", foreignTimer: false },
  { type: "RUNNING_READ", hash: "old", foreignTimer: true },
  { type: "LOADED", diff: "", candidateHash: null },
  { type: "LOADED", diff: "+vlan 320", candidateHash: "new" },
  { type: "COMMITTED", at: 1_000, candidateHash: null },
  { type: "TIMER_SEEN", runs: false },
  { type: "TIMER_SEEN", runs: true },
  ...observations
]

const result = { name: "bgp", before: null, now: null, sentence: "", tried: 1, seconds: 1 }

/** A change with checks on a device that shows what it does: with all that others may show, there are too many paths. */
const checkedEvents: ReadonlyArray<ChangeEvent> = [
  ...events.filter((event) => event.type !== "OBSERVED" && (event.type !== "LOADED" || event.diff === "")),
  { type: "LOADED", diff: "+vlan 320", candidateHash: "new", checking: { names: ["bgp"] } },
  { type: "BEFORE_READ", isRefused: true, checking: { names: ["bgp"] } },
  { type: "BEFORE_READ", isRefused: false, checking: { names: ["bgp"], at: 900 } },
  { type: "CHECKED", at: 2_000, results: [] },
  { type: "CHECKED", at: 3_000, results: [{ ...result, held: true }] },
  { type: "CHECKED", at: 90_000, results: [{ ...result, held: false }] },
  { type: "CHECKED", at: 90_000, results: [{ ...result, held: null }] },
  { type: "OBSERVED", running: "candidate", ourTimer: "runs", ourSession: false },
  { type: "OBSERVED", running: "candidate", ourTimer: "gone", ourSession: false },
  { type: "OBSERVED", running: "old", ourTimer: "gone", ourSession: false }
]

const isOurs = (event: { readonly type: string }): event is ChangeEvent =>
  [...events, ...checkedEvents].some(({ type }) => type === event.type)

/** Where a change is without a phase of its own. */
const memory = ["opened", "reading", "strayed", "settling", "withdrawn", "expired"]

/** States in which nothing is written because nothing is done, or that begin where the row is written already. */
const unwritten =
  /^(planned\.opening|proved\.waiting|loading\.resting|(committed|looking|outlasting)\.resting|committed\.waiting|checking\.(waiting|asking)|outlasting\.(waiting|observing)|expiring\.waiting\..*|over)$/

describe.each([
  ["mode 1", 1, false, false, false],
  ["mode 2", 2, false, false, false],
  ["mode 1 on a device that saves with each commit", 1, false, true, false],
  ["a dry run", 1, true, false, false],
  ["mode 2 with checks", 2, false, false, true]
] as const)("all paths of a change in %s", (_name, mode, dryRun, savesAtCommit, isChecked) => {
  const checks = [{ name: "bgp", settle: 1, within: 30, definition: null }]
  const wanted = { mode, dryRun, force: false, sessionName: "job412", expectedHash: "old", timerSeconds: 300, checks }
  const start = { ...newChange(wanted), savesAtCommit }
  const delays = standIns(configChange)
  const paths = createTestModel(asEvents(configChange)).getShortestPaths({
    events: [...(isChecked ? checkedEvents : events), ...delays.map((type) => ({ type }))],
    input: inputOf({ protocol: start, failure: null }, null, 3),
    limit: 80_000,
    // Counters would make the graph endless; what matters for a path is where it is and what it wants.
    serializeState: ({ context, value }) => {
      const { confirmAllowed, goal, reason, savesAtCommit: saved } = context.row
      return JSON.stringify([
        value,
        goal,
        confirmAllowed,
        reason,
        saved,
        context.attempts > 0,
        context.mayWithdraw,
        context.outlasted,
        areOpen(context.row)
      ])
    }
  })

  it("reach the required states", () => {
    const reached = new Set(paths.flatMap(({ steps }) => steps.map(({ state }) => placeOf(state).split(".")[0])))
    const checks = ["reading", "checking"]
    if (isChecked) return expect([...reached]).toEqual(expect.arrayContaining([...checks, "withdrawing", "proved"]))
    const all = [...changePhases, ...memory, "over"]
      .filter((state) => !checks.includes(state))
      .filter((state) => !dryRun || /plan|open|loading|disc|unch|over|stray|unknown/.test(state))
    expect([...reached].toSorted()).toEqual(all.filter((state) => mode === 2 || state !== "proved").toSorted())
  })

  it("leave a row that names the phase, except for the states in memory", () => {
    for (const path of paths) {
      let walk = arrive(start, null, 3)
      for (const { event, state } of path.steps) {
        // The first step of every path is the start of the machine itself.
        if (event.type === "xstate.init") continue
        walk = isOurs(event) ? take(walk, event) : pass(walk, event.type.slice("after ".length))
        const place = placeOf(walk.snapshot)
        const [top = ""] = place.split(".")
        expect(place).toBe(placeOf(state))
        const claims = walk.step?.task.claim === true
        expect(claims, place).toBe(!memory.includes(top) && !unwritten.test(place))
        if (!memory.includes(top) && place !== "over") expect(walk.snapshot.context.row.phase).toBe(top)
      }
    }
  })
})
