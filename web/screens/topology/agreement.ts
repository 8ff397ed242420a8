/** How a planned cable and a heard one agree, as words and in the order in which one looks at them. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

export type Agreement = Data<"GET /topology">["edges"][number]["agreement"]

/** From the one that is looked at first. */
export const AGREEMENTS = [
  ["moved", "a port hears something else than planned"],
  ["seen", "heard, but not planned"],
  ["planned", "planned, but not heard"],
  ["unread", "planned, neighbours not read yet"],
  ["agreed", "planned and heard"]
] as const satisfies ReadonlyArray<readonly [Agreement, string]>

/** What it means. */
export const wordOf = (agreement: Agreement): string =>
  AGREEMENTS.find(([name]) => name === agreement)?.[1] ?? agreement

const placeOf = (agreement: Agreement): number => AGREEMENTS.findIndex(([name]) => name === agreement)

/** The one of two that is looked at first. */
export const worse = (one: Agreement, other: Agreement): Agreement => (placeOf(one) <= placeOf(other) ? one : other)

/** Whether plan and LLDP differ. */
export const differs = (agreement: Agreement): boolean => agreement !== "agreed" && agreement !== "unread"
