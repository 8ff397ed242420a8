/** Removes old jobs, what they have done, tokens and requests that ended, and persons whom nobody sees any more, while the server runs, stores texts once, and notes what is there; one replica of all (docs/operations.md#retention). */
import { Duration, Effect, Layer, Schedule } from "effect"
import { ApiTokenStore } from "../../store/ApiTokenStore.ts"
import { PersonStore } from "../../store/AccountStore.ts"
import { RequestApprovalStore } from "../../store/ApprovalStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { EventStore } from "../../store/EventStore.ts"
import { JobRetention, RetainedFigures, TextPacking } from "../../store/Retention.ts"
import { SecretKey } from "../../runtime/SecretKey.ts"
import { SecretTexts } from "../../store/SecretStore.ts"

/** A part of the interval: what another replica did less than that ago is not done again. */
const YOUNG = 0.9

/** Days after which somebody who has nothing here is forgotten. */
const PERSON_DAYS = 365

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const retention = yield* JobRetention
    const figures = yield* RetainedFigures
    const tokens = yield* ApiTokenStore
    const approvals = yield* RequestApprovalStore
    const persons = yield* PersonStore
    const { pack } = yield* TextPacking
    const round = Effect.gen(function* () {
      if (!(yield* figures.begin(config.UPKEEP_INTERVAL * YOUNG))) return
      const removed = yield* retention.remove(config)
      if (config.JOB_DAYS > 0) yield* tokens.forget(config.JOB_DAYS)
      yield* approvals.forget(config.JOB_DAYS)
      yield* persons.forget(PERSON_DAYS)
      yield* pack
      yield* figures.look
      yield* figures.noteRemoved(removed)
    })
    yield* round.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old jobs could not be removed", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(config.UPKEEP_INTERVAL))),
      Effect.forkScoped
    )
  })
).pipe(
  Layer.provide([RetainedFigures.layer, TextPacking.layer]),
  Layer.provide([ApiTokenStore.layer, JobRetention.layer, SecretTexts.layer]),
  Layer.provide([PersonStore.layer, RequestApprovalStore.layer]),
  Layer.provide([EventStore.layer, SecretKey.layer])
)
