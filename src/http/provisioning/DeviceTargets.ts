/**
 * The managed devices that a request selects: their number, the arguments of the job, and the words of the answer; and the start time of a
 * job.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { DeviceType } from "../../domain/Device.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { type SettingsUnavailable, SettingsView, type UnknownGroup } from "../../settings/SettingsView.ts"
import { Permit } from "../../access/Permit.ts"
import { DeviceStore, type Selection } from "../../store/DeviceStore.ts"
import type { DeviceTarget } from "../../domain/requests/RequestFields.ts"
import { BadRequest } from "../../api/Answers.ts"

/** The device is unknown or not MANAGED. */
class NotManaged extends Schema.TaggedError<NotManaged>()("NotManaged", { hostname: Schema.String }) {
  override get message() {
    return `Hostname '${this.hostname}' not found or is not a managed device`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** Names in a list that no device has. */
class UnknownNames extends Schema.TaggedError<UnknownNames>()("UnknownNames", {
  hostnames: Schema.Array(Schema.String)
}) {
  override get message() {
    const [first = ""] = this.hostnames
    return this.hostnames.length === 1
      ? `Hostname '${first}' not found`
      : `Hostnames not found: ${this.hostnames.slice(0, MAX_SHOWN).join(", ")}${this.hostnames.length > MAX_SHOWN ? ` and ${this.hostnames.length - MAX_SHOWN} more` : ""}`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** Names that a refusal lists. */
const MAX_SHOWN = 20

/** The arguments with which a job selects the devices. */
type TargetArguments = {
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: DeviceType
  readonly group?: string
}

/** The devices that a target selects now. */
interface SelectedDevices {
  readonly args: TargetArguments
  readonly count: number
  /** The words of the answer. */
  readonly what: string
}

interface ResolvedTarget {
  readonly selection: Selection
  readonly args: TargetArguments
  readonly what: string
}

const byNames = (hostnames: ReadonlyArray<string>, what: string): ResolvedTarget => ({
  selection: { hostnames },
  args: { hostnames },
  what
})

/**
 * Yields a function that resolves a selector. Named devices are always selected; of the others, with `unsynchronizedOnly`, those that are
 * not synchronized.
 */
export const makeSelectDevices = Effect.gen(function* () {
  const settings = yield* SettingsView
  const devices = yield* DeviceStore

  const resolve = Effect.fnUntraced(function* (target: DeviceTarget, unsynchronizedOnly: boolean) {
    switch (target._tag) {
      case "Hostname":
        return byNames([target.hostname], target.hostname)
      case "Hostnames":
        return byNames(target.hostnames, `${target.hostnames.length} devices`)
      case "DeviceType": {
        const { device_type, sent } = target
        return { selection: { device_type, unsynchronizedOnly }, args: { device_type }, what: `${sent} devices` }
      }
      case "Group": {
        const { hostnames, name } = yield* settings.group(target.group)
        return { selection: { hostnames, unsynchronizedOnly }, args: { group: name }, what: `group ${name}` }
      }
      default:
        return { selection: { unsynchronizedOnly }, args: {}, what: "all devices" }
    }
  })

  /** For a caller of some devices permission is asked for these, and the job gets no others. */
  const byNameNow = Effect.fnUntraced(function* (selection: Selection, what: string) {
    // the job gets explicit names, so devices without a driver are left out here as the job would do
    const hostnames = (yield* devices.selectManaged(selection)).filter(isManageable).map(({ hostname }) => hostname)
    return { args: { hostnames }, count: hostnames.length, what }
  })

  /** A misspelt name would otherwise pass for a device that is in sync. */
  const requireKnown = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
    const known = new Set((yield* devices.byHostnames(hostnames)).map(({ hostname }) => hostname))
    const unknown = hostnames.filter((name) => !known.has(name))
    if (unknown.length > 0) return yield* new UnknownNames({ hostnames: unknown })
  })

  return Effect.fn("DeviceTargets.select")(function* (
    target: DeviceTarget,
    unsynchronizedOnly = false
  ): Effect.fn.Return<
    SelectedDevices,
    NotManaged | UnknownNames | UnknownGroup | SettingsUnavailable | SqlError.SqlError
  > {
    const { args, selection, what }: ResolvedTarget = yield* resolve(target, unsynchronizedOnly)
    if (target._tag === "Hostnames") yield* requireKnown(target.hostnames)
    const isNamed = target._tag === "Hostname" || target._tag === "Hostnames"
    if ((yield* Permit) !== null && !isNamed) return yield* byNameNow(selection, what)
    const count = yield* devices.countManaged(selection)
    if (target._tag === "Hostname" && count === 0) return yield* new NotManaged({ hostname: target.hostname })
    return { args, count, what }
  })
})

// The start time of a job: `start_at`, decoded to epoch milliseconds.

/** The options for a job that starts at this time; none without a time. Fails with BadRequest for a time in the past. */
export const delayUntil = Effect.fnUntraced(function* (start: number | undefined) {
  if (start === undefined) return {}
  const now = yield* Clock.currentTimeMillis
  if (start <= now) return yield* new BadRequest({ message: "start_at must be in the future" })
  return { delaySeconds: Math.ceil((start - now) / 1000), serviceClass: "schedule" as const }
})
