/** The rules of alerts as people say them: when who is told what (docs/alerts.md#rules). Pure. */
import { jobTitle } from "./JobWords.ts"
import { eventWords } from "./ServerWords.ts"
import { duration } from "./Units.ts"
import { inSentence, joined, plainly, textOf } from "./Word.ts"
import { type AlertRule, type Condition, knowsEnd, type ReadyRuleName } from "../events/alerts/AlertRule.ts"

interface RuleWords {
  /** Alerts of the rule as a heading. */
  readonly title: string
  /** Follows `When`. */
  readonly when: string
}

/** The words of the ready rules. */
export const readyRuleWords: Readonly<Record<ReadyRuleName, RuleWords>> = {
  job_not_success: { title: "Jobs that did not succeed", when: "a job fails, fails in part or is stopped" },
  check_failed: { title: "Checks that did not hold", when: "a check of a change does not hold" },
  device_unreachable: { title: "Switches that do not answer", when: "a switch does not answer" },
  drift: { title: "Switches changed by hand", when: "a switch was changed by hand" },
  refused_commit: { title: "Commits that are not in force", when: "a commit is refused or waits for a confirmation" },
  unsigned_commit: {
    title: "Commits that nobody allowed has signed",
    when: "a commit comes into force that no allowed signer has signed"
  },
  approval_asked: { title: "Requests for an approval", when: "somebody asks for an approval" },
  host_key_changed: { title: "Switches with another key", when: "a switch shows another key than we know" },
  wrong_device: { title: "Another switch than recorded", when: "another switch answers at the address of a switch" },
  certificate_ends: {
    title: "Certificates that end soon",
    when: "the certificate of a switch ends soon and was not renewed"
  },
  database_restarted: { title: "Restarts of the database", when: "the database was restarted" },
  disk_low: { title: "Disks that are nearly full", when: "the disk of a server is nearly full" }
}

const isReady = (name: string): name is ReadyRuleName => Object.hasOwn(readyRuleWords, name)

/** The heading of the alerts of a rule, by its name. */
export const ruleTitle = (name: string): string => (isReady(name) ? readyRuleWords[name].title : plainly(name))

const ENDED_JOB = /^Job (\d+) \((.+)\) ended: /

/** The line of an alert, which receivers get with the name of a function, in the words of jobs: `Rollout 26: failed`. */
export const alertLine = (title: string): string =>
  title.replace(ENDED_JOB, (_, id: string, name: string) => `${jobTitle(name)} ${id}: `)

const eventText = ({ actions, kinds }: AlertRule): string => {
  const subjects = kinds.map((kind) => (kind === "*" ? "anything" : inSentence(textOf(eventWords, kind))))
  const any = actions.includes("*")
  return `${
    any
      ? "something happens about"
      : `there is ${joined(
          actions.map((action) => `“${action}”`),
          "or"
        )} about`
  } ${joined(subjects, "or")}`
}

const conditionText = ({ path, values }: Condition): string => `${path} is ${joined(values, "or")}`

const scopeOf = ({ deviceTypes, groups, hostnames }: AlertRule): string => {
  const parts = [
    ...(hostnames === null ? [] : [`named ${joined(hostnames, "or")}`]),
    ...(groups === null ? [] : [`of ${joined(groups, "or")}`]),
    ...(deviceTypes === null
      ? []
      : [
          `of type ${joined(
            deviceTypes.map((type) => type.toLowerCase()),
            "or"
          )}`
        ])
  ]
  return parts.length === 0 ? "" : `, only for switches ${parts.join(" and ")}`
}

const MINUTE = 60_000

/** What ends within the waiting time is told to nobody; of other events it collects more. */
const waitText = (rule: AlertRule): string => {
  if (rule.wait < MINUTE) return ""
  const time = duration(rule.wait / 1000)
  return knowsEnd(rule) ? `, and still so after ${time}` : `, together with all others of ${time}`
}

/** `When a switch does not answer, and still so after 15 min, tell noc: error.` */
export const ruleSentence = (rule: AlertRule): string => {
  const { level, name, quiet, to, unless, where } = rule
  const what = isReady(name)
    ? readyRuleWords[name].when
    : `${eventText(rule)}${where.length === 0 ? "" : `, where ${joined(where.map(conditionText))}`}`
  const but = isReady(name) || unless.length === 0 ? "" : `, unless ${joined(unless.map(conditionText), "or")}`
  const pause = quiet === 0 ? "" : ` At most once in ${duration(quiet / 1000)}.`
  return `When ${what}${but}${scopeOf(rule)}${waitText(rule)}, tell ${joined(to)}: ${level}.${pause}`
}
