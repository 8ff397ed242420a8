/**
 * Whose connections are ended at once (docs/events.md#socketio): when somebody revokes a token, takes or changes a user, or withdraws a person.
 * A token that ends in another way is found by looking at it again (`http/socket/SocketServer.ts`). Pure.
 */
import type { Identity } from "../../domain/access/Identity.ts"
import type { LiveEvent } from "../../domain/events/Event.ts"

/** A program whose token was revoked, a user who is not as before, or a person with all that is theirs. */
export type Withdrawn = Pick<Identity, "name" | "way"> | Pick<Identity, "person">

/** Whom an event takes the token; null for any other event. */
export const withdrawnBy = ({ action, data, kind }: Pick<LiveEvent, "action" | "data" | "kind">): Withdrawn | null => {
  const { name, person } = data
  if (kind === "person") return action === "withdrawn" && typeof person === "string" ? { person } : null
  if (typeof name !== "string") return null
  if (kind === "token" && action === "revoked") return { name, way: "token" }
  return kind === "user" && action !== "created" ? { name, way: "password" } : null
}
