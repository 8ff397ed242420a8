/** Arista EOS. */
import { usualRisk } from "../ChangeRisk.ts"
import { commonShortNames, indented } from "./CommonWords.ts"
import { eosAutoPush } from "./EosAutoPush.ts"
import { eosShown } from "./EosShown.ts"
import { models32Bit } from "./EosModels.ts"
import { eosSaltedSecrets } from "./EosSecrets.ts"
import { eosCommands } from "./EosCommands.ts"
import type { Platform } from "./Platform.ts"
import { commonSecrets } from "./SecretWords.ts"

export const eos: Platform<"eos"> = {
  name: "eos",
  vendor: "Arista",
  capabilities: { timer: true, certificates: "stores", firmware: true, erase: true, bounce: true },
  interfaces: {
    short: commonShortNames,
    physical: /^Ethernet[\d/]+$/,
    possible:
      /^(?:Ethernet|UnconnectedEthernet|Management|Port-Channel|Vlan|Loopback|Vxlan|Tunnel|Recirc-Channel)[0-9[]/
  },
  configuration: {
    ...indented,
    multiLineInputs: [
      { opens: /^banner (?:login|motd|exec)$/, texts: 1 },
      { opens: /^comment$/, texts: 1, within: /./ },
      { opens: /^action bash$/, texts: 1, within: /^event-handler \S+$/ },
      { opens: /^protocol https certificate$/, texts: 2, within: /^management (?:api http-commands|http-server)$/ }
    ]
  },
  autoPush: eosAutoPush,
  risk: usualRisk,
  firmware: {
    version: /^EOS(?:64)?-(\d+(?:\.\d+)+[A-Z]*)(?=[.-]|$)/,
    builds: { wide: "EOS64-", narrow: "EOS-", narrowModels: models32Bit, narrowSetting: "arista_models_32bit" }
  },
  secrets: commonSecrets,
  saltedSecrets: eosSaltedSecrets,
  shown: eosShown,
  remarks: [
    {
      line: /^% ?(?:[Ii]nfo(?:rmation)?|INFO|[Nn]otice|NOTICE|[Nn]ote|NOTE|[Ww]arning|WARNING)\b/,
      meaning: "a warning about a line that was taken"
    }
  ],
  loginLine: /^username (\S+) (?!ssh-key\b)/,
  commands: eosCommands
}
