/** An event of the log as followers get it (docs/events.md): what the audit tells of it, and the record that it is about. */
import { Schema } from "effect"
import { AuditEvent } from "../AuditEvent.ts"

/** One event. Events are followed in the order of their numbers, which have gaps. */
export const LiveEvent = Schema.Struct({
  ...AuditEvent.fields,
  is_audit: Schema.Boolean,
  /** A device's record after the change, or as it was before it was deleted; null for what is not about the record of a device. */
  object: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "LiveEvent" })
export type LiveEvent = typeof LiveEvent.Type
