/** The agreement of planned cables with LLDP, as words, the most urgent first. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

export type Agreement = Data<"GET /topology">["edges"][number]["agreement"]

/** The most urgent first. */
export const AGREEMENTS = [
  ["moved", "a port sees another neighbour than planned"],
  ["seen", "seen, but not planned"],
  ["planned", "planned, but not seen"],
  ["unread", "planned, neighbours not read yet"],
  ["agreed", "planned and seen"]
] as const satisfies ReadonlyArray<readonly [Agreement, string]>

/** The agreement in words. */
export const wordOf = (agreement: Agreement): string =>
  AGREEMENTS.find(([name]) => name === agreement)?.[1] ?? agreement

const placeOf = (agreement: Agreement): number => AGREEMENTS.findIndex(([name]) => name === agreement)

/** The more urgent of two. */
export const worse = (one: Agreement, other: Agreement): Agreement => (placeOf(one) <= placeOf(other) ? one : other)

/** Whether plan and LLDP differ. */
export const differs = (agreement: Agreement): boolean => agreement !== "agreed" && agreement !== "unread"
