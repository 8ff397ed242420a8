/** Why nothing can be asked of a device of a platform without a driver. */
import { Effect, Schema } from "effect"
import { isManageable, type OfPlatform, platforms } from "./Platforms.ts"

const managed = platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => name)

/** There is no driver for the device's platform. Nothing was sent to the device; only another platform in its record helps. */
export class UnmanageableDevice extends Schema.TaggedError<UnmanageableDevice>()("UnmanageableDevice", {
  hostname: Schema.String,
  platform: Schema.NullOr(Schema.String)
}) {
  get httpStatus() {
    return 409 as const
  }
  override get message() {
    const known = managed.join(", ")
    return `Device ${this.hostname} cannot be managed: there is no driver for platform ${this.platform ?? "None"} (only for ${known})`
  }
}

/** The text of a failed task that says so, ending in `Type: message` and a newline. */
export const unmanageableText = (error: UnmanageableDevice): string => `${error._tag}: ${error.message}\n`

/** Fails with UnmanageableDevice for a device that no driver can log in to. */
export const requireManageable = ({
  hostname,
  platform
}: OfPlatform & { readonly hostname: string }): Effect.Effect<void, UnmanageableDevice> =>
  isManageable({ platform }) ? Effect.void : Effect.fail(new UnmanageableDevice({ hostname, platform }))
