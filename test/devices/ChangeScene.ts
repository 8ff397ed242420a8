/**
 * A stored change, a simulated switch and live actors of its device, for tests of actors. The row is in memory, and claims follow the rule
 * of the database; commands reach the switch verbatim.
 */
import { Clock, Effect } from "effect"
import { inputOf, newChange, type NewChange } from "../../machines/change/ChangeDecision.ts"
import type { ChangeEvent, ChangePhase, ChangeRow, Verdict } from "../../machines/change/ChangeRow.ts"
import { ActorInspection } from "../../src/devices/ActorInspection.ts"
import * as ChangeRun from "../../src/devices/ChangeRun.ts"
import type { ChangeSteps } from "../../src/devices/ChangeSteps.ts"
import * as DeviceStatechart from "../../src/devices/DeviceStatechart.ts"
import { answer, command } from "../machines/change/ChangeRun.ts"
import { make as makeSwitch } from "../machines/change/SimulatedSwitch.ts"
import { device as lifecycleDevice } from "../machines/device/DeviceFixtures.ts"

export const live: NewChange = {
  mode: 1,
  dryRun: false,
  force: false,
  sessionName: "job412",
  expectedHash: "old",
  timerSeconds: 300
}

/** Replaces a step: called by its name when it is reached. */
export type Interference = Readonly<Record<string, Effect.Effect<ChangeEvent> | undefined>>

/** A switch that runs `old`, and a stored row. */
export const makeScene = (change: Partial<ChangeRow> = {}) => {
  const device = makeSwitch("old")
  let stored: ChangeRow = { ...newChange(live), ...change }
  const trail: Array<string> = []

  const claim: Parameters<typeof ChangeRun.claims>[0]["claim"] = (_id, { from, row }) =>
    Effect.sync(() => {
      const isWon = stored.phase === from.phase && stored.epoch === from.epoch
      trail.push(isWon ? `[${row.phase}/${row.epoch}]` : `lost [${row.phase}]`)
      if (isWon) stored = row
      return isWon
    })

  const stepsWith = (interference: Interference): ChangeSteps => {
    const step = (src: string, row: ChangeRow) =>
      Effect.gen(function* () {
        trail.push(src)
        const instead = interference[src]
        if (instead !== undefined) return yield* instead
        const wanted = { src, task: { row, failure: null } }
        command(device, "new", wanted)
        return answer({ device, candidate: "new", before: "old", allOk: true }, wanted, yield* Clock.currentTimeMillis)
      })
    return {
      open: step("open", stored),
      verify: (row) => step("verify", row),
      load: (row) => step("load", row),
      discard: (row) => step("discard", row),
      readBefore: (row) => step("readBefore", row),
      check: (row) => step("check", row),
      commit: (row) => step("commit", row),
      observe: (row) => step("observe", row),
      confirm: (row) => step("confirm", row),
      save: step("save", stored),
      askTimer: (row) => step("askTimer", row)
    }
  }

  /** Runs the stored change on a live actor. */
  const run = (
    actor: DeviceStatechart.DeviceStatechart,
    interference: Interference = {},
    verdict: Verdict | null = null
  ) =>
    Effect.suspend(() => {
      const known = { written: stored, at: Date.now() }
      return actor.change(
        { name: "RunChange", job: 412 },
        {
          id: 88,
          input: inputOf({ protocol: stored, failure: null }, verdict),
          run: (waits) => ({
            claim: ChangeRun.claims({ claim }, 88, known, { running: null, before: null, remarks: [] }),
            steps: stepsWith(interference),
            waits,
            within: (work) => work
          })
        }
      )
    })

  return {
    device,
    trail,
    run,
    row: () => stored,
    /** Another process takes the change over, as `ChangeDecision.abandon` does. */
    takeOver: () => {
      stored = { ...stored, epoch: stored.epoch + 1 }
    },
    at: (phase: ChangePhase) => {
      stored = { ...stored, phase }
    }
  }
}

/** The live actor of a managed device. */
export const actor = DeviceStatechart.start(lifecycleDevice("MANAGED")).pipe(Effect.provide(ActorInspection.layer))
