/** What was checked about a change, each as a sentence with its standing. Nothing is listed that was not checked. Pure. */
import { counted, duration, relativeTime, momentOf, switches, type Zone } from "../../../src/domain/words/Units.ts"
import type { CommitSignature } from "../../../src/domain/CommitSignature.ts"
import { signedAfter } from "../../../src/domain/words/ServerWords.ts"
import { riskWord } from "../../../src/domain/words/ChangeWords.ts"
import type { ToneName } from "../../parts/tones.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { type Group, type Scope, subjectsOf, uplinksSentence } from "./about.ts"

export interface Check {
  readonly tone: ToneName
  readonly text: string
  readonly detail: string
}

export interface Facts {
  /** The preview. */
  readonly job: {
    readonly finish_time: string | null
    readonly exception: unknown
    readonly settings_commit: string | null
    readonly templates_commit: string | null
    readonly settings_signature: CommitSignature | null
    readonly templates_signature: CommitSignature | null
  }
  readonly groups: ReadonlyArray<Group>
  readonly compared: number
  readonly failed: number
  /** Classes of the failures of the preview. */
  readonly failures: ReadonlyArray<{ readonly class: string; readonly count: number }>
  readonly scope: Pick<Scope, "outdated" | "uplinks" | "window">
  /** Devices of the rollout that were proved, of all; undefined before it. */
  readonly proved?: { readonly done: number; readonly of: number } | undefined
}

const short = (commit: string | null, signature: CommitSignature | null): string =>
  commit === null ? "none" : `${commit.slice(0, 7)}${signedAfter(" ", signature)}`

const windowCheck = (window: Scope["window"], now: Date, zone: Zone): Check => {
  if (window === null)
    return { tone: "quiet", text: "No maintenance windows are set", detail: "It may roll out at any time" }
  const until = momentOf(window.closes_at)
  return window.is_open
    ? {
        tone: "good",
        text: "Inside a maintenance window",
        detail: until === undefined ? "without an end" : `closes ${relativeTime(until, now, zone)}`
      }
    : { tone: "warn", text: "Outside of the maintenance windows", detail: window.why ?? "" }
}

const riskChecks = (groups: ReadonlyArray<Group>): ReadonlyArray<Check> => {
  const risky = groups.filter(({ risk }) => risk.level !== "low")
  if (risky.length === 0)
    return [{ tone: "good", text: "No risky line is changed", detail: "Every difference has a low risk" }]
  return risky.map(({ count, diff, hostnames, risk }) => ({
    tone: risk.level === "high" ? "bad" : "warn",
    text: `${switches(count)}: ${riskWord(risk).text}`,
    detail: `${foldNames(hostnames, 3)} · ${subjectsOf(diff)}`
  }))
}

/** The checks of a finished preview, what to look at last. */
export const checksOf = (facts: Facts, now: Date, zone: Zone = {}): ReadonlyArray<Check> => {
  const { compared, failed, failures, groups, job, proved, scope } = facts
  const at = momentOf(job.finish_time)
  const commands = failures.find((failure) => failure.class === "LeftConfiguration")?.count ?? 0
  const all: ReadonlyArray<Check> = [
    {
      tone: job.exception === null ? "good" : "bad",
      text: job.exception === null ? "Settings and templates are valid" : "The preview could not run",
      detail: `settings ${short(job.settings_commit, job.settings_signature)}, templates ${short(job.templates_commit, job.templates_signature)}`
    },
    commands === 0
      ? { tone: "good", text: "Every rendered line is configuration", detail: "No line would run as a command" }
      : { tone: "bad", text: `${switches(commands)} would get a command`, detail: "They are left out of this change" },
    {
      tone: failed === 0 ? "good" : "warn",
      text: failed === 0 ? "Every switch was compared" : `${switches(failed)} could not be compared`,
      detail: `${compared} of ${compared + failed}${at === undefined ? "" : `, ${relativeTime(at, now, zone)}`}`
    },
    scope.outdated.length === 0
      ? { tone: "good", text: "Nobody changed a switch meanwhile", detail: "As far as the server knows" }
      : {
          tone: "warn",
          text: `${switches(scope.outdated.length)} changed since the preview`,
          detail: foldNames(scope.outdated, 3)
        },
    windowCheck(scope.window, now, zone),
    ...riskChecks(groups),
    scope.uplinks.length === 0
      ? { tone: "good", text: "No uplink is touched", detail: "By the links and ports as planned" }
      : { tone: "warn", text: "Uplinks are touched", detail: uplinksSentence(scope.uplinks) },
    ...(proved === undefined
      ? []
      : [
          {
            tone: proved.done === proved.of ? ("good" as const) : ("warn" as const),
            text: `${proved.done} of ${proved.of} run it`,
            detail: "Read back over a new connection after the change"
          }
        ])
  ]
  const order: ReadonlyArray<ToneName> = ["good", "info", "quiet", "wait", "warn", "bad"]
  return all.toSorted((one, other) => order.indexOf(one.tone) - order.indexOf(other.tone))
}

/** `4 passed, 2 to note`. */
export const checksInShort = (checks: ReadonlyArray<Check>): string => {
  const noted = checks.filter(({ tone }) => tone === "warn" || tone === "bad").length
  const passed = checks.filter(({ tone }) => tone === "good").length
  return `${passed} passed${noted === 0 ? "" : `, ${noted} to note`}`
}

/** `about 14 min`; a rollout whose time is not known says so. */
export const expectedTime = (seconds: number | null): string => {
  if (seconds === null) return "not known yet: no switch was changed so far"
  return seconds < 60 ? "less than a minute" : `about ${duration(Math.ceil(seconds / 60) * 60)}`
}

type Plan = NonNullable<Scope["rollout"]>

/** The stages and the stop of a plan, a line each. */
export const planLines = (plan: Plan): ReadonlyArray<{ readonly text: string; readonly detail: string }> => {
  const canary = plan.stages.filter(({ is_canary }) => is_canary)
  const rest = plan.stages.filter(({ is_canary }) => !is_canary)
  const largest = Math.max(0, ...rest.map(({ count }) => count))
  return [
    ...canary.map(({ count, hostnames }) => ({
      text: `First ${counted(count, "switch", "switches")}`,
      detail: `${foldNames(hostnames, 3)}; none may fail`
    })),
    ...(rest.length === 0
      ? []
      : [
          rest.length === 1
            ? {
                text: canary.length === 0 ? `${switches(largest)} at once` : `Then ${switches(largest)}`,
                detail: `${Math.min(largest, plan.at_once)} are worked on at a time`
              }
            : { text: `${rest.length} stages of up to ${largest}`, detail: "each ends before the next begins" }
        ]),
    plan.stops_at === null
      ? { text: "Does not stop at failures", detail: "what failed keeps its old configuration" }
      : {
          text: `Stops at ${counted(plan.stops_at, "failure")}`,
          detail: plan.takes_back ? "what is not confirmed goes back" : "what is confirmed stays"
        }
  ]
}

/** How a switch goes back, in a sentence. */
export const wayBack = ({ confirm_mode, timer_seconds }: Plan): string => {
  if (confirm_mode === 0 || timer_seconds === null)
    return "Without a safety timer: a switch that is cut off does not go back."
  const time = duration(timer_seconds)
  return confirm_mode === 2
    ? `All or none: unless all are proved, each switch goes back by itself within ${time}.`
    : `Each switch goes back by itself unless it is confirmed within ${time}.`
}
