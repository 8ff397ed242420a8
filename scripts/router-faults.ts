/** The part of `FAULTS.md` about real routers, from the table that the tests play. */
import { rounds } from "../test/scenarios/routers/RouterFaults.ts"
import { killCells } from "../test/scenarios/routers/RouterKills.ts"
import { faultRows } from "./fault-rows.ts"

/** The lines of the part. */
export const routerFaults = (): ReadonlyArray<string> => [
  "## A router that runs FRRouting, during a live sync",
  "",
  "The same, played on real routers (`test/scenarios/routers/RouterFaults.test.ts` and `RouterKills.test.ts`). Each fault strikes once, at exactly",
  "the step that is named; when the server is killed, the router goes on with what it was told. Every run of the tests plays a part of the",
  "table, with every fault and every step; `npm run chaos -- routers` plays all of it.",
  "By chance: the answer to the commit is lost, and the server looks again before the commit is applied.",
  "",
  ...faultRows(
    [...rounds.flatMap(({ cells }) => cells), ...killCells].flatMap((cell) =>
      cell.or === undefined ? [cell] : [cell, { ...cell, fault: `${cell.fault}, or by chance`, ending: cell.or }]
    )
  ),
  ""
]
