/**
 * One command and its answer (docs/switch-dialogues.md#reading-answers and docs/switch-dialogues.md#echo): finds the end of the
 * answer, removes the echo, answers questions. See `Shell` for when a prompt is accepted at once.
 */
import { type Conversation, type Step, waiting } from "./Shell.ts"
import { isBroadcast, withoutBroadcasts } from "./Broadcast.ts"
import { isSame, mayBe, timesBefore } from "./Dialect.ts"
import type { TerminalText } from "./TerminalText.ts"

const settleMillis = 30
// For text that looks like an unexpected prompt, such as a description that ends in "#" and was cut there.
const strangerMillis = 1_000
// For a prompt after half of an answer: a line of it that was cut after our own prompt.
const halfMillis = 2_000
// Without an echo nothing proves that the prompt belongs to the answer, so wait longer.
const noEchoMillis = 500
// The mark of a pager may be a line of an answer, cut there.
const pagerMillis = 100
const longestEchoLines = 4
// No prompt is longer. A longer text is a line of the answer, which need not be checked again with each of its pieces.
const longestPrompt = 512

/** A question the command may ask, and what to answer. */
export interface ExpectedQuestion {
  readonly question: RegExp
  readonly answer: string
}

export interface CommandRequest {
  readonly command: string
  /** Any prompt of the platform. */
  readonly prompt: RegExp
  /** The prompt under which the command is given, and those that may be accepted at once. */
  readonly current: string
  readonly expected: ReadonlyArray<string>
  readonly logLine: RegExp
  readonly pager: RegExp
  readonly questions?: ReadonlyArray<ExpectedQuestion>
  /** Nothing depends on what this command prints, so an empty answer needs no settling. */
  readonly trivial?: boolean
  readonly expectDisconnect?: boolean
  /** Whether an answer that ends in these lines may be whole, where one can see that. */
  readonly isWhole?: (lines: ReadonlyArray<string>) => boolean
  /** The answer may be long: its deadline is about silence, and begins anew with each piece of it. */
  readonly long?: boolean
  /** Most characters of the answer. */
  readonly limit?: number
}

export interface CommandAnswer {
  /** Without echo, prompt and log messages. */
  readonly lines: ReadonlyArray<string>
  /** The prompt at the end; empty when the connection closed. */
  readonly prompt: string
  /** A question that was asked again after its one answer. */
  readonly repeatedQuestion: boolean
}

const isEcho = (line: string, command: string, prompt: RegExp): boolean => {
  const text = line.trimEnd()
  return text === command || (text.endsWith(command) && prompt.test(text.slice(0, text.length - command.length)))
}

/**
 * How many lines at the beginning are echo. A switch may echo a command twice when it falls behind (docs/switch-dialogues.md#echo).
 */
const echoLines = (lines: ReadonlyArray<string>, command: string, prompt: RegExp): number => {
  const first = lines.slice(0, longestEchoLines)
  const found = first.findLastIndex((line) => isEcho(line, command, prompt))
  if (found >= 0) return found + 1
  return lines[0]?.trimEnd().endsWith(command) === true ? 1 : 0
}

/** The conversation of one command. */
export const commandExchange = (request: CommandRequest): Conversation<CommandAnswer> => {
  const command = request.command.trim()
  const asked = new Set<ExpectedQuestion>()
  let answeredAt = ""
  let seen = { lines: 0, size: 0 }
  let probed = false

  /** The lines without the prompts that our empty line has repeated. */
  const given = ({ lines: all, partial }: TerminalText): ReadonlyArray<string> => {
    const lines = withoutBroadcasts(all)
    if (!probed) return lines
    // behind a prompt that a message has hidden stands the echo of our empty line
    const end = lines.length < all.length && lines.at(-1) === "" ? lines.slice(0, -1) : lines
    return end.slice(0, end.length - timesBefore(end, partial))
  }

  const answer = (terminal: TerminalText, repeatedQuestion = false): CommandAnswer => ({
    lines: given(terminal)
      .slice(echoLines(terminal.lines, command, request.prompt))
      .filter((line) => !request.logLine.test(line)),
    prompt: terminal.partial.trimEnd(),
    repeatedQuestion
  })

  const question = (terminal: TerminalText): Step<CommandAnswer> | undefined => {
    const found = request.questions?.find((candidate) => candidate.question.test(terminal.partial))
    if (found === undefined) return undefined
    // the blank behind a question may come in a piece of its own
    const place = `${terminal.lines.length} ${terminal.partial.trimEnd()}`
    if (place === answeredAt) return undefined
    if (asked.has(found)) return { done: true, value: answer(terminal, true) }
    asked.add(found)
    answeredAt = place
    return { done: false, write: `${found.answer}\n` }
  }

  /** Whether more of the answer has come; log messages of a switch that does not answer do not count. */
  const goesOn = (terminal: TerminalText): boolean => {
    if (request.long !== true || terminal.size === seen.size) return false
    const fresh = terminal.lines.slice(seen.lines)
    seen = { lines: terminal.lines.length, size: terminal.size }
    return fresh.length === 0 || fresh.some((line) => !request.logLine.test(line))
  }

  /** A message to all users stands behind what may have been the prompt. */
  const hidesPrompt = ({ lines, partial }: TerminalText): boolean =>
    partial === "" && lines.at(-1)?.trim() === "" && lines.some(isBroadcast)

  /** A text like a prompt of another form is one if an empty line brings it again. */
  const probe = (terminal: TerminalText): Step<CommandAnswer> => {
    if (!mayBe(terminal.partial) && !hidesPrompt(terminal)) return waiting
    if (probed) {
      const again = timesBefore(terminal.lines, terminal.partial) > 0
      return again ? { done: true, value: answer(terminal) } : waiting
    }
    probed = true
    return { done: false, write: "\n", settle: strangerMillis }
  }

  /** The mark goes from the answer; most switches take it from the screen as well. */
  const turnPage = (terminal: TerminalText): Step<CommandAnswer> => {
    terminal.clearPartial()
    return { done: false, write: " ", progress: true }
  }

  const chunk = (terminal: TerminalText): Step<CommandAnswer> => {
    const step = look(terminal)
    return step.done || !goesOn(terminal) ? step : { ...step, progress: true }
  }

  const look = (terminal: TerminalText): Step<CommandAnswer> => {
    const step = question(terminal)
    if (step !== undefined) return step
    if (terminal.partial.length > longestPrompt) return waiting
    const last = terminal.partial
    if (!probed && hidesPrompt(terminal)) return { done: false, settle: strangerMillis }
    if (request.pager.test(last)) return { done: false, settle: pagerMillis }
    if (!request.prompt.test(last)) return mayBe(last) ? { done: false, settle: strangerMillis } : waiting
    const isCurrent = isSame(last, request.current)
    const echoed = echoLines(terminal.lines, command, request.prompt)
    if (echoed === 0) return { done: false, settle: noEchoMillis }
    if (request.isWhole?.(terminal.lines) === false) return { done: false, settle: halfMillis }
    if (!isCurrent && !request.expected.some((expected) => isSame(last, expected))) {
      return { done: false, settle: strangerMillis }
    }
    const certain = request.trivial === true || !isCurrent || terminal.lines.length > echoed
    return certain && terminal.settled ? { done: true, value: answer(terminal) } : { done: false, settle: settleMillis }
  }

  return {
    ...(request.limit !== undefined && { limit: request.limit }),
    begin: () => ({ done: false, write: `${command}\n` }),
    chunk,
    quiet: (terminal) => {
      if (request.pager.test(terminal.partial)) return turnPage(terminal)
      return request.prompt.test(terminal.partial) ? { done: true, value: answer(terminal) } : probe(terminal)
    },
    ...(request.expectDisconnect === true && {
      closed: (terminal: TerminalText) => ({ value: { ...answer(terminal), prompt: "" } })
    })
  }
}
