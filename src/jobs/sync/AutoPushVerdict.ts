/**
 * Whether a dry run with `auto_push` may be followed by the live run without a person: by its score, and by the rules of the
 * product and of the site about what it changes (docs/changes.md#change-score).
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import { type Refusal, refusalOf } from "../../domain/AutoPush.ts"
import { AUTO_PUSH_BELOW, type AutoPushRule } from "../../domain/ChangeRisk.ts"
import type { Device } from "../../domain/Device.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import type { JobDevice } from "../../store/JobStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { autoPushRules } from "../../templates/AutoPushFile.ts"
import type { SyncJob } from "./SyncWork.ts"
import * as UnifiedDiff from "../../drivers/UnifiedDiff.ts"
import { ProvedConfigStore } from "../../store/ConfigStore.ts"

/** Push, or why not; null when there is nothing to push. */
export type Verdict = Refusal | "push" | null

const because = (refused: string, message: string): Refusal => ({ refused, message, lines: [] })

const NOT_COMPARABLE =
  "What the change removes cannot be told, because it does not start from what the device was last proved to run"

/** Rules, or why there are none to judge by. */
type SiteRules = Result.Result<ReadonlyArray<AutoPushRule>, Refusal>

const make = Effect.gen(function* () {
  const changes = yield* ChangeStore
  const provedConfigs = yield* ProvedConfigStore
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates

  /** Rules of a branch of the templates for the device's platform. */
  const rulesOf = Effect.fnUntraced(function* (device: Device, branch: string | null) {
    const found = yield* templates.snapshot(branch).pipe(
      Effect.map((snapshot) => snapshot.platforms.get(device.platform ?? "")),
      Effect.catchTag("NoTemplates", () => Effect.undefined)
    )
    const rules: SiteRules =
      found === undefined
        ? Result.succeed([])
        : Result.mapError(autoPushRules(found), ([fault]) => because("rules_unreadable", fault))
    return rules
  })

  /** The rules in force, and those of the branch that the device is rendered from: a trial must not loosen them. */
  const siteRules = Effect.fnUntraced(function* (device: Device) {
    const active = yield* Effect.option(settings.snapshot)
    const branch = Option.match(active, {
      onNone: () => null,
      onSome: (snapshot) => snapshot.layering.membership(device).primary.templates_branch
    })
    const main = yield* rulesOf(device, null)
    if (branch === null) return main
    const own = yield* rulesOf(device, branch)
    return Result.flatMap(main, (rules) => Result.map(own, (more) => [...rules, ...more]))
  })

  /** What the device runs and what it would run; none when that is not known line by line. */
  const configurations = Effect.fnUntraced(function* (jobId: number, { id, platform }: Device) {
    const progress = (yield* changes.progressOfJob(jobId)).find(({ device_id }) => device_id === id)
    const change = progress === undefined ? Option.none() : yield* changes.get(progress.id)
    const proved = yield* provedConfigs.of(id)
    const notation = platformOf(platform)?.configuration
    if (notation === undefined) return Option.none()
    return Option.flatMap(proved, ({ config }) =>
      Option.flatMap(change, ({ protocol }) => UnifiedDiff.applyToConfig(notation, config, protocol.diff ?? ""))
    )
  })

  const portEditsOnly = Effect.fnUntraced(function* ({ hostname }: Device) {
    const reasons = (yield* events.byHostname(hostname)).get(hostname) ?? []
    return reasons.length > 0 && reasons.every(({ cause }) => cause === "interface_updated")
  })

  const brokenRule = Effect.fnUntraced(function* (jobId: number, device: Device) {
    const texts = yield* configurations(jobId, device)
    if (Option.isNone(texts)) return because("not_comparable", NOT_COMPARABLE)
    const rules = yield* siteRules(device)
    if (Result.isFailure(rules)) return rules.failure
    const { management_ip, oob_ip, platform, secondary_management_ip } = device
    return refusalOf({
      ...texts.value,
      platform: platform ?? "",
      addresses: [management_ip, secondary_management_ip, oob_ip].filter((address) => address !== null),
      portEditsOnly: yield* portEditsOnly(device),
      siteRules: rules.success
    })
  })

  const judge = Effect.fn("AutoPushVerdict.judge")(function* (job: SyncJob, rows: ReadonlyArray<JobDevice>) {
    const [only] = rows
    if (only === undefined) return null
    if (job.args.hostnames === undefined || rows.length > 1) {
      return because("not_one_device", "auto_push is for one device that is named")
    }
    if (only.result.failed) return because("dry_run_failed", "The dry run has failed")
    if (!only.changed) return null
    const [device] = yield* devices.byHostnames([only.hostname])
    const broken = device === undefined ? null : yield* brokenRule(job.id, device)
    const score = only.score ?? AUTO_PUSH_BELOW
    const tooHigh = because("score", `The change score ${score.toFixed(1)} is not below ${AUTO_PUSH_BELOW}`)
    // a broken rule says more than a number, and a number more than that nothing could be compared
    if (broken !== null && (broken.refused !== "not_comparable" || score < AUTO_PUSH_BELOW)) return broken
    return score < AUTO_PUSH_BELOW ? ("push" satisfies Verdict) : tooHigh
  })

  return AutoPushVerdict.of({ judge, brokenRule })
})

/** Verdicts over dry runs with `auto_push`. */
export class AutoPushVerdict extends Context.Service<
  AutoPushVerdict,
  {
    /** Whether the live run may follow the dry run that has left these rows. */
    /** The rule of risk that the dry run of this job breaks on a device; null when it breaks none. */
    readonly brokenRule: (jobId: number, device: Device) => Effect.Effect<Refusal | null, SqlError.SqlError>
    readonly judge: (job: SyncJob, rows: ReadonlyArray<JobDevice>) => Effect.Effect<Verdict, SqlError.SqlError>
  }
>()("switchyard/jobs/AutoPushVerdict") {
  static readonly layer = Layer.effect(AutoPushVerdict, make)
}
