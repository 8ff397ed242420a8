/**
 * Lock files that a git which was killed, or a machine that lost its power, has left in a local copy: with them every later
 * refresh would fail. They are removed when no git process works in the copy; commands of this server do not run meanwhile.
 */
import { Clock, Duration, Effect, Option } from "effect"
import { reasonOf } from "../runtime/SystemErrors.ts"
import type { GitCopy } from "./GitCopy.ts"

const LOCK = ".lock"

/** Where git makes locks: no branch, tag or other name may end like one. */
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

/** The directory that a process works in; none when it has ended or belongs to somebody else. */
const workingDirectory = ({ fs }: GitCopy, pid: string) => Effect.option(fs.readLink(`/proc/${pid}/cwd`))

/** Whether a git process works in the copy, as Linux tells; none where the system does not tell. */
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

/** Where processes cannot be seen: no command of ours runs for so long. */
const isOld = Effect.fnUntraced(function* ({ clone, fs, options, path }: GitCopy, name: string) {
  const file = yield* Effect.option(fs.stat(path.join(options.directory, name)))
  const modified = Option.flatMap(file, ({ mtime }) => mtime)
  const age = (yield* Clock.currentTimeMillis) - Option.match(modified, { onNone: () => 0, onSome: Number })
  return age > Duration.toMillis(Duration.max(options.timeout, clone.timeout))
})

/** Removes lock files that nobody holds any more. The caller sees to it that this server runs no git in the copy. */
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
