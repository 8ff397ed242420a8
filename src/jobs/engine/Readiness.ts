/** What the server needs to do its work, part by part. */
import { Context, type Effect } from "effect"

/** One part; fails with a sentence that says what is wrong with it. */
export interface Part {
  readonly name: string
  readonly check: Effect.Effect<void, string>
}

/** The parts that health checks look at, in the order in which they are shown. */
export class Readiness extends Context.Service<Readiness, { readonly parts: ReadonlyArray<Part> }>()(
  "switchyard/http/ports/Readiness"
) {}
