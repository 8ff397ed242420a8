/**
 * The events for plugins, and plugins as the server sees them: a name, the hooks that they have, and ways to call them (docs/plugins.md). A
 * plugin is called once per event; a call that failed or was cut off is repeated with the same id.
 */
import { type Effect, Redacted, Schema } from "effect"

/**
 * A plugin failed; the failure is logged and has no other effect, and the call is repeated unless `retry` is false. The message contains no
 * secrets of its variables.
 */
export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  plugin: Schema.String,
  message: Schema.String,
  retry: Schema.Boolean
}) {}

/** A switch has become MANAGED. */
const NewManagedDevice = Schema.Struct({
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
const AllocatedIpv4 = Schema.Struct({
  hook: Schema.Literal("allocated_ipv4"),
  vrf: Schema.String,
  ipv4_address: Schema.String,
  ipv4_network: Schema.NullOr(Schema.String),
  hostname: Schema.String
})

/** An upgrade is about to reboot a switch. */
const UpgradeRebootStarting = Schema.Struct({
  hook: Schema.Literal("upgrade_reboot_starting"),
  hostname: Schema.String
})

/** The check after an upgrade's reboot is complete. */
const UpgradeRebootCompleted = Schema.Struct({
  hook: Schema.Literal("upgrade_reboot_completed"),
  hostname: Schema.String,
  failed: Schema.Boolean
})

/** A device was deleted. */
const RemovedDevice = Schema.Struct({
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

/** Every hook that a plugin can have. */
export const hookNames = ["selftest", ...eventHooks] as const
export type HookName = (typeof hookNames)[number]

/** Identifies the event; `again` is true if an earlier attempt may have done something. */
export interface Delivery {
  readonly id: string
  readonly attempt: number
  readonly again: boolean
}

/** One plugin, made from its variables. */
export interface Plugin {
  /** The name in the API. */
  readonly name: string
  /** Distinguishes the entries of the plugin file that name the same plugin. */
  readonly key: string
  readonly hooks: ReadonlyArray<HookName>
  /** The names of its functions for checks. */
  readonly checks: ReadonlyArray<string>
  /** The plugin's answer; false if it throws or takes too long. */
  readonly selftest: Effect.Effect<boolean | null>
  readonly call: (call: PluginCall, delivery: Delivery) => Effect.Effect<void, PluginError>
  /** Whatever a step of a check answers, in a process that makes no other calls meanwhile. */
  readonly check: (step: CheckStep) => Effect.Effect<unknown, PluginError>
}

/** A step of a check: the commands of a device, or the items in what they have shown. */
export interface CheckStep {
  readonly check: string
  readonly step: "commands" | "items"
  readonly given: Readonly<Record<string, unknown>>
}

/** Variables of a plugin in the plugin file, free in form. */
export type PluginVariables = Readonly<Record<string, unknown>>

// Variables of plugins and their secrets (docs/plugins.md#secrets): values of PLUGIN_SECRET_* take the place of their names, and secrets
// are hidden from the API, from logs and from the output of plugins.

/** Variables with the credentials of other systems. The name of a secret (`…_secret`) is none. */
const SECRET = /pass|token|secret|key|communit|credential|authorization/i
const NAMED = /_secret$/i
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/)([^\s/@]*(?:@[^\s/@]*)*)@/gi

const SUFFIX = "_secret"
const HIDDEN = "<hidden>"

/** Shorter values would be found within harmless words. */
const SHORTEST = 4

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hide = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll(IN_URL, `$1${HIDDEN}@`)
  if (Array.isArray(value)) return value.map(hide)
  return isRecord(value) ? hiddenVariables(value) : value
}

/** The variables as the API shows them. */
export const hiddenVariables = (vars: PluginVariables): PluginVariables =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, SECRET.test(name) && !NAMED.test(name) ? HIDDEN : hide(value)])
  )

/** All texts in a value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value === "number") return [String(value)]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const inUrls = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(IN_URL)].flatMap(([, , login = ""]) => [login, login.slice(login.indexOf(":") + 1)])

const secretsIn = (vars: PluginVariables): ReadonlyArray<string> =>
  Object.entries(vars).flatMap(([name, value]) => {
    if (SECRET.test(name) && !NAMED.test(name)) return textsIn(value)
    return isRecord(value) ? secretsIn(value) : textsIn(value).flatMap(inUrls)
  })

/** The spellings of a value in texts: in URLs, in JSON, and in the header of a login. */
const spellings = (value: string): ReadonlyArray<string> => [
  value,
  encodeURIComponent(value.toWellFormed()),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString("base64")
]

/** The number of characters at the end of a text that are the beginning of a secret, if the text was cut within one. */
const cutSecret = (text: string, secret: string): number => {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

/** A text without these secrets, the longest first. Plugins cut the answers of other systems before this runs. */
const withoutSecrets = (secrets: ReadonlyArray<string>, text: string): string => {
  const whole = secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
  const cut = Math.max(0, ...secrets.map((secret) => cutSecret(whole, secret)))
  return cut === 0 ? whole : `${whole.slice(0, -cut)}${HIDDEN}`
}

/** Variables for the plugin, and a function that hides their secrets in texts. */
interface ReadyVariables {
  readonly vars: PluginVariables
  readonly hide: (text: string) => string
}

/** The variables with values of PLUGIN_SECRET_* in the place of their names: `apitoken_secret: NAV` is `apitoken`. */
export const readyVariables = (
  given: PluginVariables,
  secrets: ReadonlyMap<string, Redacted.Redacted>
): ReadyVariables => {
  const used: Array<string> = []
  const vars = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const secret = name.endsWith(SUFFIX) ? secrets.get(`PLUGIN_SECRET_${String(value)}`) : undefined
      if (secret === undefined) return [name, value]
      used.push(Redacted.value(secret))
      return [name.slice(0, -SUFFIX.length), Redacted.value(secret)]
    })
  )
  const known = [
    ...new Set([...used, ...secretsIn(vars)].filter(({ length }) => length >= SHORTEST).flatMap(spellings))
  ]
    // the longest first: a secret may be a part of another one
    .toSorted((a, b) => b.length - a.length)
  return { vars, hide: (text) => withoutSecrets(known, text) }
}
