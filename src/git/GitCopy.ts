/**
 * The directory that holds the copy of a repository: whether it can be used, how it is made, updated and replaced. A new copy is made next
 * to the old one and takes its place only when it is complete.
 */
import { Clock, Duration, Effect, type FileSystem, Option, type Path, type PlatformError, Random, Schema } from "effect"
import { dirname } from "node:path"
import type { GitAddress } from "./GitAddress.ts"
import { messageOf, ownFault, reasonOf } from "../runtime/SystemErrors.ts"
import { type GitCommandOptions, GitFailed, runGitText } from "./GitCommand.ts"
import { GitRefNotFound, REMOTE_BRANCHES, resolveRef } from "./GitCommit.ts"

/** The state that is stored next to the objects: the address of this copy, and the result of the last refresh. */
const CopyState = Schema.fromJsonString(
  Schema.Struct({
    address: Schema.String,
    ref: Schema.NullOr(Schema.String),
    name: Schema.String,
    commit: Schema.String
  })
)
type CopyState = typeof CopyState.Type

/** A copy and the means to work on it. `options` are for commands in the copy's directory. */
export interface GitCopy {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly address: GitAddress
  readonly options: GitCommandOptions
  readonly clone: CloneLimits
}

/** The longest time of a clone, and the interval of its progress lines. */
interface CloneLimits {
  readonly timeout: Duration.Duration
  readonly progressEvery: Duration.Duration
}

/** The name and the commit of the configured branch, tag or commit. */
interface ResolvedRef {
  readonly name: string
  readonly commit: string
}

const STATE_FILE = "switchyard.json"
const FETCH = ["fetch", "--quiet", "--force", "--no-tags", "--no-write-fetch-head"] as const
const CLONE = ["fetch", "--progress", "--force", "--no-tags", "--no-write-fetch-head"] as const
/** Fetched objects are kept as one pack, which git reports on, instead of as thousands of files. */
const ONE_PACK = [["fetch.unpackLimit", "1"]] as const
const REFSPECS = [`+refs/heads/*:${REMOTE_BRANCHES}/*`, "+refs/tags/*:refs/tags/*"] as const
const FULL_HASH = /^[0-9a-f]{40}$/i
const HEAD_REF = "refs/switchyard/head"

/** The folder that contains the copies' folders, as messages show it: its parent is DATA_DIR. */
const rootOf = (directory: string): string => dirname(dirname(directory))

const fileFault = (directory: string) => (error: PlatformError.PlatformError) => {
  const message = messageOf(error, rootOf(directory))
  const own = ownFault(error, "file", message.split(": ")[0])
  return new GitFailed({
    reason: "failed",
    message: own?.message ?? message,
    ...(own === undefined ? {} : { own })
  })
}

/** The state of the copy; none if it does not exist or is unreadable. */
export const copyState = ({ fs, options, path }: GitCopy): Effect.Effect<Option.Option<CopyState>> =>
  fs
    .readFileString(path.join(options.directory, STATE_FILE))
    .pipe(Effect.flatMap(Schema.decodeUnknownEffect(CopyState)), Effect.option)

/** A copy that is unreadable for a moment is not replaced: fails with the fault of this server's machine. */
const canLook = ({ fs, options: { directory }, path }: GitCopy) =>
  Effect.scoped(fs.open(path.join(directory, STATE_FILE))).pipe(
    Effect.asVoid,
    Effect.catch((error) => {
      const failed = fileFault(directory)(error)
      const isPassing = failed.own?.kind === "descriptors" || failed.own?.kind === "memory"
      return isPassing ? Effect.fail(failed) : Effect.void
    })
  )

/** True if the directory holds a usable copy of the configured address and branch. */
export const isUsable = Effect.fnUntraced(function* (copy: GitCopy) {
  yield* canLook(copy)
  const state = yield* copyState(copy)
  const { ref, shown } = copy.address
  if (Option.isNone(state) || state.value.address !== shown || state.value.ref !== (ref ?? null)) return false
  return yield* runGitText(["rev-parse", "--verify", "--quiet", `${HEAD_REF}^{tree}`], copy.options).pipe(
    Effect.as(true),
    Effect.catch((error) => (error.own === undefined ? Effect.succeed(false) : Effect.fail(error)))
  )
})

/** The name of the remote's default branch, or its commit if its HEAD is detached. */
const parseDefault = (output: string): string | undefined =>
  /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(output)?.[1] ?? /^([0-9a-f]{40})\tHEAD$/m.exec(output)?.[1]

const wantedRef = Effect.fnUntraced(function* ({ address, options }: GitCopy) {
  if (address.ref !== undefined) return address.ref
  const name = parseDefault(yield* runGitText(["ls-remote", "--symref", "origin", "HEAD"], options))
  if (name !== undefined) return name
  return yield* new GitFailed({ reason: "failed", message: "the repository has no commits on its default branch" })
})

const fetchAll = ({ options }: GitCopy) => runGitText([...FETCH, "--prune", "origin", ...REFSPECS], options)

/** Fetches everything for the first time: with a limit of its own, and a line in the log from time to time. */
const cloneAll = Effect.fnUntraced(function* ({ address, clone, options }: GitCopy) {
  yield* Effect.logInfo(`Cloning ${address.shown} (limit ${Duration.format(clone.timeout)})`)
  let newest: string | undefined
  const onProgress = (line: string) => {
    newest = line
  }
  const logProgress = Effect.suspend(() => {
    const line = newest
    newest = undefined
    return line === undefined ? Effect.void : Effect.logInfo(`Cloning ${address.shown}: ${line}`)
  })
  const loggingProgress = Effect.forever(Effect.andThen(Effect.sleep(clone.progressEvery), logProgress))
  const patient = { ...options, timeout: clone.timeout, silence: options.timeout, settings: ONE_PACK, onProgress }
  const [took] = yield* Effect.timed(
    Effect.raceFirst(
      runGitText([...CLONE, "origin", ...REFSPECS], patient),
      Effect.andThen(loggingProgress, Effect.never)
    )
  )
  yield* Effect.logInfo(
    `Cloned ${address.shown} in ${Duration.format(Duration.seconds(Math.ceil(Duration.toSeconds(took))))}`
  )
})

/** Fetches all branches and tags, then finds the wanted commit; a bare commit is fetched separately if necessary. */
export const fetchCopy = Effect.fnUntraced(function* (
  copy: GitCopy,
  fetch: (copy: GitCopy) => Effect.Effect<unknown, GitFailed> = fetchAll
): Effect.fn.Return<ResolvedRef, GitFailed | GitRefNotFound> {
  const { options } = copy
  const name = yield* wantedRef(copy)
  yield* fetch(copy)
  const commit = yield* resolveRef(name, options).pipe(
    Effect.catchTag("GitRefNotFound", (missing) =>
      FULL_HASH.test(name)
        ? runGitText([...FETCH, "origin", name], options).pipe(
            Effect.andThen(resolveRef(name, options)),
            Effect.catchTag("GitFailed", () => Effect.fail(missing))
          )
        : Effect.fail(missing)
    )
  )
  return { name, commit }
})

/** Records the commit of the copy; a reference keeps git from deleting the commit. */
export const recordState = Effect.fnUntraced(function* (
  { address, fs, options, path }: GitCopy,
  { commit, name }: ResolvedRef
): Effect.fn.Return<void, GitFailed> {
  yield* runGitText(["update-ref", HEAD_REF, commit], options)
  const state = { address: address.shown, ref: address.ref ?? null, name, commit }
  const text = yield* Effect.orDie(Schema.encodeEffect(CopyState)(state))
  const file = path.join(options.directory, STATE_FILE)
  yield* fs.writeFileString(`${file}.new`, text, { mode: 0o600 }).pipe(Effect.mapError(fileFault(options.directory)))
  yield* fs.rename(`${file}.new`, file).pipe(Effect.mapError(fileFault(options.directory)))
})

/** Removes unfinished copies that a killed process has left. */
const removeUnfinished = ({ fs, options: { directory }, path }: GitCopy): Effect.Effect<void> =>
  fs.readDirectory(path.dirname(directory)).pipe(
    Effect.flatMap((names) =>
      Effect.forEach(
        names.filter((name) => name.startsWith(`${path.basename(directory)}.new-`)),
        (name) => fs.remove(path.join(path.dirname(directory), name), { recursive: true, force: true })
      )
    ),
    Effect.ignore
  )

/** Makes the copy anew; the old one is removed once the new one is complete, and stays if it cannot be made. */
export const replaceCopy = Effect.fnUntraced(function* (
  copy: GitCopy
): Effect.fn.Return<ResolvedRef, GitFailed | GitRefNotFound> {
  const { fs, options } = copy
  const suffix = yield* Random.nextIntBetween(0, 1_000_000_000)
  const fresh = `${options.directory}.new-${suffix}`
  const next = { ...copy, options: { ...options, directory: fresh } }
  const removeFresh = Effect.ignore(fs.remove(fresh, { recursive: true, force: true }))
  yield* removeUnfinished(copy)
  return yield* Effect.gen(function* () {
    yield* fs.makeDirectory(fresh, { recursive: true, mode: 0o700 }).pipe(Effect.mapError(fileFault(options.directory)))
    yield* runGitText(["init", "--quiet", "--bare", "--template=", fresh], next.options)
    // a dead remote is noticed before the long wait for its objects
    if (copy.address.ref !== undefined) yield* runGitText(["ls-remote", "--quiet", "origin", "HEAD"], next.options)
    const arrived = yield* fetchCopy(next, cloneAll)
    yield* recordState(next, arrived)
    yield* fs
      .remove(options.directory, { recursive: true, force: true })
      .pipe(Effect.mapError(fileFault(options.directory)))
    yield* fs.rename(fresh, options.directory).pipe(Effect.mapError(fileFault(options.directory)))
    return arrived
  }).pipe(Effect.ensuring(removeFresh))
})

/** Removes the state of a damaged copy, so that the next refresh makes it anew. */
export const condemn = ({ fs, options, path }: GitCopy): Effect.Effect<void> =>
  Effect.ignore(fs.remove(path.join(options.directory, STATE_FILE), { force: true }))

// Lock files of a killed git, or of a machine that lost its power, in a local copy: with them every later refresh would fail. They are
// removed if no git process works in the copy; commands of this server do not run meanwhile.

const LOCK = ".lock"

/** The directories in which git makes locks: no branch, tag or other name may end like one. */
const lockFiles = Effect.fnUntraced(function* ({ fs, options: { directory }, path }: GitCopy) {
  const below = (folder: string, recursive: boolean) =>
    fs.readDirectory(path.join(directory, folder), { recursive }).pipe(
      Effect.map((names) => names.map((name) => path.join(folder, name))),
      Effect.orElseSucceed(() => [])
    )
  const found = yield* Effect.all([
    below(".", false),
    below("refs", true),
    below("objects/info", true),
    below("objects/pack", false)
  ])
  return found.flat().filter((name) => name.endsWith(LOCK))
})

/** The directory that a process works in; none if it has ended or belongs to another user. */
const workingDirectory = ({ fs }: GitCopy, pid: string) => Effect.option(fs.readLink(`/proc/${pid}/cwd`))

/** Whether a git process works in the copy, as Linux shows it; none if the system does not show it. */
const gitWorksIn = Effect.fnUntraced(function* (copy: GitCopy) {
  const { fs, options } = copy
  const processes = yield* Effect.option(fs.readDirectory("/proc"))
  const directory = yield* Effect.option(fs.realPath(options.directory))
  if (Option.isNone(processes) || Option.isNone(directory)) return Option.none<boolean>()
  const pids = processes.value.filter((name) => /^\d+$/.test(name))
  if (pids.length === 0) return Option.none<boolean>()
  for (const pid of pids) {
    const working = yield* workingDirectory(copy, pid)
    if (!Option.contains(working, directory.value)) continue
    const name = yield* Effect.orElseSucceed(fs.readFileString(`/proc/${pid}/comm`), () => "")
    if (name.startsWith("git")) return Option.some(true)
  }
  return Option.some(false)
})

/** For systems that do not show processes: no command of ours runs for so long. */
const isOld = Effect.fnUntraced(function* ({ clone, fs, options, path }: GitCopy, name: string) {
  const file = yield* Effect.option(fs.stat(path.join(options.directory, name)))
  const modified = Option.flatMap(file, ({ mtime }) => mtime)
  const age = (yield* Clock.currentTimeMillis) - Option.match(modified, { onNone: () => 0, onSome: Number })
  return age > Duration.toMillis(Duration.max(options.timeout, clone.timeout))
})

/** Removes lock files of ended processes. The caller must make sure that this server runs no git in the copy. */
export const removeLeftLocks = Effect.fnUntraced(function* (copy: GitCopy): Effect.fn.Return<void> {
  const locks = yield* lockFiles(copy)
  if (locks.length === 0) return
  const atWork = yield* gitWorksIn(copy)
  const left = Option.isNone(atWork)
    ? yield* Effect.filter(locks, (name) => isOld(copy, name))
    : atWork.value
      ? []
      : locks
  if (left.length === 0) return
  const { fs, options, path } = copy
  yield* Effect.logWarning(
    `Removed what a killed git has left in the copy of ${copy.address.shown}: ${left.join(", ")}`
  )
  yield* Effect.forEach(left, (name) =>
    Effect.catch(fs.remove(path.join(options.directory, name), { force: true }), (error) =>
      Effect.logWarning(`A left lock cannot be removed: ${reasonOf(error)}`)
    )
  )
})
