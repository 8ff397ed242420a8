/** Whether a change still is this process's, as its sessions ask before they send (`drivers/Driver.ts`). */
import { Duration, Effect, Option, Schedule } from "effect"
import type { ChangeRow } from "../../machines/change/ChangeRow.ts"
import { SILENT_REPLICA } from "../domain/TakeOver.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import type { LiveChangeStore } from "../store/UnfinishedChanges.ts"
import { isClaimFresh, TAKEN_OVER, UNASKED, type WorkClaim } from "../drivers/Driver.ts"

/** The row as this process has read or written it last, and when it asked for that, in epoch milliseconds. */
export interface LastKnown {
  written: ChangeRow
  at: number
}

const PAUSE = Schedule.spaced("200 millis")

/**
 * Good while the database has what was written last. A database that is away may be away for this process only: among replicas
 * it is asked until the others may have taken over. A process `alone` goes on, because nobody else is there.
 */
export const claimOf = (
  changes: Pick<LiveChangeStore["Service"], "place">,
  id: number,
  known: { readonly written: Pick<ChangeRow, "phase" | "epoch">; at: number },
  alone: boolean
): WorkClaim => {
  const ask = Effect.suspend(() => {
    const at = Date.now()
    return Effect.map(changes.place(id), (found) => {
      const { epoch, phase } = known.written
      const isOurs = Option.exists(found, (now) => now.phase === phase && now.epoch === epoch)
      if (!isOurs) return TAKEN_OVER
      known.at = at
      return null
    })
  })
  const answer = alone
    ? ask.pipe(
        Effect.retry({ times: 2, schedule: PAUSE }),
        Effect.orElseSucceed(() => null)
      )
    : ask.pipe(
        Effect.retry(PAUSE),
        Effect.timeoutOrElse({ duration: Duration.seconds(SILENT_REPLICA), orElse: () => Effect.succeed(UNASKED) }),
        Effect.orElseSucceed(() => UNASKED)
      )
  return { isFresh: () => isClaimFresh(known.at), ask: failingWithoutDatabase(answer) }
}
