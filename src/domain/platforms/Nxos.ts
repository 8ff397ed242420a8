/** Cisco NX-OS under both of its names. There is no driver for it yet. */
import { usualRisk } from "../ChangeRisk.ts"
import { commonShortNames, indented } from "./CommonWords.ts"
import type { Platform } from "./Platform.ts"
import { commonSecrets } from "./SecretWords.ts"

/** The record under one of the names that clients use. */
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
