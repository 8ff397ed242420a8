/**
 * Carries a change through on a simulated switch the way a device actor does, while connections break, processes die and
 * come back as zombies at the moments that a script of numbers says.
 */
import {
  begin,
  type ChangeDecision,
  type ChangeOutcome,
  type Claim,
  newChange,
  nextStep,
  type NewChange,
  resume
} from "../../../machines/change/ChangeDecision.ts"
import type { ChangeEvent, ChangeRow, ChangeStep } from "../../../machines/change/ChangeRow.ts"
import type { Config, SimulatedSwitch } from "./SimulatedSwitch.ts"

/** What goes wrong with a step. `zombie`: its process counts as dead, but its command arrives a few steps later. */
export const faults = ["none", "lostBefore", "lostAfter", "crashBefore", "crashAfter", "zombie", "refused"] as const
export type Fault = (typeof faults)[number]

export interface Moment {
  readonly fault: Fault
  /** Steps by which a zombie's command is late. */
  readonly late: number
}

export interface Run {
  readonly outcome: ChangeOutcome
  readonly row: ChangeRow
  readonly steps: ReadonlyArray<ChangeStep>
  /** True when a device-changing step was done without its phase being claimed just before. */
  readonly unclaimed: boolean
  /** Commands of a zombie that the fencing let through after a take-over: must stay 0. */
  readonly stolenClaims: number
}

const changesDevice: ReadonlySet<ChangeStep["type"]> = new Set(["load", "discard", "commit", "confirm", "save"])

const COMMITTED_AT = 1_000

const command = (device: SimulatedSwitch, candidate: Config, step: ChangeStep): void => {
  switch (step.type) {
    case "load":
      return device.load(step.sessionName, candidate)
    case "discard":
      return device.discard(step.sessionName)
    case "commit":
      return device.commit(step.sessionName, step.timerSeconds !== null)
    case "confirm":
      device.confirm(step.sessionName)
      return device.save()
    case "save":
      return device.save()
    case "waitForExpiry":
      return device.expire()
    default:
  }
}

const refusals: Partial<Record<ChangeStep["type"], ChangeEvent>> = {
  load: { type: "REJECTED" },
  commit: { type: "COMMIT_REFUSED" },
  confirm: { type: "CONFIRM_REFUSED" },
  save: { type: "SAVE_FAILED" }
}

const lost = (step: ChangeStep): ChangeEvent => (step.type === "observe" ? { type: "UNREACHABLE" } : { type: "LOST" })

const answer = (
  device: SimulatedSwitch,
  step: ChangeStep,
  candidate: Config,
  before: Config,
  allOk: boolean
): ChangeEvent => {
  const hash = device.running()
  switch (step.type) {
    case "open":
      return { type: "OPENED" }
    case "verify":
      return { type: "RUNNING_READ", hash, foreignTimer: false }
    case "load":
      return { type: "LOADED", diff: hash === candidate ? "" : "+new", candidateHash: candidate }
    case "discard":
      return { type: "DISCARDED" }
    case "commit":
      return { type: "COMMITTED", at: COMMITTED_AT, candidateHash: null }
    case "observe":
      return { type: "OBSERVED", ...device.show(step.sessionName, candidate, before) }
    case "awaitVerdict":
      return { type: allOk ? "ALL_DEVICES_OK" : "OTHERS_FAILED" }
    case "confirm":
      return { type: "CONFIRMED" }
    case "save":
      return { type: "SAVED" }
    case "waitForExpiry":
      return { type: "EXPIRY_PASSED" }
  }
}

export interface Setting {
  readonly change: NewChange
  readonly device: SimulatedSwitch
  readonly candidate: Config
  readonly before: Config
  readonly allOk: boolean
  readonly moments: ReadonlyArray<Moment>
}

/** Runs a change to its end; throws when it does not come to one within 200 steps. */
export const run = ({ allOk, before, candidate, change, device, moments }: Setting): Run => {
  let stored = newChange(change)
  let stolenClaims = 0
  let unclaimed = false
  const steps: Array<ChangeStep> = []
  const late: Array<{ readonly at: number; readonly step: ChangeStep; readonly decision: ChangeDecision }> = []

  const write = (claim: Claim): boolean => {
    if (stored.phase !== claim.from.phase || stored.epoch !== claim.from.epoch) return false
    stored = claim.row
    return true
  }
  const wakeZombies = (now: number) => {
    for (const zombie of late.splice(0).toSorted((a, b) => a.at - b.at)) {
      if (zombie.at > now) {
        late.push(zombie)
        continue
      }
      command(device, candidate, zombie.step)
      if (zombie.decision._tag !== "NextStep") continue
      const event = answer(device, zombie.step, candidate, before, allOk)
      const next = nextStep(zombie.decision.change, event)
      if (next._tag !== "Refused" && next.claim !== null && write(next.claim)) stolenClaims++
    }
  }

  let decision: ChangeDecision = begin(stored)
  for (let count = 0; count < 200; count++) {
    if (decision._tag === "Refused") throw new Error(decision.message)
    if (decision.claim !== null && !write(decision.claim))
      throw new Error(`lost the claim of ${decision.claim.row.phase}`)
    // A zombie is woken when the take-over is written: before that it is the owner.
    wakeZombies(count)
    if (decision._tag === "Ended") wakeZombies(Number.POSITIVE_INFINITY)
    if (decision._tag === "Ended") return { outcome: decision.outcome, row: stored, steps, unclaimed, stolenClaims }
    const { step } = decision
    const { fault, late: delay } = moments[count] ?? { fault: "none", late: 0 }
    steps.push(step)
    if (changesDevice.has(step.type) && decision.claim === null) unclaimed = true

    if (fault === "zombie") late.push({ at: count + 1 + delay, step, decision })
    const refusal = refusals[step.type]
    const done =
      fault === "none" ||
      fault === "lostAfter" ||
      fault === "crashAfter" ||
      (fault === "refused" && refusal === undefined)
    if (done) command(device, candidate, step)
    // Waiting and waking up again is no exchange with the switch: it cannot break.
    const silent = step.type === "waitForExpiry" || step.type === "awaitVerdict"
    if (fault.startsWith("crash") || fault === "zombie") decision = resume(stored)
    else if (fault === "refused" && refusal !== undefined) decision = nextStep(decision.change, refusal)
    else if (fault.startsWith("lost") && !silent) decision = nextStep(decision.change, lost(step))
    else {
      if (!done) command(device, candidate, step)
      decision = nextStep(decision.change, answer(device, step, candidate, before, allOk))
    }
  }
  throw new Error(`no end after 200 steps: ${steps.map(({ type }) => type).join(" ")}`)
}
