/**
 * The logins that a change brings: after its commit each of them that is ours has to work, or the change is not proved
 * (docs/security.md#changing-passwords). Without that a mistake in a password is found when nobody can log in any more.
 */
import { Effect } from "effect"
import type { ChangeEvent, ChangeRow } from "../../machines/change/ChangeRow.ts"
import { renderError } from "../drivers/DriverErrors.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import type { LoginError } from "./DeviceLogin.ts"
import { usersIn } from "./Logins.ts"

/** Tells the connection what this change means for logins. Where it is being taken back the old ones are right. */
export const expect = (connection: DeviceConnection, loginLine: RegExp | null, row: ChangeRow): void => {
  const { committedAt, diff, goal, timerSeconds } = row
  const users = usersIn(loginLine, diff)
  const replaced = users.size > 0 && committedAt !== null && goal === "new" ? { users, at: committedAt } : null
  const rollsBackAt = committedAt === null || timerSeconds === null ? null : committedAt + timerSeconds * 1000
  connection.committed(replaced, rollsBackAt)
}

/**
 * What was observed over the connection that is open, once the logins are tried that the change has given to other users of
 * ours than the one of this connection. A refused one makes it `loginRefused`.
 */
export const prove = Effect.fnUntraced(function* (
  connection: DeviceConnection,
  loginLine: RegExp | null,
  { diff, goal }: ChangeRow,
  event: ChangeEvent
): Effect.fn.Return<ChangeEvent, LoginError> {
  if (event.type !== "OBSERVED" || event.running !== "candidate" || goal !== "new") return event
  const users = usersIn(loginLine, diff)
  if (users.size === 0) return event
  const { otherUsers } = yield* connection.current
  for (const user of otherUsers) {
    if (!users.has(user)) continue
    const refused = yield* connection.freshAs(user).pipe(
      Effect.as(null),
      Effect.catchTag("ConnectAuthError", (error) => Effect.succeed(renderError(error)))
    )
    if (refused !== null) return { ...event, loginRefused: true, failure: refused }
  }
  return event
})
