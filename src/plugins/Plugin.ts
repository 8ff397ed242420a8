/**
 * What a plugin is: a name and the hooks that it implements (docs/operations.md#plugins). A plugin is called once per event;
 * after a crash in the middle of a call it may be called again with the same event id, and must then not do its work twice.
 */
import { type Effect, Schema } from "effect"

/** A plugin could not do its work; it is logged and changes nothing else. */
export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  plugin: Schema.String,
  message: Schema.String
}) {}

/** A switch has become MANAGED. */
export const NewManagedDevice = Schema.Struct({
  hook: Schema.Literal("new_managed_device"),
  hostname: Schema.String,
  device_type: Schema.String,
  serial_number: Schema.String,
  vendor: Schema.String,
  model: Schema.String,
  os_version: Schema.String,
  management_ip: Schema.String
})

/** A switch has been given its management address. */
export const AllocatedIpv4 = Schema.Struct({
  hook: Schema.Literal("allocated_ipv4"),
  vrf: Schema.String,
  ipv4_address: Schema.String,
  ipv4_network: Schema.NullOr(Schema.String),
  hostname: Schema.String
})

export const PluginCall = Schema.Union([NewManagedDevice, AllocatedIpv4])
export type PluginCall = typeof PluginCall.Type

/** Identifies the event; `again` is true when an earlier call may have been cut off. */
export interface Delivery {
  readonly id: string
  readonly again: boolean
}

/** One plugin as it was made from its variables. */
export interface Plugin {
  readonly name: string
  readonly selftest?: Effect.Effect<boolean>
  readonly call: (call: PluginCall, delivery: Delivery) => Effect.Effect<void, PluginError>
}

/** Variables of a plugin, free in form, as the plugin file has them. */
export type PluginVariables = Readonly<Record<string, unknown>>
