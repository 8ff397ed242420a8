/** All requests that the device knows, and `command`, which runs a line of its command line. */
import * as Committing from "./Committing.ts"
import * as Configuration from "./Configuration.ts"
import * as Protocols from "./Protocols.ts"
import * as Readings from "./Readings.ts"
import { issuesAsXml, type Request, request } from "./Reply.ts"
import * as Tables from "./Tables.ts"
import * as Shows from "../Shows.ts"
import * as Xml from "../Xml.ts"

const table: ReadonlyMap<string, Request> = new Map([
  ...Configuration.requests,
  ...Committing.requests,
  ...Readings.requests,
  ...Tables.requests,
  ...Protocols.requests
])

/** The requests behind commands whose answer somebody wants as XML. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["show version", "get-software-information"],
  ["show chassis hardware", "get-chassis-inventory"],
  ["show system uptime", "get-system-uptime-information"],
  ["show system information", "get-system-information"],
  ["show system commit", "get-commit-information"],
  ["show virtual-chassis", "get-virtual-chassis-information"],
  ["show interfaces", "get-interface-information"],
  ["show lldp neighbors", "get-lldp-neighbors-information"],
  ["show ethernet-switching table", "get-ethernet-switching-table-information"],
  ["show arp no-resolve", "get-arp-table-information"],
  ["show interfaces diagnostics optics", "get-interface-optics-diagnostics-information"]
])

const command: Request = {
  ...request("show", (asked) => {
    const line = asked.request.text.trim().replaceAll(/\s+/g, " ")
    const name = COMMANDS.get(line)
    const known = name === undefined ? undefined : table.get(name)
    if (asked.request.attributes["format"] !== "text" && known !== undefined && name !== undefined)
      return known.run({ ...asked, request: { name, attributes: {}, children: [], text: "" } })
    const text = Shows.run(asked.device, asked.login, line)
    return text === undefined
      ? { body: issuesAsXml(asked.device, [{ severity: "error", message: "syntax error", badElement: line }]) }
      : { body: Xml.leaf("output", `\n${text}`) }
  })
}

/** A request by the name of its element. */
export const find = (name: string): Request | undefined => (name === "command" ? command : table.get(name))
