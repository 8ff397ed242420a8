/** What is remarkable about how a device took a candidate, as the record of a job shows it (docs/changes.md#entries-of-the-result). */
import { Schema } from "effect"
import { type ChangeNotes as Notes, missingLinesPolicies } from "../../machines/change/ChangeRow.ts"

const line = { line_number: Schema.Int, line: Schema.String }

const fields = {
  said: Schema.Array(Schema.Struct({ ...line, answer: Schema.String })),
  not_shown: Schema.Array(Schema.Struct({ ...line, is_new: Schema.Boolean }))
}

export const ChangeNotes = Schema.Struct(fields)
export type ChangeNotes = Notes

/** The same beside the other keys of a task; left out when there is nothing. */
export const noteKeys = { said: Schema.optionalKey(fields.said), not_shown: Schema.optionalKey(fields.not_shown) }

/** `on_missing_lines` of a synchronization. */
export const MissingLinesPolicy = Schema.Literals(missingLinesPolicies)
export type MissingLinesPolicy = typeof MissingLinesPolicy.Type
