/** Handlers of alerts (docs/alerts.md#looking-at-alerts). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered } from "../core/Unavailable.ts"
import { makeAlertChanges, makeAlertView } from "./AlertRequests.ts"

/** Handlers of `AlertsGroup`. */
export const AlertsLive = HttpApiBuilder.group(Api, "alerts", (handlers) =>
  Effect.gen(function* () {
    const view = yield* makeAlertView
    const changes = yield* makeAlertChanges
    return handlers
      .handle("list", () => answered(view.list))
      .handle("deliveries", ({ query, request }) => answered(view.deliveries(request, query)))
      .handle("replay", ({ params }) => answered(changes.replay(params.id)))
      .handle("replayAll", ({ payload }) => answered(changes.replayAll(payload.receiver ?? null)))
      .handle("test", ({ params }) => answered(view.test(params.name)))
      .handle("mutes", () => answered(changes.mutes))
      .handle("addMute", ({ payload }) => answered(changes.addMute(payload)))
      .handle("removeMute", ({ params }) => answered(changes.removeMute(params.id)))
  })
)
