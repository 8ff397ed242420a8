/** The version of the program that runs (docs/api.md#health). */
import { Effect, Path } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { packedCommit, release } from "../domain/Release.ts"

const UNKNOWN = "No git repo found"

const gitVersion = Effect.fnUntraced(
  function* (root: string) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const format = "--format=%H%x00%D%x00%ci"
    // whoever owns the clone: what runs from it is trusted already
    const trusting = ["-c", `safe.directory=${root}`, "-C", root]
    const shown = yield* spawner.string(ChildProcess.make("git", [...trusting, "log", "-1", format]))
    const [hash = "", refs = "", time = ""] = shown.trim().split("\0")
    if (hash === "") return UNKNOWN
    const branch = /HEAD -> ([^,]+)/.exec(refs)?.[1] ?? "HEAD"
    return `Git commit ${hash} ${branch} (${time.replace(/ ([+-]\d\d)(\d\d)$/, "$1:$2")})`
  },
  Effect.orElseSucceed(() => UNKNOWN)
)

/** The version of the package, and the line about the commit that it was checked out from. */
export const readBuild = Effect.gen(function* () {
  const path = yield* Path.Path
  const root = path.resolve(import.meta.dirname, "../..")
  // a package may lie within another repository, whose commit is not ours
  const version = packedCommit === undefined ? yield* gitVersion(root) : `Git commit ${packedCommit}`
  return { version: release, git_version: version }
})
