/** What a refresh of a repository comes to before it is put in force: a refusal, or commits with the devices they concern. */
import { Schema } from "effect"
import { Remark } from "../../domain/Remark.ts"
import type { AppliedCommit } from "../../store/RepositoryStore.ts"

/** The repository was not brought into force. `status` is the HTTP status of the answer, `message` its text. */
export class RefreshRefused extends Schema.TaggedError<RefreshRefused>()("RefreshRefused", {
  status: Schema.Literals([400, 500, 503]),
  message: Schema.String,
  /** Every mistake with its place, when it is the content that was refused. */
  problems: Schema.optionalKey(Schema.Array(Remark)),
  /** The commit that was looked at, when it came so far. */
  commit: Schema.optionalKey(Schema.String)
}) {}

/** Whether it is what the commit says that was refused, and not a refresh that could not be done. */
export const isOfContent = ({ problems, status }: RefreshRefused): boolean => status === 400 || problems !== undefined

/** What a refresh tells its caller: the text of the commit in force, and what is doubtful about it. */
export const RefreshOutcome = Schema.Struct({
  message: Schema.String,
  warnings: Schema.Array(Remark),
  /** Files that nobody meant to be read, such as those of editors. */
  ignored: Schema.Array(Schema.String),
  /** The commit that came into force. */
  commit: Schema.String
})
export type RefreshOutcome = typeof RefreshOutcome.Type

/** Who asks, and in which job. */
export interface RefreshCause {
  readonly by: string
  readonly jobId: number
}

/** What a checked commit brings: rows to be put in force, and the hostnames that it concerns. */
export interface CheckedCommit {
  readonly commits: ReadonlyArray<AppliedCommit>
  readonly affected: ReadonlyArray<string>
  /** Branches of the templates repository that the commit asks for. */
  readonly branches: ReadonlyArray<string>
  /** What is doubtful, for the person who made the commit. */
  readonly warnings: ReadonlyArray<Remark>
  /** Files that nobody meant to be read. */
  readonly ignored: ReadonlyArray<string>
}
