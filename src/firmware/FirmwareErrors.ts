/** What can go wrong with firmware images. The texts are those that clients know (docs/jobs.md#get_firmware). */
import { Effect, Schema } from "effect"
import { type OutboundError, OutboundRefused } from "../runtime/OutboundFetch.ts"

/** The image service refuses or cannot do what was asked; `message` is its answer. Asking again does not help. */
export class FirmwareRefused extends Schema.TaggedError<FirmwareRefused>()("FirmwareRefused", {
  message: Schema.String
}) {}

/** The image service, or the server that an image comes from, cannot be reached or does not answer as it should. */
export class FirmwareUnreachable extends Schema.TaggedError<FirmwareUnreachable>()("FirmwareUnreachable", {
  message: Schema.String
}) {}

export type FirmwareError = FirmwareRefused | FirmwareUnreachable

/** What a request to another server has met. */
export const ofOutbound = (error: OutboundError): FirmwareError =>
  error instanceof OutboundRefused
    ? new FirmwareRefused({ message: `Could not download firmware: ${error.message}` })
    : new FirmwareUnreachable({ message: error.message })

/** Works on the disk. Fails with FirmwareRefused and this message, whatever goes wrong. */
export const disk = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: () => new FirmwareRefused({ message }) })
