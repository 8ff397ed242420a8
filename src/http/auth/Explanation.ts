/** Answers whether a caller may do something, without doing it (docs/roles.md#asking-beforehand). */
import { Effect } from "effect"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { Permissions } from "../../access/Permissions.ts"
import { judge } from "../../access/Permit.ts"
import { Caller } from "../../api/Authorization.ts"
import { callOf } from "../../api/Calls.ts"
import { BadRequest } from "../../api/Failures.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"

/** What is asked about: `path` behind the base. */
interface Question {
  readonly method?: string
  readonly path?: string
  readonly device?: string
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"])

/** Answers a question of the present caller. Fails with 400 for what is no call, and 404 for a device that is not there. */
export const makeExplanation = Effect.gen(function* () {
  const { allowedBy, heldBy, roles } = yield* Permissions
  const lookup = yield* makeDeviceLookup
  const { of } = yield* AskedDevices

  /** A device that is not there would be the call's own matter. */
  const found = (text: string) =>
    lookup.byIdOrHostname(text).pipe(
      Effect.map((device) => [device]),
      Effect.catchTag("DeviceNotFound", () => Effect.succeed([]))
    )

  const about = Effect.fnUntraced(function* (method: string, path: string, named: string | undefined) {
    const call = callOf(method, path)
    const isAbout = call?.subject === "device" || call?.subject === "wholeDevice"
    const inPath = isAbout && named === undefined ? call.parameter : undefined
    const rows = [
      ...(named === undefined ? [] : [yield* lookup.byHostname(named)]),
      ...(inPath === undefined ? [] : yield* found(inPath))
    ]
    const devices = rows.length === 0 ? {} : { devices: yield* of(rows) }
    if (call?.subject === undefined) return { ...devices, beyond: true as const }
    return call.subject === "wholeDevice" ? { ...devices, whole: true as const } : devices
  })

  return Effect.fn("Explanation")(function* ({ device, method = "", path = "" }: Question) {
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
      ...(yield* Effect.catchTag(about(method, path, device), ["NoSettings", "SettingsInvalid"], ({ message }) =>
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
