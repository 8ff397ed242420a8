/** Previews and rollouts as changes: a rollout belongs to the preview that it carries out. Pure. */

export const views = ["open", "waiting", "rolling", "done"] as const
export type View = (typeof views)[number]

interface JobLike {
  readonly id: number
  readonly function_name: string
  readonly status: string
  readonly outcome: string | null
  readonly scheduled_by: string | null
  readonly start_arguments: Readonly<Record<string, unknown>> | null
  readonly counts: { readonly changed: number } | null
}

export interface Change<Job> {
  /** The number of its address: that of the preview, or of a rollout without one. */
  readonly id: number
  readonly preview: Job | undefined
  /** The newest rollout. */
  readonly push: Job | undefined
  /** The newest of both. */
  readonly job: Job
  readonly view: View
}

const previewOf = ({ start_arguments }: JobLike): number | null => {
  const id = start_arguments?.["dry_run_job"]
  return typeof id === "number" ? id : null
}

const isPreview = ({ function_name }: JobLike): boolean => function_name.endsWith(" (dry_run)")

/** Waiting and running rollouts say so; a preview is open until it was rolled out, has failed, or has shown that nothing differs. */
const viewOf = (preview: JobLike | undefined, push: JobLike | undefined): View => {
  const job = push ?? preview
  if (job === undefined) return "done"
  if (push === undefined) {
    const isOpen = job.outcome === null || ((job.counts?.changed ?? 0) > 0 && job.outcome !== "aborted")
    return isOpen ? "open" : "done"
  }
  if (push.status === "SCHEDULED") return "waiting"
  return push.outcome === null ? "rolling" : "done"
}

/** The changes behind these jobs, the newest first; `jobs` are in that order. */
export const changesOf = <Job extends JobLike>(jobs: ReadonlyArray<Job>): ReadonlyArray<Change<Job>> => {
  const groups = Map.groupBy(jobs, (job) => previewOf(job) ?? job.id)
  return [...groups].flatMap(([id, all]) => {
    const preview = all.find((job) => job.id === id && isPreview(job))
    const push = all.find((job) => !isPreview(job))
    const job = push ?? preview
    // a preview that the server made by itself is nobody's change
    if (job === undefined || (push === undefined && job.scheduled_by === "scheduler")) return []
    return [{ id, preview, push, job, view: viewOf(preview, push) }]
  })
}
