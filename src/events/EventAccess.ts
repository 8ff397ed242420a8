/**
 * Decides which events a caller may receive (docs/events.md#who-hears-what): those of the devices and jobs that `GET /devices` and `GET /jobs` would
 * show to the caller. Decided once per caller, not per connection.
 */
import { Effect, Option, Schema } from "effect"
import { CallerDevices } from "../access/CallerDevices.ts"
import { Permissions } from "../access/Permissions.ts"
import { type HeldPermission, Permit } from "../access/Permit.ts"
import type { Identity } from "../domain/access/Identity.ts"
import { isForSomeDevices, isWhole, reaches } from "../domain/access/PermissionRule.ts"
import { Device } from "../domain/Device.ts"
import { JobStore } from "../store/JobStore.ts"
import type { Within } from "../store/Listing.ts"
import { coversCall } from "../domain/access/Glob.ts"

/** The devices that the permissions reach. The names are at most some seconds old. */
interface SomeDevices {
  readonly held: ReadonlyArray<HeldPermission>
  readonly names: ReadonlySet<string>
}

/** The events that a caller may receive. Null means all. */
export interface EventAccess {
  readonly devices: SomeDevices | null
  readonly jobs: Within | "none" | null
}

/** Whether the caller receives all events. */
const hasAllEvents = ({ devices, jobs }: EventAccess): boolean => devices === null && jobs === null

const NOTHING: SomeDevices = { held: [], names: new Set() }

const decodeDevice = Schema.decodeUnknownOption(Device)

/** The access of callers, and checks for single devices and jobs. */
export const makeEventAccess = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  const asked = yield* CallerDevices
  const jobs = yield* JobStore

  /** The permissions for a list; null if one of them shows all of it. */
  const limitsOf = (all: ReadonlyArray<HeldPermission>, path: string) => {
    const covering = all.filter(({ permission }) => coversCall(permission, "GET", path))
    const isUnlimited = covering.some(({ permission }) => isWhole(permission) || !isForSomeDevices(permission))
    return isUnlimited ? null : covering
  }

  const reachOf = ({ name, way }: Identity, held: ReadonlyArray<HeldPermission>) =>
    asked.reach.pipe(
      Effect.provideService(Permit, {
        caller: { name, way },
        held,
        method: "GET",
        path: "/devices",
        allowedBy: () => []
      }),
      // without settings the groups of devices are unknown
      Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
    )

  const devicesOf = Effect.fnUntraced(function* (caller: Identity, all: ReadonlyArray<HeldPermission>) {
    const held = limitsOf(all, "/devices")
    if (held === null) return null
    const reached = held.length === 0 ? null : yield* reachOf(caller, held)
    return reached === null ? NOTHING : { held, names: reached.names }
  })

  const jobsOf = Effect.fnUntraced(function* (caller: Identity, all: ReadonlyArray<HeldPermission>) {
    const held = limitsOf(all, "/jobs")
    if (held === null) return null
    const reached = held.length === 0 ? null : yield* reachOf(caller, held)
    return reached === null
      ? ("none" as const)
      : ({ ...reached, caller: caller.name, isProgram: caller.way === "token" } satisfies Within)
  })

  return {
    /** The current access of a caller. */
    of: Effect.fnUntraced(function* (caller: Identity) {
      const all = yield* heldBy(caller)
      const access: EventAccess =
        all === null
          ? { devices: null, jobs: null }
          : { devices: yield* devicesOf(caller, all), jobs: yield* jobsOf(caller, all) }
      return access
    }),
    /**
     * Prepares the check for a device: its record, if any, decides its current groups, also under a new name. The returned function
     * checks whether a caller may receive its events.
     */
    ofDevice: Effect.fnUntraced(function* (hostname: string, record: Readonly<Record<string, unknown>> | null) {
      const device = record === null ? Option.none() : decodeDevice(record)
      const [known] = Option.isNone(device)
        ? []
        : yield* Effect.catchTag(asked.of([device.value]), ["NoSettings", "SettingsInvalid"], () => Effect.succeed([]))
      return ({ devices }: EventAccess): boolean => {
        if (devices === null) return true
        if (known === undefined) return devices.names.has(hostname)
        return devices.held.some(({ permission }) => reaches(permission, known))
      }
    }),
    /** Whether a caller may receive the events of a job. */
    ofJob: (id: number, { jobs: limits }: EventAccess) => {
      if (limits === null || limits === "none") return Effect.succeed(limits === null)
      return jobs.isWithin(id, limits)
    }
  }
})

// The callers that are connected by socket.io, each once for all their connections, and their access to events.

/** A connected caller. */
export interface ConnectedCaller {
  /** Prefix of the names of their rooms. */
  readonly key: string
  readonly identity: Identity
  access: EventAccess
  connections: number
}

const keyOf = ({ attributes, name, roles, way }: Identity): string =>
  JSON.stringify([way, name, roles, Object.entries(attributes)])

/** The callers of this process. */
export const makeConnectedCallers = <E>(accessOf: (identity: Identity) => Effect.Effect<EventAccess, E>) => {
  const callers = new Map<string, ConnectedCaller>()
  let next = 1

  const enter = Effect.fnUntraced(function* (identity: Identity) {
    const key = keyOf(identity)
    const access = yield* accessOf(identity)
    const caller = callers.get(key) ?? { key: `${next++}`, identity, access, connections: 0 }
    caller.access = access
    caller.connections += 1
    callers.set(key, caller)
    return caller
  })

  const leave = (caller: ConnectedCaller) =>
    Effect.sync(() => {
      caller.connections -= 1
      if (caller.connections === 0) callers.delete(keyOf(caller.identity))
    })

  return {
    /** Counts a connection of a caller until the scope closes. */
    entered: (identity: Identity) => Effect.acquireRelease(enter(identity), leave),
    /** Reads the access of all callers again. */
    refresh: Effect.suspend(() =>
      Effect.forEach(
        [...callers.values()],
        (caller) =>
          Effect.map(accessOf(caller.identity), (access) => {
            caller.access = access
          }),
        { discard: true }
      )
    ),
    /** The number of connections of all callers. */
    connections: () => [...callers.values()].reduce((sum, { connections }) => sum + connections, 0),
    /** Callers that receive all events. */
    unlimited: () => [...callers.values()].filter(({ access }) => hasAllEvents(access)),
    /** All other callers. */
    limited: () => [...callers.values()].filter(({ access }) => !hasAllEvents(access))
  }
}
