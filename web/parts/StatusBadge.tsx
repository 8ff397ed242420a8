/** The standing of something as a pill, for the heads of screens and cards. In rows it is a `StatusWord`. */
import { type Status, StatusShown } from "./StatusWord.tsx"

export const StatusBadge = (status: Status) => <StatusShown status={status} className="tone badge" />
