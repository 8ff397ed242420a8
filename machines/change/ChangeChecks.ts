/**
 * The checks of one change (docs/checks.md): what its row keeps of them, and when they are read, tried again and given up. Checks run
 * after the proof and inside the commit timer; they never extend it, and they leave a margin of it for the confirmation.
 */

/** A check as the row of a change keeps it. The statechart needs its times only; the steps read the definition. */
export interface CheckOfChange {
  readonly name: string
  /** Seconds after the commit before the first reading. */
  readonly settle: number
  /** Seconds after that in which a check that does not hold is read again. */
  readonly within: number
  /** What is read and what must hold; parsed by the steps. */
  readonly definition: unknown
}

/**
 * The result of a check on one device. `held` is null if the device could not be read. `before` and `now` are short texts of both
 * readings, null where there is none. `seconds` counts from the commit to the last reading.
 */
export interface CheckResult {
  readonly name: string
  /** The neighbour that was read; absent for the changed device. */
  readonly on?: string
  readonly held: boolean | null
  readonly before: string | null
  readonly now: string | null
  readonly sentence: string
  /** The number of readings after the commit. */
  readonly tried: number
  readonly seconds: number
  /** Why the result does not decide the change, such as that the check failed before it already. */
  readonly ignored?: string
}

/** How the checks of a change ended; `unread`: one of them could not be read until its time was over. */
export type ChecksEnd = "held" | "failed" | "unread"

/** The checks that the difference of a change calls for. */
export interface Checking {
  /** Their names, in the order of the file. */
  readonly names: ReadonlyArray<string>
  /** When they were read before the commit, in epoch milliseconds. */
  readonly at?: number
  /** What was read before the commit, reduced to what the conditions need; the steps parse it. */
  readonly before?: unknown
  /** The newest results. Before the commit: checks that fail already, or cannot be read. */
  readonly results?: ReadonlyArray<CheckResult>
  /** Absent before the end. */
  readonly end?: ChecksEnd
}

/** The fields of a row that decide the times of its checks. */
export interface CheckedRow {
  readonly timerSeconds: number | null
  readonly committedAt: number | null
  readonly checks?: ReadonlyArray<CheckOfChange>
  readonly checking?: Checking
}

/** Seconds of the commit timer that are kept for the confirmation. */
const CONFIRM_MARGIN_SECONDS = 30

/** Milliseconds between two readings of checks that do not hold yet. */
const TRY_AGAIN = 2_000

/** The margin of a timer: 30 seconds, or a fifth of a timer that is shorter than 150 seconds. */
export const confirmMargin = (timerSeconds: number): number =>
  Math.min(CONFIRM_MARGIN_SECONDS, Math.ceil(timerSeconds / 5))

/** Seconds after the commit in which checks may be read; null without a timer, where nothing limits them. */
export const secondsForChecks = (timerSeconds: number | null): number | null =>
  timerSeconds === null ? null : timerSeconds - confirmMargin(timerSeconds)

/** The moment at which all checks must have been read, in epoch milliseconds; `since` is when this run began with them. */
export const lastMoment = ({ checking, committedAt, timerSeconds }: CheckedRow, since: number): number => {
  const seconds = secondsForChecks(timerSeconds)
  if (seconds === null) return Number.POSITIVE_INFINITY
  // without an answer to the commit, the end of the readings before it counts
  return (committedAt ?? checking?.at ?? since) + seconds * 1_000
}

/** Whether there are checks that have no end yet. */
export const areOpen = ({ checking }: CheckedRow): boolean =>
  checking !== undefined && checking.names.length > 0 && checking.end === undefined

/** The checks that apply to this change. */
export const applied = ({ checking, checks = [] }: CheckedRow): ReadonlyArray<CheckOfChange> =>
  checks.filter(({ name }) => checking?.names.includes(name) === true)

const decides = ({ ignored }: CheckResult): boolean => ignored === undefined

const resultsOf = ({ checking }: CheckedRow, name: string): ReadonlyArray<CheckResult> =>
  (checking?.results ?? []).filter((result) => result.name === name)

/** A neighbour whose result does not decide is not read again. */
const isSettled = (result: CheckResult): boolean =>
  decides(result) ? result.tried > 0 && result.held === true : result.tried > 0 || result.on !== undefined

/** The check has been read after the commit and holds, on the device and on its neighbours. */
const holds = (row: CheckedRow, name: string): boolean => {
  const results = resultsOf(row, name)
  return results.some(({ on, tried }) => on === undefined && tried > 0) && results.every(isSettled)
}

/** The checks that have not held yet. */
export const unheld = (row: CheckedRow): ReadonlyArray<CheckOfChange> =>
  applied(row).filter(({ name }) => !holds(row, name))

const startOf = ({ committedAt }: CheckedRow, since: number): number => committedAt ?? since

/** The checks that are to be read at this moment. */
export const dueAt = (row: CheckedRow, since: number, now: number): ReadonlyArray<CheckOfChange> =>
  unheld(row).filter(({ settle }) => startOf(row, since) + settle * 1_000 <= now)

/** Milliseconds until the next reading. */
export const untilReading = (row: CheckedRow, since: number, now: number): number => {
  const start = startOf(row, since)
  const dues = unheld(row).map((check) => {
    const isTried = resultsOf(row, check.name).some(({ tried }) => tried > 0)
    return Math.max(start + check.settle * 1_000, isTried ? now + TRY_AGAIN : now)
  })
  return Math.max(0, Math.min(...dues, lastMoment(row, since)) - now)
}

/** The end of the checks at this moment, once every check holds or the time of one is over; null before that. */
export const endAt = (row: CheckedRow, since: number, now: number): ChecksEnd | null => {
  const last = lastMoment(row, since)
  const open = unheld(row)
  if (open.length === 0) return now <= last ? "held" : "unread"
  const over = open.filter(({ name, settle, within }) => {
    const isTried = resultsOf(row, name).some(({ tried }) => tried > 0)
    const end = startOf(row, since) + (settle + within) * 1_000
    return now >= last || (isTried && now >= end)
  })
  if (over.length === 0) return null
  const failed = over.some(({ name }) =>
    resultsOf(row, name).some((result) => decides(result) && result.held === false)
  )
  return failed ? "failed" : "unread"
}

const keyOf = ({ name, on = "" }: CheckResult): string => JSON.stringify([name, on])

/** The results with newer ones in the place of older ones. */
export const withResults = (
  known: ReadonlyArray<CheckResult>,
  newer: ReadonlyArray<CheckResult>
): ReadonlyArray<CheckResult> => [
  ...new Map([...known, ...newer].map((result) => [keyOf(result), result] as const)).values()
]

/** A result with the name of its check and, if it is a neighbour, the device that was read. */
export const resultSentence = ({ name, on, sentence }: CheckResult): string =>
  `${name}${on === undefined ? "" : ` on ${on}`}: ${sentence}`

/** How a check ended on one device; `ignored`: it does not decide. */
export const resultEnd = ({ held, ignored }: CheckResult): "held" | "failed" | "unread" | "ignored" => {
  if (held === true) return "held"
  if (ignored !== undefined) return "ignored"
  return held === false ? "failed" : "unread"
}

/** The result that ended the checks: the first that failed, or else that could not be read. */
export const decisive = ({ results = [] }: Checking): CheckResult | undefined => {
  const deciding = results.filter((result) => decides(result) && result.held !== true)
  return deciding.find(({ held }) => held === false) ?? deciding[0]
}
