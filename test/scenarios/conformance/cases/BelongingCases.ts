/** Parts of a device: stack members and sync history (docs/api.md#stack-members and docs/api.md#sync-history). */
import { absent, type Case, type Expected } from "../Case.ts"

const put = (name: string, json: unknown, ...message: ReadonlyArray<string>): Case => ({
  name,
  request: { method: "PUT", path: "/device/east-a1/stackmember", json },
  reply: { status: 400, body: { status: "error", message } }
})
const members = (...stackmembers: ReadonlyArray<unknown>) => ({ stackmembers })
const one = (extra: Readonly<Record<string, unknown>>) => members({ hardware_id: "AB1", ...extra })

const stack: ReadonlyArray<Case> = [
  {
    name: "members by number, with all keys",
    request: { method: "GET", path: "/device/east-a1/stackmember" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          stackmembers: [
            { member_no: 0, hardware_id: "AB1234", priority: null },
            { member_no: 1, hardware_id: "CD5555", priority: 99 }
          ]
        }
      }
    }
  },
  {
    name: "no device of that name",
    request: { method: "GET", path: "/device/nobody/stackmember" },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "the new list, which replaces the old one; the device stays synchronized",
    request: {
      method: "PUT",
      path: "/device/east-a1/stackmember",
      json: members({ hardware_id: "X9", member_no: "3" })
    },
    reply: { status: 200, body: { data: { stackmembers: [{ member_no: 3, hardware_id: "X9", priority: null }] } } },
    afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } }]
  },
  {
    name: "an empty list removes all",
    request: { method: "PUT", path: "/device/east-a1/stackmember", json: members() },
    reply: { status: 200, body: { data: { stackmembers: [] } } }
  },
  {
    name: "no device of that name, after the body was checked",
    request: { method: "PUT", path: "/device/nobody/stackmember", json: members() },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  put(
    "that an element has an unknown key",
    members({ hardware_id: "X9", colour: 1 }),
    "colour: there is no such field, known are member_no, hardware_id, priority"
  ),
  put("that the list is missing", {}, "stackmembers: Field required"),
  put("that it is no list", { stackmembers: {} }, "stackmembers: Input should be a valid list"),
  put("that an element is no object", members("x"), "stackmembers: Input should be a valid dictionary"),
  put("that the hardware id is missing", members({}), "hardware_id: Field required"),
  put("that the hardware id is no text", members({ hardware_id: null }), "hardware_id: Input should be a valid string"),
  put(
    "that the hardware id is empty",
    members({ hardware_id: "" }),
    "Value error, hardware_id cannot be an empty string"
  ),
  put(
    "that the hardware id is too long",
    members({ hardware_id: "x".repeat(65) }),
    "hardware_id: String should have at most 64 characters"
  ),
  put(
    "that a number is no integer",
    one({ member_no: "x" }),
    "member_no: Input should be a valid integer, unable to parse string as an integer"
  ),
  put(
    "that a number has a fraction",
    one({ priority: 1.5 }),
    "priority: Input should be a valid integer, got a number with a fractional part"
  ),
  put("that a number is negative", one({ member_no: -1 }), "member_no: Input should be greater than -1"),
  put("that a number is too large", one({ member_no: 2147483648 }), "member_no: Input should be less than 2147483648"),
  put(
    "all errors, element by element",
    members({ member_no: -1 }, { hardware_id: 5 }),
    "member_no: Input should be greater than -1",
    "hardware_id: Field required",
    "hardware_id: Input should be a valid string"
  ),
  put(
    "that numbers are unique",
    members({ hardware_id: "A", member_no: 1 }, { hardware_id: "B", member_no: 1 }),
    "Value error, member_no must be unique for stackmembers belonging to the same device"
  ),
  put(
    "that two members without number collide",
    members({ hardware_id: "A" }, { hardware_id: "B" }),
    "Value error, member_no must be unique for stackmembers belonging to the same device"
  ),
  put(
    "that hardware ids are unique",
    members({ hardware_id: "A", member_no: 1 }, { hardware_id: "A", member_no: 2 }),
    "Value error, hardware_id must be unique for stackmembers belonging to the same device"
  )
]

const add = (name: string, json: unknown, message: Expected): Case => ({
  name,
  request: { method: "POST", path: "/device_synchistory", json },
  reply: { status: 400, body: { status: "error", message } }
})
const event = { hostname: "east-a1", cause: "oob", by: "indy" }

const history: ReadonlyArray<Case> = [
  {
    name: "events by hostname; devices without any are left out",
    request: { method: "GET", path: "/device_synchistory" },
    reply: {
      status: 200,
      body: {
        data: {
          hostnames: {
            "special-a8": [{ cause: "refresh_settings", timestamp: 1688458956.684019, by: "indy", job_id: 123 }],
            core1: absent
          }
        }
      }
    }
  },
  {
    name: "nothing for an unknown name",
    request: { method: "GET", path: "/device_synchistory?hostname=nobody" },
    reply: { status: 200, body: { data: { hostnames: { nobody: absent } } } }
  },
  {
    name: "an error for an invalid hostname",
    request: { method: "GET", path: "/device_synchistory?hostname=a%20b" },
    reply: { status: 400, body: { message: "Invalid hostname specified" } }
  },
  {
    name: "the added members; the device stays synchronized",
    request: { method: "POST", path: "/device_synchistory", json: { ...event, timestamp: "1688458956.68" } },
    reply: { status: 200, body: { status: "success", data: { ...event, timestamp: 1688458956.68, job_id: absent } } },
    afterwards: [
      {
        path: "/device_synchistory?hostname=east-a1",
        body: {
          data: { hostnames: { "east-a1": [{ cause: "oob", by: "indy", timestamp: 1688458956.68, job_id: null }] } }
        }
      },
      { path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } }
    ]
  },
  {
    name: "null as timestamp means now, and is shown",
    request: { method: "POST", path: "/device_synchistory", json: { ...event, timestamp: null } },
    reply: { status: 200, body: { data: { timestamp: null } } }
  },
  add("the keys that are missing", {}, [
    "Validation error for setting hostname, bad value: None",
    "Message: Field required",
    "Validation error for setting cause, bad value: None",
    "Message: Field required",
    "Validation error for setting by, bad value: None",
    "Message: Field required"
  ]),
  add("that a value is no text", { ...event, by: 5 }, [
    "Validation error for setting by, bad value: 5",
    "Message: Input should be a valid string"
  ]),
  add("that a cause is too long", { ...event, cause: "x".repeat(256) }, [
    /^Validation error for setting cause/,
    "Message: String should have at most 255 characters"
  ]),
  add("that a timestamp is no number", { ...event, timestamp: "noon" }, [
    "Validation error for setting timestamp, bad value: noon",
    "Message: Input should be a valid number, unable to parse string as a number"
  ]),
  add("an error for an unknown device, with 400", { ...event, hostname: "nobody" }, "Device not found")
]

export const belongingCases: ReadonlyArray<Case> = [...stack, ...history]
