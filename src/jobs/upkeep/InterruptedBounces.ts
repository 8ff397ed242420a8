/**
 * Brings up the ports that a bounce has left down because its server was killed or its switch was lost in the middle: at the
 * start and once a minute, until they are up. Which replica does it does not matter: the device's actor does one at a time.
 */
import { Effect, Layer, Schedule } from "effect"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { OperationStore } from "../../store/OperationStore.ts"

const INTERVAL = "1 minute"
const CONCURRENCY = 10

const make = Effect.gen(function* () {
  const operations = yield* OperationStore
  const actorOf = yield* DeviceEntity.client

  const finish = (device: number) =>
    Effect.matchEffect(patiently(actorOf(String(device)).FinishBounce()), {
      onSuccess: ({ ports }) =>
        ports.length === 0
          ? Effect.void
          : Effect.logWarning("Ports that an interrupted bounce had left down are up again", { device, ports }),
      onFailure: ({ message }) =>
        Effect.logError("Ports may be down since a bounce that was interrupted", { device, error: message })
    })

  yield* operations.unfinished("bounce").pipe(
    Effect.flatMap((left) =>
      Effect.forEach(new Set(left.map(({ device_id }) => device_id)), finish, {
        concurrency: CONCURRENCY,
        discard: true
      })
    ),
    Effect.catchCause((cause) => Effect.logWarning("Interrupted bounces could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
})

/** Looks for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
