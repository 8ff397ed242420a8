/**
 * Turns the bytes of a terminal into clean lines (docs/switch-dialogues.md#reading-answers): decodes UTF-8 across chunk
 * borders, removes escape sequences, controls and carriage returns, and applies backspaces. Keeps the complete lines that arrived
 * since the last `clear` and the unfinished last line, in which a prompt is looked for.
 */

// A sequence that is cut at a chunk border is kept until its end arrives, but no longer than this.
const longestSequence = 256

const escape = String.fromCharCode(27)
const bell = String.fromCharCode(7)
const nothing = String.fromCharCode(0)

/** Whether there is anything but text and line ends. */
const controls = String.raw`\x01-\x06\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u2028\u2029`
const special = new RegExp(String.raw`[${escape}${bell}${nothing}${controls}\b]`)

/** CSI sequences, OSC sequences up to BEL or ST, character sets, two-character sequences, bells, nulls and other controls. */
const noise = new RegExp(
  [
    String.raw`${escape}\[[0-?]*[ -/]*[@-~]`,
    String.raw`${escape}\][^${bell}${escape}]*(?:${bell}|${escape}\\)`,
    String.raw`${escape}[()*+][0-9A-Za-z]`,
    String.raw`${escape}[^[\]()*+]`,
    `[${bell}${nothing}${controls}]`
  ].join("|"),
  "g"
)

/** A sequence whose end has not arrived. */
const cutSequence = new RegExp(String.raw`${escape}(?:\[[0-?]*[ -/]*|\][^${bell}]*|[()*+])?$`)

export class TerminalText {
  readonly #decoder = new TextDecoder("utf-8")
  #lines: Array<string> = []
  #partial = ""
  #held = ""
  #size = 0

  /** Complete lines since the last `clear` or `takeLines`. */
  get lines(): ReadonlyArray<string> {
    return this.#lines
  }

  /** The text after the last line end. */
  get partial(): string {
    return this.#partial
  }

  /** Characters kept, for the byte limit of a command. */
  get size(): number {
    return this.#size
  }

  /** Whether nothing is held back as the beginning of an unfinished escape sequence. */
  get settled(): boolean {
    return this.#held === ""
  }

  /** Adds a chunk. */
  feed(chunk: Uint8Array): void {
    let text = this.#held + this.#decoder.decode(chunk, { stream: true })
    this.#held = ""
    if (special.test(text)) {
      const cut = cutSequence.exec(text)
      if (cut !== null && text.length - cut.index <= longestSequence) {
        this.#held = text.slice(cut.index)
        text = text.slice(0, cut.index)
      }
      text = text.replace(noise, "")
    }
    this.#append(text)
  }

  /** Forgets the lines and the unfinished line. */
  clear(): void {
    this.#lines = []
    this.#partial = ""
    this.#size = 0
  }

  /** Forgets the unfinished line alone. */
  clearPartial(): void {
    this.#size -= this.#partial.length
    this.#partial = ""
  }

  /** The complete lines; the unfinished line stays. */
  takeLines(): ReadonlyArray<string> {
    const taken = this.#lines
    this.#lines = []
    this.#size = this.#partial.length
    return taken
  }

  #append(text: string): void {
    let start = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#lines.push(this.#continued(text.slice(start, end)))
      this.#partial = ""
      this.#size += 1
      start = end + 1
    }
    this.#partial = this.#continued(start === 0 ? text : text.slice(start))
  }

  /** The unfinished line with what follows it. Carriage returns are dropped, wherever they stand. */
  #continued(piece: string): string {
    const text = piece.includes("\r") ? withoutReturns(piece) : piece
    this.#size += text.length
    const line = this.#partial === "" ? text : this.#partial + text
    // only looked for in what is new: a line of megabytes comes in thousands of pieces
    return text.includes("\b") ? applyBackspaces(line) : line
  }
}

/** Nearly always there is one, at the end. */
const withoutReturns = (piece: string): string => {
  const last = piece.length - 1
  return piece.indexOf("\r") === last ? piece.slice(0, last) : piece.replaceAll("\r", "")
}

const applyBackspaces = (line: string): string => {
  const kept: Array<string> = []
  for (const character of line) {
    if (character === "\b") kept.pop()
    else kept.push(character)
  }
  return kept.join("")
}
