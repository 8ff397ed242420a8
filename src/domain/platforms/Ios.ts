/** Cisco IOS-XE. There is no driver for it yet. */
import { usualRisk } from "../ChangeRisk.ts"
import { commonShortNames, indented } from "./CommonWords.ts"
import type { Platform } from "./Platform.ts"
import { commonSecrets } from "./SecretWords.ts"

export const ios: Platform<"ios"> = {
  name: "ios",
  vendor: "Cisco",
  capabilities: null,
  interfaces: {
    short: [["Po", "Port-channel"], ...commonShortNames],
    physical:
      /^(FastEthernet|GigabitEthernet|TwoGigabitEthernet|FiveGigabitEthernet|TenGigabitEthernet|TwentyFiveGigE|FortyGigabitEthernet|HundredGigE)[\d/]+$/,
    possible: null
  },
  configuration: {
    ...indented,
    own: /^(?:\s*!|end$|version \d|boot-(?:start|end)-marker$|boot system |ntp clock-period \d|(?:Building|Current) configuration\b)/
  },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: commonSecrets,
  saltedSecrets: [],
  remarks: [],
  loginLine: null
}
