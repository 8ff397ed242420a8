/** Windows: what is in force, and what it says of a device or a group (docs/windows.md#looking-at-windows). */
import type { Case, Expected } from "../Case.ts"

const get = (name: string, query: string, status: number, body: Expected): Case => ({
  name,
  request: { method: "GET", path: `/windows${query}` },
  reply: { status, body }
})

const none = { in_force: false, problem: null, windows: [], freezes: [] }
const always = { may_be_changed: true, why_not: null, opens_at: null, closes_at: null }

export const windowCases: ReadonlyArray<Case> = [
  get("that there are no windows", "", 200, { status: "success", data: { ...none, asked: null } }),
  get("that a device may be changed at any time", "?device=east-a1", 200, {
    data: { ...none, asked: { devices: 1, ...always } }
  }),
  get("that a group may be changed at any time", "?group=EAST_WING", 200, { data: { ...none, asked: always } }),
  get("that this is no hostname", "?device=a%20b", 400, { message: "Invalid hostname specified" }),
  get("no group of that name", "?group=WEST", 400, { message: "Could not find a group with name WEST" }),
  get("no device of that name", "?device=nobody", 404, { message: "Device not found" }),
  ...["/device_syncto", "/device/east-a1/apply_config"].flatMap((path): ReadonlyArray<Case> => {
    const sent = { hostname: "east-a1", full_config: "hostname x" }
    const refused = (name: string, more: object, message: string): Case => ({
      name,
      request: { method: "POST", path, json: { ...sent, ...more } },
      reply: { status: 400, body: { status: "error", message } }
    })
    return [
      refused("that waiting is yes or no", { wait_for_window: "yes" }, "wait_for_window must be a boolean"),
      refused(
        "that an emergency has a reason",
        { emergency: " " },
        "emergency must be a reason of 1 to 255 characters"
      ),
      refused(
        "that an emergency does not wait",
        { emergency: "fire", wait_for_window: true },
        "emergency cannot be combined with wait_for_window"
      )
    ]
  })
]
