/** The check whether a discovered device can be initialised where it is cabled (contract api-devices.md §5.3). */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { InitArguments } from "../../provisioning/InitArguments.ts"
import type { InitCheck as InitCheckOutcome } from "../../provisioning/InitCheck.ts"

/** The check cannot be made. `status` is that of the answer, `message` the whole text. */
export class InitCheckImpossible extends Schema.TaggedError<InitCheckImpossible>()("InitCheckImpossible", {
  status: Schema.Literals([400, 500]),
  message: Schema.String
}) {}

/** Checks devices before their initialisation. */
export class InitCheck extends Context.Service<
  InitCheck,
  { readonly check: (args: InitArguments) => Effect.Effect<InitCheckOutcome, InitCheckImpossible | SqlError.SqlError> }
>()("switchyard/http/ports/InitCheck") {}
