/**
 * Decisions over jobs that wait for an approval (docs/changes.md#approval). The approver is another person than the one who started the job
 * (`access/Permit.ts`), no program and no maker of the program that started it, and may start such a job without an approval.
 */
import { Effect } from "effect"
import { judge, makeRefusalToDecide, NotPermitted, wantsApproval } from "../../access/Permit.ts"
import { Permissions } from "../../access/Permissions.ts"
import { Caller } from "../../api/Requests.ts"
import type { DecisionRequest } from "../../domain/requests/OperationRequests.ts"
import { JobApproval } from "../../jobs/requests/JobApproval.ts"
import type { Approval } from "../../store/ApprovalStore.ts"

const refused = (rule: string, roles: ReadonlyArray<string> = []) => new NotPermitted({ rule, roles })

/** The parts of an approval that decide who may give it. */
type AskedApproval = Pick<Approval, "asked" | "asked_at" | "asked_by" | "asked_person" | "token_makers">

/** Checks whether the present caller may decide over a job. Yields their name, or fails with NotPermitted. */
export const makeMayDecide = Effect.gen(function* () {
  const { allowedBy, heldBy, roles } = yield* Permissions
  const refusalToDecide = yield* makeRefusalToDecide

  return Effect.fnUntraced(function* (id: number, approval: AskedApproval) {
    const caller = yield* Caller
    const { asked, asked_at, asked_by, asked_person, token_makers } = approval
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
})

export const makeDecisions = Effect.gen(function* () {
  const approvals = yield* JobApproval
  const mayDecide = yield* makeMayDecide

  const decider = Effect.fnUntraced(function* (id: number) {
    return yield* mayDecide(id, yield* approvals.pending(id))
  })

  return {
    approve: Effect.fn("Decisions.approve")(function* (id: number, { comment }: DecisionRequest) {
      yield* approvals.approve(id, yield* decider(id), comment)
    }),
    reject: Effect.fn("Decisions.reject")(function* (id: number, { comment }: DecisionRequest) {
      yield* approvals.reject(id, yield* decider(id), comment)
    })
  }
})
