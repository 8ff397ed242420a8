/**
 * A candidate configuration as the units that a switch answers with one prompt each: a line, or a multi-line input (a
 * banner, a certificate) that is answered when its end is reached. A driver cuts its text into units; the pipeline sends
 * them.
 */

export interface ConfigUnit {
  /** Number of its first line in the text that was given, from 1. */
  readonly lineNumber: number
  /** That line as it was given, for errors. */
  readonly source: string
  /** What is sent, one entry a line. More than one for a multi-line input. */
  readonly input: ReadonlyArray<string>
}

/** A line (by number in the text) that the switch rejected, unmasked, and the first line of its answer. */
export interface Rejection {
  readonly unit: ConfigUnit
  readonly answer: string
}

/** Bytes on the wire, with line ends. */
export const unitBytes = (unit: ConfigUnit): number =>
  unit.input.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)

/** Whether a unit is a multi-line input. */
export const isBlock = (unit: ConfigUnit): boolean => unit.input.length > 1
