/** Handlers of the routes that show the actor of a device. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped, ServiceUnavailable } from "../../api/Answers.ts"
import { DeviceActors } from "../../devices/DeviceActors.ts"
import { statecharts } from "../../devices/Statecharts.ts"
import { answered } from "../core/Unavailable.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"

/** Handlers of `ActorGroup`. */
export const ActorLive = HttpApiBuilder.group(Api, "actor", (handlers) =>
  Effect.gen(function* () {
    const actors = yield* DeviceActors
    const { byHostname } = yield* makeDeviceLookup

    const show = Effect.fn("ActorHandlers.show")(function* (hostname: string) {
      const device = yield* byHostname(hostname)
      const view = yield* Effect.mapError(actors.show(device), ({ message }) => new ServiceUnavailable({ message }))
      return enveloped(view)
    })

    return handlers
      .handle("show", ({ params }) => answered(show(params.hostname)))
      .handle("statecharts", () => Effect.succeed(enveloped(statecharts)))
  })
)
