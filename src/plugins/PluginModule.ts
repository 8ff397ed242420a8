/**
 * The types for authors of plugins (docs/plugins.md#writing-a-plugin), for `import type`, so that a plugin depends on nothing at run time.
 * A plugin is a module whose default export makes it: `export default (context) => ({ new_managed_device() { … } })`.
 */

/** A switch has become MANAGED. All values are text; unknown ones are empty. */
export interface NewManagedDevice {
  readonly hostname: string
  /** ACCESS, DIST or CORE. */
  readonly device_type: string
  readonly serial_number: string
  readonly vendor: string
  readonly model: string
  readonly os_version: string
  /** Without a prefix length. */
  readonly management_ip: string
}

/** A switch has been given its management address. */
export interface AllocatedIpv4 {
  readonly vrf: string
  readonly ipv4_address: string
  /** As `10.0.6.0/24`; null for switches of the fabric. */
  readonly ipv4_network: string | null
  readonly hostname: string
}

/** An upgrade is about to reboot a switch. */
export interface UpgradeRebootStarting {
  readonly hostname: string
}

/** The reboot of an upgrade and the check after it are complete. */
export interface UpgradeRebootCompleted {
  readonly hostname: string
  /** True if the switch did not come back, or not in the expected state. */
  readonly failed: boolean
}

/** A device was deleted. */
export interface RemovedDevice {
  readonly hostname: string
  readonly device_type: string
  readonly management_ip: string | null
}

/** The facts about this call. */
export interface Delivery {
  /** Identifies the event: the same at each attempt, and never used for another event. */
  readonly id: string
  /** 1, 2 … */
  readonly attempt: number
  /** True if an earlier attempt may have done its work, or a part of it. */
  readonly again: boolean
  /** Aborts shortly before the time limit, for `fetch` and others. */
  readonly signal: AbortSignal
}

/** The context in which a plugin is made. */
export interface PluginContext {
  /** The name of its file without the ending. */
  readonly name: string
  /** Its variables from the plugin file, with the values of secrets. */
  readonly vars: Readonly<Record<string, unknown>>
  /** Writes a line to the server's log. `console.log` does the same. */
  readonly log: (text: string) => void
}

/** An error with `retry: false` is not repeated: only another configuration helps. */
export interface FinalError extends Error {
  readonly retry: false
}

/** The device of a check. */
export interface CheckedDevice {
  readonly hostname: string
  readonly management_ip: string | null
  /** ACCESS, DIST or CORE. */
  readonly device_type: string
  /** Such as `eos` or `frr`. */
  readonly platform: string | null
  readonly model: string | null
  readonly serial: string | null
}

/** What the functions of a check get. */
export interface CheckQuestion {
  readonly device: CheckedDevice
  /** `with` of the check in `checks.yml`. */
  readonly arguments: Readonly<Record<string, boolean | number | string>>
  /** Aborts shortly before the time limit. */
  readonly signal: AbortSignal
}

/** The same, and what the commands have shown, in their order; secrets are masked. */
export interface CheckAnswers extends CheckQuestion {
  readonly outputs: ReadonlyArray<string>
}

/** An item that conditions compare, named within its list. Fields of other forms than these are left out. */
export interface CheckItem {
  readonly name: string
  readonly [field: string]: boolean | number | string | ReadonlyArray<string> | null
}

/** A check: an exception, or a promise that rejects, makes the state of the device unknown, which fails the check. */
export interface PluginCheck {
  /** Read-only commands for the device; none if it is left out. */
  readonly commands?: (question: CheckQuestion) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  readonly items: (answers: CheckAnswers) => ReadonlyArray<CheckItem> | Promise<ReadonlyArray<CheckItem>>
}

/** The hooks, each optional; an exception, or a promise that rejects, is a failed call, which is repeated. */
export interface Plugin {
  /** Whether it could work: true or false; null without a result. */
  readonly selftest?: (delivery: Delivery) => boolean | null | Promise<boolean | null>
  readonly new_managed_device?: (event: NewManagedDevice, delivery: Delivery) => void | Promise<void>
  readonly allocated_ipv4?: (event: AllocatedIpv4, delivery: Delivery) => void | Promise<void>
  readonly upgrade_reboot_starting?: (event: UpgradeRebootStarting, delivery: Delivery) => void | Promise<void>
  readonly upgrade_reboot_completed?: (event: UpgradeRebootCompleted, delivery: Delivery) => void | Promise<void>
  readonly removed_device?: (event: RemovedDevice, delivery: Delivery) => void | Promise<void>
  /** Checks by the names that `checks.yml` uses. */
  readonly checks?: Readonly<Record<string, PluginCheck>>
}

/** The default export of a plugin's file. */
export type MakePlugin = (context: PluginContext) => Plugin | Promise<Plugin>
