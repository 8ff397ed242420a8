/**
 * Show commands about protocols, redundancy, the box and its log, and ping: states come from the configurations and links of the lab
 * (`Protocols.ts`).
 */
import * as Faults from "../../Faults.ts"
import * as Switch from "../../Switch.ts"
import * as Protocols from "../Protocols.ts"
import { read } from "../RoutingFacts.ts"
import { shortName } from "../Words.ts"
import { type Call, type Command, command, jsonAnswer } from "./Command.ts"

const table = (head: string, rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  [
    head,
    ...rows.map((row) =>
      row
        .map((cell) => String(cell).padEnd(18))
        .join(" ")
        .trimEnd()
    ),
    ""
  ].join("\n")

const byVrf = <A>(vrfs: Iterable<string>, of: (vrf: string) => A) =>
  Object.fromEntries([...vrfs].map((vrf) => [vrf, of(vrf)]))

// BGP, OSPF, routes.

const BGP_INACTIVE = { vrfs: {}, warnings: ["BGP inactive"] }

const bgpSummary = ({ device }: Call) => {
  const { bgp, routerId } = read(device)
  if (bgp.size === 0) return BGP_INACTIVE
  const sessions = Protocols.bgpSessions(device)
  return {
    vrfs: byVrf(bgp.keys(), (vrf) => ({
      vrf,
      routerId: routerId ?? "0.0.0.0",
      asn: String(bgp.get(vrf)?.asn ?? 0),
      peers: Object.fromEntries(
        sessions
          .filter((session) => session.vrf === vrf)
          .map((session) => {
            const received = Protocols.prefixesFrom(device, session).size
            const negotiated = session.state === "Established"
            return [
              session.neighbour,
              {
                peerState: session.state,
                peerAsn: String(session.remoteAs ?? 0),
                ipv4Unicast: {
                  afiSafiState: negotiated ? "negotiated" : "advertised",
                  nlrisReceived: received,
                  nlrisAccepted: received
                }
              }
            ]
          })
      )
    }))
  }
}

/** The same as releases show it that have no command for all address families. */
const ipBgpSummary = (call: Call) => {
  const { vrfs } = bgpSummary(call)
  return {
    vrfs: Object.fromEntries(
      Object.entries(vrfs).map(([vrf, found]) => [
        vrf,
        {
          ...found,
          peers: Object.fromEntries(
            Object.entries(found.peers).map(([neighbour, { ipv4Unicast, peerAsn, peerState }]) => [
              neighbour,
              {
                version: 4,
                asn: peerAsn,
                peerState,
                prefixReceived: ipv4Unicast.nlrisReceived,
                prefixAccepted: ipv4Unicast.nlrisAccepted,
                underMaintenance: false
              }
            ])
          )
        }
      ])
    )
  }
}

const bgpText = ({ device }: Call): string =>
  read(device).bgp.size === 0
    ? "% BGP inactive\n"
    : table(
        "VRF                Neighbor           AS                 State              PfxRcd",
        Protocols.bgpSessions(device).map((session) => [
          session.vrf,
          session.neighbour,
          session.remoteAs ?? 0,
          session.state === "Established" ? "Estab" : session.state,
          Protocols.prefixesFrom(device, session).size
        ])
      )

const ospfNeighbours = ({ device }: Call) => {
  const found = Protocols.ospfNeighbours(device)
  const { ospf } = read(device)
  return {
    vrfs: byVrf(
      ospf.map(({ vrf }) => vrf),
      (vrf) => ({
        instList: {
          "1": {
            ospfNeighborEntries: found
              .filter((neighbour) => neighbour.vrf === vrf)
              .map(({ address, port, routerId, state }) => ({
                routerId,
                priority: 1,
                drState: "DR",
                interfaceName: port,
                adjacencyState: state,
                inactivity: Date.now() / 1000 + 30,
                interfaceAddress: address
              }))
          }
        }
      })
    )
  }
}

const ospfText = ({ device }: Call): string =>
  table(
    "Neighbor ID        VRF                State              Address            Interface",
    Protocols.ospfNeighbours(device).map((one) => [one.routerId, one.vrf, one.state, one.address, one.port])
  )

const routeSummary = ({ device }: Call) => ({
  protoModelStatus: { configuredProtoModel: "multi-agent", operatingProtoModel: "multi-agent" },
  vrfs: Object.fromEntries(
    [...Protocols.routes(device)].map(([vrf, counts]) => [
      vrf,
      {
        connected: counts.connected,
        static: counts.static,
        staticNonPersistent: 0,
        ospfCounts: { ospfTotal: counts.ospf },
        bgpCounts: { bgpExternal: counts.bgp, bgpInternal: 0, bgpTotal: counts.bgp },
        isisCounts: { isisTotal: 0 },
        rip: 0,
        totalRoutes: counts.connected + counts.static + counts.ospf + counts.bgp
      }
    ])
  )
})

const routeText = ({ device }: Call): string =>
  table(
    "VRF                connected          static             bgp                ospf",
    [...Protocols.routes(device)].map(([vrf, counts]) => [
      vrf,
      counts.connected,
      counts.static,
      counts.bgp,
      counts.ospf
    ])
  )

// Redundancy.

const mlag = ({ device }: Call) => {
  const state = Protocols.mlag(device)
  if (state === undefined) return { state: "disabled", mlagPorts: {} }
  return {
    state: state.active ? "active" : "inactive",
    negStatus: state.active ? "connected" : "connecting",
    peerLinkStatus: state.peerLinkUp ? "up" : "down",
    localIntfStatus: "up",
    configSanity: state.consistent ? "consistent" : "inconsistent",
    domainId: state.domain,
    portsErrdisabled: false,
    mlagPorts: {}
  }
}

const mlagText = (call: Call): string =>
  table(
    "MLAG Status:",
    Object.entries(mlag(call)).flatMap(([name, value]) => (typeof value === "object" ? [] : [[name, String(value)]]))
  )

const vrrp = ({ device }: Call) => ({
  virtualRouters: Protocols.vrrp(device).map(({ group, port, state }) => ({
    interface: port,
    groupId: group,
    vrfName: "default",
    state,
    version: 2
  }))
})

const vrrpText = ({ device }: Call): string =>
  table(
    "Interface          Group              State",
    Protocols.vrrp(device).map(({ group, port, state }) => [shortName(port), group, state])
  )

const bundles = ({ device }: Call) => ({
  portChannels: Object.fromEntries(
    Protocols.bundles(device).map(({ active, inactive, name }) => [
      name,
      {
        fallbackState: "unconfigured",
        inactiveLag: false,
        activePorts: Object.fromEntries(active.map((port) => [port, { protocol: "lacp", lacpMode: "active" }])),
        inactivePorts: Object.fromEntries(inactive.map((port) => [port, { reasonUnconfigured: "not bundled" }]))
      }
    ])
  )
})

const bundlesText = ({ device }: Call): string =>
  table(
    "Port-Channel       Active             Inactive",
    Protocols.bundles(device).map(({ active, inactive, name }) => [
      shortName(name),
      active.map(shortName).join(","),
      inactive.map(shortName).join(",")
    ])
  )

const bridgeDocument = ({ mac, priority }: Protocols.Bridge) => ({ priority, systemIdExtension: 0, macAddress: mac })

const trees = ({ device }: Call) => ({
  spanningTreeInstances: Object.fromEntries(
    Protocols.trees(device).map(({ name, own, root }) => [
      name,
      { bridge: bridgeDocument(own), rootBridge: bridgeDocument(root), protocol: name.slice(0, 3).toLowerCase() }
    ])
  )
})

const treesText = ({ device }: Call): string =>
  table(
    "Instance           Root priority      Root address",
    Protocols.trees(device).map(({ name, root }) => [name, root.priority, root.mac])
  )

const topologies = ({ device }: Call) => ({
  topologies: Object.fromEntries(
    Protocols.trees(device).map(({ name }) => [
      /^(?:MST|RST)0$/.test(name) ? "Cist" : name.toLowerCase().replace(/^./, (first) => first.toUpperCase()),
      {
        interfaces: Object.fromEntries(
          device.world.cables(device).map(({ port }) => [
            port,
            {
              state: "forwarding",
              numChanges: 1,
              lastChange: (device.linkFlappedAt.get(port) ?? device.bootedAt) / 1000
            }
          ])
        )
      }
    ])
  )
})

// The box, its processes, its log, and time.

const TEMPERATURE = 31.5

const sensors = () => ({
  systemStatus: "temperatureOk",
  tempSensors: ["TempSensor1", "TempSensor2"].map((name) => ({
    name,
    description: "Board sensor",
    hwStatus: "ok",
    inAlertState: false,
    currentTemperature: TEMPERATURE
  })),
  cardSlots: [],
  powerSupplySlots: []
})

const fans = () => ({
  systemStatus: "coolingOk",
  fanTraySlots: ["1", "2"].map((label) => ({
    label,
    status: "ok",
    fans: [{ label: `${label}/1`, status: "ok", actualSpeed: 42, configuredSpeed: 40 }]
  })),
  powerSupplySlots: []
})

const supplies = () => ({
  powerSupplies: Object.fromEntries(
    ["1", "2"].map((name) => [name, { modelName: "PWR-500AC-F", state: "ok", capacity: 500, outputPower: 87.5 }])
  )
})

const AGENTS = ["Aaa", "ConfigAgent", "Lldp", "Stp", "Sysdb"]

const agents = ({ device }: Call) => {
  const names = [
    ...AGENTS,
    ...(read(device).bgp.size > 0 ? ["Bgp"] : []),
    ...(read(device).ospf.length > 0 ? ["Ospf"] : [])
  ]
  return {
    agents: Object.fromEntries(names.map((name) => [name, { agentStartTime: device.bootedAt / 1000, restartCount: 1 }]))
  }
}

const agentsText = (call: Call): string =>
  table(
    "Agent Name         Restarts           Uptime",
    Object.entries(agents(call).agents).map(([name, { restartCount }]) => [
      name,
      restartCount,
      `${Switch.uptime(call.device)} seconds`
    ])
  )

const stamp = (at: number): string => {
  const [, month = "", day = "", time = ""] = /^\w+, (\w+) (\d+) \d+ ([\d:]+)/.exec(dateText(at)) ?? []
  return `${month} ${day.padStart(2)} ${time}`
}

/** `Thu, Nov 26 2026 18:00:00`, in UTC. */
const dateText = (at: number): string => {
  const [weekday = "", day = "", month = "", year = "", time = ""] = new Date(at).toUTCString().split(/[ ]/)
  return `${weekday} ${month} ${Number(day)} ${year} ${time}`
}

const WHAT: Partial<Record<Switch.CommitKind, string>> = {
  commit: "%SYS-5-CONFIG_SESSION_COMMIT_SUCCESS: User committed configuration session",
  commitTimer: "%SYS-5-CONFIG_SESSION_COMMIT_SUCCESS: User committed with a timer configuration session",
  confirm: "%SYS-5-CONFIG_SESSION_COMMIT_CONFIRMED: User confirmed configuration session",
  abort: "%SYS-5-CONFIG_SESSION_ABORTED: User aborted configuration session",
  expired: "%SYS-4-CONFIG_SESSION_TIMER_EXPIRED: Commit timer expired for configuration session",
  direct: "%SYS-5-CONFIG_I: Configured from the console"
}

interface Message {
  readonly at: number
  readonly text: string
}

const flood = (device: Switch.Switch): ReadonlyArray<Message> =>
  Faults.list(device.faults).flatMap((fault) =>
    fault.kind === "logFlood"
      ? Array.from({ length: fault.messages }, (_, index) => ({
          at: Date.now(),
          text: `Fib: %FWD-${fault.severity ?? 3}-HARDWARE_FULL: table is full, entry ${index + 1} was not taken`
        }))
      : []
  )

const messages = (device: Switch.Switch): ReadonlyArray<Message> =>
  [
    ...device.history.commits.flatMap(({ at, kind, session }) => {
      const text = WHAT[kind]
      return text === undefined ? [] : [{ at, text: `Cli: ${text} ${session}`.trimEnd() }]
    }),
    ...flood(device)
  ].toSorted((a, b) => a.at - b.at)

const UNIT_SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }

const logText = ({ args, device }: Call): string => {
  const unit = UNIT_SECONDS[args["unit"] ?? ""]
  const from = unit === undefined ? 0 : Date.now() - Number(args["count"]) * unit * 1000
  return messages(device)
    .filter(({ at }) => at >= from)
    .map(({ at, text }) => `${stamp(at)} ${device.facts.hostname} ${text}\n`)
    .join("")
}

const time = ({ device }: Call) => {
  const servers = read(device).timeServers
  const chosen = servers.find(({ preferred }) => preferred) ?? servers[0]
  return {
    peers: Object.fromEntries(
      servers.map((server) => [
        server.name,
        {
          condition: server === chosen ? "sys.peer" : "candidate",
          peerIpAddr: server.name,
          peerType: "unicast",
          stratumLevel: 2,
          offset: 0.21,
          delay: 0.4,
          jitter: 0.05
        }
      ])
    )
  }
}

const timeText = (call: Call): string =>
  table(
    "remote             condition          st                 offset",
    Object.entries(time(call).peers).map(([name, peer]) => [name, peer.condition, peer.stratumLevel, peer.offset])
  )

const clock = () => ({ utcTime: Date.now() / 1000, timezone: "UTC", clockSource: { local: true } })

// Ping.

const USUAL_COUNT = 5

const ping = ({ args, device }: Call): string => {
  const words = (args["host"] ?? "").split(/\s+/)
  const after = (word: string) => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined)
  const vrf = after("vrf") ?? "default"
  const count = Number(after("repeat") ?? USUAL_COUNT)
  const to = words.find((word, index) => /^[\da-f.:]+$/i.test(word) && !isOption(words[index - 1])) ?? ""
  const source = after("source")
  const known = read(device).ports.some(
    ({ addresses, name }) => name === source || addresses.some(({ address }) => address === source)
  )
  if (vrf !== "default" && !new RegExp(`^vrf instance ${vrf}$`, "m").test(device.running)) {
    return `% VRF ${vrf} does not exist\n`
  }
  if (source !== undefined && !known) return "% Invalid source interface or address\n"
  const received = Protocols.answers(device, vrf, to) ? count : 0
  const lines = Array.from(
    { length: received },
    (_, index) => `80 bytes from ${to}: icmp_seq=${index + 1} ttl=64 time=0.3 ms`
  )
  const loss = Math.round(((count - received) / count) * 100)
  const times = received === 0 ? [] : ["rtt min/avg/max/mdev = 0.201/0.312/0.471/0.060 ms, ipg/ewma 0.5/0.4 ms"]
  return [
    `PING ${to} (${to}) 72(100) bytes of data.`,
    ...lines,
    "",
    `--- ${to} ping statistics ---`,
    `${count} packets transmitted, ${received} received, ${loss}% packet loss, time ${count}ms`,
    ...times,
    ""
  ].join("\n")
}

const isOption = (word: string | undefined) => ["source", "repeat", "vrf", "size", "timeout"].includes(word ?? "")

const state = (pattern: string, text: (call: Call) => string, document: (call: Call) => unknown): Command =>
  command(pattern, "showState", text, { json: jsonAnswer(document), user: true })

const unavailable = () => "% Unavailable command (not supported on this hardware platform)\n"

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  state("show bgp summary", bgpText, bgpSummary),
  state("show bgp summary vrf all", bgpText, bgpSummary),
  state("show ip bgp summary", bgpText, ipBgpSummary),
  state("show ip bgp summary vrf all", bgpText, ipBgpSummary),
  state("show ip ospf neighbor", ospfText, ospfNeighbours),
  state("show ip route summary", routeText, routeSummary),
  state("show ip route vrf all summary", routeText, routeSummary),
  state("show mlag", mlagText, mlag),
  state("show vrrp", vrrpText, vrrp),
  state("show port-channel", bundlesText, bundles),
  state("show spanning-tree", treesText, trees),
  state("show spanning-tree topology status detail", treesText, topologies),
  state("show system environment temperature", () => "System temperature status is: Ok\n", sensors),
  state("show system environment cooling", () => "System cooling status is: Ok\n", fans),
  state("show system environment power", () => "Power supplies: 2 of 2 ok\n", supplies),
  state("show agent uptime", agentsText, agents),
  state("show ntp associations", timeText, time),
  state("show clock", () => `${new Date().toUTCString()}\nTimezone: UTC\nClock source: local\n`, clock),
  command("show ipv6 route vrf all summary", "showState", unavailable, {
    json: () => ({ errors: ["Unavailable command"] }),
    user: true
  }),
  command("show logging", "showState", logText, { user: true }),
  command("show logging last <count> <unit>", "showState", logText, { user: true }),
  command("ping <host...>", "ping", ping, { user: true })
]
