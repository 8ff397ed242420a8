/** Job `refresh_repo`: brings a repository up to date (docs/jobs.md#refresh_repo). */
import { Schema } from "effect"
import { Remark } from "../Remark.ts"
import { defineJob } from "./JobDefinition.ts"

export const RefreshRepository = defineJob({
  name: "refresh_repo",
  /** Which repository is in the memo: clients know a record without arguments. */
  Args: Schema.Null,
  /** Which repository, and the answer to the request once it was refused. */
  Memo: Schema.Struct({
    repository: Schema.Literals(["settings", "templates"]),
    refused: Schema.optionalKey(
      Schema.Struct({
        status: Schema.Literals([400, 500, 503]),
        message: Schema.String,
        problems: Schema.optionalKey(Schema.Array(Remark)),
        commit: Schema.optionalKey(Schema.String)
      })
    ),
    /** The commit that came into force. */
    commit: Schema.optionalKey(Schema.String),
    warnings: Schema.optionalKey(Schema.Array(Remark)),
    /** Files that nobody meant to be read. */
    ignored: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  // refreshes of a repository take turns, and those that wait share the next one (`RefreshTurns.ts`)
  kind: null,
  changesDevices: () => false
})
