/** Job `refresh_repo`: brings a repository up to date (docs/jobs.md#refresh_repo). */
import { Schema } from "effect"
import { CommitEffects } from "../CommitEffects.ts"
import { Remark } from "../Remark.ts"
import { defineJob } from "./JobDefinition.ts"

export const RefreshRepository = defineJob({
  name: "refresh_repo",
  /** Which repository is in the memo: clients know a record without arguments. */
  Args: Schema.Null,
  /** Which repository, and the answer to the request once it was refused. */
  Memo: Schema.Struct({
    repository: Schema.Literals(["settings", "templates"]),
    /** What was asked for beside the refresh. */
    confirm: Schema.optionalKey(Schema.String),
    rename_ports: Schema.optionalKey(Schema.Boolean),
    refused: Schema.optionalKey(
      Schema.Struct({
        status: Schema.Literals([400, 409, 500, 503]),
        message: Schema.String,
        problems: Schema.optionalKey(Schema.Array(Remark)),
        commit: Schema.optionalKey(Schema.String)
      })
    ),
    /** The answer of a refresh whose commit waits for a confirmation: it was not refused. */
    waits: Schema.optionalKey(Schema.Struct({ message: Schema.String, commit: Schema.String, effects: CommitEffects })),
    /** The commit that came into force, and what it means. */
    commit: Schema.optionalKey(Schema.String),
    effects: Schema.optionalKey(CommitEffects),
    warnings: Schema.optionalKey(Schema.Array(Remark)),
    /** Files that nobody meant to be read. */
    ignored: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  // refreshes of a repository take turns, and those that wait share the next one (`RepositoryUpdate.ts`)
  kind: null,
  changesDevices: () => false
})
