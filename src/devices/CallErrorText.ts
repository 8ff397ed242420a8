/** What a failed call to a device's actor leaves in a job's result. */

import type { WrongDevice } from "../domain/DeviceIdentity.ts"

/** A failure of a call, or of the way to the actor. */
export interface CallError {
  readonly _tag: string
  readonly message: string
}

/** Whether the switch is another one than its record says: asking again does not help. */
export const isWrongDevice = (error: CallError | (CallError & { readonly type: string })): boolean =>
  ("type" in error ? error.type : error._tag) === ("WrongDevice" satisfies WrongDevice["_tag"])

/** The device's own text when there is one, otherwise the kind of error with its message; ends with a line break. */
export const callErrorText = (error: CallError | (CallError & { readonly text: string })): string =>
  "text" in error ? error.text : `${error._tag}: ${error.message}\n`
