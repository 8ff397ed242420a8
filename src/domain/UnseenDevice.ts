/** Why nothing may be pushed to a device: the database was restored, and nobody has looked at the device since. */
import { Schema } from "effect"

/**
 * The database was restored from a backup, and the device was not read since: it may run what was committed after the backup. Nothing was
 * sent to it. The server looks at such devices by itself, every few minutes.
 */
export class UnseenDevice extends Schema.TaggedError<UnseenDevice>()("UnseenDevice", {
  hostname: Schema.String,
  /** When the backup was made, ISO 8601 in UTC. */
  backupOf: Schema.String
}) {
  override get message() {
    return `Device ${this.hostname} was not read since the database was restored from the backup of ${this.backupOf}, so it may run what was committed after that. It is read within minutes, or now by POST /device_drift`
  }
}
