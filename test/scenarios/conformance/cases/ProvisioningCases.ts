/** Discovery and initialisation (docs/provisioning.md). */
import { absent, type Case, bad, starts } from "../Case.ts"

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
  ...argumentErrors.map(([json, message]) => bad("the mistakes in the arguments", "/device_init/6", json, message)),
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
    name: "the obstacles to an initialisation at the device's place, with the parsed arguments",
    request: { method: "POST", path: "/device_initcheck/6", json: access },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          compatible: false,
          neighbors_error: "No linknets found",
          parsed_args: { device_id: 6, new_hostname: "east-a9", device_type: "ACCESS", neighbors: null }
        }
      }
    }
  },
  {
    name: "that nothing speaks against it when no neighbours are wanted",
    request: { method: "POST", path: "/device_initcheck/6", json: { ...access, neighbors: [] } },
    reply: { status: 200, body: { data: { compatible: true, parsed_args: { neighbors: [] } } } }
  },
  ...argumentErrors.map(([json, message]) =>
    bad("the mistakes in the arguments", "/device_initcheck/6", json, `Error parsing arguments: ${message}`)
  ),
  bad(
    "that a type is needed",
    "/device_initcheck/6",
    { ...access, device_type: "UNKNOWN" },
    "Error parsing arguments: Invalid 'device_type' provided"
  ),
  bad(
    "that a fabric device has no replacement",
    "/device_initcheck/6",
    { hostname: "dist9", device_type: "CORE", replace_hostname: true },
    "Error parsing arguments: MLAG peers and replacement are for device_type ACCESS only"
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
    given: [`update device set dhcp_ip = '10.0.0.29' where id = 6`],
    request: { method: "POST", path: "/device_initcheck/6", json: access },
    reply: { status: 500, body: { message: /^Exception in pre_init_checks: Failed to connect to device_id 6: / } }
  }
]

export const provisioningCases: ReadonlyArray<Case> = [
  ...discovery,
  ...initialisation,
  {
    name: "that the switch to be replaced has an open change",
    given: ["insert into device_operation (device_id, kind, phase, detail) values (5, 'bounce', 'shutting', '{}')"],
    request: {
      method: "POST",
      path: "/device_init/6",
      json: { hostname: "east-a2", device_type: "ACCESS", replace_hostname: true }
    },
    reply: { status: 409, body: { status: "error", message: /^Device east-a2 has an open change of bounce/ } }
  }
]
