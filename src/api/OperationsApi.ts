/**
 * Routes that read a device or work on it without a change of its configuration (docs/api.md). Host keys and the certificate
 * authority go beyond the reference and have files of their own.
 */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { parameter } from "../domain/fields/Parameter.ts"
import { LogSeverity, logSeverities, ReadingKind, readingKinds, StateAnswer } from "../domain/checks/Readings.ts"
import { NeighbourDetail, PortErrors, PortOptics } from "../domain/DeviceReadings.ts"
import { BounceRequest, UpdateFactsRequest, UpdateInterfacesRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import {
  authority,
  certificates,
  createAuthority,
  renewCertificates,
  revokeCertificate
} from "./CertificateEndpoints.ts"
import {
  approveHostKey,
  approveHostKeys,
  hostKey,
  pinHostKey,
  trustDevice,
  waitingHostKeys
} from "./HostKeyEndpoints.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, InternalError, JobStartedOnDevices, NotFound } from "./Answers.ts"

/** An unknown hostname is refused with a sentence of its own. */
const anyHostname = { hostname: Schema.String }
const interfaceName = parameter(Schema.String, Result.succeed, shown("only the lines of this interface", "Ethernet1"))
const record = <S extends Schema.Top>(value: S) => Schema.Record(Schema.String, value)

const isKind = Schema.is(ReadingKind)

const kinds = parameter(
  Schema.Array(ReadingKind),
  (sent) => {
    const wanted = [...new Set(sent.split(","))]
    const unknown = wanted.find((kind) => !isKind(kind))
    return unknown === undefined
      ? Result.succeed(wanted.filter(isKind))
      : Result.fail(`reads must be a list of ${readingKinds.join(", ")}`)
  },
  shown("kinds with commas between them", "bgp,interfaces")
)

const isSeverity = Schema.is(LogSeverity)

const severity = parameter(
  LogSeverity,
  (sent) =>
    isSeverity(sent) ? Result.succeed(sent) : Result.fail(`severity must be one of ${logSeverities.join(", ")}`),
  shown("for log: messages at least as severe; default error", "warning")
)

const whole = (name: string, description: string, example: string) =>
  parameter(
    Schema.Int,
    (sent) => (/^\d{1,6}$/.test(sent) ? Result.succeed(Number(sent)) : Result.fail(`${name} must be a number`)),
    shown(description, example)
  )

const words = (description: string, example: string) =>
  parameter(Schema.String, Result.succeed, shown(description, example))

const stateQuery = {
  reads: kinds,
  severity: Schema.optionalKey(severity),
  seconds: Schema.optionalKey(whole("seconds", "for log: how far back; default 3600", "600")),
  to: Schema.optionalKey(words("for ping: the address", "10.0.0.1")),
  source: Schema.optionalKey(words("for ping: an address or interface of the device", "Loopback0")),
  vrf: Schema.optionalKey(words("for ping: default the default VRF", "MGMT")),
  count: Schema.optionalKey(whole("count", "for ping: packets, 1 to 20; default 5", "3"))
} as const

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
  HttpApiEndpoint.get("state", "/device/:hostname/readings", {
    params: hostname,
    query: stateQuery,
    success: Enveloped(Schema.Struct({ readings: Schema.Array(StateAnswer) })),
    error: [BadRequest, NotFound, Conflict, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getReadings",
        summary: "Read the state of a device",
        description:
          "Reads what a check of a change would see, over one login: BGP, OSPF, routes, MLAG, counters of errors and more. `log` takes `severity` and `seconds`; `ping` takes `to`, `source`, `vrf` and `count`. Each kind has its `reading`, or the `problem` why there is none.",
        example: {
          response: {
            status: "success",
            data: {
              readings: [
                {
                  reading: {
                    reads: "bgp",
                    items: {
                      "default 10.198.0.1": {
                        state: "established",
                        is_established: true,
                        prefixes_received: 12,
                        asn: 4_200_000_001
                      }
                    }
                  },
                  problem: null
                }
              ]
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

const endpoints = writes
  .add(hostKey, pinHostKey, approveHostKey, waitingHostKeys, approveHostKeys, trustDevice)
  .add(renewCertificates, authority, createAuthority, certificates, revokeCertificate)

/** Endpoints of work on devices without a change of their configuration, all with a token. */
export class OperationsGroup extends endpoints.middleware(Authorization) {}
