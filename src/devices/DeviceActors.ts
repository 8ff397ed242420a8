/** Looks at the actors of devices, wherever they live. */
import { Context, Effect, Layer, Schema } from "effect"
import type { ActorView } from "../domain/DeviceActivity.ts"
import type { Device } from "../domain/Device.ts"
import { DeviceEntity } from "./DeviceCalls.ts"
import { patiently } from "./PatientCall.ts"

/** How long the replica that has the actor may take to answer; an actor itself answers at once. */
const PATIENCE = "10 seconds"

/** The actor cannot be asked now, such as while it moves to another replica; asking again can help. */
export class ActorSilent extends Schema.TaggedError<ActorSilent>()("ActorSilent", { message: Schema.String }) {}

const silent = ({ hostname }: Device, why: string) =>
  new ActorSilent({ message: `The actor of ${hostname} cannot be asked now: ${why}` })

const make = Effect.map(DeviceEntity.client, (actorOf) =>
  DeviceActors.of({
    show: (device) =>
      patiently(actorOf(String(device.id)).ShowActor()).pipe(
        Effect.mapError(({ message }) => silent(device, message)),
        Effect.timeoutOrElse({
          duration: PATIENCE,
          orElse: () => Effect.fail(silent(device, `it did not answer within ${PATIENCE}`))
        }),
        Effect.withSpan("DeviceActors.show")
      )
  })
)

/** The actors of all devices. */
export class DeviceActors extends Context.Service<
  DeviceActors,
  {
    /** What the device's actor is at. Does not wait for the call that it serves. */
    readonly show: (device: Device) => Effect.Effect<ActorView, ActorSilent>
  }
>()("switchyard/devices/DeviceActors") {
  static readonly layer = Layer.effect(DeviceActors, make)
}
