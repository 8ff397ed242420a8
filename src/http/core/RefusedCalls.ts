/**
 * Notes refused tokens and refused calls in the audit (docs/security.md#audit), bounded by address, so that nobody fills the database by
 * being refused. The answer does not wait for it.
 */
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { clientOf } from "./Client.ts"
import { Acting, type Identity } from "../../domain/access/Identity.ts"
import { maskUrl } from "../../runtime/MaskedUrl.ts"
import { EventStore } from "../../store/EventStore.ts"

/** Events of one address in a minute, and addresses of which they are counted. */
const MAX_NOTED = 20
const MAX_ADDRESSES = 1000
const MINUTE = 60_000

type Request = HttpServerRequest.HttpServerRequest

/** The path without the query, which may hold a token, and without one that was written into the path. */
const pathOf = ({ url }: Request): string => maskUrl(url.split(/[?;]/)[0] ?? "")

/** Notes refusals: of somebody whose token is not good, and of a caller who may not. */
export const makeRefusedCalls = Effect.gen(function* () {
  const events = yield* EventStore
  let minute = 0
  const counts = new Map<string, number>()

  const isCounted = (address: string, now: number): boolean => {
    const current = Math.floor(now / MINUTE)
    if (current !== minute) counts.clear()
    minute = current
    const count = (counts.get(address) ?? 0) + 1
    if (count > MAX_NOTED || (count === 1 && counts.size >= MAX_ADDRESSES)) return false
    counts.set(address, count)
    return true
  }

  const note = Effect.fnUntraced(function* (
    request: Request,
    who: Pick<Acting, "name" | "way">,
    kind: "login" | "call",
    reason: string
  ) {
    const { address } = clientOf(request)
    if (!isCounted(address ?? "", yield* Clock.currentTimeMillis)) return
    const { method } = request
    yield* events
      .append({ kind, action: "refused", isAudit: true, data: { method, path: pathOf(request), reason } })
      .pipe(
        Effect.provideService(Acting, { ...who, address, job: null }),
        Effect.catchCause((cause) => Effect.logDebug("A refusal could not be noted", cause)),
        Effect.forkDetach
      )
  })

  return {
    stranger: (request: Request, reason: string) => note(request, { name: "unknown", way: "none" }, "login", reason),
    caller: (request: Request, { name, way }: Identity, reason: string) => note(request, { name, way }, "call", reason)
  }
})
