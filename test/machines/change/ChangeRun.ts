/**
 * Carries a change through on a simulated switch the way a device actor does, while connections break, processes die and
 * come back as zombies at the moments that a script of numbers says.
 */
import { type ChangeOutcome, newChange, type NewChange, outcomeOf } from "../../../machines/change/ChangeDecision.ts"
import type { ChangeEvent, ChangeRow } from "../../../machines/change/ChangeRow.ts"
import { arrive, pass, type RunningDelay, takeAny, type Walk, type WantedStep } from "./ChangeWalk.ts"
import type { Config, SimulatedSwitch } from "./SimulatedSwitch.ts"

/**
 * The fault of a step. `zombie`: its process counts as dead, but its command arrives a few steps later. `ignored`: the switch
 * answers a confirmation, goes on with its timer, and shows it no more.
 */
export const faults = [
  "none",
  "lostBefore",
  "lostAfter",
  "crashBefore",
  "crashAfter",
  "zombie",
  "refused",
  "ignored"
] as const
export type Fault = (typeof faults)[number]

export interface Moment {
  readonly fault: Fault
  /** Steps by which a zombie's command is late. */
  readonly late: number
}

export interface Run {
  readonly outcome: ChangeOutcome
  readonly row: ChangeRow
  readonly steps: ReadonlyArray<WantedStep>
  /** True when a device-changing step was done without its phase being claimed just before. */
  readonly unclaimed: boolean
  /** Commands of a zombie that the fencing let through after a take-over: must stay 0. */
  readonly stolenClaims: number
}

const changesDevice: ReadonlySet<string> = new Set(["load", "discard", "commit", "confirm", "save"])

/** Steps that are no exchange with the switch, so that it cannot break. */
const silent: ReadonlySet<string> = new Set(["claim", "awaitVerdict", "check"])

/** The effect of a step on the switch. */
export const command = (
  device: SimulatedSwitch,
  candidate: Config,
  { src, task: { row } }: WantedStep,
  fault: Fault = "none"
): void => {
  switch (src) {
    case "load":
      return device.load(row.sessionName, candidate)
    case "discard":
      return device.discard(row.sessionName)
    case "commit":
      return device.commit(row.sessionName, row.timerSeconds !== null)
    case "confirm":
      if (fault === "ignored") device.ignoreConfirm(row.sessionName)
      else device.confirm(row.sessionName)
      return device.sight(row.sessionName) === "unseen" ? undefined : device.save()
    case "save":
      return device.save()
    default:
  }
}

const refusals: Readonly<Record<string, ChangeEvent>> = {
  load: { type: "REJECTED" },
  commit: { type: "COMMIT_REFUSED" },
  confirm: { type: "CONFIRM_REFUSED" },
  save: { type: "SAVE_FAILED" }
}

const lost = ({ src }: WantedStep): ChangeEvent =>
  src === "observe" || src === "askTimer" ? { type: "UNREACHABLE" } : { type: "LOST" }

export interface Scene {
  readonly device: SimulatedSwitch
  readonly candidate: Config
  readonly before: Config
  readonly allOk: boolean
  /** Whether the checks of the change hold after its commit. */
  readonly checksHold?: boolean
}

/** How a step ends when nothing goes wrong; `now` is in epoch milliseconds. */
export const answer = (
  { allOk, before, candidate, checksHold = true, device }: Scene,
  { src, task }: WantedStep,
  now: number
): ChangeEvent => {
  const hash = device.running()
  const names = (task.row.checks ?? []).map(({ name }) => name)
  const result = { before: "2", now: checksHold ? "2" : "1", sentence: "before 2, now 1", tried: 1, seconds: 1 }
  const isUnseen = device.sight(task.row.sessionName) === "unseen"
  const answers: Readonly<Record<string, ChangeEvent>> = {
    claim: { type: "CLAIMED", at: now },
    open: { type: "OPENED" },
    verify: {
      type: "RUNNING_READ",
      hash,
      foreignTimer: false,
      savesAtCommit: device.peculiar.savesAtCommit === true
    },
    load: {
      type: "LOADED",
      diff: hash === candidate ? "" : "+new",
      candidateHash: candidate,
      ...(names.length === 0 ? {} : { checking: { names } })
    },
    readBefore: { type: "BEFORE_READ", isRefused: false, checking: { names, at: now, before: {} } },
    check: { type: "CHECKED", at: now, results: names.map((name) => ({ ...result, name, held: checksHold })) },
    discard: { type: "DISCARDED" },
    commit: { type: "COMMITTED", at: now, candidateHash: null },
    observe: { type: "OBSERVED", ...device.show(task.row.sessionName, candidate, before) },
    awaitVerdict: { type: allOk ? "ALL_DEVICES_OK" : "OTHERS_FAILED" },
    confirm: { type: isUnseen ? "CONFIRM_UNSEEN" : "CONFIRMED" },
    save: { type: "SAVED" },
    askTimer: { type: "TIMER_SEEN", runs: isUnseen || device.timerRuns() }
  }
  const event = answers[src]
  if (event === undefined) throw new Error(`unknown step ${src}`)
  return event
}

export interface Setting extends Scene {
  readonly change: NewChange
  readonly moments: ReadonlyArray<Moment>
}

const MOST_STEPS = 1_000

interface Zombie {
  readonly at: number
  readonly step: WantedStep
  readonly walk: Walk
  readonly written: Pick<ChangeRow, "phase" | "epoch">
}

/** Runs a change to its end; throws when it does not come to one, such as when a state waits for what it does not take. */
export const run = ({ change, moments, ...scene }: Setting): Run => {
  const { candidate, device } = scene
  let stored = newChange(change)
  let walk = arrive(stored)
  let now = 1_000
  let committedAt: number | null = null
  let stolenClaims = 0
  let unclaimed = false
  const steps: Array<WantedStep> = []
  const due = new Map<RunningDelay, number>()
  let zombies: ReadonlyArray<Zombie> = []

  const isStored = ({ epoch, phase }: Pick<ChangeRow, "phase" | "epoch">) =>
    stored.phase === phase && stored.epoch === epoch

  const send = (step: WantedStep, fault?: Fault) => {
    const ranBefore = device.timerRuns()
    command(device, candidate, step, fault)
    if (!ranBefore && device.timerRuns()) committedAt = now
  }

  /** Time passes to the next delay that runs out, and the switch's own timer with it. */
  const passTime = () => {
    for (const delay of walk.delays) if (!due.has(delay)) due.set(delay, now + delay.delay)
    const [next] = walk.delays.toSorted((a, b) => (due.get(a) ?? 0) - (due.get(b) ?? 0))
    if (next === undefined) throw new Error(`waits for nothing in ${JSON.stringify(walk.snapshot.value)}`)
    now = due.get(next) ?? now
    if (committedAt !== null && now >= committedAt + (change.timerSeconds ?? 0) * 1_000) device.expire()
    walk = pass(walk, next.name.slice("after ".length))
  }

  /**
   * A zombie is woken when the take-over is written: before that it is the owner. Nothing is written for a change that is begun once more
   * because nothing was sent: there the first process to claim continues, and the other loses its claim.
   */
  const wakeZombies = (count: number): boolean => {
    const awake = zombies.filter(({ at }) => at <= count)
    zombies = zombies.filter(({ at }) => at > count)
    for (const zombie of awake.toSorted((a, b) => a.at - b.at)) {
      send(zombie.step)
      const next = takeAny(zombie.walk, answer(scene, zombie.step, now))
      if (next.step?.task.claim !== true || !isStored(zombie.written)) continue
      if (stored.phase !== "planned" || stored.epoch > 1) stolenClaims++
      walk = next
      return true
    }
    return false
  }

  const end = (): Run => {
    wakeZombies(Number.POSITIVE_INFINITY)
    const outcome = outcomeOf(stored)
    if (outcome === null) throw new Error(`ended in ${stored.phase}`)
    return { outcome, row: stored, steps, unclaimed, stolenClaims }
  }

  for (let count = 0; count < MOST_STEPS; count++) {
    while (walk.step === null && walk.snapshot.status === "active") passTime()
    const { step } = walk
    if (step === null) return end()
    if (step.task.claim === true) stored = step.task.row
    if (wakeZombies(count)) continue
    const { fault, late } = moments[count] ?? { fault: "none", late: 0 }
    steps.push(step)
    if (changesDevice.has(step.src) && step.task.claim !== true) unclaimed = true
    if (fault === "zombie") zombies = [...zombies, { at: count + 1 + late, step, walk, written: { ...stored } }]

    const refusal = refusals[step.src]
    const arrives = fault === "none" || fault === "lostAfter" || fault === "crashAfter" || fault === "ignored"
    if (arrives || (fault === "refused" && refusal === undefined)) send(step, fault)
    // a process that was taken over sends nothing more over its login: its claim is checked before each request
    if (/^(?:crash|zombie)/.test(fault) || (fault.startsWith("lost") && !silent.has(step.src))) device.endLogin()
    if (fault.startsWith("crash") || fault === "zombie") walk = arrive(stored)
    else if (fault === "refused" && refusal !== undefined) walk = takeAny(walk, refusal)
    else if (fault.startsWith("lost") && !silent.has(step.src)) {
      walk = takeAny(walk, lost(step))
      // a device that is lost stays lost for all attempts of a look
      while (walk.step === null && walk.delays.some(({ name }) => name === "after attemptPause")) {
        passTime()
        walk = takeAny(walk, { type: "UNREACHABLE" })
      }
    } else {
      if (fault.startsWith("lost")) send(step)
      walk = takeAny(walk, answer(scene, step, now))
    }
  }
  throw new Error(`no end after ${MOST_STEPS} steps: ${steps.map(({ src }) => src).join(" ")}`)
}
