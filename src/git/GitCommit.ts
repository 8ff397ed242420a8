/** A repository's commit in answers, in the exact words that clients parse (docs/settings-repository.md#answers). */
import { Effect, Option, Result, Schema } from "effect"
import { cleanedText } from "../domain/Text.ts"
import { type GitCommandOptions, GitFailed, runGitText } from "./GitCommand.ts"
import { isRefName } from "./GitAddress.ts"

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

/** Reads the output of `git show`; the zone is appended to the time without a blank, with a colon. */
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

/** The longest part of a commit's message in an answer. */
const MAX_MESSAGE = 2_000

const isInteger = (text: string): boolean => /^-?\d+$/.test(text)

/** Reads the output of `git log`; entries that are no commits are left out. */
export const parseLog = (output: string): ReadonlyArray<LoggedCommit> =>
  output.split("\0").flatMap((record) => {
    const [hash = "", author = "", committer = "", seconds = "", ...message] = record.trim().split("\u0001")
    if (!/^[0-9a-f]{40,64}$/.test(hash) || !isInteger(seconds)) return []
    const [by, put] = [author, committer].map((who) => cleanedText(who, "line").text)
    const { text } = cleanedText(message.join("\u0001").trim(), "lines", MAX_MESSAGE)
    return [{ hash, author: by ?? "", committer: put ?? "", seconds: Number(seconds), message: text }]
  })

/** A branch of the remote and its newest commit, as of the last fetch. */
export const GitBranch = Schema.Struct({
  name: Schema.String,
  commit: Schema.String,
  author: Schema.String,
  /** Seconds since 1970. */
  seconds: Schema.Int,
  subject: Schema.String
})
export type GitBranch = typeof GitBranch.Type

/** The format argument of `git for-each-ref` that `parseBranches` reads. */
export const BRANCH_FORMAT =
  "--format=%(refname:lstrip=3)%01%(objectname)%01%(authorname)%01%(committerdate:unix)%01%(subject)"

/** Reads the output of `git for-each-ref`; lines that are no branch are left out. */
export const parseBranches = (output: string): ReadonlyArray<GitBranch> =>
  output.split("\n").flatMap((line) => {
    const [name = "", commit = "", author = "", seconds = "", ...subject] = line.split("\u0001")
    if (!isRefName(name) || name === "HEAD" || !/^[0-9a-f]{40,64}$/.test(commit) || !isInteger(seconds)) return []
    const text = cleanedText(subject.join("\u0001"), "line").text
    return [{ name, commit, author: cleanedText(author, "line").text, seconds: Number(seconds), subject: text }]
  })

const described = ({ committer, hash, name, time }: GitCommit): string =>
  `ommit ${hash} ${name} by ${committer} at ${time}`

/** The text for a repository that existed already: `Commit <hash> <name> by <committer> at <time>\n`. */
export const commitText = (commit: GitCommit): string => `C${described(commit)}\n`

/** The text after a first clone; it has no line end. */
export const clonedText = (commit: GitCommit): string => `Cloned new from remote. Last c${described(commit)}`

/** The answer of GET /repository: the commit, or that there is none yet. */
export const currentText = (current: Option.Option<GitCommit>): string =>
  Option.match(current, { onNone: () => "Repository is not yet cloned from remote", onSome: commitText })

// Resolves the name of a branch or tag, or a commit hash, to the commit in the local copy as of its last fetch.

/** The remote has no such branch, tag or commit. Asking again helps only after a push of it. */
export class GitRefNotFound extends Schema.TaggedError<GitRefNotFound>()("GitRefNotFound", { ref: Schema.String }) {
  override get message() {
    return `fatal: invalid reference: ${this.ref}`
  }
}

/** Where the branches of the remote are kept in the copy. */
export const REMOTE_BRANCHES = "refs/remotes/origin"

const HASH = /^[0-9a-f]{7,64}$/i

const WHOLE_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/** A whole hash means its commit: whoever may push could give a branch that name, to show one commit and deliver another. */
const candidates = (ref: string): ReadonlyArray<string> =>
  WHOLE_HASH.test(ref) ? [ref] : [`${REMOTE_BRANCHES}/${ref}`, `refs/tags/${ref}`, ...(HASH.test(ref) ? [ref] : [])]

/** The full hash of the commit; a branch wins over a tag, a tag over the beginning of a commit's hash. */
export const resolveRef = Effect.fnUntraced(function* (
  ref: string,
  options: GitCommandOptions
): Effect.fn.Return<string, GitFailed | GitRefNotFound> {
  if (!isRefName(ref)) return yield* new GitRefNotFound({ ref: ref.slice(0, 100) })
  for (const candidate of candidates(ref)) {
    const hash = yield* runGitText(["rev-parse", "--verify", "--quiet", `${candidate}^{commit}`], options).pipe(
      Effect.catch((error) => (error.own === undefined ? Effect.succeed("") : Effect.fail(error)))
    )
    if (HASH.test(hash)) return hash
  }
  return yield* new GitRefNotFound({ ref })
})
