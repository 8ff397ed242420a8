/**
 * Decisions over requests that wait for another person (docs/security.md#four-eyes). The approver must be allowed to make the request
 * themselves, which is tried in their name. Then it is carried out in the name of its caller, with their present permissions, exactly as it
 * was sent.
 */
import { Effect, Fiber, Option, Schema, Struct } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Permissions } from "../../access/Permissions.ts"
import { judge, makeRefusalToDecide, NotPermitted } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { toId } from "../../domain/fields/Values.ts"
import {
  type RequestAnswer,
  RequestApprovalStore,
  RequestNotFound,
  type StoredRequest
} from "../../store/ApprovalStore.ts"
import { Callers } from "../core/Callers.ts"
import { ReplayedRequest } from "../core/RequestApproval.ts"
import { Caller } from "../../api/Requests.ts"
import { Conflict, enveloped, Unauthorized } from "../../api/Answers.ts"
import type { DecisionRequest } from "../../domain/requests/OperationRequests.ts"

const Message = Schema.fromJsonString(Schema.Struct({ message: Schema.optionalKey(Schema.Unknown) }))

const isUnauthorized = Schema.is(Unauthorized)

/** Handlers of users and persons check for administrators themselves. */
const isForAdministrators = (path: string): boolean => /^\/auth\/(?:users|persons)/.test(path)

export const makeRequestDecisions = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const approvals = yield* RequestApprovalStore
  const callers = yield* Callers
  const { mayDoEverything } = yield* Permissions
  const { heldBy } = yield* Permissions
  const refusalToDecide = yield* makeRefusalToDecide

  /** Sends a stored request through the router in the name of an identity. */
  const send = Effect.fnUntraced(function* ({ method, path, sent }: StoredRequest, again: ReplayedRequest) {
    const init = { method, body: sent, headers: { "content-type": "application/json" } }
    const request = HttpServerRequest.fromWeb(new Request(`http://localhost${BASE}${path}`, init)).modify({
      url: `${BASE}${path}`
    })
    const response = yield* router
      .asHttpEffect()
      .pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(ReplayedRequest, again),
        Effect.scoped,
        Effect.orDie
      )
    const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    const message = Option.match(Schema.decodeOption(Message)(text), {
      onNone: () => null,
      onSome: ({ message }) => message ?? null
    })
    return { status: response.status, message } satisfies RequestAnswer
  })

  const refused = (rule: string) => new NotPermitted({ rule, roles: [] })

  const found = Effect.fnUntraced(function* (digits: string) {
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new RequestNotFound())
    return yield* approvals.find(id)
  })

  /** Whether a caller may make such a request, as far as that is known without making it. */
  const couldAsk = Effect.fnUntraced(function* (caller: Identity, method: string, path: string) {
    if (yield* mayDoEverything(caller)) return true
    const held = yield* heldBy(caller)
    return !isForAdministrators(path) && (held === null || judge(held, { method, path }).allowed !== null)
  })

  const mayDecide = Effect.fnUntraced(function* (request: StoredRequest) {
    const caller = yield* Caller
    const { asked_by, at, id, identity, method, path, token_makers } = request
    const asker = { person: identity.person, names: [asked_by, ...token_makers], at } as const
    const refusal = yield* refusalToDecide(caller, asker)
    if (refusal !== null) return yield* refused(`request ${id}: ${refusal}`)
    if (!(yield* couldAsk(caller, method, path))) {
      return yield* refused(`to decide over request ${id} one has to be allowed to make it`)
    }
    return caller
  })

  const carriedOut = Effect.fnUntraced(function* (request: StoredRequest, identity: Identity) {
    const answer = yield* send(request, { identity, mode: "carry out" })
    return { answer, approval: yield* approvals.answered(request.id, answer) }
  })

  const approve = Effect.fn("RequestDecisions.approve")(function* (digits: string, { comment }: DecisionRequest) {
    const request = yield* found(digits)
    const caller = yield* mayDecide(request)
    const tried = yield* send(request, { identity: caller, mode: "try" })
    if (tried.status === 401 || tried.status === 403) {
      return yield* refused(
        `to decide over request ${request.id} one has to be allowed to make it: ${String(tried.message)}`
      )
    }
    const identity = yield* callers
      .again(request.identity)
      .pipe(
        Effect.catchIf(isUnauthorized, ({ message }) =>
          Effect.fail(new Conflict({ message: `Request ${request.id} cannot be carried out: ${String(message)}` }))
        )
      )
    yield* approvals.decide(request.id, "approved", caller.name, comment)
    // it is completed even if the approver's connection ends
    const { answer, approval } = yield* Effect.flatMap(Effect.forkDetach(carriedOut(request, identity)), Fiber.join)
    if (answer.status < 300) return enveloped({ approval })
    const message = `Request ${request.id} was approved and cannot be carried out (${answer.status}): ${JSON.stringify(answer.message)}`
    return yield* new Conflict({ message })
  })

  const reject = Effect.fn("RequestDecisions.reject")(function* (digits: string, { comment }: DecisionRequest) {
    const request = yield* found(digits)
    const caller = yield* Caller
    if (caller.person !== request.identity.person) yield* mayDecide(request)
    return enveloped({ approval: yield* approvals.decide(request.id, "rejected", caller.name, comment) })
  })

  const list = Effect.gen(function* () {
    const caller = yield* Caller
    const shown = yield* Effect.filter(yield* approvals.list, ({ method, path, person }) =>
      person === caller.person ? Effect.succeed(true) : couldAsk(caller, method, path)
    )
    return enveloped({ approvals: shown.map((approval) => Struct.omit(approval, ["person"])) })
  })

  /** The waiting requests that the caller may decide. */
  const forCaller = Effect.gen(function* () {
    const waiting = (yield* approvals.list).filter(({ decision }) => decision === null)
    const found = yield* Effect.forEach(waiting, ({ id }) =>
      Effect.gen(function* () {
        const request = yield* approvals.find(id)
        yield* mayDecide(request)
        return [request]
      }).pipe(Effect.catchTag(["NotPermitted", "RequestNotFound", "RequestNotWaiting"], () => Effect.succeed([])))
    )
    return found.flat()
  })

  return { approve, forCaller, list, reject }
})
