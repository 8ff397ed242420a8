/** Refusals of a body that its handler has looked at as well (`domain/fields/Body.ts`). */
import { Effect } from "effect"
import { BadRequest } from "../../api/Answers.ts"
import type { CheckedBody } from "../../domain/fields/Body.ts"

/** 400 with a list of sentences. */
export const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })

/** The body; fails with 400 and everything that is said against it. */
export const complete = <A>(checked: CheckedBody<A>): Effect.Effect<A, BadRequest> =>
  Effect.mapError(Effect.fromResult(checked.complete), (message) => new BadRequest({ message }))
