/** How `backup` and `restore` end when they do not come to their end: with a sentence, and with an exit code that is no success. */
import { Console, Effect } from "effect"
import { SqlError } from "effect/sql"
import { told } from "./AccountTarget.ts"
import { harmless, STOPPED } from "./client/Output.ts"

/** When the terminal goes, what runs is stopped in order: a process that only ended would leave half a file behind. */
const hangUpStops = Effect.acquireRelease(
  Effect.sync(() => {
    const stop = () => void process.kill(process.pid, "SIGTERM")
    process.on("SIGHUP", stop)
    return stop
  }),
  (stop) => Effect.sync(() => void process.off("SIGHUP", stop))
)

const stopped = (sentence: string) => () => {
  process.exitCode = STOPPED
  return Console.error(sentence)
}

/** What the database has answered, in words; what it has refused it has not done. */
const sentenceOf = Effect.fnUntraced(function* (error: { readonly message: string }, unchanged: string) {
  if (!SqlError.isSqlError(error)) return error.message
  const { isDatabaseAway, meaning, sqlState } = yield* Effect.promise(() => import("../store/DatabaseErrors.ts"))
  const { cause } = error.reason
  const own = !isDatabaseAway(error) && cause instanceof Error ? `: ${cause.message}` : ""
  return `The database: ${meaning(error)}${own}${sqlState(error) === undefined ? "" : `. ${unchanged}`}`
})

/**
 * Work that says why it has failed or was stopped; `unchanged` says what that means. What of it is uninterruptible comes to its end.
 */
export const endingWell =
  (unchanged: string) =>
  <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* hangUpStops
      const { failWhenAway } = yield* Effect.promise(() => import("../store/DatabaseErrors.ts"))
      const said = Effect.catch(failWhenAway(work), (error: E | SqlError.SqlError) =>
        Effect.flatMap(sentenceOf(error, unchanged), (message) => told({ message: harmless(message) }))
      )
      return yield* Effect.onInterrupt(said, stopped(`Stopped. ${unchanged}`))
    }).pipe(Effect.scoped)
