/**
 * The text that names a candidate: its job, its number within the job, and its purpose. Every verb of a session takes it and every
 * reading gives it. A driver maps it to what its platform knows: where configurations are prepared in sessions by name, the text is
 * the name; where all users share one candidate, the driver stores the text next to it as a mark and shows that candidate under it.
 * Texts are kept in the rows of changes, so that a repeat recognises its own, also after a restart.
 *
 *     job412   job412-2   job412-2-check   job0-m8x1d3d
 *
 * The rounds of a change are counted by its machine (`machines/change/ConfigChange.ts`).
 */

/** The number in the candidates of port bounces; no job has it. */
export const BOUNCES = 0

/** The first candidate of a job on a device. */
export const ofJob = (job: number): string => `job${job}`

/** The second candidate, which is loaded only to compare this one with the running configuration. */
export const checkOf = (candidate: string): string => `${candidate}-check`

/** The candidate into which lines of this one are loaded alone, to see how they are shown. */
export const probeOf = (candidate: string): string => `${candidate}-probe`

/** One half of a bounce (`d` down, `u` up) that is begun at this instant, in epoch milliseconds. It is good for one commit. */
export const ofBounce = (half: "d" | "u", millis: number): string => `${ofJob(BOUNCES)}-${millis.toString(36)}${half}`

const pattern = /^job(\d+)(?:-\w+)*$/

/** The largest number that a job can have. */
const LAST = 2 ** 31 - 1

/** The job whose candidate this is; null for a text that Switchyard did not make. */
export const jobOf = (candidate: string): number | null => {
  const match = pattern.exec(candidate)
  const job = Number(match?.[1])
  return match === null || job > LAST ? null : job
}

/** Jobs by their numbers: these, or all but these. */
export type JobSelection =
  | { readonly _tag: "only"; readonly jobs: ReadonlyArray<number> }
  | { readonly _tag: "allBut"; readonly jobs: ReadonlyArray<number> }

/** Whether a job is among the selected. */
export const selects = ({ _tag, jobs }: JobSelection, job: number): boolean => jobs.includes(job) === (_tag === "only")
