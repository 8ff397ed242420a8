/** Discovery, initialisation, synchronization and previews (contract api-devices.md §5 and §6). */
import { absent, type Case, type Expected } from "../Case.ts"

const bad = (name: string, path: string, json: unknown, message: string): Case => ({
  name,
  request: { method: "POST", path, json },
  reply: { status: 400, body: { status: "error", message, data: absent, job_id: absent } }
})
/** The job that a request starts is the fourth. */
const starts = (
  name: string,
  path: string,
  json: unknown,
  data: string,
  job: { readonly [key: string]: Expected },
  headers: Readonly<Record<string, string | null>> = {}
): Case => ({
  name,
  request: { method: "POST", path, json },
  reply: { status: 200, body: { status: "success", data, job_id: 4 }, headers },
  afterwards: [{ path: "/job/4", body: { data: { jobs: [{ status: "SCHEDULED", scheduled_by: "admin", ...job }] } } }]
})

const seen = { ztp_mac: "08:00:27:5c:09:1f", dhcp_ip: "10.0.0.20" }
const discovery: ReadonlyArray<Case> = ["/discover_device", "/device_discover"].flatMap((path) => [
  starts("a discovery job", path, seen, "Scheduled job to discover device for ztp_mac 0800275C091F", {
    function_name: "discover_device",
    start_arguments: { ztp_mac: "0800275C091F", dhcp_ip: "10.0.0.20", iteration: 1 }
  }),
  bad("that the MAC address is missing", path, {}, "POST data must include 'ztp_mac'"),
  bad("that the address is missing", path, { ztp_mac: "x" }, "POST data must include 'dhcp_ip'"),
  bad("that this is no MAC address", path, { ...seen, ztp_mac: 5 }, "Invalid device ztp_mac received."),
  bad(
    "that this is no address",
    path,
    { ...seen, dhcp_ip: "10.0.0.0/24" },
    "Invalid dhcp_ip received. Must be a valid IP address."
  )
])

const NEIGHBORS = "Neighbors must be specified as either a list of hostnames,an empty list, or not specified at all"
const access = { hostname: "east-a9", device_type: "access" }
const argumentErrors: ReadonlyArray<readonly [json: Readonly<Record<string, unknown>>, message: string]> = [
  [{}, "POST data must include new 'hostname'"],
  [{ hostname: "a b" }, "Provided hostname is not valid"],
  [{ hostname: "x" }, "POST data must include 'device_type'"],
  [{ ...access, device_type: 5 }, "Invalid 'device_type' provided"],
  [{ ...access, device_type: "FIREWALL" }, "Invalid 'device_type' provided"],
  [{ ...access, mlag_peer_id: null }, "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"],
  [{ ...access, mlag_peer_hostname: "x" }, "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"],
  [{ ...access, mlag_peer_id: "5", mlag_peer_hostname: "x" }, "'mlag_peer_id' must be an integer"],
  [{ ...access, mlag_peer_id: 5, mlag_peer_hostname: "a b" }, "Provided 'mlag_peer_hostname' is not valid"],
  [{ ...access, neighbors: "core1" }, NEIGHBORS],
  [{ ...access, neighbors: ["a b"] }, "Invalid hostname specified in neighbor list"],
  [{ ...access, replace_hostname: "yes" }, "'replace_hostname' must be a boolean"]
]

const initialisation: ReadonlyArray<Case> = [
  starts(
    "the job that starts an access switch",
    "/device_init/6",
    { ...access, neighbors: [] },
    "Scheduled job to initialize device_id 6",
    {
      function_name: "init_access_device_step1",
      start_arguments: { device_id: 6, new_hostname: "east-a9", device_type: absent, neighbors: absent }
    }
  ),
  starts(
    "the job of an MLAG pair",
    "/device_init/6",
    { ...access, mlag_peer_id: 7, mlag_peer_hostname: "east-a10" },
    "Scheduled job to initialize device_id 6",
    { start_arguments: { mlag_peer_id: 7, mlag_peer_new_hostname: "east-a10" } }
  ),
  starts(
    "the job that replaces a switch",
    "/device_init/6",
    { ...access, replace_hostname: true },
    "Scheduled job to initialize device_id 6",
    { start_arguments: { replace_hostname: true } }
  ),
  starts(
    "the job that starts a fabric device",
    "/device_init/6",
    { hostname: "dist9", device_type: "DIST", neighbors: ["core1"] },
    "Scheduled job to initialize device_id 6",
    {
      function_name: "init_fabric_device_step1",
      start_arguments: { device_id: 6, new_hostname: "dist9", device_type: "DIST", neighbors: ["core1"] }
    }
  ),
  starts(
    "step 2 again for a device that is past step 1",
    "/device_init/7",
    access,
    "Re-scheduled init step 2 for device_id 7",
    { function_name: "init_device_step2", start_arguments: { device_id: 7, iteration: 1 } }
  ),
  starts(
    "that the state of the device is left to the job",
    "/device_init/1",
    access,
    "Scheduled job to initialize device_id 1",
    {}
  ),
  ...argumentErrors.map(([json, message]) => bad("what is wrong with the arguments", "/device_init/6", json, message)),
  bad(
    "that a type is needed",
    "/device_init/6",
    { ...access, device_type: "UNKNOWN" },
    "Unsupported 'device_type' provided"
  ),
  ...[{ mlag_peer_id: 7, mlag_peer_hostname: "x" }, { replace_hostname: true }].map((extra) =>
    bad(
      "that a fabric device has no peer and no replacement",
      "/device_init/6",
      { hostname: "dist9", device_type: "CORE", ...extra },
      "MLAG peers and replacement are for device_type ACCESS only"
    )
  ),
  ...["4711", "99999999999"].map((id): Case => ({
    name: "no device of that id",
    request: { method: "POST", path: `/device_init/${id}`, json: access },
    reply: { status: 404, body: { message: "Device not found" } }
  })),
  {
    name: "whether the device could be initialised, with the arguments as they were read",
    request: { method: "POST", path: "/device_initcheck/6", json: { ...access, neighbors: [] } },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          compatible: false,
          neighbors_error: "No linknets found",
          parsed_args: { device_id: 6, new_hostname: "east-a9", device_type: "ACCESS", neighbors: [] }
        }
      }
    }
  },
  ...argumentErrors.map(([json, message]) =>
    bad("what is wrong with the arguments", "/device_initcheck/6", json, `Error parsing arguments: ${message}`)
  ),
  bad(
    "that a type is needed",
    "/device_initcheck/6",
    { ...access, device_type: "UNKNOWN" },
    "Error parsing arguments: Invalid 'device_type' provided"
  ),
  bad(
    "no device of that id",
    "/device_initcheck/4000000",
    access,
    "ValueError in pre_init_checks: No device with id 4000000 found"
  ),
  bad(
    "no device of that id",
    "/device_initcheck/99999999999",
    access,
    "ValueError in pre_init_checks: No device with id 99999999999 found"
  ),
  {
    name: "that the check cannot be made",
    request: { method: "POST", path: "/device_initcheck/6", json: { ...access, hostname: "unreachable" } },
    reply: { status: 500, body: { message: "Exception in pre_init_checks: Failed to connect to device_id 6" } }
  }
]

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
    "the first selector that is there",
    sync,
    { group: "X", hostname: "core1" },
    "Scheduled job to synchronize core1",
    {}
  ),
  bad("that this is no hostname", sync, { hostname: "a b" }, "Hostname 'a b' is not a valid hostname"),
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
    bad("that somebody has to be selected", sync, json, "No devices to synchronize were specified")
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
            generated_config: "hostname east-a1\n",
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
            available_variables: { hostname: absent, interfaces: [{ name: "Ethernet1", ifclass: absent }] }
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
    name: "that this is no hostname",
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
        message: "Exception while generating config for device mac-080027000006: device type UNKNOWN has no template"
      }
    }
  }
]

export const provisioningCases: ReadonlyArray<Case> = [...discovery, ...initialisation, ...synchronization, ...previews]
