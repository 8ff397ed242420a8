/** The start of the whole server anew, as after its settings were written. Null where the program cannot do that. */
import { Context, type Effect } from "effect"

export const Restart = Context.Reference<Effect.Effect<void> | null>("switchyard/runtime/Restart", {
  defaultValue: () => null
})
