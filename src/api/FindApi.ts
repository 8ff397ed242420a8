/** A search for machines, devices and ports by one field, and a job that reads the tables for it (docs/api.md#find). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { isAddress } from "../domain/fields/Values.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { ReadTablesRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Enveloped, JobStartedOnDevices, ServiceUnavailable } from "./Answers.ts"

const Hit = Schema.Struct({
  kind: Schema.Literals(["mac", "arp", "device", "port", "vlan"]),
  hostname: Schema.String,
  port: Schema.NullOr(Schema.String),
  vlan: Schema.NullOr(Schema.Int),
  mac: Schema.NullOr(Schema.String),
  ip: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  first_seen: Schema.NullOr(Schema.String),
  last_seen: Schema.NullOr(Schema.String),
  on_uplink: Schema.NullOr(Schema.Boolean),
  /** The name of the VLAN in the settings. */
  vlan_name: Schema.NullOr(Schema.String),
  /** The place of the device in the settings. */
  location: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FindHit" })

const Findings = Schema.Struct({
  hits: Schema.Array(Hit),
  truncated: Schema.Boolean,
  tables: Schema.Struct({
    devices: Schema.Int,
    read: Schema.Int,
    oldest: Schema.NullOr(Schema.String),
    newest: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "FindTables" })
}).annotate({ identifier: "FindAnswer" })
/** An answer of `GET /find`. */
export type Findings = typeof Findings.Type

const seen = { first_seen: "2026-11-02T07:14:05", last_seen: "2026-11-23T13:00:02" }

const endpoints = HttpApiGroup.make("find").add(
  HttpApiEndpoint.get("find", "/find", {
    query: {
      // the handler reports mistakes, also a missing value
      q: Schema.optionalKey(Parameter.text(shown("the search text", "00:50:56:aa:12")))
    },
    success: Enveloped(Findings),
    error: [BadRequest, ServiceUnavailable]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "find",
        summary: "Find a machine, a device or a port",
        description:
          "By a MAC address in any spelling or its beginning, an IP address, a serial number, a hostname, a location, the description of a port or a device, a hostname with a port, or a VLAN id or name. Every switch on the way learns a MAC address: the port that leads to no other device comes first. `tables` has the number of managed devices whose tables were read, and the times.",
        example: {
          response: {
            status: "success",
            data: {
              hits: [
                {
                  kind: "mac",
                  hostname: "lhv-a1",
                  port: "Ethernet3",
                  vlan: 110,
                  mac: "00:50:56:AA:12:07",
                  ip: "10.110.0.57",
                  description: "meeting room 2",
                  ...seen,
                  on_uplink: false,
                  vlan_name: "STAFF",
                  location: "East wing, room E-2, rack 2"
                }
              ],
              truncated: false,
              tables: { devices: 12, read: 12, oldest: "2026-11-23T13:00:01", newest: "2026-11-23T13:00:04" }
            }
          }
        }
      })
    ),
  HttpApiEndpoint.post("readTables", "/device_read_tables", {
    payload: ReadTablesRequest.schema,
    success: JobStartedOnDevices,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "readTables",
        summary: "Read MAC address and ARP tables",
        description:
          "Starts a job that reads the machines that managed devices have learnt, for `GET /find`. Without a selector it reads all devices. With `MAC_INTERVAL` the server starts it automatically.",
        example: {
          request: { group: "EAST_WING" },
          response: { status: "success", data: "Scheduled job to read tables of group EAST_WING", job_id: 817 }
        }
      })
    )
)

/** Endpoints of finding, all with a token. */
export class FindGroup extends endpoints.middleware(Authorization) {}

// The possible meanings of a search text (docs/api.md#find), or why nothing can match it. Pure.

/** All meanings of a text; a text without a special meaning is searched in names. */
export interface FindQuestion {
  /** Without blanks around it. */
  readonly text: string
  /** The first digits of a MAC address, upper case, without separators. */
  readonly mac: string | null
  readonly ip: string | null
  readonly vlan: number | null
}

const LONGEST = 128
const SHORTEST = 2
const MAC_DIGITS = 12
const LAST_VLAN = 4094

const EMPTY =
  "q must be given: a MAC address or how it begins, an IP address, a serial number, a hostname, the description of a port, or a VLAN by id or name"

/** `00:50:56`, `00-50-5` and `0050.56aa`; digits alone count as an address if there are six of them, as in a vendor prefix. */
const spellings = [
  /^[0-9a-f]{2}(?::[0-9a-f]{2})*(?::[0-9a-f]?)?$/i,
  // shorter ones are the name of a device, such as `ab-a1`
  /^[0-9a-f]{2}(?:-[0-9a-f]{2}){2,}(?:-[0-9a-f]?)?$/i,
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*(?:\.[0-9a-f]{0,3})?$/i,
  /^[0-9a-f]{6,12}$/i
]

const fourNumbers = /^\d+\.\d+\.\d+\.\d+$/

const macOf = (text: string): Result.Result<string | null, string> => {
  const isBare = /^[0-9a-f]+$/i.test(text)
  if (isBare ? text.length < 6 || text.length > MAC_DIGITS : !spellings.some((spelling) => spelling.test(text)))
    return Result.succeed(null)
  const digits = text.replaceAll(/[:.-]/g, "").toUpperCase()
  if (digits.length > MAC_DIGITS) {
    return Result.fail(`q is no MAC address: ${text} has ${digits.length} digits, and an address has ${MAC_DIGITS}`)
  }
  return Result.succeed(digits.length < 4 ? null : digits)
}

const ipOf = (text: string): Result.Result<string | null, string> => {
  if (isAddress(text)) return Result.succeed(text)
  return fourNumbers.test(text)
    ? Result.fail(`q is no IP address: each number of ${text} must be from 0 to 255, without zeros before it`)
    : Result.succeed(null)
}

const vlanOf = (text: string): Result.Result<number | null, string> => {
  const [, word, digits] = /^(vlan)?\s*(\d+)$/i.exec(text) ?? []
  if (digits === undefined) return Result.succeed(null)
  const id = Number(digits)
  if (id >= 1 && id <= LAST_VLAN) return Result.succeed(id)
  return word === undefined
    ? Result.succeed(null)
    : Result.fail(`q is no VLAN: ${digits} is not from 1 to ${LAST_VLAN}`)
}

const refusal = (text: string): string | undefined => {
  if (text === "") return EMPTY
  if (text.length > LONGEST) return `q must have at most ${LONGEST} characters`
  if (/\p{Cc}/u.test(text)) return "q must not have control characters"
  if (!/[\p{L}\p{N}]/u.test(text)) return "q has no letter and no digit, so nothing can be found by it"
  if (text.length < SHORTEST && !/^[1-9]$/.test(text)) return `q must have at least ${SHORTEST} characters`
  return undefined
}

/** The query of a text, or the sentence that refuses it. */
export const questionOf = (sent: string): Result.Result<FindQuestion, string> => {
  const text = sent.trim()
  const refused = refusal(text)
  if (refused !== undefined) return Result.fail(refused)
  return Result.gen(function* () {
    const ip = yield* ipOf(text)
    return { text, ip, mac: ip === null ? yield* macOf(text) : null, vlan: yield* vlanOf(text) }
  })
}

/** A port by a part of a hostname and the name or number of the port: `acc5 Ethernet3`, `acc5 3`, `acc5:eth3`. Undefined for another text. */
export const portNamed = (text: string) => {
  const [, host, prefix, number] =
    /^([\w.-]*[a-z][\w.-]*)(?:[\s,:/]+(?:port\s*)?)([a-z][a-z-]*)?\s*(\d+(?:\/\d+)*)$/i.exec(text) ?? []
  return host === undefined || number === undefined ? undefined : { host, prefix: prefix ?? "", number }
}
