/**
 * Routes that read a device or work on it without a change of its configuration (docs/api.md). Host keys and the certificate
 * authority go beyond the reference.
 */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { parameter } from "../domain/fields/Parameter.ts"
import { NeighbourDetail, PortErrors, PortOptics } from "../domain/DeviceReadings.ts"
import {
  ApprovalRequest,
  ApprovalsRequest,
  BounceRequest,
  HostKeyRequest,
  TrustRequest,
  UpdateFactsRequest,
  UpdateInterfacesRequest
} from "../domain/requests/OperationRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import {
  authority,
  certificates,
  createAuthority,
  renewCertificates,
  revokeCertificate
} from "./CertificateEndpoints.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, InternalError, JobStartedOnDevices, NotFound } from "./Answers.ts"

/** An unknown hostname is refused with a sentence of its own. */
const anyHostname = { hostname: Schema.String }
const interfaceName = parameter(Schema.String, Result.succeed, shown("only the lines of this interface", "Ethernet1"))
const record = <S extends Schema.Top>(value: S) => Schema.Record(Schema.String, value)

/** Values that the device does not report are null. */
const InterfaceStatus = Schema.Struct({
  is_up: Schema.NullOr(Schema.Boolean),
  is_enabled: Schema.NullOr(Schema.Boolean),
  description: Schema.String,
  last_flapped: Schema.Finite,
  mtu: Schema.NullOr(Schema.Finite),
  speed: Schema.NullOr(Schema.Int),
  mac_address: Schema.String,
  errors: Schema.optionalKey(PortErrors)
}).annotate({ identifier: "InterfaceStatus" })

const reads = HttpApiGroup.make("operations").add(
  HttpApiEndpoint.get("runningConfig", "/device/:hostname/running_config", {
    params: hostname,
    query: { interface: Schema.optionalKey(interfaceName) },
    success: Enveloped(Schema.Struct({ config: Schema.String })),
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getRunningConfig",
        summary: "Read the running configuration",
        description:
          "Reads the configuration from the device while the client waits; secrets have the form in which the device shows them.",
        example: {
          response: { status: "success", data: { config: "switchport mode trunk\nspanning-tree portfast" } }
        }
      })
    ),
  HttpApiEndpoint.get("neighbours", "/device/:hostname/lldp_neighbors", {
    params: hostname,
    success: Enveloped(
      Schema.Struct({
        lldp_neighbors: record(
          Schema.Array(
            Schema.Struct({ hostname: Schema.String, port: Schema.String }).annotate({ identifier: "LldpNeighbor" })
          )
        )
      })
    ),
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getLldpNeighbors",
        summary: "Read the LLDP neighbours",
        description: "The present LLDP neighbours of the device, in any state in which a login is possible.",
        example: {
          response: {
            status: "success",
            data: { lldp_neighbors: { Ethernet2: [{ hostname: "eosdist1", port: "Ethernet2" }] } }
          }
        }
      })
    ),
  HttpApiEndpoint.get("neighbourDetails", "/device/:hostname/lldp_neighbors_detail", {
    params: hostname,
    success: Enveloped(Schema.Struct({ lldp_neighbors_detail: record(Schema.Array(NeighbourDetail)) })),
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getLldpNeighborDetails",
        summary: "Read everything that LLDP neighbours announce",
        description:
          "Like `lldp_neighbors`, with descriptions, chassis ids and capabilities; empty text where unknown.",
        example: {
          response: {
            status: "success",
            data: {
              lldp_neighbors_detail: {
                Ethernet2: [
                  {
                    parent_interface: "",
                    remote_port: "Ethernet2",
                    remote_port_description: "",
                    remote_chassis_id: "08:00:27:00:11:22",
                    remote_system_name: "eosdist1",
                    remote_system_description: "Arista Networks EOS",
                    remote_system_capab: ["bridge", "router"],
                    remote_system_enable_capab: ["bridge", "router"]
                  }
                ]
              }
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("optics", "/device/:hostname/optics", {
    params: hostname,
    success: Enveloped(Schema.Struct({ optics: record(PortOptics) })),
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getOptics",
        summary: "Read the light levels of transceivers",
        description:
          "The transceivers of a managed device by port, with light in dBm; null for a value that one does not measure. Empty if the platform reports none.",
        example: {
          response: {
            status: "success",
            data: {
              optics: {
                Ethernet49: {
                  media: "10GBASE-LR",
                  serial: "XCW2245FD0A1",
                  rx_power: -4.13,
                  tx_power: -2.2,
                  bias: 31.4,
                  temperature: 34.5
                }
              }
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("interfaceStatus", "/device/:hostname/interface_status", {
    params: anyHostname,
    success: Enveloped(Schema.Struct({ interface_status: record(InterfaceStatus) })),
    error: [BadRequest, Conflict]
  }).annotateMerge(
    documented({
      name: "getInterfaceStatus",
      summary: "Read the states of the ports",
      description:
        "Reads all interfaces of a managed device. `speed` is in Mbit/s, `last_flapped` in epoch seconds, -1 when unknown. `errors` are packets since the counters were cleared, absent if the platform does not count them.",
      example: {
        response: {
          status: "success",
          data: {
            interface_status: {
              Ethernet1: {
                is_up: true,
                is_enabled: true,
                description: "AP 12",
                last_flapped: 1_581_950_162.341_227,
                speed: 1000,
                mtu: 1500,
                mac_address: "08:00:27:F5:D6:58",
                errors: { in: 3, out: 0, in_discards: 0, out_discards: 12 }
              }
            }
          }
        }
      }
    })
  )
)

const writes = reads.add(
  HttpApiEndpoint.put("bounce", "/device/:hostname/interface_status", {
    params: anyHostname,
    payload: BounceRequest.schema,
    success: Enveloped(Schema.String),
    error: [BadRequest, Conflict, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "bounceInterfaces",
        summary: "Bounce ports",
        description:
          "Disables ports of a managed access switch and enables them again while the client waits. Everything is checked before anything is sent; uplinks are refused.",
        example: {
          request: { bounce_interfaces: ["Ethernet1", "Ethernet2"] },
          response: { status: "success", data: "Bounced interfaces: Ethernet1, Ethernet2" }
        }
      })
    ),
  HttpApiEndpoint.post("updateFacts", "/device_update_facts", {
    payload: UpdateFactsRequest.schema,
    success: JobStartedOnDevices,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "updateFacts",
        summary: "Update the facts of a device",
        description:
          "Starts a job that reads vendor, model, OS version and serial number; its result is the list of differences.",
        example: {
          request: { hostname: "eosdist1" },
          response: { status: "success", data: "Scheduled job to update facts for eosdist1", job_id: 130 }
        }
      })
    ),
  HttpApiEndpoint.post("updateInterfaces", "/device_update_interfaces", {
    payload: UpdateInterfacesRequest.schema,
    success: JobStartedOnDevices,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "updateInterfaceDatabase",
        summary: "Update the ports of an access switch",
        description:
          "Starts a job that fills the interface database from the ports that the switch shows. `replace` also rewrites existing ports, `delete_all` only removes all; `mlag_peer_hostname` names the other switch of a pair, so that the links to it become MLAG ports.",
        example: {
          request: { hostname: "eosaccess" },
          response: { status: "success", data: "Scheduled job to update interfaces for eosaccess", job_id: 131 }
        }
      })
    )
)

const HostKey = Schema.Struct({
  host_key: Schema.Struct({
    hostname: Schema.String,
    fingerprint: Schema.NullOr(Schema.String),
    refused_fingerprint: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "HostKey" })
})
const PINNED = "SHA256:3Gyh7Xo0Qm0bH1d2M4c6z9wJ5vJxkQw1kq0Yz8b1s3E"
const REFUSED = "SHA256:9ZbU0t4b1sYk8Vv2Jr6Fh3Lq5Xc7Nw0MdKpTgEyHaIo"

const keys = writes.add(
  HttpApiEndpoint.get("hostKey", "/device/:hostname/host_key", {
    params: hostname,
    success: Enveloped(HostKey),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getHostKey",
        summary: "Show the pinned host key",
        description:
          "The fingerprint of the SSH key to which the device has been pinned since it became managed, and of a key that was refused later. A device with a refused key is blocked.",
        example: {
          response: {
            status: "success",
            data: { host_key: { hostname: "lhv-a1", fingerprint: PINNED, refused_fingerprint: REFUSED } }
          }
        }
      })
    ),
  HttpApiEndpoint.put("pinHostKey", "/device/:hostname/host_key", {
    params: hostname,
    payload: HostKeyRequest.schema,
    success: Enveloped(HostKey),
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "pinHostKey",
        summary: "Pin another host key",
        description:
          "`PIN` trusts the refused key, which the request must name. `FORGET` lets the next login pin any key that the device shows.",
        example: {
          request: { action: "PIN", fingerprint: REFUSED },
          response: {
            status: "success",
            data: { host_key: { hostname: "lhv-a1", fingerprint: REFUSED, refused_fingerprint: null } }
          }
        }
      })
    )
)

const approvals = keys.add(
  HttpApiEndpoint.post("approveHostKey", "/device/:hostname/hostkey/approve", {
    params: hostname,
    payload: ApprovalRequest.schema,
    success: Enveloped(HostKey),
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "approveHostKey",
        summary: "Approve the host key of a device",
        description:
          "With HOST_KEY_POLICY=approve the server logs in to a device from elsewhere only after a user has approved its key. The first attempt only shows the key (`refused_fingerprint`); this call pins it. Any other key is refused with 409.",
        example: {
          request: { fingerprint: REFUSED },
          response: {
            status: "success",
            data: { host_key: { hostname: "lhv-a1", fingerprint: REFUSED, refused_fingerprint: null } }
          }
        }
      })
    )
)

const WaitingKey = Schema.Struct({
  hostname: Schema.String,
  state: Schema.String,
  address: Schema.NullOr(Schema.String),
  fingerprint: Schema.NullOr(Schema.String),
  refused_fingerprint: Schema.String,
  since: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WaitingHostKey" })

const ApprovedKey = Schema.Struct({
  hostname: Schema.String,
  approved: Schema.Boolean,
  /** Why it was not approved; null after an approval. */
  message: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApprovedHostKey" })

const manyApprovals = approvals.add(
  HttpApiEndpoint.get("waitingHostKeys", "/device_hostkeys", {
    success: Enveloped(Schema.Struct({ host_keys: Schema.Array(WaitingKey) }))
  }).annotateMerge(
    documented({
      name: "listWaitingHostKeys",
      summary: "List host keys that need an approval",
      description:
        "The keys that devices have shown and that wait for an approval: `fingerprint` is null for an unknown device, else the pinned key.",
      example: {
        response: {
          status: "success",
          data: {
            host_keys: [
              {
                hostname: "lhv-a1",
                state: "MANAGED",
                address: "10.199.3.21",
                fingerprint: null,
                refused_fingerprint: REFUSED,
                since: "2026-03-02T08:15:00"
              }
            ]
          }
        }
      }
    })
  ),
  HttpApiEndpoint.post("approveHostKeys", "/device_hostkeys/approve", {
    payload: ApprovalsRequest.schema,
    success: Enveloped(
      Schema.Struct({ approved: Schema.Int, refused: Schema.Int, host_keys: Schema.Array(ApprovedKey) }).annotate({
        identifier: "HostKeyApprovals"
      })
    ),
    error: [BadRequest]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "approveHostKeys",
        summary: "Approve the host keys of several devices",
        description:
          "For the first login to a fleet from elsewhere: up to 1000 devices with the key that each has shown, after a user has compared it. Each is approved or refused separately. A pinned device has changed its key, and is refused here: approve it alone.",
        example: {
          request: { host_keys: [{ hostname: "lhv-a1", fingerprint: REFUSED }] },
          response: {
            status: "success",
            data: { approved: 1, refused: 0, host_keys: [{ hostname: "lhv-a1", approved: true, message: null }] }
          }
        }
      })
    )
)

const Trusted = Schema.Struct({
  trusted: Schema.Struct({
    hostname: Schema.String,
    fingerprint: Schema.String,
    serial: Schema.NullOr(Schema.String),
    model: Schema.NullOr(Schema.String),
    shown_hostname: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "TrustedIdentity" })
})

const trust = HttpApiEndpoint.post("trustDevice", "/device/:hostname/trust", {
  params: hostname,
  payload: TrustRequest.schema,
  success: Enveloped(Trusted),
  error: [BadRequest, NotFound, Conflict, InternalError]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "trustDevice",
      summary: "Accept the identity of a device",
      description:
        "For a device that is blocked by `WrongDevice`, or that was replaced by hand. Reads the facts of the switch at its address, pins its host key, and writes its serial number and model into the record. Refused with 409 while a change is open, and when the key or the serial number belongs to another record. Needs the right `trust`, which of the ready roles only `administrator` has.",
      example: {
        request: { comment: "chassis was replaced, RMA 4711" },
        response: {
          status: "success",
          data: {
            trusted: {
              hostname: "lhv-a1",
              fingerprint: REFUSED,
              serial: "JPE21370001",
              model: "CCS-720XP-24ZY4-F",
              shown_hostname: "lhv-a1"
            }
          }
        }
      }
    })
  )

const endpoints = manyApprovals
  .add(trust)
  .add(renewCertificates, authority, createAuthority, certificates, revokeCertificate)

/** Endpoints of work on devices without a change of their configuration, all with a token. */
export class OperationsGroup extends endpoints.middleware(Authorization) {}
