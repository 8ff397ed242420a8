/**
 * The permit of a request: the caller's permissions for its method and path, or a refusal (docs/roles.md#how-a-call-is-judged). If they are
 * for some devices only, the device in the path is looked up here; handlers ask about everything else.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { Permissions } from "../../access/Permissions.ts"
import { type HeldPermission, judge, NotPermitted, Permit, wantsApproval } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import {
  type Asked,
  type AskedDevice,
  isForSomeDevices,
  isWhole,
  reaches,
  unknownDevice
} from "../../domain/access/PermissionRule.ts"
import { requiringSettings } from "../../settings/SettingsView.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { Within } from "../../store/Listing.ts"
import { DeviceNotFound } from "../../domain/Device.ts"
import { toId } from "../../domain/fields/Values.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { subjectOf, wholeSubjects } from "../../domain/access/CallSubjects.ts"
import { coversCall } from "../../domain/access/Glob.ts"

// Finding the device of a path. Every lookup fails with DeviceNotFound, which is 404.

/** The id in a path; fails if no row can have it. */
export const deviceId = (digits: string) =>
  Effect.mapError(Effect.fromOption(toId(digits)), () => new DeviceNotFound({ device: digits }))

/** Lookups by the id or hostname of a path. */
export const makeDeviceLookup = Effect.map(Effect.service(DeviceStore), (devices) => {
  const byId = (digits: string) => Effect.flatMap(deviceId(digits), devices.get)
  return {
    byHostname: devices.getByHostname,
    byId,
    /** Digits are an id, everything else a hostname. */
    byIdOrHostname: (text: string) => (/^\d+$/.test(text) ? byId(text) : devices.getByHostname(text))
  }
})

const behindBase = (path: string): string => (path.startsWith(BASE) ? path.slice(BASE.length) : path)

/**
 * The path as the router understood it: the endpoint's path with its parameters. The URL itself is not used, because one path can be
 * written in many ways.
 */
const understood = (path: string, params: Readonly<Record<string, string | undefined>>): string =>
  behindBase(path).replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => (params[name] ?? "").replaceAll("/", "%2F"))

/** The permissions of a caller: all, and those that match the request. */
interface Held {
  readonly all: ReadonlyArray<HeldPermission>
  readonly speaking: ReadonlyArray<HeldPermission>
}

/** Whether the caller may see the device by any call. */
const sees = ({ all, speaking }: Held, device: AskedDevice): boolean =>
  [...speaking, ...all.filter(({ permission }) => coversCall(permission, "GET", "/devices"))].some(({ permission }) =>
    reaches(permission, device)
  )

/** The facts that permissions are judged by, before the body is read. */
const makeAsked = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const askedDevices = yield* CallerDevices

  /** A device that the caller may not see is answered like an unknown one. */
  const deviceOf = Effect.fnUntraced(function* ({ all, speaking }: Held) {
    const { hostname, id = "" } = yield* HttpRouter.params
    const named = hostname ?? id
    const find = hostname === undefined ? lookup.byIdOrHostname(id) : lookup.byHostname(named)
    const found = yield* find.pipe(
      Effect.map((device) => [device]),
      Effect.catchTag("DeviceNotFound", () => Effect.succeed([]))
    )
    const devices = yield* askedDevices.of(
      found,
      all.map(({ permission }) => permission)
    )
    if (devices.some((device) => sees({ all, speaking }, device))) return devices
    // a caller of all devices gets the handler's own sentence
    return speaking.every(({ permission }) => isForSomeDevices(permission)) ? [unknownDevice(named)] : devices
  }, requiringSettings)

  return Effect.fnUntraced(function* (call: Pick<Asked, "method" | "path">, endpoint: HttpApiEndpoint.Top, held: Held) {
    const subject = subjectOf(endpoint.method, behindBase(endpoint.path))
    if (subject === undefined) return { ...call, beyond: true } satisfies Asked
    const more = wholeSubjects[subject]
    return subject === "device" || more !== undefined
      ? ({ ...call, ...more, devices: yield* deviceOf(held) } satisfies Asked)
      : call
  })
})

/**
 * Yields the permit of a request, null if everything is allowed, and the permissions that match it. Fails with NotPermitted, or as the
 * lookup of the device does.
 */
export const makePermitOf = Effect.gen(function* () {
  const { allowedBy, heldBy, noRole, roles } = yield* Permissions
  const askedOf = yield* makeAsked

  return Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    caller: Identity,
    endpoint: HttpApiEndpoint.Top
  ) {
    const all = yield* heldBy(caller)
    const known = yield* roles
    if (all === null) return { permit: null, speaking: null }
    const { method } = request
    const path = understood(endpoint.path, yield* HttpRouter.params)
    const speaking = all.filter(({ permission }) => coversCall(permission, method, path))
    const call: Permit = {
      caller,
      method,
      path,
      held: speaking,
      allowedBy: (more) => allowedBy(known, more)
    }
    if (speaking.some((held) => isWhole(held.permission) && (method === "GET" || !wantsApproval(held)))) {
      return { permit: null, speaking: call }
    }
    const refused = (held: ReadonlyArray<HeldPermission>, asked: Asked) => {
      const { rule = "" } = judge(held, asked)
      return new NotPermitted({ rule, roles: allowedBy(known, asked) })
    }
    if (all.length === 0) {
      return yield* new NotPermitted({ rule: yield* noRole, roles: allowedBy(known, { method, path }) })
    }
    if (speaking.length === 0) return yield* refused(all, { method, path })
    const asked = yield* askedOf({ method, path }, endpoint, { all, speaking })
    const held = speaking.filter((one) => judge([one], asked).allowed !== null)
    if (held.length === 0) return yield* refused(speaking, asked)
    return { permit: { ...call, held, known: asked }, speaking: call }
  })
})

// Which devices, and which jobs, the present caller may see (docs/roles.md#callers-of-some-devices).

/** Yields the limits of a list as a part of its query; empty for a caller who sees everything. */
export const makeVisible = Effect.map(Effect.service(CallerDevices), ({ reach }) =>
  Effect.gen(function* () {
    const permit = yield* Permit
    const reached = yield* requiringSettings(reach)
    if (permit === null || reached === null) return {}
    const { name, way } = permit.caller
    return { within: { ...reached, caller: name, isProgram: way === "token" } satisfies Within }
  })
)

/** Checks that the caller may see a job. Fails with NotPermitted, also for an unknown job. */
export const makeJobVisible = Effect.gen(function* () {
  const visible = yield* makeVisible
  const store = yield* JobStore
  return Effect.fnUntraced(function* (id: number) {
    const { within } = yield* visible
    if (within === undefined || (yield* store.isWithin(id, within))) return
    const rule = `job ${id} is somebody else's, and is not known to be about your devices alone`
    return yield* new NotPermitted({ rule, roles: [] })
  })
})
