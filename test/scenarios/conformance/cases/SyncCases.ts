/** Synchronization and previews (docs/changes.md#synchronize and docs/templates.md#trying-templates). */
import { absent, type Case, bad, starts } from "../Case.ts"

const defaults = { dry_run: true, auto_push: false, force: false, resync: false }
const sync = "/device_syncto"
const synchronization: ReadonlyArray<Case> = [
  starts(
    "a dry run of one device, also when it is synchronized",
    sync,
    { hostname: "east-a1", comment: "c".repeat(300), ticket_ref: "t".repeat(40) },
    "Scheduled job to synchronize east-a1",
    {
      function_name: "sync_devices (dry_run)",
      start_arguments: { ...defaults, hostnames: ["east-a1"] },
      comment: "c".repeat(255),
      ticket_ref: "t".repeat(32)
    },
    { "x-total-count": "1" }
  ),
  starts(
    "a live run",
    sync,
    {
      hostname: "east-a1",
      dry_run: false,
      force: true,
      auto_push: true,
      resync: true,
      confirm_mode: 2,
      abort_on_failure: true
    },
    "Scheduled job to synchronize east-a1",
    {
      function_name: "sync_devices",
      start_arguments: {
        dry_run: false,
        force: true,
        auto_push: true,
        resync: true,
        confirm_mode_override: 2,
        abort_on_failure: true
      }
    }
  ),
  ...[
    { path: sync, json: { hostnames: ["east-a1", "core1"], dry_run: false, urgent: true } },
    { path: `${sync}/hostname/east-a1`, json: { dry_run: false, urgent: true } }
  ].map(({ json, path }): Case => ({
    name: "which device another job is changing, when an urgent run is wanted",
    given: [
      "update job set status = 'RUNNING', function_name = 'sync_devices' where id = 1",
      `insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
        values (1, 4, 'committed', 2, '{"dryRun": false}', 'hostname east-a1')`
    ],
    request: { method: "POST", path, json },
    reply: {
      status: 409,
      body: {
        status: "error",
        message: "Devices are being changed by other jobs: east-a1 (job 1, sync_devices)",
        data: absent
      }
    }
  })),
  bad(
    "that an urgent run needs named devices",
    sync,
    { all: true, urgent: true },
    "urgent needs named devices: hostname or hostnames"
  ),
  bad(
    "that an urgent run cannot wait for all of its devices",
    sync,
    { hostname: "east-a1", urgent: true, confirm_mode: 2 },
    "urgent cannot be combined with confirm_mode 2"
  ),
  bad("the name that no device has", sync, { hostnames: ["east-a1", "nosuch"] }, "Hostname 'nosuch' not found"),
  bad(
    "the names that no device has",
    sync,
    { hostnames: ["nosuch", "east-a1", "other"], dry_run: false },
    "Hostnames not found: nosuch, other"
  ),
  bad(
    "an error for an invalid list of hostnames",
    sync,
    { hostnames: ["east-a1", 5] },
    "hostnames: '5' is not a valid hostname"
  ),
  starts(
    "the defaults for values of another type",
    sync,
    { hostname: "east-a1", dry_run: "false", force: 1, comment: 5, confirm_mode: "1" },
    "Scheduled job to synchronize east-a1",
    { start_arguments: { ...defaults, confirm_mode_override: absent }, comment: null }
  ),
  starts(
    "the unsynchronized devices of a type",
    sync,
    { device_type: "access" },
    "Scheduled job to synchronize access devices",
    { start_arguments: { device_type: "ACCESS", hostnames: absent } },
    { "x-total-count": "2" }
  ),
  starts(
    "all devices of a type with resync",
    sync,
    { device_type: "ACCESS", resync: true },
    "Scheduled job to synchronize ACCESS devices",
    {},
    { "x-total-count": "3" }
  ),
  starts(
    "no total when nothing is selected",
    sync,
    { device_type: "CORE" },
    "Scheduled job to synchronize CORE devices",
    {},
    { "x-total-count": null }
  ),
  starts(
    "the managed devices of a group",
    sync,
    { group: "EAST_WING", resync: true },
    "Scheduled job to synchronize group EAST_WING",
    { start_arguments: { group: "EAST_WING" } },
    { "x-total-count": "1" }
  ),
  starts(
    "all devices",
    sync,
    { all: true },
    "Scheduled job to synchronize all devices",
    { start_arguments: { hostnames: absent, group: absent, device_type: absent } },
    { "x-total-count": "2" }
  ),
  starts(
    "the first selector that is set",
    sync,
    { group: "X", hostname: "core1" },
    "Scheduled job to synchronize core1",
    {}
  ),
  bad("an error for an invalid hostname", sync, { hostname: "a b" }, "Hostname 'a b' is not a valid hostname"),
  bad("that a number may be a hostname", sync, { hostname: 5 }, "Hostname '5' not found or is not a managed device"),
  bad(
    "that the device is not managed",
    sync,
    { hostname: "east-a2" },
    "Hostname 'east-a2' not found or is not a managed device"
  ),
  bad("that the type is unknown", sync, { device_type: "Firewall" }, "Invalid device type 'Firewall' specified"),
  bad("that the group is unknown", sync, { group: "WEST" }, "Could not find a group with name WEST"),
  ...[{}, { all: false }, { all: "true" }].map((json) =>
    bad("an error for a missing selection", sync, json, "No devices to synchronize were specified")
  ),
  ...[3, -1].map((confirm_mode) =>
    bad("which modes there are", sync, { hostname: "east-a1", confirm_mode }, "confirm_mode must be 0, 1 or 2")
  ),
  starts(
    "one device by its own path",
    "/device_syncto/hostname/east-a1",
    { dry_run: false, hostname: "core1" },
    "Scheduled job to synchronize east-a1",
    { start_arguments: { hostnames: ["east-a1"] } },
    { "x-total-count": "1" }
  ),
  bad(
    "that the device is not managed",
    "/device_syncto/hostname/nobody",
    {},
    "Hostname 'nobody' not found or is not a managed device"
  )
]

const preview = "/device/east-a1/generate_config"
const previews: ReadonlyArray<Case> = [
  {
    name: "the rendered configuration and the variables",
    request: { method: "GET", path: preview },
    reply: {
      status: 200,
      body: {
        data: {
          config: {
            hostname: "east-a1",
            generated_config: /^hostname east-a1$/m,
            available_variables: { hostname: "east-a1" }
          }
        }
      }
    }
  },
  {
    name: "the part that the header X-Fields asks for",
    request: {
      method: "GET",
      path: preview,
      headers: { "x-fields": "available_variables{interfaces{name},port_template_options}" }
    },
    reply: {
      status: 200,
      body: {
        data: {
          config: {
            hostname: absent,
            generated_config: absent,
            available_variables: {
              hostname: absent,
              interfaces: [
                { name: "Ethernet1", ifclass: absent },
                { name: "Ethernet2" },
                { name: "Ethernet10" },
                { name: "Ethernet48" }
              ]
            }
          }
        }
      }
    }
  },
  {
    name: "everything for a mask that is none",
    request: { method: "GET", path: preview, headers: { "x-fields": "a{b" } },
    reply: { status: 200, body: { data: { config: { hostname: "east-a1" } } } }
  },
  {
    name: "an error for an invalid hostname",
    request: { method: "GET", path: "/device/a%20b/generate_config" },
    reply: { status: 400, body: { message: "Invalid hostname specified" } }
  },
  {
    name: "no device of that name",
    request: { method: "GET", path: "/device/4/generate_config" },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "why it cannot be rendered",
    request: { method: "GET", path: "/device/mac-080027000006/generate_config" },
    reply: {
      status: 500,
      body: {
        message:
          "Exception while generating config for device mac-080027000006: VariablesError: Can't populate device vars for device type UNKNOWN"
      }
    }
  }
]

export const syncCases: ReadonlyArray<Case> = [...synchronization, ...previews]
