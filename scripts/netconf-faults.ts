/** The part of `FAULTS.md` about a NETCONF server, from the table of the tests. */
import { faults } from "../test/scenarios/netconf/NetconfFaults.ts"
import { faultRows } from "./fault-rows.ts"

/** Without the sync status: a configuration that is applied by itself has none. */
const COLUMNS = 5

/** The lines of the part. */
export const netconfFaults = (): ReadonlyArray<string> => [
  "## A NETCONF server, during a change",
  "",
  "The same on a real server of others, netconfd (`test/scenarios/netconf/Netconf.test.ts`), with one configuration that is applied live.",
  "Its candidate ends with the login that has loaded it, and its confirmation also saves.",
  "",
  ...faultRows(faults, COLUMNS),
  ""
]
