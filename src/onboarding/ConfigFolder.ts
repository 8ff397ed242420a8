/**
 * A folder of configurations as Oxidized keeps them: `<name>` or `<group>/<name>` files, each the running configuration of a switch with
 * comments before it (docs/onboarding.md#a-folder-of-configurations). The record of the switch is read from the text; no switch is asked. Pure.
 */
import type { ReadInventory, SourceRow } from "./Inventory.ts"
import { bracePortNames, braceRecord } from "./BraceValues.ts"
import { typeNamed, unfitText } from "./Inventory.ts"
import { notationOf } from "../domain/BraceGate.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { isInBraces } from "../domain/platforms/Platforms.ts"
import { cutText } from "../domain/Text.ts"

/** A file of the folder; its path in it, and when it was written (ISO 8601, UTC) if that is known. */
export interface ConfigFile {
  readonly path: string
  readonly text: string
  readonly modified_at?: string | undefined
}

/** The most characters of a configuration. */
export const LONGEST_CONFIG = 4_000_000

// Which platform has written a text, by lines that no other platform has.

const SIGNS: ReadonlyArray<readonly [platform: string, sign: RegExp]> = [
  ["frr", /^(?:frr version |frr defaults |service integrated-vtysh-config$)/m],
  [
    "eos",
    /^! (?:device: \S+ \(|Command: show running-config|boot system flash:)|^management api http-commands$|^transceiver qsfp default-mode|^service routing protocols model|^daemon TerminAttr$/m
  ],
  ["nxos", /^!Command: show running-config|^feature (?:bgp|interface-vlan|lacp|nxapi)$|^vdc \S+ id \d+$/m],
  ["iosxr", /^!! IOS XR Configuration/m],
  ["junos", /^(?:system \{|set system host-name |version \S+;$)/m],
  ["ios", /^(?:service timestamps |Building configuration|boot-start-marker$|Current configuration)/m],
  ["eos", /^interface Ethernet\d+(?:\/\d+)*$\n {3}\S/m]
]

/** The platform of a text; undefined if nothing in it tells. */
export const platformOfText = (text: string): string | undefined => SIGNS.find(([, sign]) => sign.test(text))?.[0]

// The address at which the switch is managed: that of its management port, else of a loopback or VLAN that is the only candidate.

interface Addressed {
  readonly name: string
  readonly address: string
  readonly vrf: string
}

const interfacesIn = (text: string): ReadonlyArray<Addressed> =>
  text.split(/^(?=\S)/m).flatMap((section): ReadonlyArray<Addressed> => {
    const [, name] = /^interface (\S+)/.exec(section) ?? []
    // an address that several switches share is not the address of one
    const [, address] = /^\s+ip address (?!virtual\b)([\d.]+)(?:\/\d+| [\d.]+)(?! secondary)\s*$/m.exec(section) ?? []
    const [, vrf = ""] = /^\s+(?:vrf(?: forwarding| instance)?|ip vrf forwarding) (\S+)\s*$/m.exec(section) ?? []
    return name === undefined || address === undefined ? [] : [{ name, address, vrf }]
  })

const MANAGEMENT = /^(?:Management|mgmt|eth0$|fxp0|me0)/i
const MANAGEMENT_VRF = /^(?:mgmt|management|oob|MGMT-VRF)/i
/** The VLAN of the two switches of an MLAG pair. */
const PEER = /^Vlan409[34]$/

/** The management address in a configuration; undefined if none can be told from the others. */
export const managementAddressIn = (text: string): string | undefined => {
  const all = interfacesIn(text).filter(({ name }) => !PEER.test(name))
  const port = all.find(({ name }) => MANAGEMENT.test(name)) ?? all.find(({ vrf }) => MANAGEMENT_VRF.test(vrf))
  if (port !== undefined) return port.address
  const vlans = all.filter(({ name }) => /^Vlan/i.test(name))
  const loopbacks = all.filter(({ name }) => /^(?:Loopback|lo)/i.test(name))
  const [one, another] = vlans.length === 1 ? vlans : loopbacks.length > 0 ? loopbacks : all
  return one !== undefined && (another === undefined || /^(?:Loopback|lo)/i.test(one.name)) ? one.address : undefined
}

/** A switch with an underlay of its own is no access switch. */
const typeIn = (text: string): string | undefined =>
  /^router bgp \d/m.test(text) && /^interface (?:Vxlan1|lo|Loopback0)$/m.test(text)
    ? /^\s+neighbor \S+ next-hop-unchanged$/m.test(text)
      ? "CORE"
      : "DIST"
    : /^\s+switchport access vlan \d|^\s+dot1x pae authenticator$/m.test(text) && !/^router (?:bgp|ospf)/m.test(text)
      ? "ACCESS"
      : undefined

const firstMatch = (text: string, patterns: ReadonlyArray<RegExp>): string | undefined => {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]?.trim()
    if (found !== undefined && found !== "") return found
  }
  return undefined
}

const lineAt = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)
  return found === null ? undefined : text.slice(0, found.index).split("\n").length
}

/** What a text says about its switch, apart from comments. */
const recordIn = (platform: string | undefined, text: string) => {
  if (isInBraces(platform)) return braceRecord(text)
  const hostname = firstMatch(text, [/^\s*hostname "?([^\s"]+)"?\s*$/m])
  return { hostname, version: undefined, address: managementAddressIn(text), type: typeIn(text) }
}

const rowOf = ({ modified_at, path, text }: ConfigFile): SourceRow => {
  const parts = path.split("/")
  const file = (parts.at(-1) ?? path).replace(/\.(?:cfg|conf|config|txt)$/i, "")
  const group = parts.length > 1 ? parts.at(-2) : undefined
  const platform = platformOfText(text)
  const { address, hostname, ...found } = recordIn(platform, text)
  const type = (group === undefined ? undefined : typeNamed(group)) ?? found.type
  const model = firstMatch(text, [/^! device: \S+ \(([^,)]+),/m, /^!.*\b[Mm]odel(?: name)?: *(\S+)/m])
  const version =
    found.version ?? firstMatch(text, [/^! device: \S+ \([^,)]+, (?:EOS-)?([^)\s]+)\)/m, /^frr version (\S+)$/m])
  const serial = firstMatch(text, [/^!.*\b[Ss]erial(?: number)?: *([A-Za-z\d]+)\s*$/m])
  const line = lineAt(text, /^\s*(?:hostname |host-name )/m) ?? 1
  return {
    file: path,
    line,
    fields: {
      hostname: hostname ?? file,
      ...(platform === undefined ? {} : { platform }),
      ...(address === undefined ? {} : { management_ip: address }),
      ...(type === undefined ? {} : { device_type: type }),
      ...(model === undefined ? {} : { model: cutText(model, 64) }),
      ...(version === undefined ? {} : { os_version: cutText(version, 64) }),
      ...(serial === undefined ? {} : { serial: cutText(serial, 64) })
    },
    config: { text, at: modified_at === undefined ? null : new Date(modified_at).toISOString() }
  }
}

/** A switch shows braces, and set lines do not tell where their statements end. */
const IN_SET_LINES =
  "is in set lines, which cannot be compared: keep the configuration as `show configuration` prints it"

/** Files that are no configuration of a switch. */
const IGNORED = /(?:^|\/)\.|(?:^|\/)(?:readme|license)(?:\.\w+)?$/i

/** Reads the files of a folder; hidden ones and readmes are left out. */
export const readConfigFolder = (files: ReadonlyArray<ConfigFile>): ReadInventory => {
  const wanted = files.filter(({ path }) => !IGNORED.test(path))
  const errors = wanted.flatMap(({ path, text }) =>
    text.trim() === ""
      ? [{ file: path, line: null, field: "", message: "is empty" }]
      : text.length > LONGEST_CONFIG
        ? [{ file: path, line: null, field: "", message: `has more than ${LONGEST_CONFIG} characters` }]
        : isInBraces(platformOfText(text)) && notationOf(text) === "set"
          ? [{ file: path, line: null, field: "", message: IN_SET_LINES }]
          : unfitText(path, text)
  )
  const wrong = new Set(errors.map(({ file }) => file))
  const rows = wanted.filter(({ path }) => !wrong.has(path)).map(rowOf)
  if (rows.length === 0 && errors.length === 0)
    return { rows, errors: [{ file: "", line: null, field: "", message: "no file of a configuration was sent" }] }
  return { rows, errors }
}

/** The names of a configuration's physical ports, in its order. */
export const portsInText = ({ configuration, interfaces: { physical } }: Platform, text: string) =>
  configuration.sections === "braces"
    ? bracePortNames(text, physical)
    : [
        ...new Set(
          [...text.matchAll(/^interface (\S+)\s*$/gm)]
            .map(([, name = ""]) => name)
            .filter((name) => physical.test(name))
        )
      ]
