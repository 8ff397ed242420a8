/** From the name of a branch or tag, or a commit hash, to the commit, as the local copy knows it after its last fetch. */
import { Effect, Schema } from "effect"
import { isRefName } from "./GitAddress.ts"
import { type GitCommandOptions, type GitFailed, runGitText } from "./GitCommand.ts"

/** The remote has no such branch, tag or commit. Asking again helps only after somebody pushed it. */
export class GitRefNotFound extends Schema.TaggedError<GitRefNotFound>()("GitRefNotFound", { ref: Schema.String }) {
  override get message() {
    return `fatal: invalid reference: ${this.ref}`
  }
}

/** Where the branches of the remote are kept in the copy. */
export const REMOTE_BRANCHES = "refs/remotes/origin"

const HASH = /^[0-9a-f]{7,64}$/i

const candidates = (ref: string): ReadonlyArray<string> => [
  `${REMOTE_BRANCHES}/${ref}`,
  `refs/tags/${ref}`,
  ...(HASH.test(ref) ? [ref] : [])
]

/** The full hash of the commit; a branch wins over a tag, a tag over a commit. */
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
