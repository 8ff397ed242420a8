/** The version of the package and the commit that it was checked out from. */
import { Effect, Layer, Path } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { release } from "../domain/Release.ts"
import { Build } from "./Build.ts"

const gitVersion = Effect.fnUntraced(
  function* (root: string) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const format = "--format=%H%x00%D%x00%ci"
    const shown = yield* spawner.string(ChildProcess.make("git", ["-C", root, "log", "-1", format]))
    const [hash = "", refs = "", time = ""] = shown.trim().split("\0")
    if (hash === "") return "No git repo found"
    const branch = /HEAD -> ([^,]+)/.exec(refs)?.[1] ?? "HEAD"
    return `Git commit ${hash} ${branch} (${time.replace(/ ([+-]\d\d)(\d\d)$/, "$1:$2")})`
  },
  Effect.orElseSucceed(() => "No git repo found")
)

const make = Effect.gen(function* () {
  const path = yield* Path.Path
  const root = path.resolve(import.meta.dirname, "../..")
  return Build.of({ version: release, git_version: yield* gitVersion(root) })
})

/** Read once at the start. */
export const layer = Layer.effect(Build, make)
