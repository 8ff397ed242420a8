/** Answers of devices with Junos, in the forms of several releases and families, for tests of what is read from them. */
import { Result } from "effect"
import { type Element, parse } from "../../../src/drivers/netconf/Xml.ts"

/** A reply with this inside. */
export const reply = (inside: string): Element =>
  Result.getOrThrow(
    parse(
      `<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:junos="http://xml.juniper.net/junos/21.4R3/junos" message-id="1">${inside}</rpc-reply>`
    )
  )

/** A reply for which several routing engines or members speak. */
export const several = (parts: Readonly<Record<string, string>>): string => {
  const items = Object.entries(parts).map(
    ([name, inside]) =>
      `<multi-routing-engine-item>\n<re-name>${name}</re-name>\n${inside}</multi-routing-engine-item>\n`
  )
  return `<multi-routing-engine-results>\n${items.join("")}</multi-routing-engine-results>`
}

export const software = (name: string, more = "<junos-version>21.4R3-S5.4</junos-version>", model = "ex4300-48p") =>
  `<software-information>\n<host-name>${name}</host-name>\n<product-model>${model}</product-model>\n<product-name>${model}</product-name>\n${more}</software-information>`

export const inventory = (serial: string, description = "EX4300-48P", modules = "") =>
  `<chassis-inventory xmlns="http://xml.juniper.net/junos/21.4R3/junos-chassis"><chassis junos:style="inventory"><name>Chassis</name>${serial === "" ? "" : `<serial-number>${serial}</serial-number>`}<description>${description}</description>${modules}</chassis></chassis-inventory>`

export const uptime = (seconds: number) =>
  `<system-uptime-information><current-time><date-time junos:seconds="1700001000">2023-11-14 22:30:00 UTC</date-time></current-time><system-booted-time><date-time junos:seconds="${1_700_001_000 - seconds}">earlier</date-time><time-length junos:seconds="${seconds}">00:00</time-length></system-booted-time></system-uptime-information>`

export const terse = (...names: ReadonlyArray<string>) =>
  `<interface-information junos:style="terse">${names.map((name) => `<physical-interface>\n<name>\n${name}\n</name>\n<admin-status>\nup\n</admin-status>\n<oper-status>\nup\n</oper-status>\n</physical-interface>`).join("")}</interface-information>`

export const members = (...all: ReadonlyArray<readonly [id: number, serial: string, role: string]>) =>
  `<virtual-chassis-information><member-list>${all.map(([id, serial, role]) => `<member><member-status>${role === "" ? "NotPrsnt" : "Prsnt"}</member-status><member-id>${id}</member-id><member-serial-number>${serial}</member-serial-number>${role === "" ? "" : `<member-role>${role}</member-role>`}<neighbor-list></neighbor-list></member>`).join("")}</member-list></virtual-chassis-information>`
