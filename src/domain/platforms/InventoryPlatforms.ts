/** Platforms without a driver: their devices are inventory only. A platform that gets a driver moves into a folder of its own. */
import { commonShortNames, indented, type Platform } from "./Platform.ts"
import { commonSecrets } from "./SecretWords.ts"
import { usualRisk } from "../ChangeRisk.ts"

/** Cisco IOS-XE. */
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

/** Cisco IOS-XR. */
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

/** Cisco NX-OS, under one of the two names that clients use. */
export const nxos = <Name extends "nxos" | "nxos_ssh">(name: Name): Platform<Name> => ({
  name,
  vendor: "Cisco",
  capabilities: null,
  interfaces: {
    short: [["Po", "port-channel"], ["Eth", "Ethernet"], ...commonShortNames],
    physical: /^Ethernet[\d/]+$/,
    possible: null
  },
  configuration: { ...indented, own: /^(?:\s*!|version \d|boot (?:nxos|kickstart|system) )/ },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: commonSecrets,
  saltedSecrets: [],
  remarks: [],
  loginLine: null
})
