/** What can go wrong with firmware images. The texts are those that clients know (docs/jobs.md#get_firmware). */
import { Effect, Schema } from "effect"
import { ownFault } from "../runtime/SystemErrors.ts"
import type { OutboundError } from "../runtime/OutboundFetch.ts"

/** The image service refuses or cannot do what was asked; `message` is its answer. Asking again does not help. */
export class FirmwareRefused extends Schema.TaggedError<FirmwareRefused>()("FirmwareRefused", {
  message: Schema.String
}) {}

/** The image service, or the server that an image comes from, cannot be reached or does not answer as it should. */
export class FirmwareUnreachable extends Schema.TaggedError<FirmwareUnreachable>()("FirmwareUnreachable", {
  message: Schema.String
}) {}

export type FirmwareError = FirmwareRefused | FirmwareUnreachable

/** What a request to another server has met; for what this machine lacks, such as a name server, the job waits (`JobRunner.ts`). */
export const ofOutbound = (error: OutboundError): Effect.Effect<never, FirmwareError> => {
  switch (error._tag) {
    case "OwnFault":
      return Effect.die(error)
    case "OutboundRefused":
      return Effect.fail(new FirmwareRefused({ message: `Could not download firmware: ${error.message}` }))
    case "OutboundAway":
      return Effect.fail(new FirmwareUnreachable({ message: error.message }))
  }
}

/** What the machine of this server lacks is no answer of the image service: the job waits for it, and a request is answered with 503. */
export const orOurs =
  (error: unknown) =>
  <E>(failure: E): Effect.Effect<never, E> => {
    const fault = ownFault(error, "file", "Images cannot be stored")
    return fault === undefined ? Effect.fail(failure) : Effect.die(fault)
  }

/** Works on the disk. Fails with FirmwareRefused and this message, which clients know, whatever is wrong with the file. */
export const disk = <A>(message: string, run: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise({ try: run, catch: (error) => error }), (error) =>
    orOurs(error)(new FirmwareRefused({ message }))
  )
