/** The record of Linux with FRRouting, lldpd and OpenSSH, as on white-box leaf and spine routers. */
import { indented, type Platform } from "../Platform.ts"
import { frrCommands } from "./Commands.ts"
import { commonSecrets } from "../SecretWords.ts"
import { usualRisk } from "../../ChangeRisk.ts"

export const frr: Platform<"frr"> = {
  name: "frr",
  vendor: "FRRouting",
  capabilities: { timer: true, certificates: "files", firmware: false, erase: false, bounce: false },
  sharesSerials: true,
  interfaces: {
    short: [],
    physical: /^(?:swp|eth|Ethernet|en[opsx])\d[\w]*$/,
    possible: /^(?:swp|eth|Ethernet|en[opsx]|lo|bond|vlan|br|vxlan|dummy)[\w.-]*/
  },
  configuration: { ...indented, own: /^(?:\s*!|end$|frr version |(?:Building|Current) configuration\b)/ },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: commonSecrets,
  saltedSecrets: [],
  loginLine: null,
  remarks: [{ line: /% Can't open configuration file \S+vtysh\.conf /, meaning: "vtysh has no settings of its own" }],
  commands: frrCommands
}
