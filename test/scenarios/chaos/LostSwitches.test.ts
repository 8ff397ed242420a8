/** A live sync of switches that are unreachable after their commit: their own timers take it back. */
import * as FaultScene from "./FaultScene.ts"
import { faultCases } from "./FaultTable.ts"

const TIMER_SECONDS = 15

const cases = faultCases.filter(({ ending }, index) => index === 0 || ending.untold === true)
FaultScene.describeSync(
  "a live sync in which switches are lost after the commit",
  cases,
  FaultScene.eosSite(TIMER_SECONDS)
)
