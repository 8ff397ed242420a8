/**
 * Every step of a live sync × what the lab can do to any step: cut it, silence it, refuse it, lie about it, be late. The steps are those
 * of the conversation with a platform's switches, and the endings differ between platforms where a switch answers otherwise.
 */
import type { Fault, Step } from "../../../src/lab/Faults.ts"
import { seconds } from "../../support/Patience.ts"
import * as Endings from "./FaultEndings.ts"

type Steps = ReadonlyArray<Step>

/** The steps of a live sync on one platform, in the order of its parts. */
export interface Conversation {
  /** The work at each step, in words. */
  readonly words: Partial<Record<Step, string>>
  readonly loading: Steps
  /** Beside the commit itself. A candidate that ends with its login is loaded anew. */
  readonly committing: Steps
  readonly proving: Steps
  readonly confirming: Steps
  readonly settling: Steps
  /** When the faults of the steps before the confirmation begin. */
  readonly compared: Endings.Moment
  /** Those that are no requests: they have no answer that could be wrong. */
  readonly unanswered: Steps
}

interface Cell {
  readonly fault: string
  readonly begins: Endings.Moment
  readonly step: Step
  readonly arm: ReadonlyArray<Fault>
  readonly place?: string
  /** The part of the change, if not that of the moment. */
  readonly part?: string
}

const wordsOf = ({ words }: Conversation, step: Step): string => words[step] ?? step

const cell = (of: Conversation, { arm, begins, fault, part, place, step }: Cell, ending: Endings.Ending) => ({
  fault,
  place: `${part ?? Endings.momentWords[begins]}${place ?? wordsOf(of, step)}`,
  begins,
  arm: Endings.faults(...arm),
  ending
})

/** The part before the confirmation, whenever its faults begin. */
const CONFIRMING = Endings.momentWords.compared

type Break = "cut" | "silent"
const breakWords: Readonly<Record<Break, string>> = { cut: "connection cut", silent: "falls silent" }

/** Up to the commit a broken connection fails the device; from then on the change is looked at and carried through. */
const breaks = (of: Conversation, kind: Break): ReadonlyArray<Endings.FaultCase> => {
  const fault = breakWords[kind]
  const around = (at: Pick<Cell, "begins" | "step" | "part">, ending: Endings.Ending) =>
    (["before", "after"] as const)
      .filter((when) => at.step !== "connect" || when === "before")
      .map((when) => {
        // a switch that closes before it was given the password is tried again
        const isTriedAgain = kind === "cut" && when === "before" && (at.step === "connect" || at.step === "login")
        const place = `${when} ${wordsOf(of, at.step)}`
        const { step } = at
        const arm: Fault = kind === "cut" ? { kind, step, when, times: 1 } : { kind, step, when, times: 1 }
        return cell(of, { ...at, fault, place, arm: [arm] }, isTriedAgain ? Endings.done : ending)
      })
  const early = Endings.untouched(kind === "cut" ? "ConnectionException: " : "CommandTimeout: ")
  const amid: Cell = {
    fault,
    begins: "start",
    step: "load",
    place: "amid loading the candidate",
    arm: [{ kind, step: "load", lines: 40, times: 1 }]
  }
  const part = CONFIRMING
  return [
    ...around({ begins: "start", step: "connect" }, Endings.untouched("ConnectionException: ")),
    ...around({ begins: "start", step: "login" }, Endings.untouched(kind === "cut" ? "ConnectionException: " : "")),
    ...of.loading.flatMap((step) => around({ begins: "start", step }, early)),
    cell(of, amid, early),
    ...[...of.committing, "commitTimer" as const].flatMap((step) => around({ begins: "start", step }, Endings.done)),
    ...of.proving.flatMap((step) => around({ begins: "committed", step }, Endings.done)),
    ...of.confirming.flatMap((step) => around({ begins: of.compared, step, part }, Endings.done)),
    ...of.settling.flatMap((step) => around({ begins: "confirmed", step }, Endings.done))
  ]
}

/** One fault of a kind that meets any step with an answer, once. */
export interface OnceFault {
  readonly fault: string
  readonly make: (step: Step) => Fault
  /** How it ends before the commit, and at the commit. */
  readonly early: (step: Step) => Endings.Ending
  readonly atCommit: Endings.Ending
}

/** Its cells. */
export const once = (
  of: Conversation,
  { atCommit, early, fault, make }: OnceFault
): ReadonlyArray<Endings.FaultCase> => {
  const at =
    (begins: Endings.Moment, ending: (step: Step) => Endings.Ending, part = Endings.momentWords[begins]) =>
    (step: Step) =>
      cell(of, { fault, begins, part, step, arm: [make(step)] }, ending(step))
  const isAnswered = (step: Step) => !of.unanswered.includes(step)
  return [
    ...of.loading.filter(isAnswered).map(at("start", early)),
    ...of.committing.map(at("start", () => Endings.done)),
    at("start", () => atCommit)("commitTimer"),
    ...of.proving.filter(isAnswered).map(at("committed", () => Endings.done)),
    ...of.confirming.map(at(of.compared, () => Endings.done, CONFIRMING)),
    ...of.settling.filter(isAnswered).map(at("confirmed", () => Endings.done))
  ]
}

/** Longer than the deadlines of the test. */
const LATE_MS = seconds(8)

/** Answers of each step come too late. */
export const late = (early: (step: Step) => Endings.Ending): OnceFault => ({
  fault: "answers too late",
  make: (step) => ({ kind: "slow", step, milliseconds: LATE_MS, times: 1 }),
  early,
  atCommit: Endings.done
})

/** All cells of a conversation. */
export const stepFaults = (of: Conversation, kinds: ReadonlyArray<OnceFault>): ReadonlyArray<Endings.FaultCase> => [
  ...breaks(of, "cut"),
  ...breaks(of, "silent"),
  ...kinds.flatMap((kind) => once(of, kind))
]
