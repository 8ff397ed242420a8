/** Handlers of proposals and of the webhook of the forge (docs/reviewing.md). */
import { Clock, Effect, Option, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHmac, timingSafeEqual } from "node:crypto"
import { BadRequest, enveloped, NotFound, Unauthorized } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Requests.ts"
import { toId } from "../domain/fields/Values.ts"
import { EVENT_HEADERS, type Forge, reportOf } from "../domain/ForgeEvents.ts"
import type { ViewedRequest } from "../domain/requests/OperationRequests.ts"
import { Proposals } from "../jobs/repositories/Proposals.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { answered } from "./core/HandlerErrors.ts"
import { parseJsonObject } from "./core/JsonText.ts"
import { Limits } from "./core/Limits.ts"
import { RequestBodies } from "./core/RequestBodies.ts"

/** Handlers of `ProposalsGroup`. */
export const ProposalsLive = HttpApiBuilder.group(Api, "proposals", (handlers) =>
  Effect.gen(function* () {
    const proposals = yield* Proposals
    const idOf = (digits: string) =>
      Effect.mapError(Effect.fromOption(toId(digits)), () => new NotFound({ message: "Proposal not found" }))
    const whole = Effect.fnUntraced(function* (digits: string) {
      const { person } = yield* Caller
      return enveloped({ proposal: yield* proposals.whole(yield* idOf(digits), person) })
    })
    const mark = Effect.fnUntraced(function* (digits: string, { groups, viewed }: ViewedRequest) {
      const { person } = yield* Caller
      const marked = yield* proposals.mark(yield* idOf(digits), person, groups, viewed)
      return enveloped({ groups: [...marked].toSorted() })
    })
    const close = Effect.fnUntraced(function* (digits: string) {
      const { name } = yield* Caller
      return enveloped({ proposal: yield* proposals.close(yield* idOf(digits), name) })
    })
    return handlers
      .handle("list", ({ query: { repository, state } }) =>
        answered(Effect.map(proposals.list(state, repository), (found) => enveloped({ proposals: found })))
      )
      .handle("get", ({ params }) => answered(whole(params.id)))
      .handle("open", ({ payload: { branch, repository } }) =>
        answered(
          Effect.gen(function* () {
            const { name } = yield* Caller
            return enveloped({ proposal: yield* proposals.open(repository, branch, { name, isAtForge: false }) })
          })
        )
      )
      .handle("close", ({ params }) => answered(close(params.id)))
      .handle("viewed", ({ params, payload }) => answered(mark(params.id, payload)))
  })
)

// The signatures of webhooks (docs/reviewing.md#webhooks), over the bytes that were sent. Each comparison takes the same time whatever
// differs.

const isSame = (sent: string, expected: string): boolean => {
  const [one, other] = [sent, expected].map((text) => createHmac("sha256", COMPARED).update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

/** Texts of any length are compared by their digests. */
const COMPARED = "webhook"

/** How far the clocks of the forge and of this server may be apart. */
const MOST_SECONDS = 300

type Headers = HttpServerRequest.HttpServerRequest["headers"]

const hexOf = (secret: string, body: Uint8Array): string => createHmac("sha256", secret).update(body).digest("hex")

/** A signing token of GitLab follows the Standard Webhooks specification: it signs id, time and body. */
const isStandard = (headers: Headers, secret: string, body: Uint8Array, now: number): boolean => {
  const { "webhook-id": id = "", "webhook-signature": sent = "", "webhook-timestamp": seconds = "" } = headers
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(now / 1000 - Number(seconds)) > MOST_SECONDS) return false
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret)
  const expected = createHmac("sha256", key).update(`${id}.${seconds}.`).update(body).digest("base64")
  return sent.split(" ").some((one) => isSame(one, `v1,${expected}`))
}

/** Whether the forge has sent this body. */
const isGenuine = (forge: Forge, headers: Headers, secret: string, body: Uint8Array, now: number): boolean => {
  switch (forge) {
    case "github":
      return isSame(headers["x-hub-signature-256"] ?? "", `sha256=${hexOf(secret, body)}`)
    case "gitea":
      return isSame(headers["x-gitea-signature"] ?? "", hexOf(secret, body))
    case "gitlab":
      return headers["webhook-signature"] === undefined
        ? isSame(headers["x-gitlab-token"] ?? "", secret)
        : isStandard(headers, secret, body, now)
  }
}

/** Bodies of pushes list their commits. */
const MOST_BYTES = 5 * 1024 * 1024

const makeEvents = Effect.gen(function* () {
  const { FORGE, FORGE_WEBHOOK_SECRET } = yield* ServerConfig
  const bodies = yield* RequestBodies
  const limits = yield* Limits
  const proposals = yield* Proposals
  return Effect.fn("ForgeEvents.take")(function* (request: HttpServerRequest.HttpServerRequest) {
    if (Option.isNone(FORGE) || Option.isNone(FORGE_WEBHOOK_SECRET)) {
      return yield* new NotFound({ message: "No webhook is set up here (FORGE, FORGE_WEBHOOK_SECRET)" })
    }
    const forge = FORGE.value
    const bytes = yield* bodies.bytes(request, { sender: "anybody", maxBytes: MOST_BYTES })
    const now = yield* Clock.currentTimeMillis
    if (!isGenuine(forge, request.headers, Redacted.value(FORGE_WEBHOOK_SECRET.value), bytes, now)) {
      const refusal = yield* limits.refusalOfGuess(request)
      yield* limits.noteGuess(request)
      if (refusal !== undefined) return refusal
      return yield* new Unauthorized({ message: "The signature of the webhook is missing or wrong" })
    }
    const body = parseJsonObject(new TextDecoder().decode(bytes))
    if (body === undefined)
      return yield* new BadRequest({ message: "The body must be a JSON object: choose application/json" })
    const report = reportOf(forge, request.headers[EVENT_HEADERS[forge]] ?? "", body)
    return HttpServerResponse.jsonUnsafe(enveloped(yield* proposals.report(report)))
  })
})

/** Handlers of `ForgeGroup`. */
export const ForgeLive = HttpApiBuilder.group(Api, "forge", (handlers) =>
  Effect.gen(function* () {
    const take = yield* makeEvents
    return handlers.handleRaw("event", ({ request }) => answered(take(request)))
  })
)
