/** Jobs in answers of the API, and job functions by their names. */
import type { AnyJob } from "../../src/domain/jobs/JobDefinition.ts"
import { jobFunctions } from "../../src/jobs/JobList.ts"
import { Effect } from "effect"

/** A user's requests. */
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

// Job functions by the names in records, for tests whose tables name them.

/** The function of this name; its arguments are not checked by the compiler. */
export const jobNamed = (name: string): AnyJob => {
  const found = jobFunctions.find(({ definition }) => definition.name === name)
  if (found === undefined) throw new Error(`There is no job function ${name}`)
  return found.definition
}
