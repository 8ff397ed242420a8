/** Every step of a live sync × every fault of the lab after which a switch is still reachable. */
import * as FaultScene from "./FaultScene.ts"
import { faultCases } from "./FaultTable.ts"

/** No timer expires during the test. */
const TIMER_SECONDS = 150

const cases = faultCases.filter(({ ending }) => ending.untold !== true)
FaultScene.describeSync("a live sync in which every switch has another fault", cases, FaultScene.eosSite(TIMER_SECONDS))
