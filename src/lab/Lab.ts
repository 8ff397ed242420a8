/**
 * A simulated campus in this process: the switches of a topology, their links, listeners, power and DHCP server, for as long as the
 * scope is open. It shares no code with the drivers, so neither can hide a fault of the other. See
 * docs/switch-dialogues.md#the-simulated-switch.
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { openForeign } from "./eos/ConfigSessions.ts"
import * as Hardware from "./eos/Hardware.ts"
import { isPersonality, none as noQuirks, personalities, type Personality } from "./eos/Quirks.ts"
import * as SshFront from "./SshFront.ts"
import * as LabSwitch from "./LabSwitch.ts"
import * as Links from "./Links.ts"
import * as Listeners from "./Listeners.ts"
import * as Power from "./Power.ts"
import * as Switch from "./Switch.ts"
import { end, type Node, type Topology } from "./Topology.ts"

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
  const pairs = (topology.topology.links ?? []).map(({ endpoints }) => [end(endpoints[0]), end(endpoints[1])] as const)
  const hosts = new Map([...nodes].map(([name, node]) => [name, Links.ofNode(node)]))
  const links = Links.make(pairs, (name) => devices.get(name), hosts)
  const listeners = yield* openListeners(topology, options)
  const settled = Effect.promise(() => Listeners.settled(listeners))
  const dhcp = yield* Power.makeDhcpServer(
    topology.lab?.dhcp ?? {},
    (device) => nodes.get(device.name)?.platform ?? "eos",
    options.onLease
  )
  const initialConfig = topology.lab?.dhcp?.config ?? DEFAULT_INITIAL_CONFIG
  const power = yield* Power.make({ dhcp, initialConfig, provisioningMs: options.provisioningMs ?? 100, settled })
  const world = yield* makeWorld(listeners, links, dhcp, power)
  const sharedKey = SshFront.lazyHostKey()
  let boxes = 0
  const around = { listeners, power, dhcp, settled, nextBox: () => (boxes += 1) }
  for (const [name, node] of nodes) {
    const linked = [...(links.ends.get(name)?.keys() ?? [])]
    const hardware = Hardware.make({
      name,
      index: around.nextBox(),
      model: node.model,
      mac: node.mac,
      serial: node.serial,
      ports: node.ports,
      linked
    })
    devices.set(name, makeSwitch(name, node, hardware, world, sharedKey, options.historyLimit ?? 200))
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => shutDown(devices, listeners)))
  for (const [name, device] of devices) {
    if (nodes.get(name)?.blank === true) continue
    Switch.up(device)
    openForeign(device)
  }
  yield* settled
  const switches = new Map([...devices].map(([name, device]) => [name, LabSwitch.make(device, around)]))
  return shape(topology, listeners, links, nodes, switches, settled)
})

const openListeners = Effect.fnUntraced(function* (topology: Topology, options: LabOptions) {
  const wished = options.port ?? topology.lab?.port ?? 0
  const port =
    wished > 0
      ? wished
      : yield* Effect.tryPromise({
          try: Listeners.freePort,
          catch: (error) => new PortUnavailable({ reason: String(error) })
        })
  return Listeners.make(port, options.addressMap ?? [["10", "127"], ...Object.entries(topology.lab?.addressMap ?? {})])
})

const makeWorld = Effect.fnUntraced(function* (
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
    reload: power.reload
  } satisfies Switch.World
})

const makeSwitch = (
  name: string,
  node: Node,
  hardware: Hardware.Hardware,
  world: Switch.World,
  sharedKey: Switch.HostKey,
  historyLimit: number
) =>
  Switch.make({
    name,
    hardware,
    world,
    hostKey: node.hostKey === "shared" ? sharedKey : SshFront.lazyHostKey(),
    version: node.version ?? personalityOf(node)?.version ?? "4.31.4M",
    behaviour: behaviourOf(node),
    startup: node.blank === true ? undefined : (node["startup-config"] ?? `hostname ${name}\n`),
    flashBytes: node.flashBytes,
    historyLimit
  })

const personalityOf = ({ personality }: Node): Personality | undefined =>
  personality !== undefined && isPersonality(personality) ? personalities[personality] : undefined

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
  quirks: { ...noQuirks, ...personalityOf(node)?.quirks, ...node.quirks }
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
