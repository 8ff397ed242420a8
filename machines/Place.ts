/** Where a statechart is, in words. */
import type { StateValue } from "xstate"

const path = (value: StateValue): string =>
  typeof value === "string"
    ? value
    : Object.entries(value)
        .map(([state, inner]) => (inner === undefined ? state : `${state}.${path(inner)}`))
        .join(" ")

/** The states that a statechart is in: `committed.observing`, or `life.MANAGED activity.idle` with two regions. */
export const placeOf = ({ value }: { readonly value: StateValue }): string => path(value)
