/**
 * A simulated campus in this process: the switches of a topology, their links, listeners, power and DHCP server, for as long as the
 * scope is open. It shares no code with the drivers, so neither can hide a fault of the other. See
 * docs/switch-dialogues.md#the-simulated-switch.
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import * as Eos from "./eos/Eos.ts"
import * as EosHardware from "./eos/Hardware.ts"
import * as EosQuirks from "./eos/Quirks.ts"
import * as JunosHardware from "./junos/Hardware.ts"
import * as Junos from "./junos/Junos.ts"
import * as JunosQuirks from "./junos/Quirks.ts"
import * as SshFront from "./SshFront.ts"
import * as LabSwitch from "./LabSwitch.ts"
import * as Links from "./Links.ts"
import * as Listeners from "./Listeners.ts"
import * as Power from "./Power.ts"
import * as Switch from "./Switch.ts"
import { end, type Node, platformOf, type Topology } from "./Topology.ts"

/** No switch of that name is in the lab. */
export class SwitchUnknown extends Schema.TaggedError<SwitchUnknown>()("SwitchUnknown", { name: Schema.String }) {}

/** No port is available for the listeners. */
export class PortUnavailable extends Schema.TaggedError<PortUnavailable>()("PortUnavailable", {
  reason: Schema.String
}) {}

export interface LabOptions {
  /** TCP port of all switches; 0 or absent: the topology's, else a free one. */
  readonly port?: number
  /** Addresses that are rewritten; default 10.a.b.c → 127.a.b.c, and those of the topology. */
  readonly addressMap?: Listeners.AddressMap
  /** Called in process for every committed lease, in addition to the hook program of the topology. */
  readonly onLease?: (lease: Power.Lease) => Effect.Effect<void>
  /** Milliseconds from a blank switch's first lease to its initial configuration; default 100. */
  readonly provisioningMs?: number
  /** Records of each sort that a switch remembers; default 200. */
  readonly historyLimit?: number
}

/** A link to another switch, seen from one of them. */
interface Uplink {
  readonly port: string
  readonly neighbour: string
  readonly up: boolean
}

export interface LabShape {
  readonly name: string
  /** TCP port on which every switch listens. */
  readonly port: number
  readonly switches: ReadonlyMap<string, LabSwitch.LabSwitch>
  readonly get: (name: string) => Effect.Effect<LabSwitch.LabSwitch, SwitchUnknown>
  /** True when the management network reaches the switch over links that are up (core, else dist, or `gateway` nodes). */
  readonly reachable: (name: string) => boolean
  /** Links of a switch to distribution and core switches. */
  readonly uplinks: (name: string) => ReadonlyArray<Uplink>
  /** Addresses on which a switch should listen but cannot, with the reason. */
  readonly problems: () => ReadonlyMap<string, string>
  /** Waits until all listeners that follow from the configurations are open. */
  readonly settled: Effect.Effect<void>
}

/** The configuration of a blank switch if the topology names none: admin/admin, SSH, DHCP on VLAN 1, LLDP. */
const DEFAULT_INITIAL_CONFIG = `username admin privilege 15 role network-admin secret admin
aaa authorization exec default local
aaa authorization commands all default local
lldp run
service routing protocols model multi-agent
interface Vlan1
   ip address dhcp
   dhcp client accept default-route
`

/** The same of a blank Junos switch. */
const DEFAULT_JUNOS_CONFIG = `system {
    root-authentication {
        plain-text-password-value admin;
    }
    login {
        user admin {
            class super-user;
            authentication {
                plain-text-password-value admin;
            }
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    irb {
        unit 0 {
            family inet {
                dhcp;
            }
        }
    }
}
protocols {
    lldp {
        interface all;
    }
}
vlans {
    default {
        vlan-id 1;
        l3-interface irb.0;
    }
}
`

const softwareOf = (platform: string): Switch.Software => (platform === "junos" ? Junos.software : Eos.software)

/** The lab as a service. */
export class Lab extends Context.Service<Lab, LabShape>()("switchyard/lab/Lab") {
  /** A lab that lives as long as the layer. */
  static readonly layer = (
    topology: Topology,
    options: LabOptions = {}
  ): Layer.Layer<Lab, PortUnavailable | Power.DhcpPoolInvalid> => Layer.effect(Lab, makeLab(topology, options))
}

/** Starts the switches of a topology; all are up (blank ones off) when it returns. */
export const makeLab = Effect.fn("Lab.make")(function* (
  topology: Topology,
  options: LabOptions = {}
): Effect.fn.Return<LabShape, PortUnavailable | Power.DhcpPoolInvalid, Scope.Scope> {
  const nodes = new Map(
    Object.entries(topology.topology.nodes).map(([name, node]) => [name, { ...topology.topology.defaults, ...node }])
  )
  const devices = new Map<string, Switch.Switch>()
  const pairs = (topology.topology.links ?? []).map(
    ({ endpoints }) => [end(topology, endpoints[0]), end(topology, endpoints[1])] as const
  )
  const softwareFor = (name: string) => softwareOf(platformOf(topology, name))
  const hosts = new Map([...nodes].map(([name, node]) => [name, Links.ofNode(node, softwareFor(name).portName)]))
  const links = Links.make(pairs, (name) => devices.get(name), hosts)
  const listeners = yield* openListeners(topology, options)
  const settled = Effect.promise(() => Listeners.settled(listeners))
  const dhcp = yield* Power.makeDhcpServer(
    topology.lab?.dhcp ?? {},
    (device) => nodes.get(device.name)?.platform ?? device.software.platform,
    options.onLease
  )
  const initialConfig = (device: Switch.Switch) =>
    device.software.platform === "junos"
      ? (topology.lab?.dhcp?.junosConfig ?? DEFAULT_JUNOS_CONFIG)
      : (topology.lab?.dhcp?.config ?? DEFAULT_INITIAL_CONFIG)
  const power = yield* Power.make({ dhcp, initialConfig, provisioningMs: options.provisioningMs ?? 100, settled })
  const world = yield* makeWorld(devices, listeners, links, dhcp, power)
  const sharedKey = SshFront.lazyHostKey()
  let boxes = 0
  const around = { listeners, power, dhcp, settled, nextBox: () => (boxes += 1), hardware: anotherBox }
  for (const [name, node] of nodes) {
    const linked = [...(links.ends.get(name)?.keys() ?? [])]
    const software = softwareFor(name)
    const hardware = hardwareOf(software, node, { name, index: around.nextBox(), linked })
    const hostKey = node.hostKey === "shared" ? sharedKey : SshFront.lazyHostKey()
    devices.set(name, makeSwitch(name, node, { software, hardware, world, hostKey }, options.historyLimit ?? 200))
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => shutDown(devices, listeners)))
  for (const [name, device] of devices) {
    if (nodes.get(name)?.blank === true) continue
    Switch.up(device)
  }
  yield* settled
  const switches = new Map([...devices].map(([name, device]) => [name, LabSwitch.make(device, around)]))
  return shape(topology, listeners, links, nodes, switches, settled)
})

const reservedPort = Effect.acquireRelease(
  Effect.tryPromise({
    try: Listeners.reservePort,
    catch: (error) => new PortUnavailable({ reason: String(error) })
  }),
  ({ release }) => Effect.sync(release)
).pipe(Effect.map(({ port }) => port))

const openListeners = Effect.fnUntraced(function* (topology: Topology, options: LabOptions) {
  const wished = options.port ?? topology.lab?.port ?? 0
  const port = wished > 0 ? wished : yield* reservedPort
  return Listeners.make(port, options.addressMap ?? [["10", "127"], ...Object.entries(topology.lab?.addressMap ?? {})])
})

const makeWorld = Effect.fnUntraced(function* (
  devices: ReadonlyMap<string, Switch.Switch>,
  listeners: Listeners.Listeners,
  links: Links.Links,
  dhcp: Power.DhcpServer,
  power: Power.Power
) {
  const context = yield* Effect.context<Scope.Scope>()
  const fork = Effect.runForkWith(context)
  const followLease = (device: Switch.Switch) => {
    const wants = device.power === "on" && device.facts.wantsDhcp
    if (!wants) dhcp.active.delete(device)
    else if (!dhcp.active.has(device)) {
      dhcp.active.add(device)
      device.lease = dhcp.lease(device)
      fork(Effect.forkScoped(Power.loggedHook(dhcp.commit(device))))
    }
  }
  return {
    changed: (device) => {
      followLease(device)
      Listeners.follow(listeners, device)
    },
    neighbours: (device) => Links.neighbours(links, device),
    stations: (device) => Links.stations(links, device),
    linkUp: (device, port) => Links.isUp(links, device, port),
    switches: () => [...devices.values()],
    cables: (device) => Links.cables(links, device),
    reload: power.reload
  } satisfies Switch.World
})

type Settings = Pick<Node, "model" | "mac" | "serial" | "ports" | "personality" | "junos">

const hardwareOf = (
  software: Switch.Software,
  { junos, mac, model, personality, ports, serial }: Settings,
  place: { readonly name: string; readonly index: number; readonly linked: ReadonlyArray<string> }
): EosHardware.Hardware => {
  if (software.platform !== "junos") return EosHardware.make({ ...place, model, mac, serial, ports })
  const known = junosPersonality(personality)
  const members = junos?.members ?? known?.quirks.members ?? 1
  return JunosHardware.make({ ...place, model: model ?? known?.model, mac, serial, ports, members })
}

const anotherBox = (
  { behaviour, hardware, name, software }: Switch.Switch,
  index: number,
  box: Pick<Settings, "mac" | "serial" | "model">
): EosHardware.Hardware =>
  hardwareOf(
    software,
    { model: hardware.model, ...box, junos: behaviour.junos },
    { name: `${name}#${index}`, index, linked: hardware.ports }
  )

const makeSwitch = (
  name: string,
  node: Node,
  parts: Pick<Switch.Switch, "software" | "hardware" | "world" | "hostKey">,
  historyLimit: number
) => {
  const isJunos = parts.software.platform === "junos"
  const known = isJunos ? junosPersonality(node.personality) : personalityOf(node)
  const named = isJunos ? `system { host-name ${name}; }` : `hostname ${name}\n`
  return Switch.make({
    name,
    ...parts,
    version: node.version ?? known?.version ?? (isJunos ? JunosHardware.DEFAULT_VERSION : "4.31.4M"),
    behaviour: behaviourOf(node),
    startup: node.blank === true ? undefined : (node["startup-config"] ?? named),
    flashBytes: node.flashBytes,
    historyLimit
  })
}

const personalityOf = ({ personality }: Node): EosQuirks.Personality | undefined =>
  personality !== undefined && EosQuirks.isPersonality(personality) ? EosQuirks.personalities[personality] : undefined

const junosPersonality = (name: string | undefined): JunosQuirks.Personality | undefined =>
  name === undefined ? undefined : JunosQuirks.personalities[name]

/** The behaviour of a switch with these settings. */
export const behaviourOf = (node: Node): Switch.Behaviour => ({
  inputBuffer: node.inputBuffer ?? 4096,
  commandMs: node.commandMs ?? 0,
  commitMs: node.commitMs ?? 0,
  cleanMs: node.cleanMs ?? 0,
  bootMs: node.bootMs ?? 200,
  dropDefaults: node.dropDefaults ?? true,
  strictWords: node.strictWords ?? true,
  checkInterfaces: node.checkInterfaces ?? true,
  lldpName: node.lldpName ?? "fqdn",
  authentication: node.authentication ?? "keyboard-interactive",
  sftp: node.sftp ?? false,
  supervisor: node.supervisor,
  users: node.users ?? {},
  passwords: node.passwords ?? {},
  bracketedPaste: node.bracketedPaste,
  quirks: { ...EosQuirks.none, ...personalityOf(node)?.quirks, ...node.quirks },
  junos: { ...JunosQuirks.none, ...junosPersonality(node.personality)?.quirks, ...node.junos },
  minuteMs: node.minuteMs ?? 60_000
})

const shutDown = (devices: ReadonlyMap<string, Switch.Switch>, listeners: Listeners.Listeners) => {
  Listeners.close(listeners)
  for (const device of devices.values()) {
    Switch.down(device, "off")
    for (const connection of device.silenced) connection.drop()
  }
}

const shape = (
  topology: Topology,
  listeners: Listeners.Listeners,
  links: Links.Links,
  nodes: ReadonlyMap<string, Node>,
  switches: ReadonlyMap<string, LabSwitch.LabSwitch>,
  settled: Effect.Effect<void>
): LabShape => {
  const gateways = gatewaysOf(nodes)
  const isUpper = (name: string) => nodes.get(name)?.role === "core" || nodes.get(name)?.role === "dist"
  return {
    name: topology.name,
    port: listeners.port,
    switches,
    get: (name) =>
      Effect.suspend(() => {
        const found = switches.get(name)
        return found === undefined ? new SwitchUnknown({ name }) : Effect.succeed(found)
      }),
    reachable: (name) => Links.reachable(links, gateways).has(name),
    uplinks: (name) => {
      const device = links.device(name)
      return [...(links.ends.get(name) ?? [])]
        .filter(([, to]) => isUpper(to.node))
        .map(([port, to]) => ({
          port,
          neighbour: to.node,
          up: device !== undefined && Links.isUp(links, device, port)
        }))
    },
    problems: () => listeners.problems,
    settled
  }
}

const gatewaysOf = (nodes: ReadonlyMap<string, Node>): ReadonlyArray<string> => {
  const named = (test: (node: Node) => boolean) => [...nodes].filter(([, node]) => test(node)).map(([name]) => name)
  const wishes = [
    named((node) => node.gateway === true),
    named((node) => node.role === "core"),
    named((node) => node.role === "dist")
  ]
  return wishes.find((names) => names.length > 0) ?? [...nodes.keys()]
}
