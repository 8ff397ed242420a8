/** All paths of the change machine: every state is reached, and the row always says where a killed process was. */
import { describe, expect, it } from "@effect/vitest"
import { createTestModel } from "xstate/graph"
import { type Change, newChange, nextStep } from "../../../machines/change/ChangeDecision.ts"
import { type ChangeEvent, changePhases } from "../../../machines/change/ChangeRow.ts"
import { configChange } from "../../../machines/change/ConfigChange.ts"

const observations: ReadonlyArray<ChangeEvent> = (["candidate", "old", "neither"] as const).flatMap((running) =>
  [false, true].flatMap((ourTimer) =>
    [false, true].map((ourSession) => ({ type: "OBSERVED", running, ourTimer, ourSession }) as const)
  )
)

const plain = [
  "RESUMED",
  "CANCELLED",
  "OPENED",
  "REJECTED",
  "LOCKED",
  "LOST",
  "DISCARDED",
  "COMMIT_REFUSED",
  "UNREACHABLE",
  "ALL_DEVICES_OK",
  "OTHERS_FAILED",
  "REVERT_NOW",
  "CONFIRMED",
  "CONFIRM_REFUSED",
  "SAVED",
  "SAVE_FAILED",
  "EXPIRY_PASSED"
] as const

const events: ReadonlyArray<ChangeEvent> = [
  ...plain.map((type) => ({ type })),
  { type: "RUNNING_READ", hash: "old", foreignTimer: false },
  { type: "RUNNING_READ", hash: "alien", foreignTimer: false },
  { type: "RUNNING_READ", hash: "old", foreignTimer: true },
  { type: "LOADED", diff: "", candidateHash: null },
  { type: "LOADED", diff: "+vlan 320", candidateHash: "new" },
  { type: "COMMITTED", at: 1_000, candidateHash: null },
  ...observations
]

const memoryStates = ["opened", "settling", "withdrawn", "expired"]

describe.each([
  ["mode 1", 1, false],
  ["mode 2", 2, false],
  ["a dry run", 1, true]
] as const)("all paths of a change in %s", (_name, mode, dryRun) => {
  const start = newChange({ mode, dryRun, force: false, sessionName: "job412", expectedHash: "old", timerSeconds: 300 })
  const paths = createTestModel(configChange).getShortestPaths({
    events,
    input: start,
    limit: 20_000,
    // Counters would make the graph endless; what matters for a path is where it is and what it wants.
    serializeState: ({ context, value }) =>
      JSON.stringify([value, context.goal, context.confirmAllowed, context.reason])
  })

  it("reach what they must", () => {
    const reached = new Set(paths.flatMap(({ steps }) => steps.map(({ state }) => state.value)))
    const all = [...changePhases, ...memoryStates].filter((state) => !dryRun || /plan|open|load|disc|unch/.test(state))
    const never = mode === 2 ? [] : ["proved"]
    expect([...reached].toSorted()).toEqual(all.filter((state) => !never.includes(state)).toSorted())
  })

  it("leave a row that names the phase, except for the states in memory", () => {
    for (const path of paths) {
      let change: Change = { state: "planned", row: start }
      for (const { event, state } of path.steps) {
        // The first step of every path is the start of the machine itself.
        const type: string = event.type
        if (type === "xstate.init") continue
        const decision = nextStep(change, event)
        if (decision._tag === "Refused") throw new Error(`${path.description}: ${decision.message}`)
        expect(decision.change.state).toBe(state.value)
        expect(decision.claim === null).toBe(memoryStates.includes(decision.change.state))
        if (decision.claim !== null) {
          expect(decision.claim.from).toEqual({ phase: change.row.phase, epoch: change.row.epoch })
          expect(decision.claim.row.phase).toBe(decision.change.state)
        }
        change = decision.change
      }
    }
  })
})
