/** What a refresh of a repository comes to before it is put in force: a refusal, or commits with the devices they concern. */
import { Schema } from "effect"
import { CommitEffects, type UndefinedName } from "../../domain/CommitEffects.ts"
import { Remark, remark } from "../../domain/Repository.ts"
import type { AppliedCommit } from "../../store/RepositoryStore.ts"
import type { Compared } from "./CommitEffects.ts"

/** The repository was not brought into force. `status` is the HTTP status of the answer, `message` its text. */
export class RefreshRefused extends Schema.TaggedError<RefreshRefused>()("RefreshRefused", {
  status: Schema.Literals([400, 409, 500, 503]),
  message: Schema.String,
  /** Every mistake with its place, when it is the content that was refused. */
  problems: Schema.optionalKey(Schema.Array(Remark)),
  /** The commit that was looked at, when it came so far. */
  commit: Schema.optionalKey(Schema.String),
  /** What the commit means, when it waits for a confirmation. */
  effects: Schema.optionalKey(CommitEffects)
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
  commit: Schema.String,
  /** What it means. */
  effects: CommitEffects
})
export type RefreshOutcome = typeof RefreshOutcome.Type

/** What was asked for: who asks, in which job, and what is allowed beside a refresh without a question. */
export interface RefreshCause extends RefreshWishes {
  readonly by: string
  readonly jobId: number
}

/** What a refresh may do that is not done without a question (docs/settings-repository.md#confirmation). */
export interface RefreshWishes {
  /** The commit, or the beginning of its hash, that may come into force whatever it takes away. */
  readonly confirm?: string
  /** Ports that name a VLAN which the commit renames get its new name. */
  readonly renamePorts?: boolean
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
  /** What it is compared with, to tell what it means; left out when nothing was in force before. */
  readonly compared?: Compared
}

/** Names that templates would print undefined are doubtful too; those that the last renderings have met are not said twice. */
export const withUndefined = (
  warnings: ReadonlyArray<Remark>,
  names: ReadonlyArray<UndefinedName>
): ReadonlyArray<Remark> => {
  const placeOf = ({ column, file, line }: Remark) => `${file}:${line}:${column}`
  const known = new Set(warnings.map(placeOf))
  const more = names.filter((one) => !known.has(placeOf(one)))
  return [
    ...warnings,
    ...more.map(({ column, devices, file, hostnames: [hostname = ""], line, message, path }) => {
      const others = devices > 1 ? ` and ${devices - 1} more` : ""
      return remark(`${message}: nothing would be printed for it (${hostname}${others})`, { file, line, column, path })
    })
  ]
}
