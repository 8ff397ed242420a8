/**
 * Saves a change of ports and pushes it at once, fenced: a preview of the whole switch runs first. If it shows the lines of this change and no
 * others, exactly that preview is pushed; else the caller asks the person.
 */
import { ask, request } from "../../../api/call.ts"
import type { bodyOf } from "./edits.ts"

type Body = ReturnType<typeof bodyOf>

/** Where a push is, for the person who waits. */
export type Step =
  | { readonly is: "saving" | "previewing" | "pushing" }
  /** More than this change would be pushed. */
  | { readonly is: "more"; readonly diff: string; readonly job: number }
  | { readonly is: "waiting"; readonly job: number }
  | { readonly is: "ended"; readonly job: number; readonly isDone: boolean }

type Tell = (step: Step) => void

/** Milliseconds between two looks at a job. */
const PAUSE = 700
const ENDED = new Set(["FINISHED", "EXCEPTION", "ABORTED"])

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE))

/** The changed lines of a difference, without those that only say where. */
const linesOf = (diff: string): string =>
  diff
    .split("\n")
    .filter((line) => /^[+-]/.test(line) && !/^(?:\+\+\+|---)(?: |$)/.test(line))
    .map((line) => line.replace(/^([+-])\s*/, "$1"))
    .toSorted()
    .join("\n")

const jobOf = async (id: number) => {
  const { answer } = await ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
  return answer.data.jobs[0]
}

/** Waits for the end of a job, or until it waits for a person. */
const untilEnded = async (id: number, waits: () => void) => {
  for (;;) {
    const job = await jobOf(id)
    if (job === undefined || ENDED.has(job.status)) return job
    if (job.waiting_for?.reason === "approval") waits()
    await pause()
  }
}

const push = async (hostnames: ReadonlyArray<string>, preview: number, tell: Tell): Promise<void> => {
  tell({ is: "pushing" })
  const { answer } = await ask("POST /device_syncto", {
    body: { hostnames: [...hostnames], dry_run: false, dry_run_job: preview }
  })
  const ended = await untilEnded(answer.job_id, () => tell({ is: "waiting", job: answer.job_id }))
  const isDone = ended?.status === "FINISHED" && (ended.failed_devices ?? []).length === 0
  tell({ is: "ended", job: answer.job_id, isDone })
}

/** Pushes exactly what a preview has shown. */
export const pushPreview = push

/** Saves the change; fails if somebody else has changed the ports since `version`. */
export const save = (hostname: string, body: Body, version: string) =>
  request("PUT /device/:hostname/interfaces", { params: { hostname }, body, headers: { "if-match": version } })

/** What a change is expected to make of some switches. */
interface Expected {
  readonly hostnames: ReadonlyArray<string>
  readonly diff: string
}

/** Whether both say the same lines of the same switches. */
const isSame = (one: ReadonlyArray<Expected>, other: ReadonlyArray<Expected>): boolean => {
  const rowsOf = (all: ReadonlyArray<Expected>) =>
    all
      .flatMap(({ diff, hostnames }) => hostnames.map((hostname) => `${hostname}\n${linesOf(diff)}`))
      .toSorted()
      .join("\n\n")
  return rowsOf(one) === rowsOf(other)
}

/** Pushes what is saved, if that is what was expected and nothing else; else tells that there is more. */
export const pushSaved = async (
  hostnames: ReadonlyArray<string>,
  expected: ReadonlyArray<Expected>,
  tell: Tell
): Promise<void> => {
  tell({ is: "previewing" })
  const { answer } = await ask("POST /device_syncto", { body: { hostnames: [...hostnames], dry_run: true } })
  const job = answer.job_id
  const ended = await untilEnded(job, () => {})
  if (ended?.status !== "FINISHED" || (ended.failed_devices ?? []).length > 0)
    return tell({ is: "ended", job, isDone: false })
  const { groups } = (await ask("GET /job/:id/diffs", { params: { id: job } })).answer.data
  const changing = groups.filter(({ diff }) => diff !== "")
  if (changing.length === 0) return tell({ is: "ended", job, isDone: true })
  if (
    !isSame(
      changing,
      expected.filter(({ diff }) => diff !== "")
    )
  )
    return tell({ is: "more", diff: changing.map(({ diff }) => diff).join("\n"), job })
  await push(hostnames, job, tell)
}
