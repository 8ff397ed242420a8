/**
 * Whose connections are ended (docs/events.md#socketio): a connection goes on when its token ends by its time, but not when somebody revokes
 * it, or takes or changes the user. Pure.
 */
import type { Identity } from "../../domain/access/Identity.ts"
import type { LiveEvent } from "../../domain/events/LiveEvent.ts"

/** A program whose token was revoked, or a user who is not as before. */
export type Withdrawn = Pick<Identity, "name" | "way">

/** Whom an event takes the token; null for any other event. */
export const withdrawnBy = ({ action, data, kind }: Pick<LiveEvent, "action" | "data" | "kind">): Withdrawn | null => {
  const { name } = data
  if (typeof name !== "string") return null
  if (kind === "token" && action === "revoked") return { name, way: "token" }
  return kind === "user" && action !== "created" ? { name, way: "password" } : null
}
