/**
 * The handle with which tests, the demo and the control endpoint read one simulated switch and act on it without SSH: power,
 * faults, other hardware, other people's sessions.
 */
import { Effect } from "effect"
import { type DhcpHookFailed, type DhcpServer, pause, type Power } from "./Power.ts"
import * as Faults from "./Faults.ts"
import * as Flash from "./Flash.ts"
import * as SshFront from "./SshFront.ts"
import type { Hardware } from "./eos/Hardware.ts"
import * as Switch from "./Switch.ts"
import type { CommandRecord, CommitRecord, LoginRecord, SessionView } from "./Switch.ts"
import * as Listeners from "./Listeners.ts"

export interface LabSwitch {
  /** Node name in the topology (the host name may differ). */
  readonly name: string
  readonly hostname: () => string
  readonly hardware: () => Hardware
  readonly version: () => string
  readonly power: () => "off" | "booting" | "on"
  /** Image that the next boot uses. */
  readonly bootImage: () => string
  /** As somebody at the switch reads it. */
  readonly running: () => string
  /** What it would start with, in the same form; undefined after an erase. */
  readonly startup: () => string | undefined
  readonly sessions: () => ReadonlyArray<SessionView>
  /** The commit timer that runs. */
  readonly timer: () => { readonly session: string; readonly remainingMs: number } | undefined
  /** Everything that changed the configuration, oldest first; of one session when named. */
  readonly commits: (session?: string) => ReadonlyArray<CommitRecord>
  /** Calls back after every change of the configuration, before its answer can be read. Returns a function that stops it. */
  readonly onCommit: (tell: (record: CommitRecord) => void) => () => void
  readonly logins: () => ReadonlyArray<LoginRecord>
  readonly commands: () => ReadonlyArray<CommandRecord>
  /** Loopback addresses on which it listens now. */
  readonly addresses: () => ReadonlyArray<string>
  /** IPv4 address of its DHCP lease. */
  readonly lease: () => string | undefined
  readonly connections: () => number
  readonly files: () => ReadonlyMap<string, Flash.FlashFile>
  readonly putFile: (name: string, content: Uint8Array) => boolean
  readonly certificates: () => ReadonlyMap<string, Buffer>
  readonly keys: () => ReadonlyMap<string, Buffer>

  /** Boots (a blank switch does zero touch provisioning); ends when it answers. */
  readonly boot: Effect.Effect<void>
  /** The same as `boot`. */
  readonly powerOn: Effect.Effect<void>
  readonly powerOff: Effect.Effect<void>
  /** Waits until it is on and answers, for example after a `reload` over SSH. */
  readonly whenOn: Effect.Effect<void>
  /** Drops connections, comes back with startup configuration and boot image; ends when it answers. */
  readonly reload: Effect.Effect<void>
  /** Closes all present connections. */
  readonly dropConnections: Effect.Effect<void>
  /** Renews its lease: runs the DHCP hook. */
  readonly renewLease: Effect.Effect<void, DhcpHookFailed>

  readonly faults: () => ReadonlyArray<Faults.Fault>
  readonly setFault: (fault: Faults.Fault) => void
  readonly clearFaults: () => void

  /** An operator's change: lines merged into the running configuration, or the whole of it replaced. */
  readonly configure: (text: string, options?: { readonly replace?: boolean }) => void
  /** Opens a session of another operator; with seconds it is committed with a running timer. Error text or undefined. */
  readonly foreignSession: (name: string, timerSeconds?: number) => string | undefined
  /** Another operator types these lines at the console of a Junos switch, and leaves. Gives what the switch shows. */
  readonly atConsole: (...lines: ReadonlyArray<string>) => Promise<string>
  /** Replaces or (null) hides the LLDP neighbour of a port. */
  readonly setNeighbour: (port: string, neighbour: Partial<Omit<Switch.Neighbour, "port">> | null) => void
  readonly clearNeighbours: () => void
  /** A new SSH host key. */
  readonly newHostKey: () => void
  /** Another box in its place: new MAC, serial number and host key, no configuration, switched off. */
  readonly swapHardware: (box?: Box) => Effect.Effect<void>
}

/** What is printed on another box. */
interface Box {
  readonly mac?: string
  readonly serial?: string
  readonly model?: string
}

interface Surroundings {
  readonly listeners: Listeners.Listeners
  readonly power: Power
  readonly dhcp: DhcpServer
  /** Number for the next box, for generated MAC addresses. */
  readonly nextBox: () => number
  /** The hardware of another box in the place of a switch. */
  readonly hardware: (device: Switch.Switch, index: number, box: Box) => Hardware
  readonly settled: Effect.Effect<void>
}

/** The handle of one switch. */
export const make = (device: Switch.Switch, around: Surroundings): LabSwitch => ({
  name: device.name,
  ...views(device, around),
  ...powerOf(device, around),
  faults: () => Faults.list(device.faults),
  setFault: (fault) => Faults.add(device.faults, fault),
  clearFaults: () => {
    device.faults.length = 0
  },
  configure: (text, options) =>
    device.software.configure(device, device.software.merged(options?.replace === true ? "" : device.running, text)),
  foreignSession: (name, timerSeconds) => device.software.foreign(device, name, timerSeconds),
  atConsole: (...lines) =>
    device.software.atConsole?.(device, lines) ??
    Promise.reject(new Error(`${device.software.platform} has no console in the lab`)),
  setNeighbour: (port, neighbour) => setNeighbour(device, port, neighbour),
  clearNeighbours: () => device.lldpOverrides.clear(),
  newHostKey: () => {
    device.hostKey = SshFront.lazyHostKey()
  },
  swapHardware: (box) =>
    Effect.andThen(
      around.power.off(device),
      Effect.sync(() => swap(device, around, box ?? {}))
    )
})

const views = (device: Switch.Switch, around: Surroundings) => ({
  hostname: () => device.facts.hostname,
  hardware: () => device.hardware,
  version: () => device.version,
  power: () => device.power,
  bootImage: () => device.bootImage,
  running: () => device.software.showRunning(device),
  startup: () => device.software.showStartup(device),
  sessions: () => device.software.sessions(device),
  timer: () => device.software.timer(device),
  commits: (session?: string) =>
    device.history.commits.filter((record) => session === undefined || record.session === session),
  onCommit: (tell: (record: CommitRecord) => void) => {
    device.history.watchers.add(tell)
    return () => void device.history.watchers.delete(tell)
  },
  logins: () => [...device.history.logins],
  commands: () => [...device.history.commands],
  addresses: () => Listeners.wanted(around.listeners, device),
  lease: () => device.lease,
  connections: () => device.connections.size,
  files: () => device.flash.files,
  putFile: (name: string, content: Uint8Array) => Flash.writeBytes(device.flash, name, Buffer.from(content)),
  certificates: () => device.certificates,
  keys: () => device.keys
})

const POLL_MS = 10

const untilOn = (device: Switch.Switch): Effect.Effect<void> =>
  Effect.suspend(() => (device.power === "on" ? Effect.void : Effect.andThen(pause(POLL_MS), untilOn(device))))

const powerOf = (device: Switch.Switch, around: Surroundings) => ({
  boot: around.power.boot(device),
  powerOn: around.power.boot(device),
  reload: around.power.boot(device),
  whenOn: Effect.andThen(untilOn(device), around.settled),
  powerOff: around.power.off(device),
  dropConnections: Effect.sync(() => {
    for (const connection of device.connections) connection.drop()
  }),
  renewLease: Effect.suspend(() => around.dhcp.commit(device))
})

const setNeighbour = (
  device: Switch.Switch,
  port: string,
  neighbour: Partial<Omit<Switch.Neighbour, "port">> | null
) => {
  const blank = {
    systemName: "",
    neighbourPort: "Ethernet1",
    chassisId: "02:00:00:00:00:01",
    description: "",
    ttl: 120
  }
  device.lldpOverrides.set(port, neighbour === null ? null : { ...blank, ...neighbour, port })
}

const swap = (device: Switch.Switch, around: Surroundings, box: Box) => {
  const index = around.nextBox()
  device.hardware = around.hardware(device, index, box)
  device.hostKey = SshFront.lazyHostKey()
  device.startup = undefined
  device.running = ""
  device.lease = undefined
  device.software.swapped(device)
}
