/**
 * The readings of a change's checks (docs/checks.md): before its commit and after its proof, of the device over the connection of the
 * change, and of its neighbours through their own actors. What a reading means is decided by `domain/checks`, when it is read by
 * `machines/change`. No step fails: a device that cannot be read is a result.
 */
import { Clock, Duration, Effect, Option, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  applied,
  type CheckedRow,
  type CheckOfChange,
  type CheckResult,
  dueAt,
  lastMoment,
  unheld
} from "../../machines/change/ChangeChecks.ts"
import type { ChangeEvent, ChangeRow } from "../../machines/change/ChangeRow.ts"
import { appliesTo, type Check, checkOf, type OutsideQuestion, type PortRole } from "../domain/checks/Check.ts"
import { judge, judgeBefore, Sample, sampleOf } from "../domain/checks/Conditions.ts"
import { conditionSentence } from "../domain/checks/CheckSentences.ts"
import {
  answeredLate,
  type Question,
  type StateAnswer,
  type StateProblem,
  unanswered
} from "../domain/checks/Readings.ts"
import type { PlannedCheck } from "../domain/Job.ts"
import type { NotOffered } from "../drivers/DriverErrors.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { answersTo, type Read, READING_LIMIT } from "./CheckAnswers.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import type { LoginError } from "./DeviceLogin.ts"
import type { OutsideAnswer } from "./MonitoringSystem.ts"
import { isLost, readState } from "./Operations.ts"

/** A device whose state a check compares; `hostname` is null for the changed one. */
export interface CheckTarget {
  readonly id: number
  readonly hostname: string | null
}

/** What checks need beside the connection of the change. */
export interface CheckContext {
  readonly deviceId: number
  readonly hostname: string
  /** The connection of the change; null for work without one, where the device is asked as its neighbours are. */
  readonly connection: DeviceConnection | null
  /** The devices at the other ends of the links, each once. */
  readonly neighbours: Effect.Effect<ReadonlyArray<CheckTarget>, SqlError.SqlError>
  /** The ports of a role on a device. */
  readonly portsOf: (deviceId: number, role: PortRole) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  /** Asks a neighbour, also while its actor does other work. */
  readonly ask: (target: CheckTarget, questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<StateAnswer>>
  /** Asks other systems about a device; `limit` in milliseconds. */
  readonly askOutside: (
    deviceId: number,
    questions: ReadonlyArray<OutsideQuestion>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<OutsideAnswer>>
}

/** A target as the row keeps it: its sample before the commit, and why it does not decide the change, where it does not. */
const KeptTarget = Schema.Struct({
  check: Schema.String,
  id: Schema.Int,
  hostname: Schema.NullOr(Schema.String),
  sample: Schema.NullOr(Sample),
  ignored: Schema.optionalKey(Schema.String)
})
type KeptTarget = typeof KeptTarget.Type
const decodeKept = Schema.decodeUnknownOption(Schema.Array(KeptTarget))

/** How many neighbours are asked at the same time. */
const AT_ONCE = 8

/** What is asked of a target for one check. */
interface Asking {
  readonly check: Check
  readonly target: CheckTarget
}

/** The answer to it, reduced to what its condition needs. */
interface Answered extends Asking {
  readonly sample: Result.Result<Sample, StateProblem>
}

const text = (sentence: string): string => maskSecrets(sentence.trim())

const problemText = ({ message, type }: StateProblem): string => text(`${type}: ${message}`)

const definitions = (checks: ReadonlyArray<CheckOfChange>): ReadonlyArray<Check> =>
  checks.flatMap((check) => Option.toArray(checkOf(check)))

const askDevice = (connection: DeviceConnection, hostname: string, questions: ReadonlyArray<Question>, limit: number) =>
  connection.current.pipe(
    Effect.flatMap(({ session }) => readState(session, hostname, questions)),
    Effect.catch(({ _tag: type, message }: LoginError | NotOffered) =>
      Effect.succeed(unanswered(questions, { type, message }))
    ),
    Effect.timeoutOption(Duration.millis(limit)),
    Effect.map(Option.getOrElse(() => unanswered(questions, answeredLate))),
    Effect.tap((answers) =>
      answers.some(({ problem }) => problem !== null && isLost(problem)) ? connection.close : Effect.void
    )
  )

const askBeside = (context: CheckContext, target: CheckTarget, questions: ReadonlyArray<Question>, limit: number) =>
  context
    .ask(target, questions)
    .pipe(
      Effect.timeoutOption(Duration.millis(limit)),
      Effect.map(Option.getOrElse(() => unanswered(questions, answeredLate)))
    )

/**
 * Reads what these checks ask of their targets: every target once, some at the same time. `until` is the moment at which the last of them
 * must have answered, in epoch milliseconds.
 */
const readAll = Effect.fnUntraced(function* (
  context: CheckContext,
  asked: ReadonlyArray<Asking>,
  since: number,
  until: number
): Effect.fn.Return<ReadonlyArray<Answered>, SqlError.SqlError> {
  const byTarget = [...Map.groupBy(asked, ({ target }) => target.id).values()]
  const answered = yield* Effect.forEach(
    byTarget,
    Effect.fnUntraced(function* (wanted) {
      const { connection, deviceId, hostname } = context
      // a target that has waited for its turn has the rest of the time only
      const limit = Math.max(0, Math.min(READING_LIMIT, until - (yield* Clock.currentTimeMillis)))
      const target = wanted[0]?.target ?? { id: deviceId, hostname: null }
      const questions = wanted.map(({ check }) => check.question)
      const answerTo = yield* answersTo(questions, since, {
        device: (list) =>
          connection !== null && target.id === deviceId
            ? askDevice(connection, hostname, list, limit)
            : askBeside(context, target, list, limit),
        outside: (list) => context.askOutside(target.id, list, limit)
      })
      return yield* Effect.forEach(wanted, (asking) =>
        Effect.map(sampled(context, asking, answerTo(asking.check.question)), (sample) => ({ ...asking, sample }))
      )
    }),
    { concurrency: AT_ONCE }
  )
  return answered.flat()
})

const sampled = Effect.fnUntraced(function* (context: CheckContext, { check, target }: Asking, read: Read) {
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { question } = check
  const role = "role" in question ? question.role : undefined
  const ports = role === undefined ? null : yield* context.portsOf(target.id, role)
  return Result.mapError(sampleOf(check, read.success, ports), (message) => ({ type: "UnexpectedAnswer", message }))
})

const onTarget = ({ hostname }: CheckTarget): Pick<CheckResult, "on"> => (hostname === null ? {} : { on: hostname })

/** The checks that a difference calls for, by their names. */
export const namesFor = (checks: ReadonlyArray<CheckOfChange>, diff: string): ReadonlyArray<string> =>
  // a check that cannot be understood is not left out: it ends as one that could not be read
  checks
    .filter((check) => Option.match(checkOf(check), { onNone: () => true, onSome: (one) => appliesTo(one, diff) }))
    .map(({ name }) => name)

/** The checks that a live run would make. */
export const planned = (row: ChangeRow): ReadonlyArray<PlannedCheck> =>
  definitions(applied(row)).map((check) => ({ name: check.name, sentence: conditionSentence(check) }))

/** The targets of a check before the commit. */
const targetsOf = (
  context: CheckContext,
  check: Check,
  neighbours: ReadonlyArray<CheckTarget>
): ReadonlyArray<Asking> => [
  { check, target: { id: context.deviceId, hostname: null } },
  ...(check.also_neighbours ? neighbours.map((target) => ({ check, target })) : [])
]

/** Why a check does not decide the change afterwards; null if it does. */
const doubt = ({ check, sample }: Answered): { readonly held: false | null; readonly sentence: string } | null => {
  if (Result.isFailure(sample)) {
    return { held: null, sentence: `could not be read before the change: ${problemText(sample.failure)}` }
  }
  const judged = judgeBefore(check, sample.success)
  if (judged === null || judged.held === true) return null
  const { held, sentence } = judged
  return {
    held,
    sentence: `${held === null ? "could not be judged" : "failed"} before the change already: ${text(sentence)}`
  }
}

/** How the readings before the commit ended. */
type BeforeRead = Extract<ChangeEvent, { readonly type: "BEFORE_READ" | "LOST" }>

/** Reads the state before the commit. The log is read from the commit on only. */
export const readBefore = Effect.fn("ChangeChecks.before")(function* (
  context: CheckContext,
  row: CheckedRow
): Effect.fn.Return<BeforeRead, SqlError.SqlError> {
  const names = row.checking?.names ?? []
  const checks = definitions(applied(row))
  const neighbours = checks.some((check) => check.also_neighbours) ? yield* context.neighbours : []
  const asked = checks.flatMap((check) => targetsOf(context, check, neighbours))
  const [logs, states] = [
    asked.filter(({ check }) => check.question.reads === "log"),
    asked.filter(({ check }) => check.question.reads !== "log")
  ]
  const answered = yield* readAll(context, states, 0, Number.POSITIVE_INFINITY)
  const lost = answered.find(
    ({ sample, target }) => target.hostname === null && Result.isFailure(sample) && isLost(sample.failure)
  )
  if (lost !== undefined && Result.isFailure(lost.sample)) {
    return { type: "LOST", failure: `${problemText(lost.sample.failure)}\n` }
  }
  const kept: Array<KeptTarget> = logs.map(({ check, target }) => ({ check: check.name, ...target, sample: null }))
  const results: Array<CheckResult> = []
  let isRefused = false
  for (const one of answered) {
    const { check, sample, target } = one
    const found = doubt(one)
    const why = found === null ? {} : { ignored: found.sentence }
    kept.push({ check: check.name, ...target, sample: Result.getOrElse(sample, () => null), ...why })
    if (found === null) continue
    const refuses = check.before === "refuse"
    isRefused ||= refuses
    const { held, sentence } = found
    const name = { name: check.name, ...onTarget(target) }
    results.push({ ...name, held, before: null, now: null, sentence, tried: 0, seconds: 0, ...(refuses ? {} : why) })
  }
  const at = yield* Clock.currentTimeMillis
  return { type: "BEFORE_READ", isRefused, checking: { names, at, before: kept, results } }
})

/** What is kept of the device for checks that compare with nothing, because nothing was read before the work. */
export const nothingBefore = (deviceId: number, names: ReadonlyArray<string>): ReadonlyArray<KeptTarget> =>
  names.map((check) => ({ check, id: deviceId, hostname: null, sample: null }))

const secondsSince = (row: CheckedRow, since: number, now: number): number =>
  Math.max(0, Math.round((now - (row.committedAt ?? row.checking?.at ?? since)) / 1_000))

const triesOf = ({ checking }: CheckedRow, name: string, on: string | null): number =>
  checking?.results?.find((result) => result.name === name && (result.on ?? null) === on)?.tried ?? 0

const lastResult = ({ checking }: CheckedRow, { check, target }: Asking): CheckResult | undefined =>
  checking?.results?.find(({ name, on, tried }) => tried > 0 && name === check.name && (on ?? null) === target.hostname)

const unreadResult = (row: CheckedRow, name: string, why: string): CheckResult => ({
  name,
  held: null,
  before: null,
  now: null,
  sentence: why,
  tried: triesOf(row, name, null),
  seconds: 0
})

const NO_TIME = "the commit timer left no time to read it"
const NOT_UNDERSTOOD = "it was stored by another release, which describes checks in another way"

/** The result of one reading after the commit. */
const resultOf = (
  row: CheckedRow,
  { ignored, sample: before }: KeptTarget,
  { check, sample, target }: Answered,
  seconds: number
): CheckResult => {
  const tried = triesOf(row, check.name, target.hostname) + 1
  const about = { name: check.name, ...onTarget(target), tried, seconds, ...(ignored === undefined ? {} : { ignored }) }
  if (Result.isFailure(sample)) {
    return {
      ...about,
      held: null,
      before: null,
      now: null,
      sentence: `could not be read after the commit: ${problemText(sample.failure)}`
    }
  }
  const judged = judge(check, before, sample.success)
  const was = judged.before === null ? null : text(judged.before)
  const held = { ...about, held: judged.held, before: was, now: text(judged.now), sentence: text(judged.sentence) }
  if (judged.held !== true) return held
  const { ignored: _, ...decided } = held
  return decided
}

/**
 * Reads the checks that are due after the commit, once. `since` is when this run of the change began with them. A reading never takes
 * longer than the timer leaves.
 */
export const readAfter = Effect.fn("ChangeChecks.after")(function* (
  context: CheckContext,
  row: CheckedRow,
  since: number
): Effect.fn.Return<Extract<ChangeEvent, { readonly type: "CHECKED" }>, SqlError.SqlError> {
  const now = yield* Clock.currentTimeMillis
  const left = lastMoment(row, since) - now
  const due = dueAt(row, since, now)
  if (left <= 0 || due.length === 0) {
    const missing =
      left > 0
        ? []
        : unheld(row).filter(({ name }) => !row.checking?.results?.some((one) => one.name === name && one.tried > 0))
    return { type: "CHECKED", at: now, results: missing.map(({ name }) => unreadResult(row, name, NO_TIME)) }
  }
  const kept = Option.getOrElse(decodeKept(row.checking?.before ?? []), () => [])
  const checks = definitions(due)
  const asked = checks.flatMap((check) =>
    kept
      .filter((target) => target.check === check.name && (target.hostname === null || target.ignored === undefined))
      .map(({ hostname, id }) => ({ check, target: { id, hostname } }))
  )
  const from = row.committedAt ?? row.checking?.at ?? since
  const answered = yield* readAll(context, asked, from, now + left)
  const at = yield* Clock.currentTimeMillis
  const seconds = secondsSince(row, since, at)
  const results = answered.flatMap((one) => {
    const before = kept.find((target) => target.check === one.check.name && target.id === one.target.id)
    if (before === undefined) return []
    const result = resultOf(row, before, one, seconds)
    // a last reading that the timer cut short tells less than the one before it, which did not hold
    const last = left < READING_LIMIT && result.held === null ? lastResult(row, one) : undefined
    return [last?.held === false ? last : result]
  })
  const known = new Set(results.map(({ name }) => name))
  const unknown = due
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ ...unreadResult(row, name, NOT_UNDERSTOOD), tried: triesOf(row, name, null) + 1 }))
  return { type: "CHECKED", at, results: [...results, ...unknown] }
})
