/**
 * The keys by which requests select managed devices (docs/changes.md#synchronize). The first of them that was sent counts; the
 * others are ignored, whatever their value.
 */
import { Option, Result, Schema } from "effect"
import { DeviceType, deviceTypeOf } from "../Device.ts"
import { depending, ignorable, type Place, type Rule } from "../fields/Field.ts"
import { has, shown } from "../fields/Values.ts"
import { namesRule } from "./Hostnames.ts"
import { groupRule, hostnameRule } from "./RequestFields.ts"

/** Which managed devices; `sent` is the type as the client wrote it. */
export type DeviceTarget =
  | { readonly _tag: "Hostname"; readonly hostname: string }
  | { readonly _tag: "Hostnames"; readonly hostnames: ReadonlyArray<string> }
  | { readonly _tag: "DeviceType"; readonly device_type: DeviceType; readonly sent: string }
  | { readonly _tag: "Group"; readonly group: string }
  | { readonly _tag: "All" }

const ORDER = ["hostname", "hostnames", "device_type", "group"]

const isSelected = ({ body }: Place): boolean => ORDER.some((name) => has(body, name))

/** A selector is ignored when a key before it selects the devices. */
const whenItCounts =
  <A>(rule: Rule<A>): Rule<A | undefined> =>
  (sent, place) =>
    ORDER.find((name) => has(place.body, name)) === place.key ? rule(sent, place) : Result.succeed(undefined)

const TypeSent = Schema.Struct({ device_type: DeviceType, sent: Schema.String })

const typeRule: Rule<typeof TypeSent.Type> = (value) => {
  const sent = shown(value)
  const device_type = deviceTypeOf(sent)
  return device_type === undefined
    ? Result.fail(`Invalid device type '${sent}' specified`)
    : Result.succeed({ device_type, sent })
}

/** The selectors; all managed devices are meant when none of them was sent. */
export const selectors = {
  hostname: ignorable(Schema.String, whenItCounts(hostnameRule)),
  hostnames: ignorable(Schema.Array(Schema.String), whenItCounts(namesRule)),
  device_type: ignorable(TypeSent, whenItCounts(typeRule), Schema.Literals(["ACCESS", "DIST", "CORE"])),
  group: ignorable(Schema.String, whenItCounts(groupRule))
}

/** The selectors of a request that has to say `all: true` when it means all; `none` is said when it has no selector. */
export const explicitSelectors = (none: string) => ({
  ...selectors,
  all: depending(
    Schema.Boolean,
    (place) => (isSelected(place) ? Result.succeed(Option.none()) : Result.fail(none)),
    (sent, place) => (sent === true || isSelected(place) ? Result.succeed(sent === true) : Result.fail(none))
  )
})

/** The selectors of a decoded body. */
export interface DeviceSelectors {
  readonly hostname?: string
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: typeof TypeSent.Type
  readonly group?: string
}

/** The devices that a body selects. */
export const targetOf = ({ device_type, group, hostname, hostnames }: DeviceSelectors): DeviceTarget => {
  if (hostname !== undefined) return { _tag: "Hostname", hostname }
  if (hostnames !== undefined) return { _tag: "Hostnames", hostnames }
  if (device_type !== undefined) return { _tag: "DeviceType", ...device_type }
  return group === undefined ? { _tag: "All" } : { _tag: "Group", group }
}

/** The device or group of a body as arguments of its job; a hostname counts before a group. */
export const hostnameOrGroup = ({ group, hostname }: Pick<DeviceSelectors, "hostname" | "group">) => {
  if (hostname !== undefined) return { hostname }
  return group === undefined ? {} : { group }
}
