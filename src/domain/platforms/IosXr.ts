/** Cisco IOS-XR. There is no driver for it yet. */
import { usualRisk } from "../ChangeRisk.ts"
import { commonShortNames, indented } from "./CommonWords.ts"
import type { Platform } from "./Platform.ts"
import { commonSecrets } from "./SecretWords.ts"

export const iosXr: Platform<"iosxr"> = {
  name: "iosxr",
  vendor: "Cisco",
  capabilities: null,
  interfaces: {
    short: [["Te", "TenGigE"], ["Mg", "MgmtEth"], ...commonShortNames],
    physical: /^(GigabitEthernet|TenGigE|TwentyFiveGigE|FortyGigE|HundredGigE|FourHundredGigE)[\d/]+$/,
    possible: null
  },
  configuration: {
    ...indented,
    own: /^(?:\s*!|end$|Building configuration\b|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d)/
  },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: commonSecrets,
  saltedSecrets: [],
  remarks: [{ line: /^% WARNING: Policy object \S+ \S+ exists!/, meaning: "the policy object is replaced" }],
  loginLine: null
}
