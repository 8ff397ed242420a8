/**
 * The state and the history of one simulated switch, and the few operations that change all of it: a new running configuration,
 * going down, coming up. Everything else (sessions, files, commands) works on this record.
 */
import type { ParsedKey, ServerChannel } from "ssh2"
import type { ConfigFacts, InterfaceFacts } from "./eos/ConfigFacts.ts"
import type { CommitTimer, ConfigSession } from "./eos/ConfigSessions.ts"
import * as Flash from "./Flash.ts"
import type { Faults } from "./Faults.ts"
import type { Hardware } from "./eos/Hardware.ts"
import type { Quirks } from "./eos/Quirks.ts"
import type { Quirks as JunosQuirks } from "./junos/Quirks.ts"

// The history, newest last, bounded: logins, commands, and everything that changed the configuration.

/** How a configuration came to run, or stopped running. */
export type CommitKind = "commit" | "commitTimer" | "confirm" | "abort" | "expired" | "direct" | "reload" | "ztp"

export interface CommitRecord {
  /** Session name; empty for changes without a session. */
  readonly session: string
  readonly kind: CommitKind
  /** Milliseconds since 1970. */
  readonly at: number
  /** All processes of the switch read the whole configuration again. */
  readonly rereads?: true
}

export interface LoginRecord {
  readonly user: string
  readonly accepted: boolean
  /** By a key or with a password. */
  readonly method: "key" | "password"
  readonly address: string
  readonly at: number
}

export interface CommandRecord {
  readonly user: string
  readonly command: string
  readonly at: number
}

interface History {
  readonly limit: number
  readonly commits: Array<CommitRecord>
  readonly logins: Array<LoginRecord>
  readonly commands: Array<CommandRecord>
  /** Called with every commit after the switch has done it and before its answer can be read. */
  readonly watchers: Set<(record: CommitRecord) => void>
}

/** An empty history that keeps the last `limit` records of each sort. */
const makeHistory = (limit: number): History => ({
  limit,
  commits: [],
  logins: [],
  commands: [],
  watchers: new Set()
})

/** Adds a record and forgets the oldest above the limit. */
export const pushRecord = <A>(history: History, list: Array<A>, record: A): void => {
  list.push(record)
  if (list.length > history.limit) list.splice(0, list.length - history.limit)
}

/** Adds a change of the configuration, and calls the watchers. */
export const pushCommit = (history: History, record: CommitRecord): void => {
  pushRecord(history, history.commits, record)
  if (history.watchers.size === 0) return
  // the switch finishes its step first; no byte reaches the client meanwhile
  queueMicrotask(() => {
    for (const tell of history.watchers) tell(record)
  })
}

/** The SSH host key of a switch, made at the first login. */
export type HostKey = () => ParsedKey

/** How one switch behaves, resolved from the topology and the lab's defaults. */
export interface Behaviour {
  /** Bytes of unread input that the terminal holds while the command line is busy; 0 = no limit. */
  readonly inputBuffer: number
  /** Milliseconds that each command takes. */
  readonly commandMs: number
  /** Milliseconds that a commit takes. */
  readonly commitMs: number
  /** Milliseconds that `rollback clean-config` takes. */
  readonly cleanMs: number
  /** Milliseconds from `reload` (or power on) to the first answer. */
  readonly bootMs: number
  readonly dropDefaults: boolean
  readonly strictWords: boolean
  /** Refuses interfaces that the model does not have. */
  readonly checkInterfaces: boolean
  readonly lldpName: "fqdn" | "short"
  readonly authentication: "keyboard-interactive" | "password"
  readonly sftp: boolean
  /** Supervisor shown in prompts, such as `s1`. */
  readonly supervisor: string | undefined
  /** Logins that are always valid, whatever the configuration says. */
  readonly users: Readonly<Record<string, string>>
  /** Clear texts behind hashed secrets of the configuration, by the hash or by the user. */
  readonly passwords: Readonly<Record<string, string>>
  /** Bash output stands between bracketed-paste codes; undefined: as the EOS version does (since 4.32). */
  readonly bracketedPaste: boolean | undefined
  /** How it differs from most switches of its platform. */
  readonly quirks: Required<Quirks>
  readonly junos: Required<JunosQuirks>
  /** Milliseconds of a minute of a timer that counts in minutes. */
  readonly minuteMs: number
}

/** One side of an SSH channel. */
export interface Channel {
  readonly user: string
  readonly channel: ServerChannel
  readonly connection: Connection
}

/** A session of somebody as the lab's handle shows it. */
export interface SessionView {
  readonly name: string
  readonly state: string
  readonly user: string
}

/** The network operating system of a switch: how it reads its configuration, and how it answers those who log in. */
export interface Software {
  readonly platform: string
  /** What a switch reads in a printed configuration. */
  readonly read: (text: string) => ConfigFacts
  /** The interfaces that a printed configuration has. */
  readonly ports: (text: string) => ReadonlyArray<InterfaceFacts>
  /** Names of interfaces: as a topology writes a port, of a bundle, of the routed interface of a VLAN. */
  readonly portName: (name: string) => string
  readonly bundle: (group: number) => string
  readonly vlanPort: (text: string, vlan: number) => string
  readonly isManagement: (port: string) => boolean
  /** A configuration as the switch prints it. */
  readonly print: (text: string, behaviour: Behaviour) => string
  /** Statements added to a printed configuration. */
  readonly merged: (running: string, text: string) => string
  /** An operator's change at the console: a printed configuration runs from now on. */
  readonly configure: (device: Switch, printed: string) => void
  /** Another box stands in its place: what was kept beside the configuration is gone. */
  readonly swapped: (device: Switch) => void
  /** Texts as somebody at the switch reads them. */
  readonly showRunning: (device: Switch) => string
  readonly showStartup: (device: Switch) => string | undefined
  readonly systemDescription: (device: Switch) => string
  readonly imageOf: (version: string) => string
  readonly versionOf: (image: string) => string | undefined
  readonly isHashOf: (shown: string, password: string) => boolean
  /** Called when the switch goes down, and when it is up. */
  readonly wentDown: (device: Switch) => void
  readonly cameUp: (device: Switch) => void
  readonly sessions: (device: Switch) => ReadonlyArray<SessionView>
  readonly timer: (device: Switch) => { readonly session: string; readonly remainingMs: number } | undefined
  /** A session of another operator; with seconds it is committed with a running timer. Error text or undefined. */
  readonly foreign: (device: Switch, name: string, timerSeconds: number | undefined) => string | undefined
  /** Another operator types lines at the console, whatever faults there are; undefined: the lab has no such console. */
  readonly atConsole?: (device: Switch, lines: ReadonlyArray<string>) => Promise<string>
  readonly shell: (device: Switch, channel: Channel, width: number) => void
  readonly exec: (device: Switch, channel: Channel, line: string) => void
  /** Serves a subsystem; false: there is none of this name. */
  readonly subsystem: (device: Switch, name: string, accept: () => Channel) => boolean
}

/** A live connection to a switch. */
export interface Connection {
  /** Address that it was made to. */
  readonly address: string
  /** Never answers again, and never resets, as after a move of the address. */
  readonly silence: () => void
  /** Closes it at once. */
  readonly drop: () => void
}

/** The surroundings of a switch. */
export interface World {
  /** The running configuration or the power changed: addresses and neighbours follow. */
  readonly changed: (device: Switch) => void
  /** LLDP neighbours: local port → neighbour. */
  readonly neighbours: (device: Switch) => ReadonlyArray<Neighbour>
  /** Machines that the switch has learnt. */
  readonly stations: (device: Switch) => ReadonlyArray<Station>
  /** True when the link on a port is up. */
  readonly linkUp: (device: Switch, port: string) => boolean
  /** All switches of the lab. */
  readonly switches: () => ReadonlyArray<Switch>
  /** The links to other switches that are up. */
  readonly cables: (device: Switch) => ReadonlyArray<Cable>
  /** Brings the switch down and up again with its startup configuration. */
  readonly reload: (device: Switch) => void
}

/** A link that is up, seen from one of its switches. */
export interface Cable {
  readonly port: string
  readonly far: Switch
  readonly farPort: string
}

/** A machine as a switch has learnt it. */
export interface Station {
  readonly mac: string
  readonly vlan: number
  readonly port: string
  /** Where the switch routes its VLAN. */
  readonly ip: string | undefined
}

export interface Neighbour {
  readonly port: string
  readonly systemName: string
  /** Long port name of the other end. */
  readonly neighbourPort: string
  readonly chassisId: string
  readonly description: string
  readonly ttl: number
}

export interface Switch {
  readonly name: string
  readonly software: Software
  readonly behaviour: Behaviour
  readonly world: World
  hardware: Hardware
  hostKey: HostKey
  power: "off" | "booting" | "on"
  version: string
  /** Image that the next boot uses, a file name in flash. */
  bootImage: string
  /** Milliseconds since 1970. */
  bootedAt: number
  /** When its running configuration changed last, in milliseconds since 1970. */
  changedAt: number
  /** Printed running configuration without header lines. */
  running: string
  facts: ConfigFacts
  startup: string | undefined
  readonly sessions: Map<string, ConfigSession>
  timer: CommitTimer | undefined
  readonly flash: Flash.Flash
  readonly certificates: Map<string, Buffer>
  readonly keys: Map<string, Buffer>
  readonly faults: Faults
  readonly history: History
  /** IPv4 address that DHCP gave. */
  lease: string | undefined
  /** LLDP entries put there by hand, per local port; null hides a port. */
  readonly lldpOverrides: Map<string, Neighbour | null>
  readonly connections: Set<Connection>
  /** Connections that will never be answered again and have not been closed by the client. */
  readonly silenced: Set<Connection>
  /** Connections that were closed early since the last one that was served. */
  turnedAway: number
  /** Number of the terminal that was opened last. */
  terminal: number
  readonly linkFlappedAt: Map<string, number>
  /** Packets with errors, by port. */
  readonly portErrors: Map<string, number>
}

/** Default size of a flash in bytes. */
const FLASH_BYTES = 3_440_508_928
const IMAGE_BYTES = 890_123_456

/** A switch that is switched off. */
export const make = (options: {
  readonly name: string
  readonly software: Software
  readonly hardware: Hardware
  readonly hostKey: HostKey
  readonly version: string
  readonly behaviour: Behaviour
  readonly world: World
  readonly startup: string | undefined
  readonly flashBytes: number | undefined
  readonly historyLimit: number
}): Switch => {
  const bootImage = options.software.imageOf(options.version)
  const flash = Flash.make(options.flashBytes ?? FLASH_BYTES)
  Flash.write(flash, bootImage, {
    size: Math.min(IMAGE_BYTES, Math.floor(flash.size / 2)),
    content: undefined,
    digests: undefined
  })
  const { name, software, hardware, hostKey, version, behaviour, world } = options
  return {
    name,
    software,
    hardware,
    hostKey,
    version,
    behaviour,
    world,
    bootImage,
    flash,
    power: "off",
    bootedAt: Date.now(),
    changedAt: Date.now(),
    running: "",
    facts: software.read(""),
    startup: options.startup === undefined ? undefined : software.print(options.startup, behaviour),
    sessions: new Map(),
    timer: undefined,
    certificates: new Map(),
    keys: new Map(),
    faults: [],
    history: makeHistory(options.historyLimit),
    lease: undefined,
    lldpOverrides: new Map(),
    connections: new Set(),
    silenced: new Set(),
    turnedAway: 0,
    terminal: 0,
    linkFlappedAt: new Map(),
    portErrors: new Map()
  }
}

/** Makes a printed configuration the running one. */
export const setRunning = (device: Switch, printed: string): void => {
  if (device.running === printed) return
  device.running = printed
  device.changedAt = Date.now()
  device.facts = device.software.read(printed)
  device.world.changed(device)
}

/** Seconds since boot. */
export const uptime = (device: Switch): number => Math.round((Date.now() - device.bootedAt) / 10) / 100

/** Takes the switch down: connections end, sessions and timers are lost. */
export const down = (device: Switch, power: "off" | "booting"): void => {
  device.power = power
  for (const connection of device.connections) connection.drop()
  device.software.wentDown(device)
  device.world.changed(device)
}

/** Brings the switch up with its startup configuration and the version of its boot image. */
export const up = (device: Switch): void => {
  device.power = "on"
  device.bootedAt = Date.now()
  device.version = device.software.versionOf(device.bootImage) ?? device.version
  device.running = device.startup ?? ""
  device.facts = device.software.read(device.running)
  device.world.changed(device)
  device.software.cameUp(device)
}
