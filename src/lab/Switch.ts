/**
 * The state and the history of one simulated switch, and the few operations that change all of it: a new running configuration,
 * going down, coming up. Everything else (sessions, files, commands) works on this record.
 */
import type { ParsedKey } from "ssh2"
import * as ConfigFacts from "./eos/ConfigFacts.ts"
import type { CommitTimer, ConfigSession } from "./eos/ConfigSessions.ts"
import * as Flash from "./Flash.ts"
import type { Faults } from "./Faults.ts"
import { type Hardware, imageOf, versionOf } from "./eos/Hardware.ts"
import type { Quirks } from "./eos/Quirks.ts"
import * as Loader from "./eos/ConfigLoader.ts"
import { render } from "./eos/ConfigTree.ts"

// The history, newest last, bounded: logins, commands, and everything that changed the configuration.

/** How a configuration came to run, or stopped running. */
export type CommitKind = "commit" | "commitTimer" | "confirm" | "abort" | "expired" | "direct" | "reload" | "ztp"

export interface CommitRecord {
  /** Session name; empty for changes without a session. */
  readonly session: string
  readonly kind: CommitKind
  /** Milliseconds since 1970. */
  readonly at: number
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
  /** How it differs from most switches. */
  readonly quirks: Required<Quirks>
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
  /** Brings the switch down and up again with its startup configuration. */
  readonly reload: (device: Switch) => void
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
  /** Printed running configuration without header lines. */
  running: string
  facts: ConfigFacts.ConfigFacts
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
}

/** Default size of a flash in bytes. */
const FLASH_BYTES = 3_440_508_928
const IMAGE_BYTES = 890_123_456

/** A switch that is switched off. */
export const make = (options: {
  readonly name: string
  readonly hardware: Hardware
  readonly hostKey: HostKey
  readonly version: string
  readonly behaviour: Behaviour
  readonly world: World
  readonly startup: string | undefined
  readonly flashBytes: number | undefined
  readonly historyLimit: number
}): Switch => {
  const bootImage = imageOf(options.version)
  const flash = Flash.make(options.flashBytes ?? FLASH_BYTES)
  Flash.write(flash, bootImage, {
    size: Math.min(IMAGE_BYTES, Math.floor(flash.size / 2)),
    content: undefined,
    digests: undefined
  })
  const { name, hardware, hostKey, version, behaviour, world } = options
  return {
    name,
    hardware,
    hostKey,
    version,
    behaviour,
    world,
    bootImage,
    flash,
    power: "off",
    bootedAt: Date.now(),
    running: "",
    facts: ConfigFacts.read(""),
    startup: options.startup === undefined ? undefined : print(options.startup, behaviour),
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
    linkFlappedAt: new Map()
  }
}

const print = (text: string, { quirks }: Behaviour) =>
  render(Loader.parse(quirks.saltsSecrets ? ConfigFacts.saltedText(text) : text))

/** Makes a printed configuration the running one. */
export const setRunning = (device: Switch, printed: string): void => {
  if (device.running === printed) return
  device.running = printed
  device.facts = ConfigFacts.read(printed)
  device.world.changed(device)
}

/** Seconds since boot. */
export const uptime = (device: Switch): number => Math.round((Date.now() - device.bootedAt) / 10) / 100

/** Takes the switch down: connections end, sessions and timers are lost. */
export const down = (device: Switch, power: "off" | "booting"): void => {
  device.power = power
  for (const connection of device.connections) connection.drop()
  device.sessions.clear()
  if (device.timer !== undefined) clearTimeout(device.timer.handle)
  device.timer = undefined
  device.world.changed(device)
}

/** Brings the switch up with its startup configuration and the version of its boot image. */
export const up = (device: Switch): void => {
  device.power = "on"
  device.bootedAt = Date.now()
  device.version = versionOf(device.bootImage) ?? device.version
  device.running = device.startup ?? ""
  device.facts = ConfigFacts.read(device.running)
  device.world.changed(device)
}
