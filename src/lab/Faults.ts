/**
 * Faults on demand: the kind of a fault on one switch, its step, and how often it strikes. A fault is data, so tests, the control
 * endpoint and a rehearsal write it the same way.
 */
import { Schema } from "effect"

/** The steps of a conversation at which a fault can strike. */
export const Step = Schema.Literals([
  "connect",
  "login",
  "openSession",
  "clean",
  "load",
  "diff",
  "showCandidate",
  "commit",
  "commitTimer",
  "confirm",
  "abort",
  "write",
  "showRunning",
  "showSessions",
  "showVersion",
  "showLldp",
  "showState",
  "ping",
  "show",
  "copy",
  "boot",
  "reload",
  "delete",
  "bash",
  "other"
])
export type Step = typeof Step.Type

const times = { times: Schema.optionalKey(Schema.Int) }
const at = { ...times, step: Schema.optionalKey(Step) }
const when = {
  /** `amid`: a part of the answer is sent; on Junos over NETCONF only. */
  when: Schema.optionalKey(Schema.Literals(["before", "amid", "after"])),
  /** Step `load` only: strike when this many lines have been taken. */
  lines: Schema.optionalKey(Schema.Int)
}
const kind = <const K extends string, F extends Schema.Struct.Fields>(name: K, fields: F) =>
  Schema.Struct({ kind: Schema.Literal(name), ...fields })

/** One fault. `times` counts down and ends the fault; without it the fault stays. `step` absent means every step. */
export const Fault = Schema.Union([
  kind("wrongPassword", times),
  kind("slow", {
    ...at,
    milliseconds: Schema.optionalKey(Schema.Finite),
    bytesPerSecond: Schema.optionalKey(Schema.Finite)
  }),
  kind("cut", { ...at, ...when }),
  kind("silent", { ...at, ...when }),
  kind("error", { ...at, message: Schema.String }),
  kind("lie", at),
  /** The answer is no text that anybody understands. */
  kind("garbage", at),
  /** Protocols need so long after a change of the configuration. */
  kind("settlesLate", { milliseconds: Schema.Finite }),
  /** With each look at the ports, this one has counted so many more packets with errors. */
  kind("errorsGrow", { ...times, port: Schema.String, by: Schema.Int }),
  /** The log has so many messages of a severity (0 to 7; default 3) from now on. */
  kind("logFlood", { messages: Schema.Int, severity: Schema.optionalKey(Schema.Int) }),
  kind("timerCancelled", times),
  kind("timerIgnored", times),
  kind("noTimer", times),
  /** A confirmation is answered and the timer runs on, shown nowhere; its session stays in the list as committed, or does not. */
  kind("confirmIgnored", { ...times, listed: Schema.optionalKey(Schema.Boolean) }),
  kind("reject", { ...times, pattern: Schema.String, message: Schema.optionalKey(Schema.String) }),
  kind("truncate", { ...times, step: Schema.Literals(["showRunning", "showCandidate", "load"]), lines: Schema.Int }),
  /**
   * The statement of what a commit will run (`show session-config`) is another configuration: the running one; without the last new
   * line; or with a last new line that the candidate loses.
   */
  kind("misstates", { ...times, how: Schema.Literals(["old", "lacksLine", "showsDropped"]) }),
  /** The statement is right, and the commit runs something else: without the last new line, or with a line that was to go. */
  kind("runsOther", { ...times, how: Schema.Literals(["lacksLastLine", "keepsRemovedLine"]) }),
  kind("fullFlash", times),
  kind("doubledEcho", times),
  kind("ansi", {}),
  kind("chunks", {}),
  kind("wrappedEcho", {})
])
export type Fault = typeof Fault.Type
type FaultKind = Fault["kind"]

type OfKind<K extends FaultKind> = Extract<Fault, { readonly kind: K }>

interface ArmedFault {
  readonly fault: Fault
  left: number
}

/** The faults of one switch. */
export type Faults = Array<ArmedFault>

/** Most faults that one switch holds at a time. */
const LIMIT = 64

/** Adds a fault; removes the oldest if there are too many. */
export const add = (faults: Faults, fault: Fault): void => {
  faults.push({ fault, left: "times" in fault && fault.times !== undefined ? fault.times : Number.POSITIVE_INFINITY })
  if (faults.length > LIMIT) faults.shift()
}

/** The faults that are still armed. */
export const list = (faults: Faults): ReadonlyArray<Fault> => faults.map((armed) => armed.fault)

/** The first armed fault of this kind that applies (see `matches`), counted as used; undefined when there is none. */
export const take = <K extends FaultKind>(
  faults: Faults,
  kind: K,
  matches?: (fault: OfKind<K>) => boolean
): OfKind<K> | undefined => {
  for (const [index, armed] of faults.entries()) {
    if (!isKind(armed.fault, kind) || matches?.(armed.fault) === false) continue
    armed.left -= 1
    if (armed.left <= 0) faults.splice(index, 1)
    return armed.fault
  }
  return undefined
}

/** True when a fault of this kind is armed; counts nothing. */
export const has = (faults: Faults, kind: FaultKind): boolean => faults.some((armed) => armed.fault.kind === kind)

/** The first fault of this kind for a step (or for every step), counted as used. */
export const takeAt = <K extends "slow" | "lie" | "error" | "truncate" | "garbage">(
  faults: Faults,
  kind: K,
  step: Step
): OfKind<K> | undefined => (faults.length === 0 ? undefined : take(faults, kind, (fault) => atStep(fault, step)))

const atStep = (fault: Fault, step: Step) => !("step" in fault) || fault.step === undefined || fault.step === step

/** True if the connection must be cut or silenced here; `lines` counts the configuration lines taken so far. */
export const strikes = (
  faults: Faults,
  kind: "cut" | "silent",
  step: Step,
  when: "before" | "amid" | "after",
  lines: number
): boolean =>
  faults.length > 0 &&
  take(
    faults,
    kind,
    (fault) =>
      (fault.step === undefined || fault.step === step) &&
      (fault.when ?? "before") === when &&
      (fault.lines === undefined || lines >= fault.lines)
  ) !== undefined

const isKind = <K extends FaultKind>(fault: Fault, kind: K): fault is OfKind<K> => fault.kind === kind
