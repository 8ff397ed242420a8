/** An event of the audit, as it is shown and exported (docs/security.md#audit). */
import { Schema } from "effect"

/** Who did what, when, and through what. Times are ISO 8601 without a zone, UTC. */
export const AuditEvent = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  /** What it happened to: `device`, `job`, `commit`, `login` … */
  kind: Schema.String,
  /** What happened: `created`, `updated`, `refused` … */
  action: Schema.String,
  actor: Schema.String,
  /** How the actor came in; `server` for what nobody has asked for. */
  way: Schema.String,
  address: Schema.NullOr(Schema.String),
  device_id: Schema.NullOr(Schema.Int),
  hostname: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int),
  /** Without secrets; `before` and `after` have the fields that changed. */
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type
