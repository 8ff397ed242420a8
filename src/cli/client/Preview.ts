/**
 * What a job changes, as a user looks at it before a push: the differences in groups, then scope and risk; and the question whether to push
 * exactly that.
 */
import { Console, Effect } from "effect"
import { riskLevelOf } from "../../domain/ChangeRisk.ts"
import { foldNames } from "../../domain/NameRanges.ts"
import { counted } from "../../domain/words/Units.ts"
import { canAsk, NotAgreed, printScope, requireAgreement, typedFor } from "./Questions.ts"
import { colored, harmless, printJson, say } from "./Terminal.ts"
import { ask, Refused } from "./Server.ts"
import { follow, type Following, started, unsuccessful } from "./JobCommands.ts"
import type { Data } from "../../api/Calls.ts"

type Diffs = Data<"GET /job/:id/diffs">
type Group = Diffs["groups"][number]

/** `1 device`, `2 devices`. */
export const devicesText = (count: number): string => counted(count, "device")

const scoreText = (score: number | null): string =>
  score === null ? "no score" : `score ${Math.round(score)} (${riskLevelOf(score)} risk)`

const colorOf = (line: string): string => {
  if (line.startsWith("+")) return colored("good", line)
  return line.startsWith("-") ? colored("bad", line) : line
}

/** Prints a unified difference. */
export const printDiff = (diff: string, indent = "") =>
  Effect.forEach(diff.trimEnd().split("\n"), (line) => Console.log(`${indent}${colorOf(harmless(line))}`), {
    discard: true
  })

const printGroup = Effect.fnUntraced(function* ({ added, count, diff, hostnames, removed, risks, score }: Group) {
  const more = count > hostnames.length ? `, and ${count - hostnames.length} more` : ""
  yield* Console.log(colored("bold", `${devicesText(count)}: +${added} -${removed}, ${scoreText(score)}`))
  yield* say(`  ${foldNames(hostnames, 5)}${more}`)
  for (const { line, weight } of risks)
    yield* Console.log(`  ${colored("warn", "risky")}: ${harmless(line.trim())} (${weight})`)
  yield* printDiff(diff, "  ")
})

/** The part about devices without a difference, and those without a result. */
const restOf = ({ failed, left_out, unchanged }: Diffs): ReadonlyArray<string> => [
  ...(unchanged === 0 ? [] : [`${unchanged} ${unchanged === 1 ? "stays as it is" : "stay as they are"}`]),
  ...(failed === 0 ? [] : [`${failed} could not be compared`]),
  ...(left_out === 0 ? [] : [`of ${left_out} more the differences are too long to be shown together`])
]

/** The differences of a job, all groups or those with these words. */
export const readDiffs = Effect.fnUntraced(function* (id: number, search = "") {
  const { answer } = yield* ask("GET /job/:id/diffs", { params: { id }, query: search === "" ? {} : { search } })
  return answer.data
})

const printGroups = (groups: ReadonlyArray<Group>) => Effect.forEach(groups, printGroup, { discard: true })

const NO_DIFFERENCE = "No device changes"

/** Prints the differences of a job in groups, and their number. */
export const printDiffs = Effect.fnUntraced(function* (diffs: Diffs) {
  const { changed, groups } = diffs
  yield* printGroups(groups)
  const ways = counted(groups.length, "way")
  const first =
    changed === 0 ? NO_DIFFERENCE : `${devicesText(changed)} ${changed === 1 ? "changes" : "change"} in ${ways}`
  yield* Console.log(`${[first, ...restOf(diffs)].join("; ")}.`)
})

/** Prints which dry run was started; if it is followed, its differences are shown when it has ended. */
export const startedDry = Effect.fnUntraced(function* (id: number, sentence: string, wanted: Following) {
  yield* started(id, sentence, wanted)
  if (wanted.watch && !wanted.json) yield* printDiffs(yield* readDiffs(id))
})

/** All names of the groups; an answer has the first hundred of a group only. */
const namesIn = Effect.fnUntraced(function* (id: number, groups: ReadonlyArray<Group>) {
  const all = yield* Effect.forEach(groups, ({ count, hostnames, key }) =>
    hostnames.length === count
      ? Effect.succeed(hostnames)
      : Effect.map(ask("GET /job/:id/diffs", { params: { id }, query: { group: key } }), ({ answer }) =>
          answer.data.groups.flatMap((group) => group.hostnames)
        )
  )
  return all.flat()
})

/** A restored configuration has no score; then its riskiest line counts. */
const riskText = (groups: ReadonlyArray<Group>): string => {
  const scores = groups.flatMap(({ score }) => (score === null ? [] : [score]))
  const lines = groups.flatMap(({ risks }) => risks).toSorted((one, other) => other.weight - one.weight)
  const worst = [...new Set(lines.map(({ line }) => line.trim()))].slice(0, 3)
  const highest = Math.max(0, ...(scores.length > 0 ? scores : lines.map(({ weight }) => weight)))
  const score = scores.length === 0 ? "" : `, score ${Math.round(highest)}`
  return `${riskLevelOf(highest)}${score}${worst.length === 0 ? "" : `: ${worst.join("; ")}`}`
}

/** The answer of the server to a call that starts a job. */
interface Begun {
  readonly answer: { readonly job_id: number; readonly data: string }
}

/** Starts a dry run and follows it to its end; yields its number. Devices that could not be compared do not end the command. */
export const preview = Effect.fnUntraced(function* <E, R>(dryRun: Effect.Effect<Begun, E, R>) {
  const { answer } = yield* dryRun
  const job = yield* follow(answer.job_id)
  return job.status === "FINISHED" ? job.id : yield* unsuccessful(job)
})

interface Push extends Following {
  /** The dry run whose differences are pushed. */
  readonly shown: number
  /** Only these devices of it; all of it when empty. */
  readonly only: ReadonlyArray<string>
  /** Such as `Push exactly this to`; the number of devices follows. */
  readonly question: string
  /** What the user reads when no device differs. */
  readonly nothing: string
  /** Words that carry out what was shown, for a user without a terminal. */
  readonly exactly: string
  readonly yes: boolean
}

/** Shows what a dry run has found and asks. Yields the counts to go on with, or null when no device would change. */
const requirePush = Effect.fnUntraced(function* ({ exactly, json, nothing, only, question, shown, yes }: Push) {
  const diffs = yield* readDiffs(shown)
  const names = yield* namesIn(shown, diffs.groups)
  const concerned = only.length === 0 ? names : names.filter((name) => only.includes(name))
  const groups = diffs.groups.filter(
    ({ count, hostnames }) =>
      only.length === 0 || count > hostnames.length || hostnames.some((name) => only.includes(name))
  )
  const count = only.length === 0 ? diffs.changed + diffs.left_out : concerned.length
  const counts = { dry_run_job: shown, changed: count, unchanged: diffs.unchanged, failed: diffs.failed }
  if (!json) yield* printGroups(groups)
  if (count === 0) {
    if (json) yield* printJson({ job_id: null, ...counts })
    if (diffs.failed > 0)
      return yield* new Refused({
        message: `Nothing was pushed: ${NO_DIFFERENCE.toLowerCase()}, and ${devicesText(diffs.failed)} could not be compared`
      })
    if (!json) yield* say(nothing)
    return null
  }
  yield* printScope([
    ["Scope", [`${devicesText(count)}: ${foldNames(concerned)}`, ...restOf(diffs)].join("; ")],
    ["Risk", riskText(groups)]
  ])
  if (!yes && !canAsk()) {
    if (json) yield* printJson({ job_id: null, ...counts })
    return yield* new NotAgreed({
      message: `Nothing was pushed: this was only a dry run (job ${shown}), because without a terminal nobody can be asked. To do exactly this, add ${exactly}`
    })
  }
  yield* requireAgreement({
    question: `${question} ${devicesText(count)}?`,
    typed: typedFor(count),
    undone: "Nothing was pushed",
    yes
  })
  return counts
})

/** Asks whether to push what a dry run has shown, and does it with `live`; does nothing when no device would change. */
export const pushAgreed = Effect.fnUntraced(function* <E, R>(push: Push, live: Effect.Effect<Begun, E, R>) {
  const agreed = yield* requirePush(push)
  if (agreed === null) return
  const { answer } = yield* live
  yield* started(answer.job_id, answer.data, push, agreed)
})
