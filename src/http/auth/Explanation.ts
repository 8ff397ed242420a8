/** Answers whether a caller may do something, without doing it (docs/roles.md#asking-beforehand). */
import { Effect } from "effect"
import { Permissions } from "../../access/Permissions.ts"
import { judge } from "../../access/Permit.ts"
import { Caller } from "../../api/Authorization.ts"
import { BadRequest } from "../../api/Failures.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"

/** What is asked about: `path` behind the base. */
interface Question {
  readonly method: string
  readonly path: string
  readonly device?: string
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"])

/** Answers a question of the present caller. Fails with 400 for what is no call, and 404 for a device that is not there. */
export const makeExplanation = Effect.gen(function* () {
  const { allowedBy, heldBy, rules } = yield* Permissions
  const lookup = yield* makeDeviceLookup
  const settings = yield* SettingsView

  const askedDevices = Effect.fnUntraced(function* (hostname: string | undefined) {
    if (hostname === undefined) return {}
    const device = yield* lookup.byHostname(hostname)
    const groups = yield* settings.groups
    const own = groups.filter(({ hostnames }) => hostnames.includes(device.hostname)).map(({ name }) => name)
    return { devices: [{ hostname: device.hostname, deviceType: device.device_type, groups: own }] }
  })

  return Effect.fn("Explanation")(function* ({ device, method, path }: Question) {
    if (!METHODS.has(method)) {
      return yield* new BadRequest({ message: `method: expected one of ${[...METHODS].join(", ")}` })
    }
    if (!path.startsWith("/")) {
      return yield* new BadRequest({ message: "path: expected a path behind /api/v1.0, such as /devices" })
    }
    const held = yield* heldBy(yield* Caller)
    const known = yield* rules
    if (held === null || known === null) {
      return { allowed: true, reason: "there are no roles: everything is allowed", roles: [], allowed_by: [] }
    }
    const asked = { method, path, ...(yield* askedDevices(device)) }
    const found = judge(held, asked)
    return {
      allowed: found.allowed !== null,
      reason: found.allowed === null ? found.rule : `role ${found.allowed.role} allows it`,
      roles: [...new Set(held.map(({ role }) => role))],
      allowed_by: allowedBy(known, asked)
    }
  })
})
