/** Tokens of programs, in the name of a caller: administrators handle all, others those that they have made. */
import { Effect, Redacted } from "effect"
import { ApiTokens, TokenNotFound } from "../../access/ApiTokens.ts"
import { GrantRefused, Grants } from "../../access/Grants.ts"
import { Caller } from "../../api/Requests.ts"
import { enveloped } from "../../api/Answers.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import type { NewTokenRequest } from "../../domain/requests/SignOnRequests.ts"
import { toId } from "../../domain/fields/Values.ts"

export const makeTokenRequests = Effect.gen(function* () {
  const tokens = yield* ApiTokens
  const { granted, known, mayDoEverything } = yield* Grants

  /** A token may have the name of a person who has made some; it has made none itself. */
  const isMaker = ({ name, way }: Identity, created_by: string) => way !== "token" && created_by === name

  return {
    list: Effect.gen(function* () {
      const caller = yield* Caller
      const all = yield* tokens.all
      const isAll = yield* mayDoEverything(caller)
      return enveloped({ tokens: all.filter(({ created_by }) => isAll || isMaker(caller, created_by)) })
    }),
    create: Effect.fnUntraced(function* ({ days, is_machine, name, roles }: NewTokenRequest) {
      const caller = yield* Caller
      yield* known(roles)
      yield* granted(caller, roles)
      if (is_machine && !(yield* mayDoEverything(caller))) {
        return yield* new GrantRefused({ reason: "accounts of machines are made by those who may do everything" })
      }
      const owner = is_machine ? null : caller.person
      const { record, secret } = yield* tokens.create({ name, roles, days, createdBy: caller.name, owner })
      return enveloped({ token: Redacted.value(secret), added_token: record })
    }),
    revoke: Effect.fnUntraced(function* (digits: string) {
      const caller = yield* Caller
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new TokenNotFound())
      const { created_by } = yield* tokens.find(id)
      if (!isMaker(caller, created_by) && !(yield* mayDoEverything(caller))) return yield* new TokenNotFound()
      return enveloped({ revoked_token: yield* tokens.revoke(id) })
    })
  }
})
