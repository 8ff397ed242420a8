/**
 * Which events a caller may receive (docs/events.md#who-hears-what): those of the devices and jobs that `GET /devices` and `GET /jobs` would show
 * them. Decided once for each caller, not for each of their connections.
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

/** Some devices: those that the permissions reach. The names are at most some seconds old. */
interface SomeDevices {
  readonly held: ReadonlyArray<HeldPermission>
  readonly names: ReadonlySet<string>
}

/** What a caller may hear. Null is everything. */
export interface EventAccess {
  readonly devices: SomeDevices | null
  readonly jobs: Within | "none" | null
}

/** Who hears everything. */
const hasAllEvents = ({ devices, jobs }: EventAccess): boolean => devices === null && jobs === null

const NOTHING: SomeDevices = { held: [], names: new Set() }

const decodeDevice = Schema.decodeUnknownOption(Device)

/** Yields what callers may hear, and answers about single devices and jobs. */
export const makeEventAccess = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  const asked = yield* CallerDevices
  const jobs = yield* JobStore

  /** The permissions that speak of a list; null when one of them shows all of it. */
  const limitsOf = (all: ReadonlyArray<HeldPermission>, path: string) => {
    const speaking = all.filter(({ permission }) => coversCall(permission, "GET", path))
    const isUnlimited = speaking.some(({ permission }) => isWhole(permission) || !isForSomeDevices(permission))
    return isUnlimited ? null : speaking
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
      // without settings nobody knows who is in which group
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
    /** What somebody may hear now. */
    of: Effect.fnUntraced(function* (caller: Identity) {
      const all = yield* heldBy(caller)
      const hearing: EventAccess =
        all === null
          ? { devices: null, jobs: null }
          : { devices: yield* devicesOf(caller, all), jobs: yield* jobsOf(caller, all) }
      return hearing
    }),
    /**
     * A question about a device: its record, where there is one, says which of its groups it is in now, also when its name is new. What it yields
     * asks whether a caller may hear of it.
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
    /** Whether a caller may hear of a job. */
    ofJob: (id: number, { jobs: limits }: EventAccess) => {
      if (limits === null || limits === "none") return Effect.succeed(limits === null)
      return jobs.isWithin(id, limits)
    }
  }
})

// The callers that are connected by socket.io, each once however many connections they have, and what they may receive.

/** Somebody who is connected. */
export interface ConnectedCaller {
  /** Begins the names of their rooms. */
  readonly key: string
  readonly identity: Identity
  hearing: EventAccess
  connections: number
}

const keyOf = ({ attributes, name, roles, way }: Identity): string =>
  JSON.stringify([way, name, roles, Object.entries(attributes)])

/** The callers of this process. */
export const makeConnectedCallers = <E>(hearingOf: (identity: Identity) => Effect.Effect<EventAccess, E>) => {
  const callers = new Map<string, ConnectedCaller>()
  let next = 1

  const enter = Effect.fnUntraced(function* (identity: Identity) {
    const key = keyOf(identity)
    const hearing = yield* hearingOf(identity)
    const caller = callers.get(key) ?? { key: `${next++}`, identity, hearing, connections: 0 }
    caller.hearing = hearing
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
    /** Counts a connection of somebody until the scope closes. */
    entered: (identity: Identity) => Effect.acquireRelease(enter(identity), leave),
    /** Asks again what everybody may hear. */
    refresh: Effect.suspend(() =>
      Effect.forEach(
        [...callers.values()],
        (caller) =>
          Effect.map(hearingOf(caller.identity), (hearing) => {
            caller.hearing = hearing
          }),
        { discard: true }
      )
    ),
    /** The number of connections of all. */
    connections: () => [...callers.values()].reduce((sum, { connections }) => sum + connections, 0),
    /** Those who hear everything. */
    unlimited: () => [...callers.values()].filter(({ hearing }) => hasAllEvents(hearing)),
    /** Those who do not. */
    limited: () => [...callers.values()].filter(({ hearing }) => !hasAllEvents(hearing))
  }
}
