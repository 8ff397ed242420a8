/**
 * What a repository's commit looks like to an operator, in the exact words that clients parse
 * (docs/settings-repository.md#answers).
 */
import { Option, Result, Schema } from "effect"
import { cleanedText } from "../domain/Text.ts"
import { GitFailed } from "./GitCommand.ts"

/** A commit: 40 hex digits, the branch or tag that led to it, the committer, and the time in the committer's zone. */
export const GitCommit = Schema.Struct({
  hash: Schema.String,
  name: Schema.String,
  committer: Schema.String,
  time: Schema.String
})
export type GitCommit = typeof GitCommit.Type

/** The format argument of `git show` that `parseCommit` reads. */
export const COMMIT_FORMAT = "--format=%H%x00%cn%x00%ci"

/** Reads the output of `git show`; the zone moves to the time without a blank, with a colon. */
export const parseCommit = (output: string, name: string): Result.Result<GitCommit, GitFailed> => {
  const [hash = "", committer = "", written = ""] = output.trim().split("\0")
  const time = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(written)
  if (!/^[0-9a-f]{40,64}$/.test(hash) || time === null) {
    return Result.fail(new GitFailed({ reason: "damaged", message: `not a commit: ${output.slice(0, 100)}` }))
  }
  return Result.succeed({
    hash,
    name,
    committer: cleanedText(committer, "line").text,
    time: `${time[1]}${time[2]}:${time[3]}`
  })
}

/** A commit of a list, as its author wrote it. */
export const LoggedCommit = Schema.Struct({
  hash: Schema.String,
  author: Schema.String,
  committer: Schema.String,
  /** Seconds since 1970. */
  seconds: Schema.Int,
  message: Schema.String
})
export type LoggedCommit = typeof LoggedCommit.Type

/** The format argument of `git log -z` that `parseLog` reads. */
export const LOG_FORMAT = "--format=%H%x01%an%x01%cn%x01%ct%x01%B"

/** What is shown of a commit's message. */
const MAX_MESSAGE = 2_000

const isInteger = (text: string): boolean => /^-?\d+$/.test(text)

/** Reads the output of `git log`; what is no commit is left out. */
export const parseLog = (output: string): ReadonlyArray<LoggedCommit> =>
  output.split("\0").flatMap((record) => {
    const [hash = "", author = "", committer = "", seconds = "", ...message] = record.trim().split("\u0001")
    if (!/^[0-9a-f]{40,64}$/.test(hash) || !isInteger(seconds)) return []
    const [by, put] = [author, committer].map((who) => cleanedText(who, "line").text)
    const { text } = cleanedText(message.join("\u0001").trim(), "lines", MAX_MESSAGE)
    return [{ hash, author: by ?? "", committer: put ?? "", seconds: Number(seconds), message: text }]
  })

const described = ({ committer, hash, name, time }: GitCommit): string =>
  `ommit ${hash} ${name} by ${committer} at ${time}`

/** The text of a repository that was there: `Commit <hash> <name> by <committer> at <time>\n`. */
export const commitText = (commit: GitCommit): string => `C${described(commit)}\n`

/** The text after a first clone; it has no line end. */
export const clonedText = (commit: GitCommit): string => `Cloned new from remote. Last c${described(commit)}`

/** What GET /repository answers: the commit, or that there is none yet. */
export const currentText = (current: Option.Option<GitCommit>): string =>
  Option.match(current, { onNone: () => "Repository is not yet cloned from remote", onSome: commitText })
