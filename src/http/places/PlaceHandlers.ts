/** Handlers of new switches and of the topology. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makePlaces } from "./Places.ts"
import { makeSeveralInits } from "./SeveralInits.ts"

/** Handlers of `PlacesGroup`. */
export const PlacesLive = HttpApiBuilder.group(Api, "places", (handlers) =>
  Effect.gen(function* () {
    const places = yield* makePlaces
    const start = yield* makeSeveralInits
    return handlers
      .handle("newDevices", () => answered(places.newDevices))
      .handle("initDevices", ({ payload }) => asCaller((user) => start(payload, user)))
      .handle("topology", () => answered(places.topology))
  })
)
