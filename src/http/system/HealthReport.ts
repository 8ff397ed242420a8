/** Looks at all parts of the server, and tells which work (docs/operations.md#health). */
import { Duration, Effect } from "effect"
import { Permissions } from "../../access/Permissions.ts"
import type { HealthReport } from "../../api/SystemApi.ts"
import { type Part, Readiness } from "../../jobs/engine/Readiness.ts"
import { BlockadeWatch, type Watch } from "../../store/ForeignLocks.ts"
import { Tokens } from "../core/Tokens.ts"

const CHECK_TIMEOUT = Duration.seconds(2)

const look = ({ check, name }: Part, { blockade }: Watch) =>
  check.pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError(`The check of ${name} met a defect`, defect), Effect.fail("it failed"))
    ),
    Effect.timeoutOrElse({
      duration: CHECK_TIMEOUT,
      orElse: () => {
        const held = blockade()
        return Effect.fail(`no answer within 2 seconds${held === null ? "" : `: ${held.sentence}`}`)
      }
    }),
    Effect.match({
      onSuccess: () => ({ name, status: "UP" as const }),
      onFailure: (message) => ({ name, status: "DOWN" as const, message })
    })
  )

const report = Effect.fnUntraced(function* (
  parts: ReadonlyArray<Part>,
  watch: Watch,
  remarking: Effect.Effect<string | null>
): Effect.fn.Return<HealthReport> {
  const checks = yield* Effect.forEach(parts, (part) => look(part, watch), { concurrency: "unbounded" })
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
  const remarking = Effect.map(required ? remark : Effect.succeed(null), (ofPermissions) => {
    // a server whose statements wait is ready all the same: another one would wait for the same lock
    const held = watch.blockade()
    const ofLock = held === null ? null : `Some work waits for a lock in the database: ${held.sentence}`
    return [ofLock, ofPermissions].filter((one) => one !== null).join(". ") || null
  })
  return report(parts, watch, remarking)
})
