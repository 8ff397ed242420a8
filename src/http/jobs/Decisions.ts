/**
 * Approves and rejects jobs (docs/changes.md#approval). Whoever decides is somebody else than who started the job, no program and no maker of
 * the program that started it, and may start such a job without an approval.
 */
import { Effect } from "effect"
import { judge, NotPermitted, wantsApproval } from "../../access/Permit.ts"
import { Permissions } from "../../access/Permissions.ts"
import { Caller } from "../../api/Authorization.ts"
import type { DecisionRequest } from "../../domain/requests/ActionRequests.ts"
import { JobApproval } from "../../jobs/engine/JobApproval.ts"

const refused = (rule: string, roles: ReadonlyArray<string> = []) => new NotPermitted({ rule, roles })

/** Decides over a job that waits, in the name of the caller. */
export const makeDecisions = Effect.gen(function* () {
  const approvals = yield* JobApproval
  const { allowedBy, heldBy, roles } = yield* Permissions

  const mayDecide = Effect.fnUntraced(function* (id: number) {
    const caller = yield* Caller
    const { asked, asked_by, token_makers } = yield* approvals.pending(id)
    if (caller.way === "token") return yield* refused("people decide over jobs, and this is a token of a program")
    if (caller.name === asked_by || token_makers.includes(caller.name)) {
      return yield* refused(`${asked_by} has started job ${id}, and somebody else has to decide`)
    }
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
