/**
 * Keeps a live run to what its dry run has shown (docs/changes.md#fencing). What is rendered is compared here, before the change is
 * stored; what the device runs, and the difference that it shows, are compared by the change itself.
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { ShownChange } from "../../../machines/change/ChangeRow.ts"
import type { Device } from "../../domain/Device.ts"
import { functionOf } from "../../domain/Job.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { type CommitSet, WorkingCommits } from "../../domain/Repository.ts"
import { shownHash } from "../../drivers/UnifiedDiff.ts"
import { ShownChangeStore, type ShownJob } from "../../store/ConfigStore.ts"

/** What the change is pinned to, or a sentence that names what differs. */
export type Fenced = Result.Result<ShownChange, string>

/** A configuration without what no switch looks at: blank lines and what ends a line invisibly. */
const meant = (config: string): string =>
  config
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")

const short = (commit: string | null): string => commit?.slice(0, 8) ?? "none"

/** The repositories whose commits differ, as far as they do. */
const commitsApart = (then: ShownJob, now: CommitSet | null): string => {
  const apart = [
    ...(then.settings_commit === now?.settings ? [] : [["settings", then.settings_commit, now?.settings ?? null]]),
    ...(then.templates_commit === now?.templates ? [] : [["templates", then.templates_commit, now?.templates ?? null]])
  ]
  return apart.length === 0
    ? "the commits are the same, so what the database says of the device, or a secret of the server, has changed"
    : apart
        .map(([name, before, after]) => `${name} ${short(before ?? null)} has become ${short(after ?? null)}`)
        .join(", ")
}

const make = Effect.gen(function* () {
  const store = yield* ShownChangeStore

  const job = Effect.fn("Fence.dryRun")(function* (id: number) {
    const found = Option.getOrUndefined(yield* store.job(id))
    if (found === undefined) return Result.fail(`there is no job ${id}`)
    if (functionOf(found.function_name) !== SyncDevices.name || !found.dry_run) {
      return Result.fail(`job ${id} is no dry run of ${SyncDevices.name}`)
    }
    return found.status === "FINISHED" ? Result.succeed(found) : Result.fail(`job ${id} has status ${found.status}`)
  })

  const device = Effect.fn("Fence.device")(function* (dryRunJob: number, { id }: Device, candidate: string) {
    const dryRun = yield* job(dryRunJob)
    if (Result.isFailure(dryRun)) return Result.fail(`dry_run_job ${dryRunJob} cannot be used, ${dryRun.failure}`)
    const shown = Option.getOrUndefined(yield* store.device(dryRunJob, id))
    if (shown === undefined) return Result.fail(`Dry run ${dryRunJob} has shown nothing of this device`)
    const { diff, failed, running } = shown
    if (failed || running === null) return Result.fail(`Dry run ${dryRunJob} has failed on this device`)
    if (shown.candidate === null) {
      return Result.fail(`What dry run ${dryRunJob} has rendered was sealed under another SECRET_KEY`)
    }
    if (meant(shown.candidate) !== meant(candidate)) {
      const why = commitsApart(dryRun.success, yield* WorkingCommits)
      return Result.fail(`Another configuration is rendered than in dry run ${dryRunJob}: ${why}`)
    }
    return Result.succeed({ running, diff: shownHash(diff ?? "") })
  })

  return Fence.of({ dryRun: job, device })
})

/** Dry runs that live runs are pinned to. */
export class Fence extends Context.Service<
  Fence,
  {
    /** The dry run of this number, or why there is none. */
    readonly dryRun: (id: number) => Effect.Effect<Result.Result<ShownJob, string>, SqlError.SqlError>
    /** Compares what is rendered for a device with what the dry run has rendered. */
    readonly device: (dryRunJob: number, device: Device, candidate: string) => Effect.Effect<Fenced, SqlError.SqlError>
  }
>()("switchyard/jobs/Fence") {
  static readonly layer = Layer.effect(Fence, make).pipe(Layer.provide(ShownChangeStore.layer))
}
