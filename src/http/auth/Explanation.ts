/** Answers whether a caller may do something, without doing it (docs/roles.md#asking-beforehand). */
import { Effect } from "effect"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { Permissions } from "../../access/Permissions.ts"
import { type HeldPermission, judge } from "../../access/Permit.ts"
import { Caller } from "../../api/Requests.ts"
import { callOf, wholeSubjects } from "../../api/Calls.ts"
import { BadRequest } from "../../api/Answers.ts"
import { type AskedDevice, isForSomeDevices, reaches, unknownDevice } from "../../domain/access/PermissionRule.ts"
import { coversCall } from "../../domain/access/Glob.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"

type Lookup = ReturnType<Effect.Success<typeof makeDeviceLookup>["byHostname"]>

/** Whether the caller is told of a device by any call that reads it. */
const sees = (held: ReadonlyArray<HeldPermission>, device: AskedDevice): boolean =>
  held.some(
    ({ permission }) =>
      reaches(permission, device) &&
      (coversCall(permission, "GET", "/devices") || coversCall(permission, "GET", `/device/${device.hostname}`))
  )

const seesAll = (held: ReadonlyArray<HeldPermission>): boolean =>
  held.some(({ permission }) => !isForSomeDevices(permission) && coversCall(permission, "GET", "/devices"))

/** What is asked about: `path` behind the base. */
interface Question {
  readonly method?: string
  readonly path?: string
  readonly device?: string
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"])

/** Answers a question of the present caller. Fails with 400 for what is no call, and 404 for a device that is not there where the caller may see all. */
export const makeExplanation = Effect.gen(function* () {
  const { allowedBy, heldBy, roles } = yield* Permissions
  const lookup = yield* makeDeviceLookup
  const { of } = yield* AskedDevices

  /** A device that the caller may not see is answered as one that is not there. */
  const find = Effect.fnUntraced(function* (named: string, found: Lookup, held: ReadonlyArray<HeldPermission>) {
    const rows = yield* found.pipe(
      Effect.map((device) => [device]),
      Effect.catchTag("DeviceNotFound", () => Effect.succeed([]))
    )
    const devices = yield* of(rows)
    return devices.some((device) => sees(held, device)) ? devices : [unknownDevice(named)]
  })

  const about = Effect.fnUntraced(function* (
    { device, method = "", path = "" }: Question,
    held: ReadonlyArray<HeldPermission>
  ) {
    const call = callOf(method, path)
    const more = call?.subject === undefined ? undefined : wholeSubjects[call.subject]
    const isAbout = call?.subject === "device" || more !== undefined
    const inPath = isAbout && device === undefined ? call?.parameter : undefined
    if (device !== undefined && seesAll(held)) yield* lookup.byHostname(device)
    const devices = [
      ...(device === undefined ? [] : yield* find(device, lookup.byHostname(device), held)),
      ...(inPath === undefined ? [] : yield* find(inPath, lookup.byIdOrHostname(inPath), held))
    ]
    const named = devices.length === 0 ? {} : { devices }
    return call?.subject === undefined ? { ...named, beyond: true as const } : { ...named, ...more }
  })

  return Effect.fn("Explanation")(function* (question: Question) {
    const { method = "", path = "" } = question
    if (!METHODS.has(method)) {
      return yield* new BadRequest({ message: `method: expected one of ${[...METHODS].join(", ")}` })
    }
    if (!path.startsWith("/")) {
      return yield* new BadRequest({ message: "path: expected a path behind /api/v1.0, such as /devices" })
    }
    const held = yield* heldBy(yield* Caller)
    if (held === null) {
      return { allowed: true, reason: "there are no roles: everything is allowed", roles: [], allowed_by: [] }
    }
    const asked = {
      method,
      path,
      ...(yield* Effect.catchTag(about(question, held), ["NoSettings", "SettingsInvalid"], ({ message }) =>
        Effect.fail(new SettingsUnavailable({ message }))
      ))
    }
    const found = judge(held, asked)
    return {
      allowed: found.allowed !== null,
      reason: found.allowed === null ? found.rule : `role ${found.allowed.role} allows it`,
      roles: [...new Set(held.map(({ role }) => role))],
      allowed_by: allowedBy(yield* roles, asked)
    }
  })
})
