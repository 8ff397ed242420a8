/** A wire on which nothing is written for work that another process has: what is to be written waits until the claim is known. */
import { Effect } from "effect"
import { TAKEN_OVER, type WorkClaim } from "../WorkClaim.ts"
import type { Wire } from "./Shell.ts"

/** Writes while the claim is good; ends the wire when the work turns out to be somebody else's. */
export const claimedWire = (wire: Wire, claim: WorkClaim, run: (work: Effect.Effect<void>) => unknown): Wire => {
  let closed: (reason: string) => void = () => undefined
  let waiting: Array<string> | null = null

  const answered = (isOurs: boolean): void => {
    const texts = waiting ?? []
    waiting = null
    if (isOurs) return texts.forEach(wire.write)
    closed(TAKEN_OVER)
    wire.destroy()
  }

  return {
    write: (text) => {
      if (waiting !== null) return void waiting.push(text)
      if (claim.isFresh()) return wire.write(text)
      waiting = [text]
      run(Effect.map(claim.ask, answered))
    },
    listen: (data, whenClosed) => {
      closed = whenClosed
      wire.listen(data, whenClosed)
    },
    destroy: wire.destroy
  }
}
