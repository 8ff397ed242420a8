/** Which version of the program runs (docs/api.md#health). */
import { Context, Effect, Layer, Path } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { packedCommit, release } from "../domain/Release.ts"

const UNKNOWN = "No git repo found"

const gitVersion = Effect.fnUntraced(
  function* (root: string) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const format = "--format=%H%x00%D%x00%ci"
    const shown = yield* spawner.string(ChildProcess.make("git", ["-C", root, "log", "-1", format]))
    const [hash = "", refs = "", time = ""] = shown.trim().split("\0")
    if (hash === "") return UNKNOWN
    const branch = /HEAD -> ([^,]+)/.exec(refs)?.[1] ?? "HEAD"
    return `Git commit ${hash} ${branch} (${time.replace(/ ([+-]\d\d)(\d\d)$/, "$1:$2")})`
  },
  Effect.orElseSucceed(() => UNKNOWN)
)

const make = Effect.gen(function* () {
  const path = yield* Path.Path
  const root = path.resolve(import.meta.dirname, "../..")
  // a package lies in some folder of somebody's, whose commit is not ours
  const version = packedCommit === undefined ? yield* gitVersion(root) : `Git commit ${packedCommit}`
  return Build.of({ version: release, git_version: version })
})

/** Version of the package, and the line about the commit that it was checked out from. */
export class Build extends Context.Service<Build, { readonly version: string; readonly git_version: string }>()(
  "switchyard/runtime/Build"
) {
  /** Read once at the start. */
  static readonly layer = Layer.effect(Build, make)
}
