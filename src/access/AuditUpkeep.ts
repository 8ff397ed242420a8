/** Seals the audit while the server runs, and removes what is older than AUDIT_DAYS (docs/security.md#audit). */
import { Duration, Effect, Layer, Schedule } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { AuditChain } from "./AuditChain.ts"

const SEAL_INTERVAL = "1 second"

const logged = (sentence: string) => Effect.catchCause((cause) => Effect.logWarning(sentence, cause))

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const chain = yield* AuditChain
    const { AUDIT_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
    yield* chain.seal.pipe(
      logged("The audit could not be sealed"),
      Effect.repeat(Schedule.spaced(SEAL_INTERVAL)),
      Effect.forkScoped
    )
    if (AUDIT_DAYS === 0) return
    yield* chain
      .forget(AUDIT_DAYS)
      .pipe(
        logged("Old events of the audit could not be removed"),
        Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
        Effect.forkScoped
      )
  })
)
