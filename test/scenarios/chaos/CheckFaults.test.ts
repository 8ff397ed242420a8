/** Every moment of the checks of a live sync at which a switch may fail them, be unreadable, hang, or settle late. */
import { checkCases, CHECKS } from "./CheckFaults.ts"
import * as FaultScene from "./FaultScene.ts"

/** No timer expires during the test. */
const TIMER_SECONDS = 150

FaultScene.describeSync("a live sync of switches with checks", checkCases, {
  ...FaultScene.eosSite(TIMER_SECONDS),
  templates: { "checks.yml": CHECKS }
})
