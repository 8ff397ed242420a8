/** Show commands about ports, VLANs, neighbours and learnt stations. See docs/switch-dialogues.md#eos-reading. */
import { compareInterfaces, shortName } from "../Words.ts"
import * as ConfigFacts from "../ConfigFacts.ts"
import * as Faults from "../../Faults.ts"
import { portMac } from "../Hardware.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command, jsonAnswer, textAnswer } from "./Command.ts"

interface Port {
  readonly facts: ConfigFacts.InterfaceFacts
  readonly up: boolean
  readonly mac: string | undefined
}

/** Physical ports and configured interfaces, in natural order. */
const ports = (device: Switch.Switch): ReadonlyArray<Port> => {
  const configured = new Map(ConfigFacts.interfaces(device.running).map((facts) => [facts.name, facts]))
  const names = new Set([...device.hardware.ports, ...configured.keys()])
  const anyUp = [...names].some((name) => device.world.linkUp(device, name))
  return [...names].toSorted(compareInterfaces).map((name) => {
    const facts = configured.get(name) ?? ConfigFacts.blank(name)
    const index = device.hardware.ports.indexOf(name)
    const linked = index < 0 ? !/^(?:Vlan|Port-Channel)/.test(name) || anyUp : device.world.linkUp(device, name)
    return {
      facts,
      up: !facts.shutdown && linked,
      mac: /^(?:Loopback|Vxlan)/.test(name) ? undefined : portMac(device.hardware, index + 1)
    }
  })
}

const flapped = (device: Switch.Switch, name: string) => (device.linkFlappedAt.get(name) ?? device.bootedAt) / 1000

const hardwareKind = (name: string) =>
  /^Ethernet|^Management/.test(name) ? "ethernet" : name.replace(/\d.*$/, "").toLowerCase()

const interfaces = (call: Call) => {
  const { device } = call
  const found = ports(device)
  return {
    interfaces: Object.fromEntries(found.map((port) => [port.facts.name, interfaceDocument(device, port, found)]))
  }
}

/** The ports of a bundle, as it shows them. */
const bundled = ({ facts: { name } }: Port, all: ReadonlyArray<Port>) => {
  if (!name.startsWith("Port-Channel")) return {}
  const members = all.filter(({ facts }) => `Port-Channel${facts.channelGroup ?? ""}` === name)
  return {
    memberInterfaces: Object.fromEntries(
      members.map(({ facts }) => [facts.name, { bandwidth: 1_000_000_000, duplex: "duplexFull" }])
    )
  }
}

const interfaceDocument = (device: Switch.Switch, port: Port, all: ReadonlyArray<Port>) =>
  Object.assign(ownDocument(device, port), bundled(port, all))

const errorsAt = (device: Switch.Switch, port: string): number => {
  const grown = Faults.take(device.faults, "errorsGrow", (fault) => fault.port === port)
  if (grown !== undefined) device.portErrors.set(port, (device.portErrors.get(port) ?? 0) + grown.by)
  return device.portErrors.get(port) ?? 0
}

const ownDocument = (device: Switch.Switch, { facts, up, mac }: Port) => ({
  name: facts.name,
  description: facts.description,
  interfaceStatus: facts.shutdown ? "disabled" : up ? "connected" : "notconnect",
  lineProtocolStatus: up ? "up" : "down",
  bandwidth: up ? device.hardware.megabits * 1_000_000 : 0,
  mtu: facts.mtu ?? (facts.mode === "routed" ? 1500 : 9214),
  ...(mac === undefined ? {} : { physicalAddress: mac, burnedInAddress: mac }),
  lastStatusChangeTimestamp: flapped(device, facts.name),
  hardware: hardwareKind(facts.name),
  forwardingModel: facts.mode === "routed" ? "routed" : "bridged",
  duplex: "duplexFull",
  autoNegotiate: "success",
  interfaceAddress: facts.addresses.map((address) => ({ primaryIp: { address, maskLen: 24 } })),
  interfaceCounters: {
    inOctets: 0,
    outOctets: 0,
    linkStatusChanges: 3,
    ...(mac === undefined
      ? {}
      : { totalInErrors: errorsAt(device, facts.name), totalOutErrors: 0, inDiscards: 0, outDiscards: 0 })
  },
  interfaceStatistics: { inBitsRate: 0, outBitsRate: 0, updateInterval: 300 }
})

const interfacesText = ({ device }: Call): string =>
  ports(device)
    .map(
      ({ facts, up, mac }) =>
        `${facts.name} is ${facts.shutdown ? "administratively down" : up ? "up" : "down"}, line protocol is ${up ? "up (connected)" : "down (notconnect)"}\n` +
        `  Hardware is Ethernet${mac === undefined ? "" : `, address is ${mac}`}\n` +
        (facts.description === "" ? "" : `  Description: ${facts.description}\n`)
    )
    .join("")

const vlanInformation = (facts: ConfigFacts.InterfaceFacts) =>
  facts.mode === "trunk"
    ? { interfaceMode: "trunk", vlanExplanation: "trunk", interfaceForwardingModel: "bridged" }
    : facts.mode === "routed"
      ? { interfaceMode: "routed", vlanExplanation: "routed", interfaceForwardingModel: "routed" }
      : { interfaceMode: "bridged", vlanId: facts.accessVlan, interfaceForwardingModel: "bridged" }

const switched = (device: Switch.Switch) =>
  ports(device).filter(({ facts }) => /^(?:Ethernet|Port-Channel|Management)/.test(facts.name))

/** The last four ports have cages: a transceiver where a cable is, nothing in it where none is. */
const cagesOf = (device: Switch.Switch): ReadonlyArray<string> =>
  device.hardware.ports.filter((name) => name.startsWith("Ethernet")).slice(-4)

const transceiver = (device: Switch.Switch, name: string, index: number) =>
  device.world.linkUp(device, name)
    ? {
        mediaType: "10GBASE-LR",
        vendorSn: `LAB${device.hardware.serial}${index}`,
        narrowBand: false,
        txPower: -2.5,
        rxPower: -4.1,
        txBias: 31.4,
        temperature: 34.5,
        voltage: 3.29,
        updateTime: device.bootedAt / 1000
      }
    : null

const transceivers = ({ device }: Call) => ({
  interfaces: Object.fromEntries(cagesOf(device).map((name, index) => [name, transceiver(device, name, index) ?? {}]))
})

const transceiverText = ({ device }: Call): string => {
  const rows = cagesOf(device).map((name, index) => {
    const found = transceiver(device, name, index)
    const measured =
      found === null
        ? Array(5).fill("N/A")
        : [found.temperature, found.voltage, found.txBias, found.txPower, found.rxPower]
    return [shortName(name).padEnd(10), ...measured.map((value) => String(value).padEnd(8))].join(" ").trimEnd()
  })
  return `Port       Temp     Voltage  Bias     Tx Power Rx Power\n${rows.join("\n")}\n`
}

const status = ({ device }: Call) => ({
  interfaceStatuses: Object.fromEntries(
    switched(device).map(({ facts, up }) => [
      facts.name,
      {
        linkStatus: facts.shutdown ? "disabled" : up ? "connected" : "notconnect",
        lineProtocolStatus: up ? "up" : "down",
        bandwidth: up ? device.hardware.megabits * 1_000_000 : 0,
        duplex: "duplexFull",
        interfaceType: "1000BASE-T",
        description: facts.description,
        autoNegotiateActive: true,
        vlanInformation: vlanInformation(facts)
      }
    ])
  )
})

const statusText = ({ device }: Call): string => {
  const rows = switched(device).map(({ facts, up }) => {
    const state = facts.shutdown ? "disabled" : up ? "connected" : "notconnect"
    const vlan = facts.mode === "access" ? String(facts.accessVlan) : facts.mode
    return `${shortName(facts.name).padEnd(10)} ${facts.description.slice(0, 26).padEnd(26)} ${state.padEnd(12)} ${vlan.padEnd(8)} full   1G     1000BASE-T`
  })
  return `Port       Name                       Status       Vlan     Duplex Speed  Type\n${rows.join("\n")}\n`
}

const neighbours = ({ device }: Call) => {
  const found = device.world.neighbours(device)
  return {
    tablesLastChangeTime: device.bootedAt / 1000,
    tablesInserts: found.length,
    tablesDeletes: 0,
    tablesDrops: 0,
    tablesAgeOuts: 0,
    lldpNeighbors: found.map(({ port, systemName, neighbourPort, ttl }) => ({
      port,
      neighborDevice: systemName,
      neighborPort: neighbourPort,
      ttl
    }))
  }
}

const neighboursText = ({ device }: Call): string => {
  const found = device.world.neighbours(device)
  const rows = found.map(
    ({ port, systemName, neighbourPort, ttl }) =>
      `${shortName(port).padEnd(13)} ${systemName.padEnd(24)} ${neighbourPort.padEnd(19)} ${ttl}\n`
  )
  return (
    `Last table change time   : 0:01:12 ago\nNumber of table inserts  : ${found.length}\nNumber of table deletes  : 0\n` +
    `Number of table drops    : 0\nNumber of table age-outs : 0\n\n` +
    `Port          Neighbor Device ID       Neighbor Port ID    TTL\n---------- ------------------------ ---------------------- ---\n${rows.join("")}`
  )
}

const neighboursDetail = ({ device }: Call) => {
  const byPort = new Map(device.hardware.ports.map((port): [string, Array<Switch.Neighbour>] => [port, []]))
  for (const neighbour of device.world.neighbours(device)) byPort.get(neighbour.port)?.push(neighbour)
  return {
    lldpNeighbors: Object.fromEntries(
      [...byPort].map(([port, found]) => [port, { lldpNeighborInfo: found.map(detail) }])
    )
  }
}

const detail = (neighbour: Switch.Neighbour) => ({
  systemName: neighbour.systemName,
  systemDescription: neighbour.description,
  chassisId: neighbour.chassisId.replaceAll(":", "").replace(/^(....)(....)(....)$/, "$1.$2.$3"),
  chassisIdType: "macAddress",
  systemCapabilities: { bridge: true, router: true },
  neighborInterfaceInfo: {
    interfaceId: `"${neighbour.neighbourPort}"`,
    interfaceIdType: "interfaceName",
    interfaceDescription: ""
  },
  managementAddresses: [],
  ttl: neighbour.ttl
})

const vlans = ({ device }: Call) => {
  const members = switched(device)
  const declared: Array<readonly [string, string]> = [["1", "default"]]
  for (const block of device.running.matchAll(/^vlan (\d+)\n((?: .*\n)*)/gm)) {
    declared.push([
      block[1] ?? "",
      /^ {3}name (.+)$/m.exec(block[2] ?? "")?.[1] ?? `VLAN${(block[1] ?? "").padStart(4, "0")}`
    ])
  }
  return {
    sourceDetail: "",
    vlans: Object.fromEntries(
      declared.map(([id, name]) => [id, { name, status: "active", dynamic: false, interfaces: membersOf(members, id) }])
    )
  }
}

const membersOf = (members: ReadonlyArray<Port>, id: string) =>
  Object.fromEntries(
    members
      .filter(
        ({ facts, up }) =>
          up && (facts.mode === "trunk" || (facts.mode === "access" && String(facts.accessVlan) === id))
      )
      .map(({ facts }) => [facts.name, { privatePromoted: false }])
  )

const vlansText = (call: Call): string =>
  `VLAN  Name                             Status    Ports\n----- -------------------------------- --------- -------------------------------\n` +
  Object.entries(vlans(call).vlans)
    .map(
      ([id, vlan]) =>
        `${id.padEnd(5)} ${vlan.name.padEnd(32)} active    ${Object.keys(vlan.interfaces).map(shortName).join(", ")}`.trimEnd() +
        "\n"
    )
    .join("")

const user = true

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("show interfaces", "show", textAnswer(interfacesText), {
    json: jsonAnswer(interfaces),
    user
  }),
  command("show interfaces transceiver", "show", transceiverText, { json: jsonAnswer(transceivers), user }),
  command("show interfaces status", "show", statusText, { json: jsonAnswer(status), user }),
  command("show lldp neighbors", "showLldp", textAnswer(neighboursText), {
    json: jsonAnswer(neighbours),
    user
  }),
  command("show lldp neighbors detail", "showLldp", textAnswer(neighboursText), {
    json: jsonAnswer(neighboursDetail),
    user
  }),
  command("show vlan", "show", vlansText, { json: jsonAnswer(vlans), user })
]

// Stations: machines that the switch has learnt.

const VLAN_WIDTH = 4
const SECONDS_AGO = 60

const stations = ({ device }: Call): ReadonlyArray<Switch.Station> => device.world.stations(device)

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

/** Commands of this file. */
export const stationCommands = [
  command("show mac address-table", "show", textAnswer(macTableText), {
    json: jsonAnswer(macTable),
    user: true
  }),
  command("show ip arp", "show", textAnswer(fourText), { json: jsonAnswer(four), user: true }),
  command("show ip arp vrf all", "show", textAnswer(fourText), {
    json: jsonAnswer(byVrf(four)),
    user: true
  }),
  command("show ipv6 neighbors", "show", textAnswer(sixText), { json: jsonAnswer(six), user: true }),
  command("show ipv6 neighbors vrf all", "show", textAnswer(sixText), {
    json: jsonAnswer(byVrf(six)),
    user: true
  })
]
