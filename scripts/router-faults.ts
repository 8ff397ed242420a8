/** The part of `FAULTS.md` about real routers, from the table of the tests. */
import { rounds } from "../test/scenarios/routers/RouterFaults.ts"
import { killCells } from "../test/scenarios/routers/RouterKills.ts"
import { faultRows } from "./fault-rows.ts"

/** The lines of the part. */
export const routerFaults = (): ReadonlyArray<string> => [
  "## A router that runs FRRouting, during a live sync",
  "",
  "The same on real routers (`test/scenarios/routers/RouterFaults.test.ts` and `RouterKills.test.ts`). Each fault occurs once, at exactly",
  "the named step; when the server is killed, the router completes its present command. Every run of the tests covers a part of the",
  "table, with every fault and every step; `npm run chaos -- routers` covers all of it.",
  "By chance: the answer to the commit is lost, and the server looks again before the commit is applied.",
  "",
  ...faultRows(
    [...rounds.flatMap(({ cells }) => cells), ...killCells].flatMap((cell) =>
      cell.or === undefined ? [cell] : [cell, { ...cell, fault: `${cell.fault}, or by chance`, ending: cell.or }]
    )
  ),
  ""
]
