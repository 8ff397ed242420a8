/**
 * A candidate configuration as the units that a switch answers with one prompt each: a line, or a multi-line input (a
 * banner, a certificate) that is answered when its end is reached. A driver cuts its text into units; the pipeline sends
 * them. Hundreds of devices have hundreds of units at once, so a unit of one line is no more than its strings.
 */

export interface ConfigUnit {
  /** Number of its first line in the text that was given, from 1; 0 when it does not stand there. */
  readonly lineNumber: number
  /** What is sent: the line, or the first line of a multi-line input. */
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

/** Units of a candidate, and where texts stand in it whose command nobody knows. `lines` are those that were given. */
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
