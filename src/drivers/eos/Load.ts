/**
 * Loads a candidate into a configuration session of EOS and reads it back (docs/switch-dialogues.md): make sure that no other session
 * is in the way, open the session, start from an empty configuration when replacing, send the lines, leave the session, ask for what
 * it holds. The candidate then waits under its name; on any error of the switch it is discarded.
 */
import { Effect, Option, Result } from "effect"
import * as Foreign from "../LoadChecks.ts"
import { clearForLoad } from "../LoadChecks.ts"
import type { LoadRequest, LoadResult } from "../Driver.ts"
import {
  CommandRejected,
  ConnectionException,
  LeftConfiguration,
  type LoadError,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException,
  SessionLockedException,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import { maskAnswer, maskSecrets } from "../SecretMask.ts"
import { type Cli, deniedCommand, named } from "../ssh/Cli.ts"
import { configPipeline, type PipelineResult, type Strayed } from "../ssh/ConfigPipeline.ts"
import { type ConfigUnit, configUnit, type CutCandidate, isBlock, type Rejection } from "../ssh/PromptLedger.ts"
import { escapeRegExp } from "../ssh/Dialect.ts"
import { cutCandidate, halves, sourcesIn } from "./CandidateUnits.ts"
import { discard } from "./Commit.ts"
import { sessionConfig } from "./RunningConfig.ts"
import { sessionList, sessionMode } from "./Sessions.ts"

/** The switch opens no session for us: others are in the way, as far as it lists them. */
const locked = Effect.fnUntraced(function* (cli: Cli, name: string, message: string) {
  const listed = yield* Effect.catchTag(sessionList(cli).read, ["CommandRejected", "UnexpectedAnswer"], () =>
    Effect.succeed(null)
  )
  const others = listed?.sessions.filter((session) => session.state !== "done" && session.name !== name) ?? []
  const session = others.map((other) => other.name).join(", ")
  return yield* new SessionLockedException({ hostname: cli.target.hostname, session, message, unopened: true })
})

/** Precedes the lines of a whole configuration, in one packet with the first of them. */
const startFromNothing = configUnit(0, "rollback clean-config")

const rejected = (cli: Cli, { mode }: LoadRequest, message: string, lines: ReadonlyArray<RejectedLine>) => {
  const fields = { hostname: cli.target.hostname, message: maskSecrets(message), rejected: lines }
  return mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields)
}

/** The answers to lines, for people. */
const maskedLines = ({ text }: LoadRequest, said: ReadonlyArray<Rejection>): ReadonlyArray<RejectedLine> => {
  if (said.length === 0) return []
  const sourceOf = sourcesIn(text)
  return said.map(({ unit, answer }) => {
    const source = sourceOf(unit)
    return { lineNumber: unit.lineNumber, line: maskSecrets(source), answer: maskAnswer(source, answer) }
  })
}

const rejectedLines = (cli: Cli, request: LoadRequest, rejections: ReadonlyArray<Rejection>) => {
  const [first] = rejections
  if (first?.unit === startFromNothing) {
    return rejected(cli, request, `${first.unit.line}: ${named(cli.dialect, first.unit.line, first.answer)}`, [])
  }
  const lines = maskedLines(request, rejections).map(({ answer, line, lineNumber }) => ({
    lineNumber,
    line,
    answer: `${named(cli.dialect, line.trim(), answer)} at line ${lineNumber}`
  }))
  return rejected(cli, request, lines[0]?.answer ?? "rejected", lines)
}

const stepOut = (cli: Cli) => Effect.asVoid(cli.send("end", { modes: ["#"], timeout: cli.timeouts.load }))

/** Discards the session from outside: inside, `abort` may only leave the section in which the terminal stands. */
const abandon = (cli: Cli, name: string) => Effect.andThen(stepOut(cli), discard(cli, name))

const openSession = Effect.fnUntraced(function* (cli: Cli, request: LoadRequest) {
  const command = `configure session ${request.name}`
  const mode = sessionMode(request.name)
  const answer = yield* cli.send(command, { modes: [mode], timeout: cli.timeouts.load })
  if (cli.prompt().endsWith(mode)) return
  const said = answer.lines.find((line) => line.trim() !== "") ?? `no session mode at "${cli.prompt()}"`
  if (/pending sessions|in use|locked/i.test(said)) return yield* locked(cli, request.name, maskSecrets(said))
  const denied = deniedCommand(cli, command, answer.lines)
  return yield* denied ?? new CommandRejected({ hostname: cli.target.hostname, command, message: maskSecrets(said) })
})

/** Every prompt inside this session, whichever section it stands in. */
const sessionPrompt = (cli: Cli, name: string): RegExp => {
  const mode = escapeRegExp(sessionMode(name).slice(0, -")#".length))
  return new RegExp(String.raw`^${cli.promptStart()}${mode}[^()\s]{0,255}\)#\s?`)
}

/** Every prompt of the switch in another mode than this session. */
const promptElsewhere = (cli: Cli, name: string): RegExp => {
  const mode = escapeRegExp(sessionMode(name).slice(0, -")#".length))
  return new RegExp(String.raw`^(?!${cli.promptStart()}${mode})(?:${cli.anyPrompt().source})`)
}

/** How the lines are sent: bytes ahead of the answers, and whether to wait for silence after each answer. */
interface Pace {
  readonly window: number
  readonly settled: boolean
}

const isUnknown = (cli: Cli, { prompt, strayed }: PipelineResult): boolean =>
  strayed !== undefined && !cli.anyPrompt().test(prompt)

/** The state of our session afterwards, for people. */
const FATES = {
  open: "the session was discarded",
  timed: "the switch had committed the session with a timer, which was taken back",
  done: "the switch has committed what was loaded until then",
  gone: "the session is gone from the switch",
  unseen: "what became of the session was not seen"
} as const

/**
 * Ends the sessions that the lines have left open: the one that they were loaded into, and those that they name themselves. The
 * caller repeats whatever fails here.
 */
const cleanUp = Effect.fnUntraced(
  function* (cli: Cli, request: LoadRequest) {
    const stood = cli.prompt()
    if (stood.includes("(config")) yield* stepOut(cli)
    const { pending, sessions } = yield* sessionList(cli).read
    const known = new Set(request.seen?.sessions.map(({ name }) => name))
    const isNamed = (name: string) => request.text.split(/\s+/).includes(name) && !known.has(name)
    const isEntered = (name: string) =>
      request.seen !== undefined && !known.has(name) && stood.includes(sessionMode(name).slice(0, -")#".length))
    for (const { name, state } of sessions) {
      const isOurs = name === request.name || isNamed(name) || isEntered(name)
      if (state !== "done" && isOurs) yield* discard(cli, name)
    }
    if (Option.exists(pending, ({ name }) => name === request.name)) return "timed" as const
    return sessions.find(({ name }) => name === request.name)?.state ?? ("gone" as const)
  },
  Effect.catch((error) =>
    Effect.as(Effect.logDebug("what a line has left open could not be ended", error.message), "unseen" as const)
  )
)

/** Handles a line that left the session: ends our open sessions and names the line. */
const left = Effect.fnUntraced(function* (cli: Cli, request: LoadRequest, { prompt, shown, unit }: Strayed) {
  const isUsable = prompt !== "" && cli.anyPrompt().test(prompt)
  const fate = isUsable ? yield* cleanUp(cli, request) : "unseen"
  const [source] = unit === undefined ? [] : maskedLines(request, [{ unit, answer: "" }])
  const line = source?.line ?? ""
  const lineNumber = source?.lineNumber ?? 0
  const where = `the switch showed ${maskSecrets(shown)}`
  const what =
    lineNumber === 0 ? where : `line ${lineNumber} ("${line.trim()}") is no configuration: behind it ${where}`
  const message = `${what}, so nothing more was sent; ${FATES[fate]}`
  const committed = fate === "done" || fate === "timed"
  return yield* new LeftConfiguration({ hostname: cli.target.hostname, line, lineNumber, message, committed })
})

/** Adds the lines that may have made the switch end the connection: those without an answer. */
const withLines = (error: ConnectionException, unanswered: ReadonlyArray<ConfigUnit>): ConnectionException => {
  const [first, ...others] = unanswered.filter(({ lineNumber }) => lineNumber > 0)
  if (first === undefined) return error
  const behind = others.length === 0 ? "" : `, or one of the next ${others.length},`
  const { address, hostname, whileDoing } = error
  const message = `${error.message} while line ${first.lineNumber}${behind} was loaded`
  return new ConnectionException({ hostname, address, whileDoing, message })
}

const sendPart = (cli: Cli, request: LoadRequest, part: CutCandidate, pace: Pace) =>
  Effect.gen(function* () {
    const pipeline = configPipeline({
      ...part,
      ...pace,
      prompt: sessionPrompt(cli, request.name),
      anyPrompt: promptElsewhere(cli, request.name),
      start: cli.prompt(),
      speech: cli.dialect,
      logLine: cli.dialect.logLine,
      longestEcho: cli.dialect.longestEcho
    })
    const result = yield* Effect.catchTag(
      cli.converse(`load ${request.name}`, cli.timeouts.load, pipeline),
      "ConnectionException",
      (error) => Effect.fail(withLines(error, pipeline.unanswered()))
    )
    if (result.prompt !== "" && !isUnknown(cli, result)) cli.standAt(result.prompt)
    return result.strayed === undefined ? result : yield* left(cli, request, result.strayed)
  })

const sendUnits = Effect.fnUntraced(function* (
  cli: Cli,
  request: LoadRequest,
  cut: CutCandidate,
  pace: Pace
): Effect.fn.Return<PipelineResult, LoadError> {
  const [head, tail] = request.inParts === true ? halves(cut) : [cut.units, []]
  yield* openSession(cli, request)
  const units = request.mode === "merge" ? head : [startFromNothing, ...head]
  const first = yield* sendPart(cli, request, { ...cut, units }, pace)
  if (tail.length === 0 || first.desynchronised !== undefined) return first
  yield* stepOut(cli)
  yield* openSession(cli, request)
  const second = yield* sendPart(cli, request, { ...cut, units: tail }, pace)
  return {
    ...second,
    rejections: [...first.rejections, ...second.rejections],
    remarks: [...first.remarks, ...second.remarks]
  }
})

/**
 * When the answers cannot be matched to the lines, the whole candidate is sent again: first line by line, which suffices if input
 * was lost, then waiting for silence after every answer, which also survives doubled echo.
 */
const sendCandidate = Effect.fnUntraced(function* (
  cli: Cli,
  request: LoadRequest,
  cut: CutCandidate
): Effect.fn.Return<PipelineResult, LoadError> {
  const window = cli.target.windowBytes ?? cli.dialect.windowBytes
  const paces: ReadonlyArray<Pace> = [
    { window, settled: false },
    ...(window > 1 ? [{ window: 1, settled: false }] : []),
    { window: 1, settled: true }
  ]
  let why = ""
  for (const pace of paces) {
    const result = yield* sendUnits(cli, request, cut, pace)
    if (result.desynchronised === undefined) return result
    why = result.desynchronised
    yield* Effect.logDebug(`${cli.target.hostname}: ${why} (window ${pace.window})`)
    yield* abandon(cli, request.name)
  }
  const command = `load ${request.name}`
  return yield* new UnexpectedAnswer({ hostname: cli.target.hostname, command, message: why })
})

/** Asks a question at the top of the open session. */
const atTop = <A, E>(cli: Cli, request: LoadRequest, question: Effect.Effect<A, E>) =>
  openSession(cli, request).pipe(
    Effect.andThen(question),
    Effect.tap(() => stepOut(cli))
  )

const wordsWithQuestionMark = ({ line }: ConfigUnit): ReadonlyArray<string> =>
  line.includes("?") ? line.split(/\s+/).filter((word) => word.includes("?")) : []

/**
 * A question mark asks the command line for help instead of being taken as text, on releases that act on it; the line is
 * then mutilated without an error. So lines with one are looked for in the session.
 */
const lostQuestionMarks = Effect.fnUntraced(function* (
  cli: Cli,
  request: LoadRequest,
  units: ReadonlyArray<ConfigUnit>,
  bare: Set<string>
): Effect.fn.Return<ReadonlyArray<Rejection>, LoadError> {
  const doubtful = units.filter((unit) => !isBlock(unit) && wordsWithQuestionMark(unit).length > 0)
  if (doubtful.length === 0) return []
  const inside = atTop(cli, request, cli.query("show session-config", { timeout: cli.timeouts.runningConfig }))
  const stated = yield* sessionConfig(cli, request.name, bare)
  const text = Option.isSome(stated) ? stated.value : yield* inside
  return doubtful
    .filter((unit) => wordsWithQuestionMark(unit).some((word) => !text.includes(word)))
    .map((unit) => ({ unit, answer: "% the switch did not take the question mark" }))
})

/**
 * The prompt shows only the beginning of a session's name, so a line may have entered another session whose prompt looks like ours.
 * Asked for only if a line has such a word.
 */
const enteredOther = Effect.fnUntraced(function* (cli: Cli, request: LoadRequest, units: ReadonlyArray<ConfigUnit>) {
  const unit = units.find(({ line }) => /\bsession\s+\S/.test(line))
  if (unit === undefined) return
  const { sessions } = yield* sessionList(cli).read
  const words = new Set(request.text.split(/\s+/))
  const known = new Set(request.seen?.sessions.map(({ name }) => name))
  const other = sessions.find(
    ({ name, state }) => state === "open" && name !== request.name && words.has(name) && !known.has(name)
  )
  if (other === undefined) return
  const shown = `the session ${other.name} in the place of ${request.name}`
  return yield* left(cli, request, { unit, shown, prompt: cli.prompt() })
})

/** The difference without its two header lines; only the switch's own normalised one is meaningful. */
export const trimDiff = (text: string): string => text.replace(/^\s*--- [^\n]*\n\+\+\+ [^\n]*(?:\n|$)/, "").trim()

/**
 * The difference, from outside of the session: inside, a switch leaves out the section in which the terminal stands. A release or an
 * authorization that refuses this is asked at the top of the session.
 */
const readDiff = (cli: Cli, request: LoadRequest): Effect.Effect<string, LoadError> => {
  const ask = (command: string) => Effect.map(cli.query(command, { timeout: cli.timeouts.load }), trimDiff)
  return Effect.catchTag(ask(`show session-config named ${request.name} diffs`), "CommandRejected", () =>
    atTop(cli, request, ask("show session-config diffs"))
  )
}

const head = /^(?:!.*\n)+/

/** Whether a session would run something else than runs now, below the lines at the beginning that each command writes. */
const isOther = ({ runs }: LoadRequest, willRun: string): boolean =>
  runs !== undefined && runs.replace(head, "") !== willRun.replace(head, "")

/**
 * What the session holds. An empty difference means that nothing is committed, and a device without a change counts as done; so one
 * that nothing else confirms is asked for twice. The difference of a candidate that is read back is asked for only if that has no
 * change.
 */
const readBack = Effect.fnUntraced(function* (
  cli: Cli,
  request: LoadRequest,
  bare: Set<string>
): Effect.fn.Return<Pick<LoadResult, "diff" | "willRun">, LoadError> {
  const willRun = request.readBack === true ? Option.getOrNull(yield* sessionConfig(cli, request.name, bare)) : null
  const diff = readDiff(cli, request)
  if (willRun !== null && isOther(request, willRun)) return { willRun, diff: "" }
  if (willRun !== null) {
    return { willRun, diff: yield* Effect.catchTag(diff, "CommandRejected", () => Effect.as(stepOut(cli), "")) }
  }
  const said = yield* diff
  return { willRun, diff: said === "" ? yield* diff : said }
})

/** The memory that logins share. */
export interface LoadMemory {
  readonly foreign: Foreign.ForeignSessions
  /** Names of switches whose configurations have no `end`. */
  readonly bareConfigs: Set<string>
}

/** See `DriverSession.load`. Without `memory`, other people's sessions are not remembered between loads. */
export const load: (cli: Cli, request: LoadRequest, memory?: LoadMemory) => Effect.Effect<LoadResult, LoadError> =
  Effect.fnUntraced(function* (
    cli,
    request,
    { bareConfigs, foreign } = { foreign: Foreign.makeForeignSessions("ignore-old"), bareConfigs: new Set() }
  ) {
    const cut = cutCandidate(request.text)
    if (Result.isFailure(cut)) return yield* rejectedLines(cli, request, [cut.failure])
    const { units } = cut.success
    cli.worksOn(units.length)
    const { hostname, removed } = cli.target
    const way = {
      hostname,
      removed,
      foreign,
      sessions: sessionList(cli).read,
      discard: (name: string) => discard(cli, name)
    }
    const otherSessions = yield* clearForLoad(way, request)
    const sent = yield* sendCandidate(cli, request, cut.success)
    yield* stepOut(cli)
    yield* enteredOther(cli, request, units)
    const rejections =
      sent.rejections.length > 0 ? sent.rejections : yield* lostQuestionMarks(cli, request, units, bareConfigs)
    if (rejections.length > 0) {
      yield* discard(cli, request.name)
      return yield* rejectedLines(cli, request, rejections)
    }
    const remarks = maskedLines(request, sent.remarks)
    return { ...(yield* readBack(cli, request, bareConfigs)), remarks, ...otherSessions }
  })
