/**
 * `windows.yml` in DATA_DIR (docs/windows.md): read at the start, and again when it has changed, as `permissions.yml` is. A file that became
 * wrong, or went away, leaves in force what was; one that is wrong at the start ends it. Without a file everything may change at any time.
 */
import { Clock, Context, Effect, FileSystem, Layer, Path, Result, Schema } from "effect"
import { parse } from "yaml"
import { readWindows, type WindowRules } from "../domain/access/WindowFile.ts"
import { ServerConfig } from "../ServerConfig.ts"

const FILE = "windows.yml"
/** How long a look at the file counts, in milliseconds. */
const KEPT = 2000

/** The file is wrong; the server does not start. */
export class WindowsUnusable extends Schema.TaggedError<WindowsUnusable>()("WindowsUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The windows in ${this.path} cannot be used: ${this.reason}`
  }
}

/** The windows in force; `rules` null without a file. */
export interface WindowsInForce {
  readonly rules: WindowRules | null
  /** What is wrong with the file that was read last, so that what was before stays in force; null when nothing is. */
  readonly problem: string | null
}

const make = Effect.gen(function* () {
  const { DATA_DIR } = yield* ServerConfig
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(DATA_DIR, FILE)
  const unusable = (reason: string) => new WindowsUnusable({ path, reason })

  /** The file's text; null when there is no file. */
  const text = files.readFileString(path).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(null)
    ),
    Effect.mapError(({ message }) => unusable(message))
  )
  const read = (found: string | null) =>
    found === null
      ? Effect.succeed(null)
      : Effect.fromResult(
          Result.try({ try: (): unknown => parse(found), catch: String }).pipe(
            Result.flatMap(readWindows),
            Result.mapError(unusable)
          )
        )

  const first = yield* text
  const inForce: WindowsInForce = { rules: yield* read(first), problem: null }
  let seen = { text: first, inForce, at: yield* Clock.currentTimeMillis }

  const readAnew = Effect.gen(function* () {
    const found = yield* text
    if (found === seen.text) return
    seen = { ...seen, text: found }
    if (found === null) return yield* unusable("it is gone")
    seen = { ...seen, inForce: { rules: yield* read(found), problem: null } }
    yield* Effect.logInfo("Windows were read anew", { path })
  }).pipe(
    Effect.catch((error) => {
      if (seen.inForce.problem === error.message) return Effect.void
      seen = { ...seen, inForce: { ...seen.inForce, problem: error.message } }
      return Effect.logError(`${error.message}. Those from before stay in force`)
    })
  )

  return ChangeWindows.of({
    inForce: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - seen.at >= KEPT) {
        seen = { ...seen, at: now }
        yield* readAnew
      }
      return seen.inForce
    })
  })
})

/** The windows in force. */
export class ChangeWindows extends Context.Service<
  ChangeWindows,
  { readonly inForce: Effect.Effect<WindowsInForce> }
>()("switchyard/access/ChangeWindows") {
  /** Fails with WindowsUnusable. */
  static readonly layer = Layer.effect(ChangeWindows, make)
}
