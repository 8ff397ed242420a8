/**
 * What follows a dry run with `auto_push`: the live run, or the reason why a person has to start it
 * (docs/changes.md#auto_push). Clients take a missing follow-up for done, so every refusal is in the record and in the log.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Refusal } from "../../domain/AutoPush.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import type { JobDevice } from "../../store/JobStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { AutoPushVerdict } from "./AutoPushVerdict.ts"
import type { SyncJob } from "./SyncWork.ts"

const make = Effect.gen(function* () {
  const verdicts = yield* AutoPushVerdict
  const engine = yield* JobEngine

  const follow = Effect.fn("AutoPush.follow")(function* (job: SyncJob, rows: ReadonlyArray<JobDevice>) {
    const { args, id, user } = job
    if (!args.auto_push || !args.dry_run || (yield* job.aborting)) return null
    const verdict = yield* verdicts.judge(job, rows)
    if (verdict === null) return null
    const hostnames = rows.map(({ hostname }) => hostname)
    if (verdict === "push") {
      const policy = args.on_missing_lines === undefined ? {} : { on_missing_lines: args.on_missing_lines }
      const next = { hostnames, dry_run: false, force: args.force, ...policy }
      yield* engine.follow(id, SyncDevices, next, { user, delaySeconds: 0 })
      return null
    }
    const refusal = { ...verdict, lines: verdict.lines.map(maskSecrets) }
    const whose = hostnames.length === 1 ? (hostnames[0] ?? "") : `${hostnames.length} devices`
    const which = refusal.lines.length === 0 ? "" : ` (${refusal.lines.join("; ")})`
    yield* Effect.logWarning(
      `job #${id}: auto_push of ${whose} refused by ${refusal.refused}: ${refusal.message}${which}`,
      { rule: refusal.refused }
    )
    return refusal
  })

  return AutoPush.of({ follow })
})

/** Live runs after dry runs. */
export class AutoPush extends Context.Service<
  AutoPush,
  {
    /** Ends a dry run. Yields why nothing was pushed; null when something was or nothing was asked. */
    readonly follow: (job: SyncJob, rows: ReadonlyArray<JobDevice>) => Effect.Effect<Refusal | null, SqlError.SqlError>
  }
>()("switchyard/jobs/AutoPush") {
  static readonly layer = Layer.effect(AutoPush, make)
}
