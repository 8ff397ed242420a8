/** People with passwords. `HandlingOfCallers` has asked before whether the caller may handle them. */
import { Effect, Redacted } from "effect"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { Caller } from "../../api/Requests.ts"
import { PersonStore } from "../../store/PersonStore.ts"
import { enveloped } from "../../api/Answers.ts"
import type { NewUserRequest, UserChangeRequest } from "../../domain/requests/SignOnRequests.ts"

export const makeUserRequests = Effect.gen(function* () {
  const users = yield* LocalUsers
  const persons = yield* PersonStore
  return {
    list: Effect.map(users.all, (all) => enveloped({ users: all })),
    create: Effect.fnUntraced(function* ({ password, ...user }: NewUserRequest) {
      return enveloped({ added_user: yield* users.add({ ...user, password: Redacted.make(password) }) })
    }),
    change: Effect.fnUntraced(function* (name: string, { enabled, password, roles }: UserChangeRequest) {
      const { name: by } = yield* Caller
      const withRoles = roles === undefined ? undefined : yield* users.setRoles(name, roles)
      const withPassword = password === undefined ? withRoles : yield* users.setPassword(name, Redacted.make(password))
      const changed = enabled === undefined ? withPassword : yield* users.setEnabled(name, enabled, by)
      if (changed === undefined) return yield* Effect.die(new Error("a change of a user without a change"))
      return enveloped({ updated_user: changed })
    }),
    persons: Effect.map(persons.all, (all) => enveloped({ persons: all })),
    withdraw: Effect.fnUntraced(function* (key: string) {
      const { name: by } = yield* Caller
      const local = /^local:(.*)$/.exec(key)?.[1]
      const { ended_tokens, person } = yield* local === undefined
        ? persons.withdraw(key, by)
        : users.withdraw(local, by)
      return enveloped({ withdrawn_person: person, ended_tokens })
    }),
    admit: Effect.fnUntraced(function* (key: string) {
      const { person } = yield* persons.admit(key)
      return enveloped({ admitted_person: person })
    }),
    remove: Effect.fnUntraced(function* (name: string) {
      return enveloped({ deleted_user: yield* users.remove(name) })
    })
  }
})
