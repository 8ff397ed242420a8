/** What a device says of itself. */
import { Schema } from "effect"

/** `uptime` in seconds; `interface_list` in natural order without subinterfaces. */
export const Facts = Schema.Struct({
  hostname: Schema.String,
  fqdn: Schema.String,
  vendor: Schema.String,
  model: Schema.String,
  serial_number: Schema.String,
  os_version: Schema.String,
  uptime: Schema.Finite,
  interface_list: Schema.Array(Schema.String)
})
export type Facts = typeof Facts.Type

/** Name under which clients know the entry of a task list that holds the facts. */
export const FACTS_TASK = "napalm_get"
