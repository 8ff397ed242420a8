/** Jobs as answers of the API name them, as texts. */
import { Effect } from "effect"

/** Somebody's requests. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown
) => Effect.Effect<{ readonly status: number; readonly text: string }>

/** The number of the job that an answer names. */
export const jobIn = ({ text }: { readonly text: string }): number => {
  const id = /"job_id":(\d+)/.exec(text)?.[1]
  if (id === undefined) throw new Error(text)
  return Number(id)
}

/** Waits for the end of a job; yields its record as text. */
export const ended = Effect.fnUntraced(function* (ask: Ask, id: number) {
  for (;;) {
    const { text } = yield* ask("GET", `/job/${id}`)
    if (/"status":"(?:FINISHED|EXCEPTION|ABORTED)"/.test(text)) return text
    yield* Effect.sleep(50)
  }
})
