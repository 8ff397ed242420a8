/** What a job is, from its function. Pure. */
import type { JobRecord } from "./Job.tsx"

const PREVIEW = " (dry_run)"

type Kind = Pick<JobRecord, "function_name">

/** Nothing is changed: a preview. */
export const isPreview = ({ function_name }: Kind): boolean => function_name.endsWith(PREVIEW)

/** A rollout, or its preview. */
export const isSync = ({ function_name }: Kind): boolean => function_name.startsWith("sync_devices")

/** Jobs that put configurations on switches. */
const CHANGING: ReadonlySet<string> = new Set(["sync_devices", "confirm_devices", "revert_job", "apply_config"])

export const isChanging = ({ function_name }: Kind): boolean => CHANGING.has(function_name)
