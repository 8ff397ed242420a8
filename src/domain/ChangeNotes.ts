/** What is remarkable about how a device took a candidate, as the record of a job shows it (docs/changes.md#entries-of-the-result). */
import { Schema } from "effect"
import { type ChangeNotes as Notes, missingLinesPolicies } from "../../machines/change/ChangeRow.ts"

const line = { line_number: Schema.Int, line: Schema.String }

export const ChangeNotes = Schema.Struct({
  remarks: Schema.Array(Schema.Struct({ ...line, answer: Schema.String })),
  not_shown: Schema.Array(Schema.Struct({ ...line, is_new: Schema.Boolean }))
})
export type ChangeNotes = Notes

/** `on_missing_lines` of a synchronization. */
export const MissingLinesPolicy = Schema.Literals(missingLinesPolicies)
export type MissingLinesPolicy = typeof MissingLinesPolicy.Type
