/** What a device says of itself. */
import { Result, Schema } from "effect"

/**
 * `uptime` in seconds; `interface_list` in natural order without subinterfaces. What the device does not say is null, and
 * `remarks` names it, where there is such.
 */
export const Facts = Schema.Struct({
  hostname: Schema.NullOr(Schema.String),
  fqdn: Schema.NullOr(Schema.String),
  vendor: Schema.String,
  model: Schema.NullOr(Schema.String),
  serial_number: Schema.NullOr(Schema.String),
  os_version: Schema.NullOr(Schema.String),
  uptime: Schema.NullOr(Schema.Finite),
  interface_list: Schema.NullOr(Schema.Array(Schema.String)),
  remarks: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Facts = typeof Facts.Type

/** The ports, for those who can do nothing without them; else a sentence that says what the device did not give. */
export const portsIn = ({ interface_list, remarks = [] }: Facts): Result.Result<ReadonlyArray<string>, string> =>
  Result.fromNullishOr(interface_list, () => `the device does not say which interfaces it has: ${remarks.join("; ")}`)

/** Name under which clients know the entry of a task list that holds the facts. */
export const FACTS_TASK = "napalm_get"
