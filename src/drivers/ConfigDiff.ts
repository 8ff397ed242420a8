/**
 * The difference between two configurations as people read it: a unified diff without file headers, in the form that the
 * switches' own diffs have in the record.
 */
import { TextDiff } from "effect"
import { lineCount } from "../domain/ConfigLines.ts"

/** Beyond so many edited lines in one place the difference is no longer minimal. */
const MAX_EDITS = 2_000

/** Lines times edits: about a tenth of a second of work, however different the texts are. */
const MOST_WORK = 15_000_000

/** How many edits of two texts are looked for. */
export const maxEdits = (before: string, after: string): number =>
  Math.min(MAX_EDITS, Math.ceil(MOST_WORK / (lineCount(before) + lineCount(after))))

/** The lines that lead from one text to the other; empty when they are equal. */
export const diff = (before: string, after: string): string =>
  before === after
    ? ""
    : TextDiff.unified(TextDiff.lines(before, after, { maxEdits: maxEdits(before, after) })).trimEnd()
