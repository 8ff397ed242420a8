/** Every step of a live sync of a switch with Junos × every fault of the lab, and what other users of the switch do meanwhile. */
import * as FaultScene from "./FaultScene.ts"
import { junosFaultCases } from "./JunosFaultTable.ts"
import { junosSite, lostTimer, shortTimer } from "./JunosSite.ts"

const isUntold = ({ ending }: (typeof junosFaultCases)[number]): boolean => ending.untold === true

FaultScene.describeSync(
  "a live sync in which every switch with Junos has another fault",
  junosFaultCases.filter((one) => !isUntold(one)),
  junosSite(shortTimer)
)

FaultScene.describeSync(
  "a live sync in which switches with Junos are lost after the commit, or do not show their timers",
  junosFaultCases.filter((one, index) => index === 0 || isUntold(one)),
  junosSite(lostTimer)
)
