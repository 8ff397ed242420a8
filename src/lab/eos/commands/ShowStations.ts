/** Show commands about machines that a switch has learnt. See docs/switch-dialogues.md#eos-reading. */
import { shortName } from "../InterfaceNames.ts"
import type { Station } from "../../Switch.ts"
import * as Answers from "./Answers.ts"
import { type Call, command } from "./Command.ts"

const VLAN_WIDTH = 4
const SECONDS_AGO = 60

const stations = ({ device }: Call): ReadonlyArray<Station> => device.world.stations(device)

/** `0050.56aa.0001` */
const dotted = (mac: string): string => mac.replaceAll(":", "").replace(/^(....)(....)(....)$/, "$1.$2.$3")

const macTable = (call: Call) => ({
  unicastTable: {
    tableEntries: [
      // its own address, as a switch that routes shows it
      {
        macAddress: call.device.hardware.mac,
        interface: "Router",
        vlanId: 1,
        entryType: "static"
      },
      ...stations(call).map(({ mac, port, vlan }) => ({
        macAddress: mac,
        lastMove: Date.now() / 1000 - SECONDS_AGO,
        interface: port,
        moves: 1,
        entryType: "dynamic",
        vlanId: vlan
      }))
    ]
  },
  multicastTable: { tableEntries: [] },
  disabledMacLearningVlans: []
})

const macTableText = (call: Call): string => {
  const found = stations(call)
  const rows = found.map(
    ({ mac, port, vlan }) =>
      `${String(vlan).padStart(VLAN_WIDTH)}    ${dotted(mac)}    DYNAMIC     ${shortName(port).padEnd(10)} 1       0:01:00 ago\n`
  )
  return (
    `          Mac Address Table\n------------------------------------------------------------------\n\n` +
    `Vlan    Mac Address       Type        Ports      Moves   Last Move\n----    -----------       ----        -----      -----   ---------\n` +
    `${rows.join("")}Total Mac Addresses for this criterion: ${found.length}\n`
  )
}

/** Those whose address it knows, of one family. */
const known = (call: Call, isFamily: (ip: string) => boolean) =>
  stations(call).flatMap(({ ip, mac, port, vlan }) =>
    ip !== undefined && isFamily(ip) ? [{ ip, mac, port, vlan }] : []
  )

const isFour = (ip: string): boolean => !ip.includes(":")
const isSix = (ip: string): boolean => ip.includes(":")

const four = (call: Call) => {
  const found = known(call, isFour)
  return {
    dynamicEntries: found.length,
    ipV4Neighbors: found.map(({ ip, mac, port, vlan }) => ({
      hwAddress: dotted(mac),
      address: ip,
      interface: `Vlan${vlan}, ${port}`,
      age: SECONDS_AGO
    })),
    notLearnedEntries: 0,
    totalEntries: found.length,
    staticEntries: 0
  }
}

const six = (call: Call) => ({
  ipV6Neighbors: known(call, isSix).map(({ ip, mac, vlan }) => ({
    address: ip,
    hwAddress: dotted(mac),
    interface: `Vlan${vlan}`,
    age: "0:01:00"
  }))
})

const rowsText = (call: Call, isFamily: (ip: string) => boolean): string =>
  `Address         Age (sec)  Hardware Addr   Interface\n${known(call, isFamily)
    .map(({ ip, mac, port, vlan }) => `${ip.padEnd(15)}   0:01:00  ${dotted(mac)}  Vlan${vlan}, ${port}\n`)
    .join("")}`

const fourText = (call: Call): string => rowsText(call, isFour)
const sixText = (call: Call): string => rowsText(call, isSix)

const byVrf = (table: (call: Call) => unknown) => (call: Call) => ({ vrfs: { default: table(call) } })

const user = true

/** Commands of this file. */
export const commands = [
  command("show mac address-table", "show", Answers.text(macTableText), { json: Answers.document(macTable), user }),
  command("show ip arp", "show", Answers.text(fourText), { json: Answers.document(four), user }),
  command("show ip arp vrf all", "show", Answers.text(fourText), { json: Answers.document(byVrf(four)), user }),
  command("show ipv6 neighbors", "show", Answers.text(sixText), { json: Answers.document(six), user }),
  command("show ipv6 neighbors vrf all", "show", Answers.text(sixText), { json: Answers.document(byVrf(six)), user })
]
