/**
 * Checks a branch before it is merged: fetches it, checks it as a refresh does, and renders the affected devices from the commits
 * in force and from the branch. Nothing comes into force. One check runs at a time, within bounds of time and number.
 */
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { type CheckedBranch, NO_EFFECTS } from "../../domain/CommitEffects.ts"
import type { GitCommit } from "../../git/GitCommit.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import * as FairPlaces from "../../runtime/FairPlaces.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { type makeEffects, NO_RENDERINGS } from "./CommitEffects.ts"
import { type CheckedCommit, RepositoryCopies, withUndefined } from "./CheckedCommit.ts"
import type { makeSettingsUpdate } from "./SettingsUpdate.ts"
import type { makeTemplatesUpdate } from "./TemplatesUpdate.ts"
import { type FileRefusal, fileText, isForeign } from "../../git/GitTree.ts"
import { type Remark, remark } from "../../domain/Repository.ts"
import type { BranchRequest } from "../../domain/requests/ChangeRequests.ts"

/** How many checks may wait. */
const WAITING = 8

/** The repository has no such branch. Another name helps, or a push. */
class BranchUnknown extends Schema.TaggedError<BranchUnknown>()("BranchUnknown", { branch: Schema.String }) {
  override get message() {
    return `branch: the repository has no branch, tag or commit ${this.branch}`
  }
}

/** Another branch is being checked. Trying again later helps. */
class BranchCheckBusy extends Schema.TaggedError<BranchCheckBusy>()("BranchCheckBusy", {}) {
  override get message() {
    return "Another branch is being checked, try again later"
  }
}

/** Git failed. `message` is its message. */
class BranchUnreadable extends Schema.TaggedError<BranchUnreadable>()("BranchUnreadable", {
  message: Schema.String
}) {}

/** The result that a refresh would have for the commit. */
interface Verdict {
  readonly checked: CheckedCommit | null
  readonly problems: ReadonlyArray<Remark>
}

/** The checks of commits by repository. */
interface CommitChecks {
  readonly settings: Effect.Success<typeof makeSettingsUpdate>
  readonly templates: Effect.Success<typeof makeTemplatesUpdate>
}

/** A commit to check, or files that stand for one. */
interface Candidate {
  readonly repository: GitRepository
  readonly commit: GitCommit
  readonly seconds: number
}

/** The branch name in answers about files that were sent instead of a branch. */
const SENT = "(files)"

/** Treats sent files as a commit of the repository; branches of templates are read from the repository as usual. */
const ofFiles = (repository: GitRepository, files: Readonly<Record<string, string>>): Candidate => {
  const hash = createHash("sha1").update(JSON.stringify(files)).digest("hex")
  const wantedOf = (isWanted: (path: string) => boolean) => {
    const ignored: Array<string> = []
    const tree = { files: new Map<string, string>(), refused: new Map<string, FileRefusal>(), ignored }
    for (const [path, text] of Object.entries(files).filter(([path]) => isWanted(path))) {
      const read = fileText(path, Buffer.from(text))
      if (isForeign(path) || "ignored" in read) ignored.push(path)
      else if ("refused" in read) tree.refused.set(path, read.refused)
      else tree.files.set(path, read.text)
    }
    return tree
  }
  const readTree: GitRepository["readTree"] = (asked, isWanted, limits) =>
    asked === hash ? Effect.succeed(wantedOf(isWanted)) : repository.readTree(asked, isWanted, limits)
  const seconds = Math.floor(Date.now() / 1000)
  // files that nobody has committed have no signature yet
  const signatures: GitRepository["signatures"] = (hashes, how) =>
    repository.signatures(
      hashes.filter((asked) => asked !== hash),
      how
    )
  return {
    repository: { ...repository, readTree, signatures },
    commit: { hash, name: SENT, committer: "", time: "" },
    seconds
  }
}

const unreadable = ({ message }: { readonly message: string }) => Effect.fail(new BranchUnreadable({ message }))

/** The check of branches, with the checks of a refresh and the function that finds the effects of a commit. */
export const makeBranchCheck = Effect.fnUntraced(function* (
  updates: CommitChecks,
  effectsOf: Effect.Success<typeof makeEffects>
) {
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const one = FairPlaces.make({ what: "checks of branches", places: 1, waiting: WAITING })

  const verdictOn = Effect.fnUntraced(function* (name: RepositoryName, { commit, repository }: Candidate) {
    const applied = yield* repositories.find(name, "")
    return yield* updates[name].check(repository, commit, applied).pipe(
      Effect.map((checked): Verdict => ({ checked, problems: [] })),
      Effect.catchTag("RefreshRefused", ({ message, problems = [remark(message)] }) =>
        Effect.succeed<Verdict>({ checked: null, problems })
      )
    )
  })

  const candidateOf = Effect.fnUntraced(function* (name: RepositoryName, { branch = "", files }: BranchRequest) {
    const repository = yield* copies.of(name)
    if (files !== undefined) return ofFiles(repository, files)
    yield* repository.refresh
    const hash = yield* Effect.catchTag(repository.resolve(branch), "GitRefNotFound", () =>
      Effect.fail(new BranchUnknown({ branch: branch.slice(0, 100) }))
    )
    const [logged] = yield* repository.log(hash, 1)
    const commit = { ...(yield* repository.describe(hash)), name: branch }
    return { repository, commit, seconds: logged?.seconds ?? 0 } satisfies Candidate
  })

  /** The effects of the commit; none while no commit is in force. */
  const meaning = Effect.fnUntraced(function* (checked: CheckedCommit | null, extent: "whole" | "patient") {
    if (checked?.compared === undefined) return { ...NO_RENDERINGS, effects: NO_EFFECTS }
    const { effects, renderings } = yield* effectsOf(checked.compared, checked.affected, extent)
    return { ...renderings, effects }
  })

  const check = Effect.fn("BranchCheck.check")(
    function* (name: RepositoryName, request: BranchRequest, extent: "whole" | "patient") {
      const candidate = yield* candidateOf(name, request)
      const { checked, problems } = yield* verdictOn(name, candidate)
      const { commit, repository, seconds } = candidate
      const signature = (yield* repository.signatures([commit.hash])).get(commit.hash) ?? null
      const { effects, ...found } = yield* meaning(checked, extent)
      return {
        repository: name,
        branch: commit.name,
        commit: commit.hash,
        committer: commit.committer,
        at: new Date(seconds * 1000).toISOString().slice(0, 19),
        signature,
        in_force: Option.getOrNull(yield* repositories.commitOf(name, "")),
        accepted: checked !== null,
        problems,
        warnings: withUndefined(checked?.warnings ?? [], effects.undefined_names),
        effects,
        ignored: checked?.ignored ?? [],
        ...found
      } satisfies CheckedBranch
    },
    Effect.catchTags({
      GitFailed: unreadable,
      GitRefNotFound: unreadable,
      GitAddressInvalid: unreadable,
      RefreshRefused: unreadable
    })
  )

  return {
    /** The result of a refresh of a branch, or of files that were sent: problems, effects and configurations of devices. */
    branch: (name: RepositoryName, request: BranchRequest) =>
      Effect.catchTag(one.within(check(name, request, "whole")), "PlacesFull", () =>
        Effect.fail(new BranchCheckBusy())
      ),
    /** The same for the branch of a proposal: patiently, and beside the checks for which people wait. */
    proposal: (name: RepositoryName, branch: string) => check(name, { branch }, "patient")
  }
})

export type BranchChecks = Effect.Success<ReturnType<typeof makeBranchCheck>>
