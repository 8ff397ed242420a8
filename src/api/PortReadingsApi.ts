/** The ports of a device as they were read last, and what they can be given (docs/api.md#ports-as-last-read). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PortReading } from "../domain/DeviceReadings.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authorization, RequestParameters } from "./Requests.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Enveloped, NotFound, ServiceUnavailable } from "./Answers.ts"

const hostname = { hostname: Schema.String }

const Problem = Schema.Struct({
  /** The device works on something else, and was not asked. */
  busy: Schema.Boolean,
  message: Schema.String
}).annotate({ identifier: "PortReadingProblem" })

const Machine = Schema.Struct({
  port: Schema.String,
  mac: Schema.String,
  ip: Schema.NullOr(Schema.String),
  vlan: Schema.NullOr(Schema.Int),
  first_seen: Schema.String,
  last_seen: Schema.String
}).annotate({ identifier: "PortMachine" })

const Readings = Schema.Struct({
  /** Null if the ports were never read. */
  read_at: Schema.NullOr(Schema.String),
  /** Seconds. */
  age: Schema.NullOr(Schema.Finite),
  /** Why the device was not read now; null if it was, or if that was not asked for. */
  problem: Schema.NullOr(Problem),
  ports: Schema.Record(Schema.String, PortReading),
  /** Machines on the ports when tables were read last, the newest first; at most ten of a port. */
  machines: Schema.Array(Machine)
}).annotate({ identifier: "PortReadings" })
export type Readings = typeof Readings.Type

const Options = Schema.Struct({
  /** In the order of the settings. */
  vlans: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }).annotate({ identifier: "PortVlan" })),
  profiles: Schema.Array(
    Schema.Struct({ name: Schema.String, description: Schema.String }).annotate({ identifier: "PortProfile" })
  ),
  /** The place of the device. */
  location: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PortOptions" })
export type PortOptions = typeof Options.Type

const endpoints = HttpApiGroup.make("portReadings").add(
  HttpApiEndpoint.get("readings", "/device/:hostname/port_readings", {
    params: hostname,
    query: {
      max_age: Schema.optionalKey(
        Parameter.parameter(
          Schema.Int,
          (sent) =>
            /^\d{1,9}$/.test(sent) ? Result.succeed(Number(sent)) : Result.fail("max_age must be a number of seconds"),
          shown("seconds; an older reading is replaced by a new one, if the device answers", "30")
        )
      )
    },
    success: Enveloped(Readings),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getPortReadings",
        summary: "Read the ports as last read",
        description:
          "The last good reading of the ports, with its age. With `max_age` the device is read now if that is older; if it is busy or does not answer, `problem` says so and the last good reading stays.",
        example: {
          response: {
            status: "success",
            data: {
              read_at: "2026-11-23T13:00:02",
              age: 12,
              problem: null,
              ports: {
                Ethernet3: {
                  is_up: true,
                  is_enabled: true,
                  description: "Room 12 printer",
                  last_flapped: 1_763_900_162,
                  speed: 1000,
                  mtu: 1500,
                  mac_address: "08:00:27:F5:D6:58",
                  errors: { in: 0, out: 0, in_discards: 0, out_discards: 0 }
                }
              },
              machines: [
                {
                  port: "Ethernet3",
                  mac: "00:50:56:AA:12:07",
                  ip: "10.110.0.57",
                  vlan: 110,
                  first_seen: "2026-11-02T07:14:05",
                  last_seen: "2026-11-23T13:00:02"
                }
              ]
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("options", "/device/:hostname/port_options", {
    params: hostname,
    success: Enveloped(Options),
    error: [NotFound, ServiceUnavailable]
  }).annotateMerge(
    documented({
      name: "getPortOptions",
      summary: "List what ports can be given",
      description:
        "The VLANs and port profiles of the settings of a device, and its location. A permission for `GET /device/:hostname/interfaces` covers it.",
      example: {
        response: {
          status: "success",
          data: {
            vlans: [{ id: 130, name: "PRINTER" }],
            profiles: [{ name: "printer", description: "Printer in a corridor: one VLAN" }],
            location: "East wing, room E-2, rack 2"
          }
        }
      }
    })
  )
)

/** Endpoints of readings of ports, all with a token. */
export class PortReadingsGroup extends endpoints.middleware(Authorization) {}
