/**
 * What is told to plugins, and what they are here: a name, the hooks that they have, and ways to call them (docs/plugins.md). A plugin is
 * called once per event; a call that failed or was cut off is made again with the same id.
 */
import { type Effect, Schema } from "effect"

/**
 * A plugin could not do its work; it is logged, tried again unless `retry` is false, and changes nothing else. The message has no
 * secrets of its variables.
 */
export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  plugin: Schema.String,
  message: Schema.String,
  retry: Schema.Boolean
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

/** An upgrade is about to reboot a switch. */
export const UpgradeRebootStarting = Schema.Struct({
  hook: Schema.Literal("upgrade_reboot_starting"),
  hostname: Schema.String
})

/** The check after the reboot of an upgrade is over. */
export const UpgradeRebootCompleted = Schema.Struct({
  hook: Schema.Literal("upgrade_reboot_completed"),
  hostname: Schema.String,
  failed: Schema.Boolean
})

/** A device was deleted. */
export const RemovedDevice = Schema.Struct({
  hook: Schema.Literal("removed_device"),
  hostname: Schema.String,
  device_type: Schema.String,
  management_ip: Schema.NullOr(Schema.String)
})

export const PluginCall = Schema.Union([
  NewManagedDevice,
  AllocatedIpv4,
  UpgradeRebootStarting,
  UpgradeRebootCompleted,
  RemovedDevice
])
export type PluginCall = typeof PluginCall.Type

/** Hooks that events call. */
export const eventHooks = [
  "new_managed_device",
  "allocated_ipv4",
  "upgrade_reboot_starting",
  "upgrade_reboot_completed",
  "removed_device"
] as const satisfies ReadonlyArray<PluginCall["hook"]>

/** All that a plugin can have. */
export const hookNames = ["selftest", ...eventHooks] as const
export type HookName = (typeof hookNames)[number]

/** Identifies the event; `again` is true when an earlier attempt may have done something. */
export interface Delivery {
  readonly id: string
  readonly attempt: number
  readonly again: boolean
}

/** One plugin as it was made from its variables. */
export interface Plugin {
  /** As the API shows it. */
  readonly name: string
  /** Tells apart the entries of the plugin file that name the same plugin. */
  readonly key: string
  readonly hooks: ReadonlyArray<HookName>
  /** What the plugin says; false when it throws or takes too long. */
  readonly selftest: Effect.Effect<boolean | null>
  readonly call: (call: PluginCall, delivery: Delivery) => Effect.Effect<void, PluginError>
}

/** Variables of a plugin, free in form, as the plugin file has them. */
export type PluginVariables = Readonly<Record<string, unknown>>
