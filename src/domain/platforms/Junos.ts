/** Juniper Junos. There is no driver for it yet. */
import { usualRisk } from "../ChangeRisk.ts"
import type { Platform } from "./Platform.ts"
import { junosSecrets } from "./SecretWords.ts"

export const junos: Platform<"junos"> = {
  name: "junos",
  vendor: "Juniper",
  capabilities: null,
  interfaces: { short: [], physical: /^(ge|xe|et|mge)-(\d+\/)+\d+$/, possible: null },
  configuration: {
    sections: "braces",
    comment: "#",
    own: /^(?:#|version [^ ;]+;$)/,
    interfaceHeading: "    {name} {",
    multiLineInputs: []
  },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: junosSecrets,
  saltedSecrets: [],
  remarks: [],
  loginLine: null
}
