/** People with passwords. `HandlingOfCallers` has asked before whether the caller may handle them. */
import { Effect, Redacted } from "effect"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { enveloped } from "../../api/Envelope.ts"
import type { NewUserRequest, UserChangeRequest } from "../../domain/requests/SignOnRequests.ts"

export const makeUserRequests = Effect.gen(function* () {
  const users = yield* LocalUsers
  return {
    list: Effect.map(users.all, (all) => enveloped({ users: all })),
    create: Effect.fnUntraced(function* ({ password, ...user }: NewUserRequest) {
      return enveloped({ added_user: yield* users.add({ ...user, password: Redacted.make(password) }) })
    }),
    change: Effect.fnUntraced(function* (name: string, { password, roles }: UserChangeRequest) {
      const withRoles = roles === undefined ? undefined : yield* users.setRoles(name, roles)
      const changed = password === undefined ? withRoles : yield* users.setPassword(name, Redacted.make(password))
      if (changed === undefined) return yield* Effect.die(new Error("a change of a user without a change"))
      return enveloped({ updated_user: changed })
    }),
    remove: Effect.fnUntraced(function* (name: string) {
      return enveloped({ deleted_user: yield* users.remove(name) })
    })
  }
})
