/** Collecting everything that speaks against something, where stopping at the first problem would hide the others. */
import { Result } from "effect"

interface Problem {
  readonly message: string
}

/** What went well and what did not, both in order. */
export const collect = <A, E>(
  results: Iterable<Result.Result<A, E>>
): { readonly values: ReadonlyArray<A>; readonly problems: ReadonlyArray<E> } => {
  const values: Array<A> = []
  const problems: Array<E> = []
  for (const result of results) {
    if (Result.isSuccess(result)) values.push(result.success)
    else problems.push(result.failure)
  }
  return { values, problems }
}

/** One text for all problems, each said once; that of a single problem is its own. */
export const told = (problems: ReadonlyArray<Problem>): string =>
  [...new Set(problems.map(({ message }) => message))].join("; ")

/** The value if there is no problem, a single problem as it is, and several as what `merge` makes of their text. */
export const orProblems = <A, E extends Problem>(
  value: A,
  problems: ReadonlyArray<E>,
  merge: (message: string) => E
): Result.Result<A, E> => {
  const [first] = problems
  if (first === undefined) return Result.succeed(value)
  return Result.fail(problems.length === 1 ? first : merge(told(problems)))
}
