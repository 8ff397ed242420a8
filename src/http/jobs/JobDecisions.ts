/**
 * Decisions over jobs that wait for an approval (docs/changes.md#approval). The approver is another person than the one who started the job
 * (`access/Permit.ts`), no program and no maker of the program that started it, and may start such a job without an approval.
 */
import { Effect, Option } from "effect"
import { judge, makeRefusalToDecide, NotPermitted, wantsApproval } from "../../access/Permit.ts"
import { Permissions } from "../../access/Permissions.ts"
import { Caller } from "../../api/Requests.ts"
import type { DecisionRequest } from "../../domain/requests/OperationRequests.ts"
import { JobApproval } from "../../jobs/requests/JobApproval.ts"
import { namesInOrder } from "../../domain/Natural.ts"
import { type ListedPerson, PersonStore } from "../../store/AccountStore.ts"
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

/** So many people are asked about, and named, at most. */
const MOST_NAMED = 20

/** Yields the names of people known to the server who may decide over a job now. */
export const makeApprovers = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  const persons = yield* PersonStore
  const mayDecide = yield* makeMayDecide

  /** A person as they would call now; null for a machine, and for somebody who was withdrawn. */
  const callerOf = Effect.fnUntraced(function* ({ name, person, roles, way, withdrawn_at }: ListedPerson) {
    if (way === "machine" || way === "token" || withdrawn_at !== null) return null
    if (way === "password") {
      const user = Option.getOrUndefined(yield* persons.localUsers.find(name))
      return user?.enabled === true ? { name, person, way, roles: user.roles, attributes: {} } : null
    }
    const attributes = Option.match(yield* persons.find(person), {
      onNone: () => ({}),
      onSome: (known) => known.attributes
    })
    return { name, person, way, roles, attributes }
  })

  return Effect.fnUntraced(function* (id: number, approval: AskedApproval) {
    const names: Array<string> = []
    for (const listed of yield* persons.all) {
      if (names.length >= MOST_NAMED) break
      const caller = yield* callerOf(listed)
      if (caller === null) continue
      const held = yield* heldBy(caller)
      if (held !== null && judge(held, approval.asked).allowed === null) continue
      const may = yield* mayDecide(id, approval).pipe(
        Effect.provideService(Caller, caller),
        Effect.as(true),
        Effect.catchTag("NotPermitted", () => Effect.succeed(false))
      )
      if (may) names.push(caller.name)
    }
    return namesInOrder(names)
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
