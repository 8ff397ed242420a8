/**
 * Sends a candidate configuration with a bounded amount of unanswered input in flight. The window keeps a pty's 4,096-byte input
 * buffer from overrunning, which drops characters without a word; the ledger matches every returned prompt and error to its line.
 * When the ledger no longer fits (doubled echo, lost characters) the pipeline stops sending, waits for silence and reports it, so
 * that the caller can start again with a window of one line, and at last with `settled`, in which each line waits for silence after
 * its answer.
 *
 * A line that does not belong to a configuration may leave the mode of the others, or make the switch ask something. The switch
 * then shows an unexpected prompt: nothing more is sent, the question is cancelled, and the line is named.
 */
import { type Conversation, type Step, waiting } from "./Shell.ts"
import {
  type ConfigUnit,
  configUnit,
  isBlock,
  type LedgerRules,
  type OpenText,
  PromptLedger,
  type Rejection
} from "./PromptLedger.ts"
import type { TerminalText } from "./TerminalText.ts"

const settledMillis = 20
const noEchoMillis = 500
// The switch waits for input although we believe that lines are unanswered: they were lost.
const stallMillis = 2_000
const recoverMillis = 300
// Multi-line inputs give no prompts to count, so they go in pieces with silence between.
const blockPieceBytes = 1_024
const blockMillis = 50
const blockNoEchoMillis = 1_000
const mostRejections = 20
/** Silence after which a last line counts: a prompt of another mode, a question or another program's prompt, and any other text. */
const strayMillis = 300
const questionMillis = 600
const unknownMillis = 10_000
const question = /(?:\[confirm\]|\[y(?:es)?\/n(?:o)?[^\]]*\]:?|assword:|\?|\$|>>>)\s*$/i
/** Cancels a question, and a half-typed line. */
const cancel = "\u0003"
/** The window is filled again when less than this part of it, one in so many, is unanswered. */
const refillBelow = 4

/** A text that a command reads ends with this line. */
const endOfText = "EOF"
const mostEnds = 4

export interface PipelineOptions extends LedgerRules {
  readonly units: ReadonlyArray<ConfigUnit>
  /** Where a text stands whose command is not known; the lines of one are sent alone, until the switch asks for it. */
  readonly openTexts?: ReadonlyArray<OpenText>
  /** The candidate, for the lines of such a text. */
  readonly lines?: ReadonlyArray<string>
  /** Bytes of unanswered input; at least one unit is always in flight. */
  readonly window: number
  readonly settled: boolean
}

export interface PipelineResult {
  /** Rejected lines in order, at most 20; sending stops when that many were seen. */
  readonly rejections: ReadonlyArray<Rejection>
  /** Unknown remarks of the switch on accepted lines, in order. */
  readonly remarks: ReadonlyArray<Rejection>
  /** Why the answers could not be matched to the lines; the candidate is then useless. */
  readonly desynchronised: string | undefined
  /** The line after which the switch was in another mode, or asked something that must not be answered; then the rest is void. */
  readonly strayed?: Strayed
  /** The prompt at the end. */
  readonly prompt: string
}

/** A suspicion that a candidate has left its mode: the first text that was shown, and how often the switch was asked since. */
interface Stray extends Pick<Strayed, "unit" | "shown"> {
  asked: number
}

/** The end of a candidate that has left its mode. */
export interface Strayed {
  /** The line that did it; absent when the switch left on its own. */
  readonly unit: ConfigUnit | undefined
  /** The text that the switch showed. */
  readonly shown: string
  /** The current prompt; empty if the switch has ended the session. */
  readonly prompt: string
}

/** A candidate on its way. */
export interface ConfigPipeline extends Conversation<PipelineResult> {
  /** Units that were sent and not answered, in order. */
  readonly unanswered: () => ReadonlyArray<ConfigUnit>
}

/** The lines of a multi-line input in pieces cut at line ends. */
const piecesOf = (lines: ReadonlyArray<string>): Array<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (const line of lines) {
    if (piece !== "" && Buffer.byteLength(piece) + Buffer.byteLength(line) >= blockPieceBytes) {
      pieces.push(piece)
      piece = ""
    }
    piece += `${line}\n`
  }
  return [...pieces, piece]
}

class Pipeline implements ConfigPipeline {
  readonly #options: PipelineOptions
  readonly #ledger: PromptLedger
  readonly #units: Array<ConfigUnit>
  readonly #openTexts: ReadonlyArray<OpenText>
  /** A multi-line input of which the command alone was sent: its text is a row of commands where the switch refuses that. */
  #held: ConfigUnit | undefined
  #pieces: Array<string> = []
  #recovering = false
  /** Set while the switch shows an unexpected prompt. */
  #stray: Stray | undefined
  /** How often a text without an end was ended. */
  #ends = 0

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#units = [...options.units]
    this.#openTexts = options.openTexts ?? []
    this.#ledger = new PromptLedger(this.#units, options)
  }

  readonly unanswered = (): ReadonlyArray<ConfigUnit> => this.#units.slice(this.#ledger.answered, this.#ledger.sent)

  readonly begin = (): Step<PipelineResult> => this.#continue("", 0)

  readonly chunk = (terminal: TerminalText): Step<PipelineResult> => {
    const before = this.#ledger.answered
    const lines = terminal.takeLines()
    if (this.#stray !== undefined) return { done: false, settle: this.#stray.asked > 0 ? settledMillis : strayMillis }
    if (this.#recovering || this.#ends > 0) return { done: false, settle: recoverMillis }
    if (this.#options.settled) this.#ledger.readSettled(lines)
    else this.#ledger.read(lines, terminal.partial)
    if (this.#ledger.strayed !== undefined) return this.#noticeStray(this.#ledger.strayed, "")
    if (this.#ledger.asked !== undefined) return this.#giveText(this.#ledger.asked)
    if (this.#options.settled) return this.#settleStep(terminal)
    if (this.#pieces.length > 0 && this.#ledger.answered === this.#ledger.sent) {
      this.#ledger.distrust("the switch did not take the whole text of a multi-line input")
    }
    if (this.#ledger.desynchronised !== undefined) {
      this.#pieces = []
      return { done: false, settle: recoverMillis }
    }
    return this.#continue(terminal.partial, before)
  }

  readonly quiet = (terminal: TerminalText): Step<PipelineResult> => {
    if (this.#stray !== undefined) return this.#settleStray(this.#stray, terminal)
    if (this.#ends > 0) return this.#end(terminal)
    if (this.#standsElsewhere(terminal.partial)) {
      this.#noticeStray(this.#ledger.current, terminal.partial.trimEnd())
      return this.quiet(terminal)
    }
    const piece = this.#pieces.shift()
    if (piece !== undefined) return { done: false, write: piece, settle: this.#quietAfterBlock(), progress: true }
    const isUnasked = this.#ledger.desynchronised === undefined && !this.#atPrompt(terminal.partial)
    if (this.#held !== undefined && isUnasked) return this.#endUnasked(this.#held)
    if (this.#options.settled) {
      if (!this.#atPrompt(terminal.partial)) return waiting
      this.#ledger.settle()
      return this.#continue(terminal.partial, -1)
    }
    return this.#recover(terminal)
  }

  /** The switch reads a text, which is never sent with its command: it stands behind the command, or there is none. */
  #giveText(unit: ConfigUnit): Step<PipelineResult> {
    if (this.#held !== undefined) return this.#giveHeld(this.#held)
    const text = this.#textOf(unit)
    const isAlone = this.#ledger.sent === this.#ledger.answered + 1
    if (text === undefined || !isAlone) {
      this.#ledger.refuse(unit, `% no line ${endOfText} ends the text of "${unit.line}"`)
      this.#ends = 1
      return { done: false, write: `${endOfText}\n`, settle: recoverMillis }
    }
    const last = unit.lineNumber + text.length
    const behind = this.#units.slice(this.#ledger.sent).findIndex(({ lineNumber }) => lineNumber > last)
    this.#ledger.giveText(
      configUnit(unit.lineNumber, unit.line, text),
      behind < 0 ? this.#units.length - this.#ledger.sent : behind
    )
    return this.#sendText(text)
  }

  #giveHeld(unit: ConfigUnit): Step<PipelineResult> {
    this.#held = undefined
    this.#ledger.giveText(unit, 0)
    return this.#sendText(unit.text)
  }

  #sendText(text: ReadonlyArray<string>): Step<PipelineResult> {
    const [first = "", ...rest] = piecesOf(text)
    this.#pieces = rest
    return { done: false, write: first, progress: true, ...(rest.length > 0 && { settle: this.#quietAfterBlock() }) }
  }

  /** A text is given only to a switch that asks for it: one that reads it all the same gets its end. */
  #endUnasked(unit: ConfigUnit): Step<PipelineResult> {
    this.#refuseUnasked(unit)
    this.#ends = 1
    return { done: false, write: `${endOfText}\n`, settle: recoverMillis }
  }

  #refuseUnasked(unit: ConfigUnit) {
    this.#held = undefined
    if (this.#ledger.rejections.at(-1)?.unit.lineNumber === unit.lineNumber) return
    this.#ledger.refuse(unit, `% the switch did not ask for the text of "${unit.line}"`)
  }

  #textOf({ lineNumber }: ConfigUnit): ReadonlyArray<string> | undefined {
    const open = this.#openTextAt(lineNumber)
    return open === undefined ? undefined : this.#options.lines?.slice(lineNumber, open.lastLine)
  }

  #openTextAt(lineNumber: number): OpenText | undefined {
    return this.#openTexts.find(({ firstLine, lastLine }) => lineNumber >= firstLine && lineNumber < lastLine)
  }

  /** When the connection ends behind the line that led elsewhere, that line is the answer. */
  readonly closed = (_: TerminalText, loggedOut: boolean): { readonly value: PipelineResult } | undefined => {
    if (this.#options.anyPrompt === undefined) return undefined
    const unit = this.#stray?.unit ?? this.#ledger.strayed ?? (loggedOut ? this.#ledger.current : undefined)
    if (unit === undefined) return undefined
    return { value: this.#strayResult({ unit, shown: this.#stray?.shown ?? "the end of the session", prompt: "" }) }
  }

  /** Whether the last line is neither a prompt of our own nor the beginning of one, nor anything that was typed. */
  #standsElsewhere(partial: string): boolean {
    const { anyPrompt, prompt, speech } = this.#options
    const text = partial.trimEnd()
    if (anyPrompt === undefined || text === "" || this.#pieces.length > 0 || prompt.test(partial)) return false
    return !speech.asksForText.test(text) && !this.#ledger.mayBeBegun(text)
  }

  /** Milliseconds after which an unexpected last line counts; none for an expected one. */
  #untilStray(partial: string): { readonly settle?: number } {
    if (!this.#standsElsewhere(partial)) return {}
    if (this.#options.anyPrompt?.test(partial) === true) return { settle: strayMillis }
    return { settle: question.test(partial) ? questionMillis : unknownMillis }
  }

  #noticeStray(unit: ConfigUnit | undefined, shown: string): Step<PipelineResult> {
    this.#pieces = []
    this.#stray = { unit, shown, asked: 0 }
    return { done: false, settle: strayMillis }
  }

  /** A prompt has to come again before it is believed; anything else is cancelled once. */
  #settleStray(stray: Stray, { partial }: TerminalText): Step<PipelineResult> {
    const isPrompt = this.#options.anyPrompt?.test(partial) === true || this.#atPrompt(partial)
    if (stray.asked < (isPrompt ? 1 : 2)) {
      stray.asked++
      return { done: false, write: isPrompt ? "\n" : cancel, settle: strayMillis }
    }
    const { unit } = stray
    const shown = stray.shown === "" ? partial.trimEnd() : stray.shown
    return { done: true, value: this.#strayResult({ unit, shown, prompt: partial.trimEnd() }) }
  }

  #strayResult(strayed: Strayed): PipelineResult {
    return { ...this.#result(strayed.prompt, undefined), strayed }
  }

  /** A text without an end was ended; some commands read a second one. */
  #end(terminal: TerminalText): Step<PipelineResult> {
    if (this.#atPrompt(terminal.partial)) return { done: true, value: this.#result(terminal.partial, undefined) }
    if (this.#ends >= mostEnds) return waiting
    this.#ends++
    return { done: false, write: `${endOfText}\n`, settle: recoverMillis }
  }

  /** Whether the switch may be reading a text. */
  get #mayReadText(): boolean {
    const { current } = this.#ledger
    return this.#held !== undefined || (current !== undefined && isBlock(current))
  }

  /**
   * An empty line ends a half-typed line, and the end of a text each of the two that some commands read; then the silence after its
   * prompt ends the conversation.
   */
  #recover(terminal: TerminalText): Step<PipelineResult> {
    if (!this.#recovering) {
      this.#recovering = true
      const write = this.#mayReadText ? `\n${endOfText}\n${endOfText}\n` : "\n"
      return { done: false, write, settle: recoverMillis }
    }
    return this.#atPrompt(terminal.partial)
      ? {
          done: true,
          value: this.#result(terminal.partial, this.#ledger.desynchronised ?? "the switch lost lines that were sent")
        }
      : { done: false, settle: recoverMillis }
  }

  #result(partial: string, desynchronised: string | undefined): PipelineResult {
    const { rejections, remarks } = this.#ledger
    return { rejections: rejections.slice(0, mostRejections), remarks, desynchronised, prompt: partial.trimEnd() }
  }

  #atPrompt(partial: string): boolean {
    return this.#options.prompt.exec(partial)?.[0].trimEnd() === partial.trimEnd() && partial !== ""
  }

  /** Whether the switch stands at a prompt with nothing or half a line typed: the rest of what was sent is lost. */
  #wantsInput(partial: string): boolean {
    const prompt = this.#options.prompt.exec(partial)?.[0]
    if (prompt === undefined) return false
    return partial.slice(prompt.length).trimEnd() !== this.#units[this.#ledger.answered]?.line
  }

  #settleStep(terminal: TerminalText): Step<PipelineResult> {
    if (this.#pieces.length > 0) return { done: false, settle: this.#quietAfterBlock() }
    if (!this.#atPrompt(terminal.partial)) {
      return {
        ...waiting,
        ...(this.#held !== undefined && { settle: unknownMillis }),
        ...this.#untilStray(terminal.partial)
      }
    }
    return { done: false, settle: this.#ledger.responded ? settledMillis : noEchoMillis }
  }

  #quietAfterBlock(): number {
    return this.#ledger.responded ? blockMillis : blockNoEchoMillis
  }

  #continue(partial: string, answeredBefore: number): Step<PipelineResult> {
    const { answered, sent, rejections } = this.#ledger
    if (this.#held !== undefined && answered === sent) this.#refuseUnasked(this.#held)
    const stopped = rejections.length >= mostRejections
    if (answered === sent && (stopped || sent === this.#units.length)) {
      return this.#atPrompt(partial) || sent === 0 ? { done: true, value: this.#result(partial, undefined) } : waiting
    }
    const write = stopped || this.#standsElsewhere(partial) ? "" : this.#fill()
    const stalled = write === "" && answered < this.#ledger.sent && this.#wantsInput(partial)
    const isHeld = this.#held !== undefined && answered + 1 === this.#ledger.sent
    const settle =
      this.#pieces.length > 0 ? this.#quietAfterBlock() : stalled ? stallMillis : isHeld ? unknownMillis : undefined
    return {
      done: false,
      progress: answered !== answeredBefore,
      ...(write !== "" && { write }),
      ...(write === "" && this.#untilStray(partial)),
      ...(settle !== undefined && { settle })
    }
  }

  /**
   * As many units as fit into the window. Nothing follows a multi-line input before it is answered, and its text is sent when the
   * switch asks for it. Lines whose echo wraps are sent alone.
   */
  #fill(): string {
    // A window that is topped up line by line would cost a packet for each.
    if (this.#ledger.bytesInFlight * refillBelow > this.#options.window) return ""
    const lines: Array<string> = []
    for (;;) {
      const unit = this.#units[this.#ledger.sent]
      if (unit === undefined || !this.#mayFollow(unit)) return lines.length === 0 ? "" : `${lines.join("\n")}\n`
      this.#ledger.send(isBlock(unit) ? this.#hold(unit) : unit)
      lines.push(unit.line)
    }
  }

  /** Keeps the text of a multi-line input back, and gives its command. */
  #hold(unit: ConfigUnit): ConfigUnit {
    const command = configUnit(unit.lineNumber, unit.line)
    this.#held = unit
    this.#units[this.#ledger.sent] = command
    return command
  }

  #mayFollow(unit: ConfigUnit): boolean {
    const { answered, sent, bytesInFlight } = this.#ledger
    if (answered === sent) return true
    const previous = this.#units[sent - 1]
    if (this.#options.settled || this.#held !== undefined || this.#isAlone(unit)) return false
    if (previous !== undefined && (isBlock(previous) || this.#isAlone(previous))) return false
    const bytes = isBlock(unit) ? unit.line.length + 1 : unit.bytes
    return bytesInFlight + bytes <= this.#options.window
  }

  #isAlone(unit: ConfigUnit): boolean {
    return this.#isLong(unit) || (this.#openTexts.length > 0 && this.#openTextAt(unit.lineNumber) !== undefined)
  }

  #isLong(unit: ConfigUnit): boolean {
    return unit.line.length > this.#options.longestEcho
  }
}

/** The conversation that sends a candidate. It begins and ends at a configuration prompt. */
export const configPipeline = (options: PipelineOptions): ConfigPipeline => new Pipeline(options)
