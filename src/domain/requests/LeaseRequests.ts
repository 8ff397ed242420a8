/** Leases that a DHCP server's hook reports, and what became of them (docs/provisioning.md#dhcp-hook). */
import { Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { otherwise, required, type Rule } from "../fields/Body.ts"
import { accept, boundedInteger, convert, flag } from "../fields/Rules.ts"
import { deviceAddress, missing, toMac } from "./InitRequests.ts"

/** `taken`: nothing is left to do. `refused`: a repetition would be refused too. `waits`: the hook reports the lease again later. */
const leaseOutcomes = ["taken", "refused", "waits"] as const

/** What the server did for a lease, or was about to do: `none` for a switch that needs nothing. */
const leaseSteps = ["create", "discovery", "address", "none"] as const

const invalid = ({ key }: Body.Place) => `Invalid ${key} received.`

const word = (max: number): Rule<string> =>
  accept((sent): sent is string => typeof sent === "string" && sent.length <= max && /^[\w.-]+$/.test(sent), invalid)

const MOST_WAITING = 1_000_000

/** The body of a report. */
export const LeaseReport = Body.make({
  ztp_mac: required(Schema.String, missing, convert(toMac, invalid)),
  dhcp_ip: required(Schema.String, missing, deviceAddress),
  platform: required(Schema.String, missing, word(64)),
  /** Names this lease: a report with the same name is a repetition, and has no second effect. */
  report: otherwise(Schema.NullOr(Schema.String), null, word(64), Schema.String),
  /** The switch asked before, and that lease could not be reported: a new device is discovered at once. */
  again: otherwise(
    Schema.Boolean,
    false,
    flag(({ key }) => `'${key}' must be a boolean`)
  ),
  /** The machine of the DHCP server. */
  host: otherwise(Schema.String, "", word(253)),
  /** Leases that wait at the hook, besides this one. */
  waiting: otherwise(
    Schema.Int,
    0,
    boundedInteger({ min: 0, max: MOST_WAITING }, (shouldBe, { key }) => `${key} should be ${shouldBe}`)
  )
})
export type LeaseReport = typeof LeaseReport.schema.Type

/** The last lease of a switch, with times in RFC 3339 without zone, as in other records. */
export const Lease = Schema.Struct({
  ztp_mac: Schema.String,
  dhcp_ip: Schema.String,
  platform: Schema.String,
  outcome: Schema.Literals(leaseOutcomes),
  step: Schema.Literals(leaseSteps),
  /** What was done, or why not, as a sentence. */
  message: Schema.String,
  /** The machine of the DHCP server; empty if the report did not name it. */
  host: Schema.String,
  /** Since when the outcome is the same. */
  since: Schema.String,
  reported_at: Schema.String
}).annotate({ identifier: "Lease" })
export type Lease = typeof Lease.Type

/** A DHCP server with leases that it has not reported yet, as of its last report. */
export const LeaseQueue = Schema.Struct({
  host: Schema.String,
  waiting: Schema.Int,
  reported_at: Schema.String
}).annotate({ identifier: "LeaseQueue" })
export type LeaseQueue = typeof LeaseQueue.Type
