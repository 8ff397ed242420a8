/** The places of switches: those that wait for their initialisation, and the whole network as planned and seen (docs/api.md#places). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Topology, WaitingDevice } from "../domain/Topology.ts"
import * as Examples from "./Documented.ts"
import { documented } from "./Documented.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { IgnoreRequest, InitListRequest } from "../domain/requests/InitRequests.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { BadRequest, Conflict, Enveloped, NotFound } from "./Answers.ts"

const waiting = {
  id: 45,
  hostname: "mac-0800275C091F",
  state: "DISCOVERED",
  ztp_mac: "0800275C091F",
  serial: "SSJ17150000",
  platform: Examples.device.platform,
  vendor: Examples.device.vendor,
  model: "DCS-7048T-A",
  os_version: "4.22.5M",
  dhcp_ip: "10.0.0.20",
  since: "2026-03-02T09:12:07",
  neighbours_read: "2026-03-02T09:12:09",
  places: [
    {
      hostname: "lhv-dist1",
      port: "Ethernet3",
      own_port: "Ethernet49",
      heard_by: "switch",
      linknet_id: 7,
      was: "lhv-acc1",
      was_state: "UNMANAGED"
    }
  ],
  replaces: "lhv-acc1",
  problems: [],
  job_id: null,
  failed_job_id: null,
  ignored: null
}

const node = {
  id: 3,
  hostname: "lhv-dist1",
  device_type: "DIST",
  state: "MANAGED",
  synchronized: true,
  os_version: "4.22.5M",
  model: "DCS-7280SR-48C6",
  primary_group: "LHV",
  unreachable: false,
  job_id: null,
  neighbours_read: "2026-03-02T09:12:09"
}

const edge = {
  a: 5,
  a_port: "Ethernet49",
  b: 3,
  b_port: "Ethernet3",
  linknet_id: 7,
  agreement: "agreed",
  instead: null
}

const Started = Schema.Array(
  Schema.Struct({ hostname: Schema.String, device_id: Schema.Int, job_id: Schema.Int }).annotate({
    identifier: "StartedInit"
  })
)

const endpoints = HttpApiGroup.make("places").add(
  HttpApiEndpoint.get("newDevices", "/new_devices", {
    success: Enveloped(Schema.Struct({ devices: Schema.Array(WaitingDevice) }))
  }).annotateMerge(
    documented({
      name: "listNewDevices",
      summary: "List new switches",
      description:
        "Devices in state DHCP_BOOT, DISCOVERED and INIT with their places: ports of known devices that they see over LLDP or that see them, at the last reading (`GET /device/:hostname/lldp_neighbors` reads and stores it), and the device at the other end of such a port in the database (`was`). `replaces` is the only such device. `POST /device_initcheck/:id` checks whether an initialisation would be accepted. `failed_job_id` is the newest attempt of the last week, if it failed; `ignored` says who does not want to set the switch up.",
      example: { response: { status: "success", data: { devices: [waiting] } } }
    })
  ),
  HttpApiEndpoint.put("ignoreDevice", "/new_devices/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: IgnoreRequest.schema,
    success: Enveloped(Schema.Struct({ ignored: Schema.Boolean })),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "ignoreNewDevice",
        summary: "Ignore a new switch",
        description:
          "An ignored switch, in state DHCP_BOOT or DISCOVERED, stays in the list with `ignored`, but counts neither in the overview nor in what needs attention. `ignored: false` undoes it, and so does an initialisation.",
        example: {
          request: { ignored: true, comment: "spare unit in the store" },
          response: { status: "success", data: { ignored: true } }
        }
      })
    ),
  HttpApiEndpoint.post("initDevices", "/new_devices", {
    payload: InitListRequest.schema,
    success: Enveloped(Schema.Struct({ started: Started })),
    error: [BadRequest, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "initDevices",
        summary: "Initialise several switches",
        description:
          "Starts the job of `POST /device_init/:id` for each line, or none: all mistakes are reported first, with line and field. A switch is named by `mac` or `serial`; `replace_hostname` lets it replace the device with this hostname.",
        example: {
          request: { devices: [{ hostname: "lhv-a9", device_type: "ACCESS", mac: "08:00:27:5c:09:1f" }] },
          response: { status: "success", data: { started: [{ hostname: "lhv-a9", device_id: 45, job_id: 101 }] } }
        }
      })
    ),
  HttpApiEndpoint.get("topology", "/topology", { success: Enveloped(Topology) }).annotateMerge(
    documented({
      name: "getTopology",
      summary: "The network as planned and seen",
      description:
        "Devices with their state and the newest job that works on them, and cables from links of the database and from the last LLDP readings. `agreement` compares them: `agreed`, `planned` (no end sees it), `unread` (planned, and no end was read), `seen` (no link exists for it), `moved` (a port sees something else, which `instead` names). The list contains a cable if the caller may see both devices.",
      example: { response: { status: "success", data: { nodes: [node], edges: [edge] } } }
    })
  )
)

/** Endpoints of places, all with a token. */
export class PlacesGroup extends endpoints.middleware(Authorization) {}
