/** What several platforms have in common: names and notation of the command lines that are written like Cisco's. */
import type { ConfigNotation } from "./Platform.ts"

/** Short names that mean the same wherever they are used. */
export const commonShortNames: ReadonlyArray<readonly [short: string, long: string]> = [
  ["Et", "Ethernet"],
  ["Ma", "Management"],
  ["Po", "Port-Channel"],
  ["Vl", "Vlan"],
  ["Lo", "Loopback"],
  ["Fa", "FastEthernet"],
  ["Gi", "GigabitEthernet"],
  ["Te", "TenGigabitEthernet"],
  ["Twe", "TwentyFiveGigE"],
  ["Fo", "FortyGigabitEthernet"],
  ["Hu", "HundredGigE"]
]

/** Sections by indentation, without inputs of several lines. */
export const indented: ConfigNotation = {
  sections: "indentation",
  comment: "!",
  // a comment that somebody has given begins with two
  own: /^(?:\s*!(?!!)|end$)/,
  interfaceHeading: "interface {name}",
  multiLineInputs: []
}
