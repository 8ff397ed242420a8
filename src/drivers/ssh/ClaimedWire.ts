/** A wire on which nothing is written for work that another process has: what is to be written waits until the claim is known. */
import { Effect } from "effect"
import type { WorkClaim } from "../WorkClaim.ts"
import type { Wire } from "./Shell.ts"

/** Writes while the claim is good; ends the wire when the work is somebody else's, or nobody can say whose it is. */
export const claimedWire = (wire: Wire, claim: WorkClaim, run: (work: Effect.Effect<void>) => unknown): Wire => {
  let closed: (reason: string) => void = () => undefined
  let waiting: Array<string> | null = null

  const answered = (refusal: string | null): void => {
    const texts = waiting ?? []
    waiting = null
    if (refusal === null) return texts.forEach(wire.write)
    closed(refusal)
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
