/**
 * A local copy of a remote git repository: cloned once, refreshed on demand, read one commit at a time. The copy has no working tree: files
 * are read from a commit's objects into memory, so a commit in force never changes through a refresh, a force-push or a damaged disk
 * (docs/settings-repository.md#refresh). A copy that is broken or belongs to another address is replaced; the old one stays until the new
 * one is complete.
 */
import { Duration, Effect, FileSystem, Option, Path, Semaphore } from "effect"
import type { CommitSignature } from "../domain/CommitSignature.ts"
import { makeSignatures, type SignerTrust } from "./CommitSignatures.ts"
import { type LineOrigin, makeBlame } from "./GitBlame.ts"
import { type GitAddressInvalid, parseGitAddress } from "./GitAddress.ts"
import { type GitCommandOptions, GitFailed, runGit, runGitText } from "./GitCommand.ts"
import {
  BRANCH_FORMAT,
  COMMIT_FORMAT,
  type GitBranch,
  type GitCommit,
  GitRefNotFound,
  LOG_FORMAT,
  type LoggedCommit,
  parseBranches,
  parseCommit,
  parseLog,
  REMOTE_BRANCHES,
  resolveRef
} from "./GitCommit.ts"
import {
  condemn,
  copyState,
  fetchCopy,
  type GitCopy,
  isUsable,
  recordState,
  removeLeftLocks,
  replaceCopy
} from "./GitCopy.ts"
import {
  type FileRefusal,
  fileText,
  isForeign,
  parseObjects,
  parseTree,
  type ResolvedPath,
  resolvePaths,
  symlinksOf,
  type TreeEntry,
  type TreeFiles,
  unfitName
} from "./GitTree.ts"

// Reads the files of one commit into memory with two git commands, however many files there are.

/** Bounds in bytes; a larger file is refused alone, a larger sum fails as a whole. */
interface TreeLimits {
  readonly file: number
  readonly total: number
}

/** Generous for texts that people write, small enough for memory. */
const DEFAULT_LIMITS: TreeLimits = { file: 4 * 1024 * 1024, total: 256 * 1024 * 1024 }

const damaged = (what: string) => new GitFailed({ reason: "damaged", message: `the local copy is damaged: ${what}` })

const readObjects = (objects: Iterable<string>, options: GitCommandOptions) => {
  const wanted = [...new Set(objects)]
  if (wanted.length === 0) return Effect.succeed<ReadonlyMap<string, Buffer>>(new Map())
  return Effect.map(runGit(["cat-file", "--batch"], { ...options, input: `${wanted.join("\n")}\n` }), parseObjects)
}

const readLinks = Effect.fnUntraced(function* (entries: ReadonlyArray<TreeEntry>, options: GitCommandOptions) {
  const links = symlinksOf(entries)
  const objects = yield* readObjects(
    links.map((link) => link.object),
    options
  )
  return new Map(links.map((link) => [link.path, objects.get(link.object)?.toString("utf8") ?? ""]))
})

/** The wanted files with their content, or the reason why they are refused. */
const collect = (
  paths: ReadonlyArray<readonly [string, ResolvedPath]>,
  objects: ReadonlyMap<string, Buffer>,
  limit: number
): TreeFiles => {
  const files = new Map<string, string>()
  const refused = new Map<string, FileRefusal>()
  const ignored: Array<string> = []
  for (const [path, entry] of paths) {
    const unfit = unfitName(path)
    if (isForeign(path)) ignored.push(unfit?.name ?? path)
    else if (unfit !== undefined) refused.set(unfit.name, unfit.refused)
    else if ("refused" in entry) refused.set(path, { reason: entry.refused, line: null })
    else if (entry.size > limit) refused.set(path, { reason: `larger than ${limit} bytes`, line: null })
    else {
      const read = fileText(path, objects.get(entry.object) ?? Buffer.alloc(0))
      if ("ignored" in read) ignored.push(path)
      else if ("refused" in read) refused.set(path, read.refused)
      else files.set(path, read.text)
    }
  }
  return { files, ignored, refused }
}

/** The wanted files of a commit. Fails if the commit or one of its objects is missing, or if they are too large in all. */
const readTreeFiles = Effect.fnUntraced(function* (
  hash: string,
  wanted: (path: string) => boolean,
  limits: TreeLimits,
  options: GitCommandOptions
): Effect.fn.Return<TreeFiles, GitFailed> {
  const listing = yield* runGit(["ls-tree", "-r", "-z", "-l", "--full-tree", hash], options).pipe(
    Effect.catchTag("GitFailed", (error) =>
      error.reason === "late" || error.own !== undefined ? error : damaged(error.message)
    )
  )
  const entries = parseTree(listing.toString("utf8"))
  const links = yield* readLinks(entries, options)
  // a submodule or a broken link stands for the files below it
  const isWanted = ([path, entry]: readonly [string, ResolvedPath]) =>
    wanted(path) || ("refused" in entry && entry.isTree && wanted(`${path}/`))
  const found = [...resolvePaths(entries, links)].filter(isWanted)
  const readable = found.flatMap(([path, entry]) =>
    !isForeign(path) && "object" in entry && entry.size <= limits.file ? [entry] : []
  )
  const total = new Map(readable.map((entry) => [entry.object, entry.size]))
    .values()
    .reduce((sum, size) => sum + size, 0)
  if (total > limits.total) {
    return yield* new GitFailed({
      reason: "failed",
      message: `the files of commit ${hash} are larger than ${limits.total} bytes in all`
    })
  }
  const objects = yield* readObjects(
    readable.map((entry) => entry.object),
    options
  )
  const lost = readable.find((entry) => !objects.has(entry.object))
  if (lost !== undefined) return yield* damaged(`object ${lost.object} is missing`)
  return collect(found, objects, limits.file)
})

/** The configuration of a repository. */
export interface GitRepositoryConfig {
  /** Path or URL, optionally with `#branch`, `#tag` or `#commit`. */
  readonly address: string
  /** Directory of the local copy; it and its parents are made if they are missing. */
  readonly directory: string
  /** How long one exchange with the remote may take; default 60 seconds. */
  readonly timeout?: Duration.Input
  /** How long the first fetch of everything may take; default 10 minutes. */
  readonly cloneTimeout?: Duration.Input
  /** The interval of a clone's progress lines in the log; default 5 seconds. */
  readonly progressEvery?: Duration.Input
  /** Whose signatures of commits are verified; without it no signature is. */
  readonly signers?: SignerTrust
  /** Used instead of `ssh`, such as `ssh -i /etc/switchyard/key`. */
  readonly sshCommand?: string
}

/** The commit of a refresh, and whether the copy had to be made anew. */
export interface RefreshResult {
  readonly commit: GitCommit
  readonly cloned: boolean
}

/** A repository; all effects may run concurrently, refreshes wait for each other. */
export interface GitRepository {
  /** The address without credentials. */
  readonly address: string
  /** Updates the copy, or clones it if there is no usable one. */
  readonly refresh: Effect.Effect<RefreshResult, GitFailed>
  /** The commit of the last refresh, also of an earlier process; none before the first. */
  readonly current: Effect.Effect<Option.Option<GitCommit>, GitFailed>
  /** The commit of a branch, tag or commit as of the last refresh; a branch wins over a tag of its name. */
  readonly resolve: (ref: string) => Effect.Effect<string, GitFailed | GitRefNotFound>
  /** Committer and time of a commit, with the name of the configured branch. */
  readonly describe: (hash: string) => Effect.Effect<GitCommit, GitFailed | GitRefNotFound>
  /** A commit and its predecessors, the newest first, at most so many. */
  readonly log: (hash: string, count: number) => Effect.Effect<ReadonlyArray<LoggedCommit>, GitFailed | GitRefNotFound>
  /** The remote's branches as of the last refresh, that with the newest commit first, at most so many. */
  readonly branches: (count: number) => Effect.Effect<ReadonlyArray<GitBranch>, GitFailed>
  /** The wanted files of a commit. */
  readonly readTree: (
    hash: string,
    wanted: (path: string) => boolean,
    limits?: TreeLimits
  ) => Effect.Effect<TreeFiles, GitFailed | GitRefNotFound>
  /** Paths that differ between two commits; a renamed file counts with both names. */
  readonly changedPaths: (from: string, to: string) => Effect.Effect<ReadonlyArray<string>, GitFailed | GitRefNotFound>
  /** The signatures of commits, by commit; empty without allowed signers. `fresh` ones are verified now, others within the hour. */
  readonly signatures: (
    hashes: ReadonlyArray<string>,
    how?: { readonly fresh?: boolean }
  ) => Effect.Effect<ReadonlyMap<string, CommitSignature>, GitFailed>
  /** The commit that wrote each line of a file, as this commit has it; none for a file that the commit lacks. */
  readonly blame: (hash: string, path: string) => Effect.Effect<ReadonlyArray<LineOrigin>, GitFailed | GitRefNotFound>
  /** Whether the history of a commit contains an older one; false for an older one that the copy does not have. */
  readonly contains: (hash: string, older: string) => Effect.Effect<boolean, GitFailed | GitRefNotFound>
  /** Keeps a commit, though no branch may lead to it any more, in the place of the one kept before. */
  readonly keep: (hash: string) => Effect.Effect<void, GitFailed | GitRefNotFound>
}

const HASH = /^[0-9a-f]{40,64}$/

/** The hash of a commit in the copy. */
const knownCommit = Effect.fnUntraced(function* (copy: GitCopy, hash: string) {
  if (!HASH.test(hash)) return yield* new GitRefNotFound({ ref: hash.slice(0, 100) })
  return yield* resolveRef(hash, copy.options)
})

const contains = Effect.fnUntraced(function* (copy: GitCopy, hash: string, older: string) {
  const known = yield* knownCommit(copy, hash)
  const before = yield* Effect.catchTag(knownCommit(copy, older), "GitRefNotFound", () => Effect.succeed(null))
  if (before === null) return false
  const missing = yield* runGitText(["rev-list", "--max-count=1", before, `^${known}`], copy.options)
  return missing === ""
})

const describeAs = Effect.fnUntraced(function* (copy: GitCopy, hash: string, name: string) {
  const shown = yield* runGitText(["show", "-s", "--no-show-signature", COMMIT_FORMAT, hash], copy.options)
  return yield* Effect.fromResult(parseCommit(shown, name))
})

const refreshCopy = Effect.fnUntraced(function* (copy: GitCopy): Effect.fn.Return<RefreshResult, GitFailed> {
  const { ref, shown } = copy.address
  const failed = (what: string) => (error: GitFailed | GitRefNotFound) =>
    error._tag === "GitFailed" && error.own !== undefined
      ? error
      : new GitFailed({
          reason: error._tag === "GitFailed" ? error.reason : "failed",
          message: `Error ${what} remote repository ${shown}: ${error.message}`
        })
  yield* removeLeftLocks(copy)
  if (yield* isUsable(copy)) {
    const arrived = yield* Effect.result(fetchCopy(copy))
    if (arrived._tag === "Success") {
      yield* recordState(copy, arrived.success)
      return { commit: yield* describeAs(copy, arrived.success.commit, arrived.success.name), cloned: false }
    }
    const error = failed("fetching")(arrived.failure)
    if (error.reason === "late" || error.own !== undefined || arrived.failure._tag === "GitRefNotFound")
      return yield* error
    // If the remote answers, the copy itself is at fault.
    yield* runGitText(["ls-remote", "origin", ref ?? "HEAD"], copy.options).pipe(Effect.mapError(() => error))
  }
  const { commit, name } = yield* replaceCopy(copy).pipe(Effect.mapError(failed("cloning")))
  return { commit: yield* describeAs(copy, commit, name), cloned: true }
})

const logOf = Effect.fnUntraced(function* (copy: GitCopy, hash: string, count: number) {
  const known = yield* knownCommit(copy, hash)
  const output = yield* runGitText(
    ["log", "-z", "--no-show-signature", "--no-ext-diff", `--max-count=${count}`, LOG_FORMAT, known],
    copy.options
  )
  return parseLog(output)
})

const changedPaths = Effect.fnUntraced(function* (copy: GitCopy, from: string, to: string) {
  const ends = [yield* knownCommit(copy, from), yield* knownCommit(copy, to)]
  const output = yield* runGitText(
    ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", ...ends],
    copy.options
  )
  return output.split("\0").filter((path) => path !== "")
})

/** No commit is left that leads to the other one and not to this one. */
/** Makes the repository of an address; nothing is fetched before the first `refresh`. */
export const makeGitRepository = Effect.fnUntraced(function* (
  config: GitRepositoryConfig
): Effect.fn.Return<GitRepository, GitAddressInvalid, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const address = yield* Effect.fromResult(parseGitAddress(config.address))
  const directory = path.resolve(config.directory)
  const timeout = Duration.fromInputUnsafe(config.timeout ?? "60 seconds")
  const clone = {
    timeout: Duration.fromInputUnsafe(config.cloneTimeout ?? "10 minutes"),
    progressEvery: Duration.fromInputUnsafe(config.progressEvery ?? "5 seconds")
  }
  const options = { address, directory, timeout, sshCommand: config.sshCommand }
  const copy: GitCopy = { fs, path, address, options, clone }
  const one = yield* Semaphore.make(1)
  const signatures =
    config.signers === undefined ? () => Effect.succeed(new Map()) : yield* makeSignatures(config.signers, options)
  const blame = makeBlame(options)
  const nameOf = Effect.map(copyState(copy), (state) => (Option.isSome(state) ? state.value.name : "HEAD"))
  return {
    address: address.shown,
    refresh: one.withPermits(1)(refreshCopy(copy)),
    current: Effect.flatMap(copyState(copy), (state) =>
      Option.isNone(state) || state.value.address !== address.shown
        ? Effect.succeed(Option.none())
        : Effect.asSome(describeAs(copy, state.value.commit, state.value.name))
    ),
    resolve: (ref) => resolveRef(ref, copy.options),
    describe: (hash) =>
      Effect.flatMap(knownCommit(copy, hash), (known) =>
        Effect.flatMap(nameOf, (name) => describeAs(copy, known, name))
      ),
    log: (hash, count) => logOf(copy, hash, count),
    branches: (count) =>
      Effect.flatMap(copyState(copy), (state) =>
        Option.isNone(state) || state.value.address !== address.shown
          ? Effect.succeed([])
          : Effect.map(
              runGitText(
                ["for-each-ref", "--sort=-committerdate", `--count=${count}`, BRANCH_FORMAT, `${REMOTE_BRANCHES}/`],
                copy.options
              ),
              parseBranches
            )
      ),
    readTree: (hash, wanted, limits = DEFAULT_LIMITS) =>
      knownCommit(copy, hash).pipe(
        Effect.flatMap((known) => readTreeFiles(known, wanted, limits, copy.options)),
        Effect.tapError((error) =>
          error._tag === "GitFailed" && error.reason === "damaged" ? condemn(copy) : Effect.void
        )
      ),
    changedPaths: (from, to) => changedPaths(copy, from, to),
    signatures,
    blame: (hash, path) => Effect.flatMap(knownCommit(copy, hash), (known) => blame(known, path)),
    contains: (hash, older) => contains(copy, hash, older),
    keep: (hash) =>
      Effect.flatMap(knownCommit(copy, hash), (known) =>
        Effect.asVoid(runGitText(["update-ref", "refs/switchyard/kept", known], copy.options))
      ).pipe(one.withPermits(1))
  }
})

const NO_BRANCH = /^[0-9a-f]{40,64}$/

/**
 * Asks a remote for the branch or tag of its address, without a local copy; `directory` must exist. Fails with GitAddressInvalid, and with
 * GitFailed if it does not answer or has no such branch. Yields the commit; null for an address that names a commit.
 */
export const tryRemote = Effect.fn("GitRepository.tryRemote")(function* (
  text: string,
  directory: string,
  timeout: Duration.Input
) {
  const address = yield* Effect.fromResult(parseGitAddress(text))
  const { ref = "HEAD", shown } = address
  const found = yield* runGitText(["ls-remote", "--quiet", "origin", ref], {
    address,
    directory,
    timeout: Duration.fromInputUnsafe(timeout)
  })
  // remotes list no commits by their hash
  if (found === "" && !NO_BRANCH.test(ref)) {
    const what = ref === "HEAD" ? "no commit yet" : `no branch or tag ${ref}`
    return yield* new GitFailed({ reason: "failed", message: `${shown} has ${what}` })
  }
  return /^[0-9a-f]{40,64}/.exec(found)?.[0] ?? null
})
