/**
 * What follows a dry run with `auto_push`: the live run, or the reason why a person has to start it
 * (docs/changes.md#auto_push). Clients take a missing follow-up for done, so every refusal is in the record and in the log.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Refusal } from "../../domain/AutoPush.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { JobDevice } from "../../store/JobStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { AutoPushVerdict } from "./AutoPushVerdict.ts"
import type { SyncJob } from "./SyncWork.ts"

const make = Effect.gen(function* () {
  const verdicts = yield* AutoPushVerdict
  const engine = yield* JobEngine
  const devices = yield* DeviceStore
  const windows = yield* JobWindows

  /** A window that has closed since the dry run began speaks against the live run as well. */
  const withinWindow = Effect.fnUntraced(function* ({ args }: SyncJob, rows: ReadonlyArray<JobDevice>) {
    for (const device of yield* devices.byHostnames(rows.map(({ hostname }) => hostname))) {
      const closed = yield* windows.closed(args, device)
      if (closed !== null) return { refused: "window", message: closed, lines: [] } satisfies Refusal
    }
    return "push"
  })

  const follow = Effect.fn("AutoPush.follow")(function* (job: SyncJob, rows: ReadonlyArray<JobDevice>) {
    const { args, id, user } = job
    if (!args.auto_push || !args.dry_run || (yield* job.aborting)) return null
    const judged = yield* verdicts.judge(job, rows)
    if (judged === null) return null
    const verdict = judged === "push" ? yield* withinWindow(job, rows) : judged
    const hostnames = rows.map(({ hostname }) => hostname)
    if (verdict === "push") {
      const policy = args.on_missing_lines === undefined ? {} : { on_missing_lines: args.on_missing_lines }
      const wishes = args.emergency === undefined ? {} : { emergency: args.emergency }
      const next = {
        hostnames,
        dry_run: false,
        force: args.force,
        confirm_older: args.confirm_older,
        ...policy,
        ...wishes
      }
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
