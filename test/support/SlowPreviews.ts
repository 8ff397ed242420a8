/** Previews that begin and do not end before a signal, for requests that must be in progress at some moment. */
import { Deferred, Effect, Layer } from "effect"
import { Previews } from "../../src/templates/CandidateConfigs.ts"

/** `arrivals` is done when the first one has begun, `departure` lets all of them end. */
export const makeSlowPreviews = () => {
  const arrivals = Deferred.makeUnsafe<void>()
  const departure = Deferred.makeUnsafe<void>()
  const generate = Effect.gen(function* () {
    yield* Deferred.succeed(arrivals, undefined)
    yield* Deferred.await(departure)
    return { generated_config: "", available_variables: {} }
  })
  const previews = Layer.succeed(Previews, { generate: () => generate, prepare: () => Effect.succeed(generate) })
  return { arrivals, departure, previews }
}
