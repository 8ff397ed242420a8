/**
 * Requests that would undermine approvals need one themselves if the site asks for it (docs/security.md#four-eyes); `OPERATIONS` lists
 * them. Such a request is tried with all checks, rolled back and stored. When another person approves it, it is sent through the router
 * again in the name of its caller, with all checks.
 */
import { Context, Effect, Option, References, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { SqlClient, SqlError } from "effect/sql"
import type { unhandled } from "effect/Types"
import { Permissions } from "../../access/Permissions.ts"
import { BASE } from "../../api/Api.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { toId } from "../../domain/fields/Values.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ApiTokenStore } from "../../store/ApiTokenStore.ts"
import { failure } from "./ErrorEnvelope.ts"
import { maskText } from "./RequestLog.ts"
import { recall } from "./Client.ts"
import { refuseOrDie } from "./HandlerErrors.ts"
import { RequestApprovalStore } from "../../store/ApprovalStore.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Where the server logs in with the managed login, and whether the device is managed. */
interface Place {
  readonly id: number
  readonly is_managed: boolean
  readonly place: string
}
type Places = ReadonlyArray<Place>

/**
 * When an operation needs an approval: `always`; `others`: for a token of another person; `placed`: if the managed login would go to
 * another device or address than before, or a device becomes managed.
 */
type When = "always" | "others" | "placed"

interface Operation {
  readonly what: string
  readonly when: When
}

/** By method and path of the endpoint. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["POST /auth/users", { what: "a new user", when: "always" }],
  ["PUT /auth/users/:name", { what: "roles or password of a user", when: "always" }],
  ["DELETE /auth/users/:name", { what: "a user is removed", when: "always" }],
  ["POST /auth/persons/withdraw", { what: "a person is withdrawn", when: "always" }],
  ["POST /auth/persons/admit", { what: "a person is let in again", when: "always" }],
  ["DELETE /auth/tokens/:id", { what: "a token of somebody else", when: "others" }],
  ["PUT /device/:hostname/host_key", { what: "the SSH host key of a device", when: "always" }],
  ["POST /device/:hostname/hostkey/approve", { what: "the SSH host key of a device", when: "always" }],
  ["POST /device_hostkeys/approve", { what: "the SSH host keys of devices", when: "always" }],
  ["POST /device/:hostname/trust", { what: "the identity of a device", when: "always" }],
  ["POST /device", { what: "a new managed device", when: "placed" }],
  ["PUT /device/:id", { what: "address, port or state of a managed device", when: "placed" }],
  ["POST /onboarding", { what: "switches that are onboarded", when: "placed" }],
  ["POST /onboarding/manage", { what: "onboarded switches become managed", when: "always" }],
  ["POST /alerts/mutes", { what: "alerts are muted", when: "always" }],
  ["DELETE /alerts/mutes/:id", { what: "alerts are not muted any more", when: "always" }]
])

/** A stored request that is sent again in this identity's name: to try whether they may make it, or to carry it out. */
export interface ReplayedRequest {
  readonly identity: Identity
  readonly mode: "try" | "carry out"
}
export const ReplayedRequest = Context.Reference<ReplayedRequest | null>("switchyard/http/core/ReplayedRequest", {
  defaultValue: () => null
})

/**
 * True while a request is only tried and will be rolled back. A handler with effects outside the database, such as a login to a switch,
 * skips them.
 */
export const TrialRun = Context.Reference<boolean>("switchyard/http/core/TrialRun", { defaultValue: () => false })

/** Rolls the transaction back. */
class RolledBack extends Schema.TaggedError<RolledBack>()("RolledBack", {}) {}

type Handling<R> = Effect.Effect<Response, unhandled, R>

/** Stores requests that need an approval by another person. */
export const makeApprovalGate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { rules } = yield* Permissions
  const { APPROVAL_WAIT } = yield* ServerConfig
  const approvals = yield* RequestApprovalStore
  const tokens = yield* ApiTokenStore

  const places = sql<Place>`select id, state in ('MANAGED', 'MANAGED_NOIF') as is_managed,
    jsonb_build_array(management_ip, secondary_management_ip, infra_ip, dhcp_ip, oob_ip, port, ztp_mac)::text as place
    from device where state in ('INIT', 'MANAGED', 'MANAGED_NOIF', 'UNMANAGED')`

  const isOthers = Effect.fnUntraced(function* (digits: string, { name, person, way }: Identity) {
    const id = toId(digits)
    const token = Option.isNone(id) ? Option.none() : yield* tokens.find(id.value)
    if (Option.isNone(token)) return false
    const { created_by, owner } = token.value
    return owner === null ? way === "token" || created_by !== name : owner !== person
  })

  /** Another record counts too, if it loses its address to the one that is written. */
  const isPlaced = (before: Places, after: Places): boolean => {
    const known = new Map(before.map((device) => [device.id, device]))
    return after.some(({ id, is_managed, place }) => {
      const was = known.get(id)
      return was === undefined || was.place !== place || (is_managed && !was.is_managed)
    })
  }

  /** Runs a request and says whether it needs an approval; one that needs none is committed. */
  const tried = Effect.fnUntraced(function* <R>(
    operation: Operation,
    caller: Identity,
    handle: Handling<R>,
    isOnlyTried: boolean
  ) {
    const params = yield* HttpRouter.params
    const before = operation.when === "placed" ? yield* places : []
    const isOfOthers = operation.when === "others" ? yield* isOthers(params["id"] ?? "", caller) : false
    const wants = Effect.gen(function* () {
      if (operation.when === "always") return true
      if (operation.when === "others") return isOfOthers
      return isPlaced(before, yield* places)
    })
    let response: Response | undefined
    return yield* sql
      .withTransaction(
        Effect.gen(function* () {
          response = yield* handle
          if (response.status < 300 && (isOnlyTried || (yield* wants))) return yield* new RolledBack()
          return { response, isWaiting: false }
        })
      )
      .pipe(
        // a request that is rolled back is not logged
        (work) =>
          isOnlyTried || operation.when === "always"
            ? work.pipe(
                Effect.provideService(References.MinimumLogLevel, "None"),
                Effect.provideService(TrialRun, true)
              )
            : work,
        Effect.catchTag("RolledBack", () =>
          Effect.succeed({ response: response ?? HttpServerResponse.empty(), isWaiting: true })
        )
      )
  })

  const waits = Effect.fnUntraced(function* ({ what }: Operation, request: Request, identity: Identity) {
    const { text = "" } = recall(request)
    const asked = yield* approvals.ask({
      operation: what,
      method: request.method,
      // without the query, which may contain a token
      path: behindBase(request.url.split("?", 1).join("")),
      sent: text,
      shown: text === "" ? null : maskText(text),
      identity,
      waitSeconds: APPROVAL_WAIT
    })
    const message = `This waits until ${asked.expires_at} for the approval of another person (${what}): POST /approvals/${asked.id}/approve`
    return HttpServerResponse.jsonUnsafe(
      { status: "success", message, data: { approval_id: asked.id, waits_until: asked.expires_at, operation: what } },
      { status: 202 }
    )
  })

  return Effect.fnUntraced(
    function* <R>(request: Request, caller: Identity, endpoint: HttpApiEndpoint.Top, handle: Handling<R>) {
      const path = behindBase(endpoint.path).replaceAll(/\([^)]*\)/g, "")
      const operation = OPERATIONS.get(`${endpoint.method} ${path}`)
      if (operation === undefined || caller.way === "open") return yield* handle
      const replayed = yield* ReplayedRequest
      if (replayed?.mode === "carry out") return yield* handle
      if (replayed === null && (yield* rules)?.securityApproval !== true) return yield* handle
      const { isWaiting, response } = yield* tried(operation, caller, handle, replayed !== null)
      if (!isWaiting || replayed !== null) return response
      return yield* Effect.catchTag(waits(operation, request, caller), "TooManyWaiting", ({ message }) =>
        Effect.succeed(failure(429, {}, message))
      )
    },
    Effect.catchIf(SqlError.isSqlError, refuseOrDie)
  )
})

const behindBase = (path: string): string => (path.startsWith(BASE) ? path.slice(BASE.length) : path)
