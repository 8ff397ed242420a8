/**
 * Limits a live run to the result of its dry run (docs/changes.md#fencing). The rendered configuration is compared here, before the
 * change is stored; the change itself compares the running configuration and the difference.
 */
import { Effect, Option, Result } from "effect"
import type { Device } from "../../domain/Device.ts"
import { functionOf } from "../../domain/Job.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { type CommitSet, WorkingCommits } from "../../domain/Repository.ts"
import * as UnifiedDiff from "../../drivers/UnifiedDiff.ts"
import { shownHash } from "../../drivers/UnifiedDiff.ts"
import { ConfigStore, type ShownJob } from "../../store/ConfigStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import { type Refusal, refusalOf } from "../../domain/AutoPush.ts"
import { AUTO_PUSH_BELOW, type AutoPushRule } from "../../domain/ChangeRisk.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { autoPushRules } from "../../templates/AutoPushFile.ts"

// Whether a dry run with `auto_push` may be followed by the live run without a person: by its score, and by the rules of the
// product and of the site about its changes (docs/changes.md#change-score).

/** The inputs of the verdict over a dry run with `auto_push`. */
interface DryRunJob {
  readonly id: number
  readonly args: { readonly hostnames?: ReadonlyArray<string> }
}

/** Push, or the reason against it; null if there is nothing to push. */
type Verdict = Refusal | "push" | null

const because = (refused: string, message: string): Refusal => ({ refused, message, lines: [] })

const NOT_COMPARABLE =
  "What the change removes cannot be told, because it does not start from what the device was last proved to run"

/** Rules, or why they cannot be read. */
type SiteRules = Result.Result<ReadonlyArray<AutoPushRule>, Refusal>

/** Rules of a branch of the templates for the device's platform. */
const rulesOf = Effect.fnUntraced(function* (device: Device, branch: string | null) {
  const templates = yield* ActiveTemplates

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

/** The rules in force, and those of the branch that the device is rendered from: a trial must not relax them. */
const siteRules = Effect.fnUntraced(function* (device: Device) {
  const settings = yield* ActiveSettings

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

/** The present and the future configuration of the device; none if they are not known line by line. */
const configurations = Effect.fnUntraced(function* (jobId: number, { id, platform }: Device) {
  const changes = yield* ChangeStore
  const { proved: provedConfigs } = yield* ConfigStore

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
  const events = yield* SyncEventStore

  const reasons = (yield* events.byHostname(hostname)).get(hostname) ?? []
  return reasons.length > 0 && reasons.every(({ cause }) => cause === "interface_updated")
})

/** The rule of risk that the dry run of this job breaks on a device; null when it breaks none. */
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

export const judgeAutoPush = Effect.fn("AutoPushVerdict.judge")(function* (
  job: DryRunJob,
  rows: ReadonlyArray<JobDevice>
) {
  const devices = yield* DeviceStore

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
  // a broken rule is reported before a score, and a score before a missing comparison
  if (broken !== null && (broken.refused !== "not_comparable" || score < AUTO_PUSH_BELOW)) return broken
  return score < AUTO_PUSH_BELOW ? ("push" satisfies Verdict) : tooHigh
})

/** A configuration without blank lines and invisible line endings, which no switch reads. */
const meant = (config: string): string =>
  config
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")

const short = (commit: string | null): string => commit?.slice(0, 8) ?? "none"

/** The repositories whose commits differ. */
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

/** The dry run with this number, or why it does not exist. */
export const findDryRun = Effect.fn("Fence.dryRun")(function* (id: number) {
  const { shown: dryRuns } = yield* ConfigStore

  const found = Option.getOrUndefined(yield* dryRuns.job(id))
  if (found === undefined) return Result.fail(`there is no job ${id}`)
  if (functionOf(found.function_name) !== SyncDevices.name || !found.dry_run) {
    return Result.fail(`job ${id} is no dry run of ${SyncDevices.name}`)
  }
  return found.status === "FINISHED" ? Result.succeed(found) : Result.fail(`job ${id} has status ${found.status}`)
})

/** A dry run that was looked up. */
export type FoundDryRun = Effect.Success<ReturnType<typeof findDryRun>>

/** Compares the rendered configuration of a device with the one of the dry run. */
export const fenceDevice = Effect.fn("Fence.device")(function* (
  dryRunJob: number,
  dryRun: FoundDryRun,
  { id }: Device,
  candidate: string
) {
  const { shown: dryRuns } = yield* ConfigStore

  if (Result.isFailure(dryRun)) return Result.fail(`dry_run_job ${dryRunJob} cannot be used, ${dryRun.failure}`)
  const shown = Option.getOrUndefined(yield* dryRuns.device(dryRunJob, id))
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

// Whether the changes of a dry run are so risky that another person must approve them (docs/changes.md#approval).

/** Why a dry run is too risky: a device's score above the limit, or the first rule that is broken; null when it is not. */
export const riskOf = Effect.fn("DryRunRisk.of")(function* (dryRunJob: number, limit: number) {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore

  const changed = (yield* jobs.devices(dryRunJob)).filter((row) => row.changed)
  for (const { hostname, result, score } of changed) {
    // a failed device is not pushed; a change without a score may be risky
    if (!result.failed && (score === null || score > limit)) {
      return `the change score of ${hostname} is ${score?.toFixed(1) ?? "not known"}, above ${limit}`
    }
  }
  for (const device of yield* devices.byHostnames(changed.map(({ hostname }) => hostname))) {
    const broken = yield* brokenRule(dryRunJob, device)
    if (broken !== null) return `${device.hostname} breaks the rule ${broken.refused}: ${broken.message}`
  }
  return null
})

/** The services that `riskOf` needs. */
export type RiskServices = Effect.Services<ReturnType<typeof riskOf>>
