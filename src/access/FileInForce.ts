/**
 * A file of rules in DATA_DIR (`permissions.yml`, `windows.yml`, `alerts.yml`): read at the start, and again when it has changed. If the
 * file becomes invalid or disappears, the previous rules stay in force and a remark says so; an invalid file at the start stops the server.
 */
import { Clock, Effect, FileSystem, Path, Result, Schema } from "effect"
import { parse } from "yaml"
import { reasonOf } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"

/** How long the state of a file is reused, in milliseconds. */
const KEPT = 1000

/** The file is invalid; the server does not start. */
export class RulesUnusable extends Schema.TaggedError<RulesUnusable>()("RulesUnusable", {
  /** The content of the file, such as `roles`. */
  what: Schema.String,
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The ${this.what} in ${this.path} cannot be used: ${this.reason}`
  }
}

/** The rules in force; `rules` null without a file. */
export interface InForce<Rules> {
  readonly rules: Rules | null
  /** The fault in the file that was read last, because of which the previous rules stay in force; null without one. */
  readonly problem: string | null
}

interface Seen<Rules> {
  /** Null without a file; undefined if it could not be read, so that the next state differs from it. */
  readonly text: string | null | undefined
  readonly inForce: InForce<Rules>
  /** Epoch milliseconds. */
  readonly at: number
}

export interface RuleFile<Rules> {
  readonly name: string
  /** The plural name of its content, in small letters. */
  readonly what: string
  /** Turns the YAML of the file into rules, or reports its first fault; the text is for its place. */
  readonly read: (data: unknown, text: string) => Result.Result<Rules, string>
}

/** Reads the file; yields its path and the rules in force. Fails with RulesUnusable. */
export const makeFileInForce = Effect.fnUntraced(function* <Rules>({ name, read: readRules, what }: RuleFile<Rules>) {
  const { DATA_DIR } = yield* ServerConfig
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(DATA_DIR, name)
  const unusable = (reason: string) => new RulesUnusable({ what, path, reason })

  /** The file's text; null without a file. */
  const text = files.readFileString(path).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      (error) =>
        // a link to a missing file, such as a secret without its mount, shows that rules are wanted
        Effect.matchEffect(files.readLink(path), {
          onFailure: () => Effect.succeed(null),
          onSuccess: () => Effect.fail(error)
        })
    ),
    Effect.mapError((error) => unusable(reasonOf(error)))
  )
  const read = (found: string | null) =>
    found === null
      ? Effect.succeed(null)
      : Effect.fromResult(
          Result.try({ try: (): unknown => parse(found), catch: String }).pipe(
            Result.flatMap((data) => readRules(data, found)),
            Result.mapError(unusable)
          )
        )

  const first = yield* text
  const atStart: InForce<Rules> = { rules: yield* read(first), problem: null }
  let seen: Seen<Rules> = { text: first, inForce: atStart, at: yield* Clock.currentTimeMillis }

  const readAnew = Effect.gen(function* () {
    const found = yield* Effect.tapError(text, () => Effect.sync(() => (seen = { ...seen, text: undefined })))
    if (found === seen.text) return
    seen = { ...seen, text: found }
    if (found === null) return yield* unusable("it is gone")
    seen = { ...seen, inForce: { rules: yield* read(found), problem: null } }
    yield* Effect.logInfo(`The ${what} were read anew`, { path })
  }).pipe(
    Effect.catch(({ message }) => {
      if (seen.inForce.problem === message) return Effect.void
      seen = { ...seen, inForce: { ...seen.inForce, problem: message } }
      return Effect.logError(`${message}. Those from before stay in force`)
    })
  )

  const inForce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // also if the clock was set back
    if (Math.abs(now - seen.at) >= KEPT) {
      seen = { ...seen, at: now }
      yield* readAnew
    }
    return seen.inForce
  })
  return { path, inForce }
})
