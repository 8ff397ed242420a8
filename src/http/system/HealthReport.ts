/** Looks at all parts of the server, and tells which work (docs/operations.md#health). */
import { Duration, Effect } from "effect"
import { Permissions } from "../../access/Permissions.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { type Part, Readiness } from "../../jobs/engine/Readiness.ts"
import { lacking } from "../../runtime/OwnFaults.ts"
import { BlockadeWatch, type Watch } from "../../store/ForeignLocks.ts"
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
const makeLook = ({ check, name, staysGood }: Part, { blockade }: Watch): Effect.Effect<Check> => {
  let wasGood = false
  const silent = Effect.suspend(() => {
    const held = blockade()
    if (staysGood === true && wasGood && held === null) return Effect.void
    return Effect.fail(`no answer within ${CHECK_SECONDS} seconds${held === null ? "" : `: ${held.sentence}`}`)
  })
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
  const watch = yield* BlockadeWatch
  const remarking = Effect.gen(function* () {
    const ofPermissions = required ? yield* remark : null
    // others may do what this machine cannot, and whoever asks for something else is served here
    const { limited } = yield* lacking
    const ofMachine = limited === null ? null : `Some work waits: ${limited.replace(/\.$/, "")}`
    // a server whose statements wait is ready all the same: another one would wait for the same lock
    const held = watch.blockade()
    const ofLock = held === null ? null : `Some work waits for a lock in the database: ${held.sentence}`
    return [ofLock, ofMachine, ofPermissions].filter((one) => one !== null).join(". ") || null
  })
  return report(
    parts.map((part) => makeLook(part, watch)),
    remarking
  )
})
