/** What a job does on its devices, in brief: how far it is with each, and their differences in groups (docs/jobs.md#in-brief). */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { enveloped } from "../../api/Envelope.ts"
import { NotFound } from "../../api/Failures.ts"
import { type DiffGroup, groupDiffs } from "../../domain/DiffGroups.ts"
import { toId } from "../../domain/fields/Values.ts"
import { failedStep } from "../../domain/JobOutcome.ts"
import { JobDiffStore } from "../../store/JobDiffStore.ts"
import { SyncPause } from "../../jobs/sync/SyncPlan.ts"
import { type DeviceProgress, JobProgressStore } from "../../store/JobProgressStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeJobVisible } from "../core/Visible.ts"

/** A device as the API shows it: of what failed, the step and its reason. */
const withReason = ({ failures, ...progress }: DeviceProgress) => {
  if (failures.length === 0) return { ...progress, step: null, why: null, said: null }
  const { reason, step } = failedStep(failures)
  const text = failures.findLast(({ result, task_name }) => task_name === step && typeof result === "string")?.result
  return { ...progress, step, why: reason, said: typeof text === "string" ? text : null }
}

const NAMES = 100

const keyOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 16)

interface Asked {
  readonly search?: string
  readonly group?: string
}

/** Every word has to be in the difference or in the name of a device. */
const matches = ({ diff, hostnames }: DiffGroup, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => diff.toLowerCase().includes(word) || hostnames.some((name) => name.toLowerCase().includes(word)))

export const makeJobDetails = Effect.gen(function* () {
  const progressOf = yield* JobProgressStore
  const diffsOf = yield* JobDiffStore
  const jobs = yield* JobStore
  const pauses = yield* SyncPause
  const visible = yield* makeJobVisible

  /** The number of a job that the caller may see. */
  const found = Effect.fnUntraced(function* (digits: string) {
    const unknown = () => new NotFound({ message: `No job with id ${digits} found` })
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknown)
    yield* visible(id)
    yield* Effect.catchTag(jobs.own(id), "JobNotFound", ({ message }) => Effect.fail(new NotFound({ message })))
    return id
  })

  return {
    progress: Effect.fnUntraced(function* (digits: string) {
      const id = yield* found(digits)
      const devices = yield* progressOf.of(id)
      const unpausable = yield* Effect.catchTag(pauses.unfit(id), "JobNotFound", () => Effect.succeed(null))
      return enveloped({ devices: devices.map(withReason), unpausable })
    }),
    diffs: Effect.fnUntraced(function* (digits: string, { group: wanted, search = "" }: Asked) {
      const { diffs, ...counts } = yield* diffsOf.of(yield* found(digits))
      const groups = groupDiffs(diffs)
        .filter((group) => matches(group, search))
        .map(({ hostnames, key, ...group }) => ({ ...group, key: keyOf(key), count: hostnames.length, hostnames }))
        .filter(({ key }) => wanted === undefined || key === wanted)
        .map((group) => (wanted === undefined ? { ...group, hostnames: group.hostnames.slice(0, NAMES) } : group))
      const changed = groups.reduce((sum, { count }) => sum + count, 0)
      return enveloped({ groups, changed, ...counts })
    })
  }
})
