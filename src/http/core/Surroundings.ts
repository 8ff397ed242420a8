/** What happens to every request and answer, whichever endpoint it is for: envelope, CORS headers, and then the log. */
import { Cause, Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest } from "effect/http"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { withCors } from "./Cors.ts"
import { answerOutside, enveloped } from "./ErrorEnvelope.ts"
import { logged } from "./RequestLog.ts"
import { withRetryAfter } from "./RetryAfter.ts"

/** The outermost layer. One middleware instead of four, because their order matters. */
export const Surroundings = HttpRouter.middleware(
  Effect.map(
    BackgroundWork,
    (background) => (httpEffect) =>
      Effect.gen(function* () {
        yield* background.request
        yield* HttpEffect.appendPreResponseHandler(enveloped)
        yield* HttpEffect.appendPreResponseHandler(withRetryAfter)
        yield* HttpEffect.appendPreResponseHandler(withCors)
        yield* HttpEffect.appendPreResponseHandler(logged)
        const answer = answerOutside(yield* HttpServerRequest.HttpServerRequest)
        if (answer !== undefined) return answer
        return yield* Effect.tapCause(httpEffect, (cause) =>
          Cause.hasDies(cause) ? Effect.logError("A request met a defect", cause) : Effect.void
        )
      })
  ),
  { global: true }
)
