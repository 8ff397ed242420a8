/** The failure of a call to a device's actor, as callers on other replicas can read it. */
import { Schema } from "effect"

/**
 * Something could not be done on the device. `type` is the name that operators know (ConnectAuthError, CommandTimeout …),
 * `text` the whole text for a failed task, ending in `Type: message` and a newline.
 */
export class DeviceFailure extends Schema.TaggedError<DeviceFailure>()("DeviceFailure", {
  type: Schema.String,
  message: Schema.String,
  text: Schema.String
}) {}
