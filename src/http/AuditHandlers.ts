/** Handlers of the audit: pages of all events, of a device, of a job (docs/security.md#audit). */
import { DateTime, Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { AuditChain } from "../access/AuditChain.ts"
import { Api } from "../api/Api.ts"
import { toId } from "../domain/fields/Values.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { JobStore } from "../store/JobStore.ts"
import type { ListQuery } from "../store/Listing.ts"
import { answered } from "./core/HandlerErrors.ts"
import { makeJobVisible } from "./core/Permits.ts"
import { makeListPage } from "./listing/ListPage.ts"
import * as Lists from "./listing/Lists.ts"
import { enveloped, NotFound } from "../api/Answers.ts"
import type { AuditEvent } from "../domain/events/Event.ts"

type Request = HttpServerRequest.HttpServerRequest

const only = (field: string, value: string): ListQuery["filters"] => [{ field, contains: false, value }]

const makeAudit = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const visible = yield* makeJobVisible
  const page = yield* makeListPage<AuditEvent>(Lists.audit, {
    perPage: 50,
    totalCount: "matching",
    limitCounts: true,
    sort: "-id"
  })

  const list = Effect.fnUntraced(function* (request: Request, filters: ListQuery["filters"] = []) {
    const { headers, rows } = yield* page(request, filters)
    return HttpApiSchema.withHeaders({ body: enveloped({ events: rows }), headers })
  })

  return {
    list,
    /** by id, to include events from before a rename */
    device: Effect.fnUntraced(function* (request: Request, hostname: string) {
      const [device] = yield* devices.byHostnames([hostname])
      return yield* list(request, device === undefined ? only("hostname", hostname) : only("device_id", `${device.id}`))
    }),
    job: Effect.fnUntraced(function* (request: Request, digits: string) {
      const unknown = new NotFound({ message: `No job with id ${digits} found` })
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => unknown)
      yield* Effect.catchTag(jobs.head(id), "JobNotFound", () => Effect.fail(unknown))
      yield* visible(id)
      return yield* list(request, only("job_id", `${id}`))
    })
  }
})

/** How long a result is reused: verifying reads the whole audit. */
const CHAIN_KEPT = Duration.minutes(1)

const makeChain = Effect.gen(function* () {
  const { verify } = yield* AuditChain
  const look = Effect.gen(function* () {
    const { checked, eventId, problem, removed, since } = yield* verify
    const checked_at = DateTime.formatIso(yield* DateTime.now)
    return enveloped({
      checked,
      problem,
      event_id: eventId === null ? null : Number(eventId),
      since,
      removed,
      checked_at
    })
  })
  const [kept, forget] = yield* Effect.cachedInvalidateWithTTL(look, CHAIN_KEPT)
  // a failure is not reused
  return Effect.tapCause(kept, () => forget)
})

/** Handlers of `AuditGroup`. */
export const AuditLive = HttpApiBuilder.group(Api, "audit", (handlers) =>
  Effect.gen(function* () {
    const audit = yield* makeAudit
    const chain = yield* makeChain
    return handlers
      .handle("list", ({ request }) => answered(audit.list(request)))
      .handle("chain", () => answered(chain))
      .handle("device", ({ params, request }) => answered(audit.device(request, params.hostname)))
      .handle("job", ({ params, request }) => answered(audit.job(request, params.id)))
  })
)
