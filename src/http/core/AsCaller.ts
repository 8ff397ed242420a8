/** What most writing routes do: something in the name of who asks. */
import { Effect } from "effect"
import { Caller } from "../../api/Requests.ts"
import { answered } from "./Unavailable.ts"

/** The answer of a handler that runs in the caller's name. */
export const asCaller = <A, E, R>(run: (user: string) => Effect.Effect<A, E, R>) =>
  answered(Effect.flatMap(Effect.service(Caller), ({ name }) => run(name)))
