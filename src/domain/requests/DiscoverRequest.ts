/** The body by which a DHCP server's hook reports a switch that booted (docs/provisioning.md#discovery). */
import { Option, Result, Schema } from "effect"
import { isDeviceMac, whyNoDeviceAddress } from "../UniqueFields.ts"
import * as Body from "../fields/Body.ts"
import { required, type Rule } from "../fields/Field.ts"
import { address, convert } from "../fields/Rules.ts"
import { has } from "../fields/Values.ts"
import { normalizeMac } from "../Hostname.ts"

const NO_ADDRESS = "Invalid dhcp_ip received. Must be a valid IP address."

const missing = ({ key }: { readonly key: string }) => `POST data must include '${key}'`

const toMac = (sent: unknown) =>
  typeof sent === "string" ? Option.filter(normalizeMac(sent), isDeviceMac) : Option.none()

const deviceAddress: Rule<string> = (sent, place) =>
  Result.filterOrFail(
    address(() => NO_ADDRESS)(sent, place),
    (text) => Option.isNone(whyNoDeviceAddress(text)),
    () => NO_ADDRESS
  )

/** What is missing is told before what is wrong. */
const withAddress =
  (rule: Rule<string>): Rule<string> =>
  (sent, place) =>
    has(place.body, "dhcp_ip") ? rule(sent, place) : Result.fail(missing({ key: "dhcp_ip" }))

export const DiscoverRequest = Body.make(
  {
    ztp_mac: required(Schema.String, missing, withAddress(convert(toMac, () => "Invalid device ztp_mac received."))),
    dhcp_ip: required(Schema.String, missing, deviceAddress)
  },
  { message: Body.firstOf }
)
export type DiscoverRequest = typeof DiscoverRequest.schema.Type
