/**
 * The difference between two configurations as people read it: a unified diff without file headers, in the form that the
 * switches' own diffs have in the record.
 */
import { TextDiff } from "effect"

/** Beyond so many edited lines in one place the difference is no longer minimal, but the work stays bounded. */
const MAX_EDITS = 2_000

/** The lines that lead from one text to the other; empty when they are equal. */
export const diff = (before: string, after: string): string =>
  before === after ? "" : TextDiff.unified(TextDiff.lines(before, after, { maxEdits: MAX_EDITS })).trimEnd()
