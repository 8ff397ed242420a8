/**
 * Whether the work for which a session is open still is this process's. Whoever stands still for some seconds loses its work to
 * another process, and when it goes on, an answer that has waited for it lets it send what was allowed long ago (promise 1). So
 * nothing is sent on a claim that is not known to be good: it is asked for again, before each command and between the parts of a
 * long one (docs/changes.md#after-a-restart).
 */
import { Effect } from "effect"
import { CLAIM_VALID } from "../domain/TakeOver.ts"
import type { DriverTarget } from "./Driver.ts"
import { ConnectionException } from "./DriverErrors.ts"

export interface WorkClaim {
  /** It was known to be good so lately that nobody can have taken the work over since. */
  readonly isFresh: () => boolean
  /** Asks for it; yields why nothing more may be sent, null when the work is this process's. */
  readonly ask: Effect.Effect<string | null>
}

/** Whether what was known at this instant (epoch milliseconds) need not be asked again. A clock that was set back says nothing. */
export const isFresh = (knownAt: number): boolean => Math.abs(Date.now() - knownAt) < CLAIM_VALID * 1000

/** Why nothing more is sent: somebody else does the work, or may do it unheard. */
export const TAKEN_OVER = "another process has taken this work over"
export const UNASKED = "the database does not say whether another process has taken this work over"

/** Fails unless the work of the session is this process's; `whileDoing` is for the error. */
export const insist = ({ address, claim, hostname }: DriverTarget, whileDoing: string) =>
  claim === undefined || claim.isFresh()
    ? Effect.void
    : Effect.flatMap(claim.ask, (message) =>
        message === null
          ? Effect.void
          : Effect.fail(new ConnectionException({ hostname, address, whileDoing, message }))
      )
