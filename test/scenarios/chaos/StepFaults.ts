/** Every step of a live sync × what the lab can do to any step: cut it, silence it, refuse it, lie about it, be late. */
import type { Fault } from "../../../src/lab/Faults.ts"
import * as Endings from "./FaultEndings.ts"

type Steps = ReadonlyArray<Endings.KnownStep>

const loading: Steps = ["showRunning", "showSessions", "openSession", "clean", "load", "diff"]
const proving: Steps = [
  "connect",
  "login",
  "showSessions",
  "showVersion",
  "showRunning",
  "openSession",
  "clean",
  "load",
  "diff",
  "abort"
]
const confirming: Steps = ["showSessions", "showVersion", "confirm"]
const settling: Steps = ["showSessions", "write", "show", "showRunning"]

/** Steps that are neither the way to the switch nor lines of the candidate: those have no answer that could be wrong. */
const answered = (steps: Steps): Steps => steps.filter((step) => !["connect", "login", "load"].includes(step))

interface Cell {
  readonly fault: string
  readonly begins: Endings.Moment
  readonly step: Endings.KnownStep
  readonly arm: ReadonlyArray<Fault>
  readonly place?: string
}

const cell = ({ arm, begins, fault, place, step }: Cell, ending: Endings.Ending): Endings.FaultCase => ({
  fault,
  place: `${Endings.momentWords[begins]}${place ?? Endings.stepWords[step]}`,
  begins,
  arm: Endings.faults(...arm),
  ending
})

const around = (kind: "cut" | "silent", begins: Endings.Moment, step: Endings.KnownStep, ending: Endings.Ending) =>
  (["before", "after"] as const)
    .filter((when) => step !== "connect" || when === "before")
    .map((when) => {
      // a switch that closes before it was given the password is tried again
      const isTriedAgain = kind === "cut" && when === "before" && (step === "connect" || step === "login")
      const fault = kind === "cut" ? "connection cut" : "falls silent"
      const place = `${when} ${Endings.stepWords[step]}`
      const arm: Fault = kind === "cut" ? { kind, step, when, times: 1 } : { kind, step, when, times: 1 }
      return cell({ fault, begins, step, place, arm: [arm] }, isTriedAgain ? Endings.done : ending)
    })

/** Up to the commit a broken connection fails the device; from then on the change is looked at and carried through. */
const breaks = (kind: "cut" | "silent"): ReadonlyArray<Endings.FaultCase> => {
  const early = Endings.untouched(kind === "cut" ? "ConnectionException: " : "CommandTimeout: ")
  const amid: Cell = {
    fault: kind === "cut" ? "connection cut" : "falls silent",
    begins: "start",
    step: "load",
    place: "amid loading the candidate",
    arm: [{ kind, step: "load", lines: 40, times: 1 }]
  }
  return [
    ...around(kind, "start", "connect", Endings.untouched("ConnectionException: ")),
    ...around(kind, "start", "login", Endings.untouched(kind === "cut" ? "ConnectionException: " : "")),
    ...loading.flatMap((step) => around(kind, "start", step, early)),
    cell(amid, early),
    ...around(kind, "start", "commitTimer", Endings.done),
    ...proving.flatMap((step) => around(kind, "committed", step, Endings.done)),
    ...confirming.flatMap((step) => around(kind, "compared", step, Endings.done)),
    ...settling.flatMap((step) => around(kind, "confirmed", step, Endings.done))
  ]
}

/** One fault of a kind that meets any step with an answer, once. */
const once = (
  fault: string,
  make: (step: Endings.KnownStep) => Fault,
  early: (step: Endings.KnownStep) => Endings.Ending,
  atCommit: Endings.Ending
): ReadonlyArray<Endings.FaultCase> => {
  const at =
    (begins: Endings.Moment, ending: (step: Endings.KnownStep) => Endings.Ending) => (step: Endings.KnownStep) =>
      cell({ fault, begins, step, arm: [make(step)] }, ending(step))
  return [
    ...answered(loading).map(at("start", early)),
    at("start", () => atCommit)("commitTimer"),
    ...answered(proving).map(at("committed", () => Endings.done)),
    ...confirming.map(at("compared", () => Endings.done)),
    ...settling.map(at("confirmed", () => Endings.done))
  ]
}

/** What comes of a refusal that does not just end the device's part. The list of sessions is asked for in another form. */
const afterRefusal: Partial<Record<Endings.KnownStep, Endings.Ending>> = {
  showSessions: Endings.done,
  clean: Endings.untouched("ReplaceConfigException: rollback clean-config: % Internal error")
}

const refused = once(
  "refuses once",
  (step) => ({ kind: "error", step, message: "% Internal error", times: 1 }),
  (step) => afterRefusal[step] ?? Endings.untouched("CommandRejected: % Internal error"),
  Endings.takenBack("CommitError: The device refused to commit")
)

/** What comes of an empty answer that the switch should not have given. The others are asked for again. */
const afterLie: Partial<Record<Endings.KnownStep, Endings.Ending>> = {
  showRunning: Endings.untouched("UnexpectedAnswer: "),
  openSession: Endings.untouched("CommandRejected: no session mode"),
  clean: Endings.takenBack("CommitError: The device could not be proved to run the new configuration")
}

const lied = once(
  "lies once",
  (step) => ({ kind: "lie", step, times: 1 }),
  (step) => afterLie[step] ?? Endings.done,
  Endings.takenBack("CommitError: The device answered the commit but goes on running the old configuration")
)

/** Longer than the deadlines of the test. */
const LATE_MS = 8_000

const late = once(
  "answers too late",
  (step) => ({ kind: "slow", step, milliseconds: LATE_MS, times: 1 }),
  (step) => ({
    ...Endings.untouched("CommandTimeout: "),
    // opened when we had gone already; the next change removes what is left behind by dead jobs
    ...(step === "openSession" && { mayLeave: true as const })
  }),
  Endings.done
)

/** All cells of this file. */
export const stepFaults: ReadonlyArray<Endings.FaultCase> = [
  ...breaks("cut"),
  ...breaks("silent"),
  ...late,
  ...refused,
  ...lied
]
