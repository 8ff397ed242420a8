/**
 * The book-keeping of the configuration pipeline: which units were sent, which were answered, and the switch's remarks on each.
 * Reads the terminal's lines in order; every prompt at a line start answers one unit, the text after it must be the echo of the
 * next one, and text between two prompts belongs to the unit that is being answered: a rejection, a known remark, or an unknown
 * remark. As soon as the count or an echo does not fit, `desynchronised` says why; as soon as the next unit is echoed behind a
 * prompt of another mode, `strayed` is the unit that led there.
 */
import { isBroadcast } from "./Broadcast.ts"
import { judge, type Speech } from "./Dialect.ts"

export interface LedgerRules {
  /** Matches a configuration prompt of this switch and session at the beginning of a line. */
  readonly prompt: RegExp
  /** Matches a whole prompt of this switch in any mode; without it another mode is not noticed. */
  readonly anyPrompt?: RegExp
  /** The prompt at which the conversation begins. */
  readonly start?: string
  readonly speech: Speech
  readonly logLine: RegExp
  readonly longestEcho: number
}

/** More remarks than these are not kept. */
const mostRemarks = 100

/** Whether this is a line of a multi-line input. */
const isInput = (unit: ConfigUnit, text: string): boolean => unit.text.some((input) => input.trimEnd() === text)

// Characters outside of printable ASCII may be echoed in another form.
const plain = /^[\x20-\x7e]*$/
const otherCharacters = /[^\x20-\x7e]+/

/** Whether this may be a part of the unit's echo: a wrapped line comes back in pieces, and some letters in another form. */
const mayBeEcho = (unit: ConfigUnit, text: string): boolean =>
  unit.line.includes(text.trim()) ||
  (!plain.test(unit.line) && unit.line.split(otherCharacters).every((piece) => text.includes(piece)))

/** A clock may stand in a prompt. */
const withoutDigits = (text: string): string => text.replaceAll(/\d/g, "0")

export class PromptLedger {
  readonly #units: Array<ConfigUnit>
  readonly #rules: LedgerRules
  /** The same pattern, which says where its match ends without making an array of it for every line. */
  readonly #prompt: RegExp
  #lastPrompt = ""
  readonly #rejections: Array<Rejection> = []
  readonly #remarks: Array<Rejection> = []
  readonly #typedAhead = new Set<number>()
  #sent = 0
  #answered = 0
  #bytes = 0
  // Whether the prompt that stands on the unfinished line is already in the count.
  #counted = false
  #responded = false
  #problem: string | undefined
  #asked: ConfigUnit | undefined
  #strayed: ConfigUnit | undefined
  /** A message to all users began since the last prompt: what follows is its text, unless it is a plain refusal. */
  #broadcast = false

  constructor(units: Array<ConfigUnit>, rules: LedgerRules) {
    this.#units = units
    this.#rules = rules
    this.#prompt = new RegExp(rules.prompt.source, `${rules.prompt.flags}y`)
  }

  get sent(): number {
    return this.#sent
  }

  get answered(): number {
    return this.#answered
  }

  /** Bytes that were sent and not answered. */
  get bytesInFlight(): number {
    return this.#bytes
  }

  get rejections(): ReadonlyArray<Rejection> {
    return this.#rejections
  }

  /** Unknown remarks on accepted units. At most 100. */
  get remarks(): ReadonlyArray<Rejection> {
    return this.#remarks
  }

  get desynchronised(): string | undefined {
    return this.#problem
  }

  /** The unit behind which the switch stood in another mode; nothing is read from then on. */
  get strayed(): ConfigUnit | undefined {
    return this.#strayed
  }

  /** The unit that is being answered. */
  get current(): ConfigUnit | undefined {
    return this.#units[this.#answered]
  }

  /** Whether an unfinished line may become our prompt, or the echo. */
  mayBeBegun(text: string): boolean {
    const begun = withoutDigits(text)
    const ours = [this.#lastPrompt, this.#rules.start ?? ""].filter((prompt) => prompt !== "").map(withoutDigits)
    // the prompt of a section has more before its end
    if (ours.some((prompt) => prompt.startsWith(begun) || begun.startsWith(prompt.replace(/\)#\s*$/, "-")))) return true
    const inFlight = this.#units.slice(this.#answered, this.#sent)
    return inFlight.some((unit) => [unit.line, ...unit.text].some((typed) => typed.startsWith(text)))
  }

  /** Whether anything was echoed or answered for the unit that is being answered. */
  get responded(): boolean {
    return this.#responded
  }

  /** The command in flight that the switch reads a text for, which was not sent with it. */
  get asked(): ConfigUnit | undefined {
    return this.#asked
  }

  /** The command that asked is given its text: the unit with it takes the place of the command and of `lines` units behind. */
  giveText(unit: ConfigUnit, lines: number): void {
    this.#units.splice(this.#answered, 1 + lines, unit)
    this.#bytes += unit.bytes - (this.#asked?.bytes ?? 0)
    this.#asked = undefined
  }

  /** Records why a unit was not taken. */
  refuse(unit: ConfigUnit, answer: string): void {
    this.#rejections.push({ unit, answer })
    this.#asked = undefined
  }

  /** Records that the next unit was sent. */
  send(unit: ConfigUnit): void {
    this.#sent++
    this.#bytes += unit.bytes
  }

  /** Reads complete lines, then the unfinished one. */
  read(lines: ReadonlyArray<string>, partial: string): void {
    for (const line of lines) {
      if (this.#problem !== undefined || this.#strayed !== undefined) return
      this.#readLine(line)
    }
    if (
      this.#problem === undefined &&
      this.#strayed === undefined &&
      !this.#counted &&
      this.#rules.prompt.test(partial)
    ) {
      this.#answer()
      this.#counted = true
    }
  }

  /** For settled sending: reads the answer to the one unit in flight, however many prompts and echoes are in it. */
  readSettled(lines: ReadonlyArray<string>): void {
    const unit = this.#units[this.#answered]
    for (const line of lines) {
      const rest = line.replace(this.#rules.prompt, "")
      if (unit === undefined || this.#rules.logLine.test(rest)) continue
      // behind a prompt stands an echo, whatever it looks like
      if (rest.length === line.length || this.#rules.speech.error.test(rest)) this.#readOutput(unit, rest)
    }
    this.#responded ||= lines.length > 0
  }

  /** For settled sending: the unit in flight has been answered. */
  settle(): void {
    this.#answer()
  }

  /** Records that the count cannot be trusted any more. */
  distrust(reason: string): void {
    this.#problem ??= reason
  }

  #readLine(line: string): void {
    const end = this.#promptEnd(line)
    if (end === 0) {
      this.#counted = false
      this.#strayed = this.#straysAt(line)
      if (this.#strayed === undefined) this.#readPlain(line)
      return
    }
    if (!this.#counted) this.#answer()
    this.#counted = false
    this.#checkEcho(line, end)
  }

  /** Where the prompt at the beginning of a line ends; 0 when there is none. Most lines begin with the same as the last. */
  #promptEnd(line: string): number {
    const last = this.#lastPrompt
    if (last !== "" && line.startsWith(last) && line.charAt(last.length) !== " ") return last.length
    this.#prompt.lastIndex = 0
    if (!this.#prompt.test(line)) return 0
    this.#lastPrompt = line.slice(0, this.#prompt.lastIndex)
    return this.#lastPrompt.length
  }

  /** The unit in flight, when this line is the echo of the one behind it at a prompt of another mode. */
  #straysAt(line: string): ConfigUnit | undefined {
    const next = this.#answered + 1 < this.#sent ? this.#units[this.#answered + 1] : undefined
    return next !== undefined && this.#isElsewhere(line, next.line) ? this.current : undefined
  }

  /** Whether this is the echo of the typed text behind a foreign prompt. */
  #isElsewhere(line: string, typed: string): boolean {
    const shown = line.trimEnd()
    if (this.#rules.anyPrompt === undefined || !shown.endsWith(typed)) return false
    const before = shown.slice(0, shown.length - typed.length)
    return before !== "" && this.#rules.anyPrompt.test(before)
  }

  #answer(): void {
    const unit = this.#units[this.#answered]
    if (unit === undefined || this.#answered >= this.#sent) {
      this.#problem ??= "more prompts came back than lines were sent"
      return
    }
    this.#answered++
    this.#broadcast = false
    this.#bytes -= unit.bytes
    this.#responded = false
  }

  /** Compares a line behind its prompt, which ends at `end`, with the expected echo. */
  #checkEcho(line: string, end: number): void {
    this.#responded = true
    const unit = this.#answered < this.#sent ? this.#units[this.#answered] : undefined
    const typed = unit?.line ?? ""
    // true for nearly every line, and needs no copy of a part of it
    if (unit !== undefined && line.length === end + typed.length && line.endsWith(typed)) return
    const rest = line.slice(end).trimEnd()
    if ((unit !== undefined && rest === typed) || this.#rules.logLine.test(rest)) return
    if (unit === undefined) {
      this.#problem ??= "an echo came back for nothing that was sent"
      return
    }
    if (typed.length > this.#rules.longestEcho || !plain.test(typed)) return
    if (rest === "" && this.#typedAhead.has(this.#answered)) return
    this.#problem ??= `the echo of line ${unit.lineNumber} is not what was sent`
  }

  #readPlain(line: string): void {
    this.#responded = true
    const text = line.trimEnd()
    if (text === "" || this.#rules.logLine.test(text)) return
    // A terminal echoes what is typed ahead before the prompt comes; a switch may then echo it again after the prompt.
    for (let index = this.#answered; index < this.#sent; index++) {
      const unit = this.#units[index]
      if (unit?.line === text) {
        this.#typedAhead.add(index)
        return
      }
      // the text of a multi-line input follows its command there, so what comes without it is an answer
      if (unit !== undefined && this.#typedAhead.has(index) && isInput(unit, text)) return
    }
    const unit = this.#units[this.#answered]
    if (unit !== undefined) this.#readOutput(unit, text)
  }

  #readOutput(unit: ConfigUnit, line: string): void {
    const text = line.trimEnd()
    // The text of a banner may look like an error message, but is none.
    if (text === "" || isInput(unit, text)) return
    const { speech } = this.#rules
    this.#broadcast ||= isBroadcast(text)
    if (this.#broadcast && !speech.error.test(text)) return
    if (unit.text.length === 0 && speech.asksForText.test(text)) this.#asked ??= unit
    if (!speech.error.test(text) && mayBeEcho(unit, text)) return
    const kind = judge(speech, text)
    if (kind === "refusal") {
      if (this.#rejections.at(-1)?.unit !== unit) this.#rejections.push({ unit, answer: text })
    } else if (kind === "unknown" && this.#remarks.length < mostRemarks) this.#remarks.push({ unit, answer: text })
  }
}

// A candidate configuration as the units that a switch answers with one prompt each: a line, or a multi-line input (a
// banner, a certificate) that is answered when its end is reached. A driver cuts its text into units; the pipeline sends
// them. Hundreds of devices have hundreds of units at once, so a unit of one line is no more than its strings.

export interface ConfigUnit {
  /** Number of its first line in the given text, from 1; 0 if it is not in the text. */
  readonly lineNumber: number
  /** The line that is sent, or the first line of a multi-line input. */
  readonly line: string
  /** The further lines of a multi-line input. */
  readonly text: ReadonlyArray<string>
  /** Bytes on the wire, with line ends. */
  readonly bytes: number
}

/**
 * Lines of a text, by their numbers, of which one opens a text that ends at the last of them (`EOF`). Which one is only known
 * when the switch asks for the text.
 */
export interface OpenText {
  readonly firstLine: number
  readonly lastLine: number
}

/** Units of a candidate, and where texts stand in it whose command is unknown. `lines` are those that were given. */
export interface CutCandidate {
  readonly units: ReadonlyArray<ConfigUnit>
  readonly openTexts: ReadonlyArray<OpenText>
  readonly lines: ReadonlyArray<string>
}

const noText: ReadonlyArray<string> = []

const bytesOf = (line: string): number => Buffer.byteLength(line) + 1

/** A unit; `text` is empty for a line. */
export const configUnit = (lineNumber: number, line: string, text = noText): ConfigUnit => ({
  lineNumber,
  line,
  text,
  bytes: text.reduce((sum, more) => sum + bytesOf(more), bytesOf(line))
})

/** A line (by number in the text) that the switch rejected, unmasked, and the first line of its answer. */
export interface Rejection {
  readonly unit: ConfigUnit
  readonly answer: string
}

/** Whether a unit is a multi-line input. */
export const isBlock = ({ text }: ConfigUnit): boolean => text.length > 0
