/**
 * Devices whose last change failed its proof (docs/changes.md#a-failed-proof-is-not-tried-again): no schedule and no retry pushes the
 * same configuration from the same commits to them again, because each try disturbs the switch.
 */
import { Effect, Option } from "effect"
import { reasonSentences } from "../../../machines/change/ChangeDecision.ts"
import type { Refusal } from "../../domain/AutoPush.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, taskFailed } from "../../domain/Job.ts"
import { WorkingCommits } from "../../domain/Repository.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { FailedProof } from "../../store/UnfinishedChanges.ts"
import { MAIN_TASK } from "./Outcome.ts"

/** The part of a sync job that decides. */
interface Asking {
  readonly id: number
  readonly args: { readonly dry_run: boolean; readonly failed_proof?: "leave" | "retry" }
}

/** The devices that this job leaves out if their configuration is the same, by id. */
export const findFailedProofs = Effect.fn("FailedProofs.find")(function* (
  { args, id }: Asking,
  devices: ReadonlyArray<Device>
) {
  const jobs = yield* JobStore
  const { live } = yield* ChangeStore

  const none: ReadonlyMap<number, FailedProof> = new Map()
  if (args.dry_run || args.failed_proof === "retry" || devices.length === 0) return none
  const head = Effect.catchTag(jobs.head(id), "JobNotFound", Effect.die)
  if (args.failed_proof === undefined && (yield* head).service_class === "person") return none
  const found = yield* live.failedProofs(devices.map((device) => device.id))
  return new Map(found.map((failed) => [failed.device_id, failed])) satisfies typeof none
})

/** Why the device is left out; null if other commits or another configuration are pushed now. */
export const whyLeftOut = Effect.fn("FailedProofs.why")(function* (failed: FailedProof, candidate: string) {
  const changes = yield* ChangeStore
  const commits = yield* WorkingCommits

  const isSame = failed.settings_commit === commits?.settings && failed.templates_commit === commits.templates
  const stored = isSame ? yield* changes.get(failed.id) : Option.none()
  if (Option.isNone(stored) || stored.value.candidate !== candidate) return null
  const said = stored.value.failure?.trimEnd().split("\n").at(-1)
  const why = `${reasonSentences[failed.reason]}${said === undefined || said === "" ? "" : ` (${said})`}`
  return `Since ${failed.since} the proof of the same configuration from the same commits has failed, in job ${failed.job_id}: ${why}. A new commit, or a live run that a person starts, tries it again`
})

const LEFT_OUT = "Nothing was sent to it.\nFailedProof: "

/** The entries of a device that was left out. */
export const leftOut = (why: string): DeviceResult => deviceResult([taskFailed(MAIN_TASK, `${LEFT_OUT}${why}\n`)])

export const isLeftOut = ({ job_tasks }: DeviceResult): boolean => String(job_tasks[0]?.result).startsWith(LEFT_OUT)

/** Why `auto_push` does not push what this dry run has shown of a device; null if it may. */
export const refusedByProof = Effect.fn("FailedProofs.refused")(function* ({ args, id }: Asking, device: Device) {
  const changes = yield* ChangeStore

  if (args.failed_proof === "retry") return null
  const [failed] = yield* changes.live.failedProofs([device.id])
  const shown = (yield* changes.progressOfJob(id)).find(({ device_id }) => device_id === device.id)
  if (failed === undefined || shown === undefined) return null
  const change = yield* changes.get(shown.id)
  const message = Option.isNone(change) ? null : yield* whyLeftOut(failed, change.value.candidate)
  return message === null ? null : ({ refused: "failed_proof", message, lines: [] } satisfies Refusal)
})
