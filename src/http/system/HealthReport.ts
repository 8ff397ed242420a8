/** Looks at all parts of the server, and tells which work (docs/operations.md#health). */
import { Duration, Effect } from "effect"
import { Permissions } from "../../access/Permissions.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { type Part, Readiness } from "../../jobs/engine/Readiness.ts"
import { Tokens } from "../core/Tokens.ts"

const CHECK_SECONDS = 2
const TICKS = 8

/**
 * Ends when an answer takes too long. It counts ticks: a process that could not look for seconds finds after one tick what had
 * come meanwhile, and does not take its own delay for the silence of others.
 */
const patience = Effect.repeat(Effect.sleep(Duration.millis((CHECK_SECONDS * 1000) / TICKS)), { times: TICKS - 1 })

type Check = HealthReport["checks"][number]

/** A look at a part, which remembers how it was found last. */
const makeLook = ({ check, name, staysGood }: Part): Effect.Effect<Check> => {
  let wasGood = false
  const silent = Effect.suspend(() =>
    staysGood === true && wasGood ? Effect.void : Effect.fail(`no answer within ${CHECK_SECONDS} seconds`)
  )
  const answered = check.pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`The check of ${name} met a defect`, defect), Effect.fail("it failed"))
    ),
    Effect.tap(() => Effect.sync(() => (wasGood = true))),
    Effect.tapError(() => Effect.sync(() => (wasGood = false)))
  )
  return Effect.raceFirst(answered, Effect.andThen(patience, silent)).pipe(
    Effect.match({
      onSuccess: () => ({ name, status: "UP" as const }),
      onFailure: (message) => ({ name, status: "DOWN" as const, message })
    })
  )
}

const report = Effect.fnUntraced(function* (
  looks: ReadonlyArray<Effect.Effect<Check>>,
  remarking: Effect.Effect<string | null>
): Effect.fn.Return<HealthReport> {
  const checks = yield* Effect.all(looks, { concurrency: "unbounded" })
  const found = yield* remarking
  const remark = found === null ? {} : { remark: found }
  return checks.every(({ status }) => status === "UP")
    ? { status: "UP", checks, ...remark }
    : { status: "DOWN", checks, ...remark }
})

/** An effect that looks at everything now. */
export const makeHealthReport = Effect.gen(function* () {
  const { parts } = yield* Readiness
  const { remark } = yield* Permissions
  const { required } = yield* Tokens
  return report(parts.map(makeLook), required ? remark : Effect.succeed(null))
})
