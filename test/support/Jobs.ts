/** Job functions by the names that records have, for tests whose tables name them. */
import type { AnyJob } from "../../src/domain/jobs/JobDefinition.ts"
import { jobFunctions } from "../../src/jobs/JobList.ts"

/** The function of this name; its arguments are not checked by the compiler. */
export const jobNamed = (name: string): AnyJob => {
  const found = jobFunctions.find(({ definition }) => definition.name === name)
  if (found === undefined) throw new Error(`There is no job function ${name}`)
  return found.definition
}
