/**
 * Approves and rejects jobs (docs/changes.md#approval). Whoever decides is another person than who started the job (`OtherPerson.ts`), no
 * program and no maker of the program that started it, and may start such a job without an approval.
 */
import { Effect } from "effect"
import { makeRefusalToDecide } from "../../access/OtherPerson.ts"
import { judge, NotPermitted, wantsApproval } from "../../access/Permit.ts"
import { Permissions } from "../../access/Permissions.ts"
import { Caller } from "../../api/Authorization.ts"
import type { DecisionRequest } from "../../domain/requests/ActionRequests.ts"
import { JobApproval } from "../../jobs/requests/JobApproval.ts"

const refused = (rule: string, roles: ReadonlyArray<string> = []) => new NotPermitted({ rule, roles })

/** Decides over a job that waits, in the name of the caller. */
export const makeDecisions = Effect.gen(function* () {
  const approvals = yield* JobApproval
  const { allowedBy, heldBy, roles } = yield* Permissions
  const refusalToDecide = yield* makeRefusalToDecide

  const mayDecide = Effect.fnUntraced(function* (id: number) {
    const caller = yield* Caller
    const { asked, asked_at, asked_by, asked_person, token_makers } = yield* approvals.pending(id)
    const asker = { person: asked_person, names: [asked_by, ...token_makers], at: asked_at } as const
    const refusal = yield* refusalToDecide(caller, asker)
    if (refusal !== null) return yield* refused(`job ${id}: ${refusal}`)
    const held = yield* heldBy(caller)
    if (held === null) return caller.name
    const { allowed, rule = "" } = judge(held, asked)
    if (allowed === null)
      return yield* refused(
        `to decide over job ${id} one has to be allowed to start it: ${rule}`,
        allowedBy(yield* roles, asked)
      )
    if (wantsApproval(allowed)) return yield* refused(`role ${allowed.role} needs approvals itself`)
    return caller.name
  })

  return {
    approve: Effect.fn("Decisions.approve")(function* (id: number, { comment }: DecisionRequest) {
      yield* approvals.approve(id, yield* mayDecide(id), comment)
    }),
    reject: Effect.fn("Decisions.reject")(function* (id: number, { comment }: DecisionRequest) {
      yield* approvals.reject(id, yield* mayDecide(id), comment)
    })
  }
})
