/** What EOS answers with `| json`, as schemas, and how it becomes the normalised records of contract device-cli §3.4, §8.3. */
import { Option, Schema } from "effect"
import type { ConfigSession, ConfigSessions } from "../Driver.ts"
import type { Facts, InterfaceState, LldpNeighbour } from "../Readings.ts"
import { compareNames, isSubinterface, longName } from "../../domain/platforms/InterfaceNames.ts"

export const ShowVersion = Schema.Struct({
  modelName: Schema.String,
  serialNumber: Schema.String,
  version: Schema.String,
  internalVersion: Schema.optionalKey(Schema.String),
  bootupTimestamp: Schema.optionalKey(Schema.Finite),
  uptime: Schema.optionalKey(Schema.Finite)
})
export type ShowVersion = typeof ShowVersion.Type

export const ShowHostname = Schema.Struct({ hostname: Schema.String, fqdn: Schema.String })

const Interface = Schema.Struct({
  description: Schema.optionalKey(Schema.String),
  interfaceStatus: Schema.optionalKey(Schema.String),
  lineProtocolStatus: Schema.optionalKey(Schema.String),
  bandwidth: Schema.optionalKey(Schema.Finite),
  mtu: Schema.optionalKey(Schema.Finite),
  physicalAddress: Schema.optionalKey(Schema.String),
  lastStatusChangeTimestamp: Schema.optionalKey(Schema.Finite)
})

export const ShowInterfaces = Schema.Struct({ interfaces: Schema.Record(Schema.String, Interface) })
export type ShowInterfaces = typeof ShowInterfaces.Type

export const ShowLldp = Schema.Struct({
  lldpNeighbors: Schema.Array(
    Schema.Struct({ port: Schema.String, neighborDevice: Schema.String, neighborPort: Schema.String })
  )
})
export type ShowLldp = typeof ShowLldp.Type

const Session = Schema.Struct({
  state: Schema.String,
  commitUser: Schema.optionalKey(Schema.String)
})

export const ShowSessions = Schema.Struct({
  sessions: Schema.Record(Schema.String, Session),
  commitTimerSessionName: Schema.optionalKey(Schema.String)
})
export type ShowSessions = typeof ShowSessions.Type

/** Seconds since the start; `now` in epoch seconds, for releases that give the boot time only. */
export const uptimeOf = (version: ShowVersion, now: number): number =>
  version.uptime ?? (version.bootupTimestamp === undefined ? 0 : now - version.bootupTimestamp)

/** §8.3. `now` in epoch seconds. */
export const factsOf = (
  version: ShowVersion,
  name: typeof ShowHostname.Type,
  interfaces: ShowInterfaces,
  now: number
): Facts => ({
  hostname: name.hostname,
  fqdn: name.fqdn,
  vendor: "Arista",
  model: version.modelName,
  serial_number: version.serialNumber,
  os_version: version.internalVersion ?? version.version,
  uptime: uptimeOf(version, now),
  interface_list: Object.keys(interfaces.interfaces)
    .filter((interfaceName) => !isSubinterface(interfaceName))
    .toSorted(compareNames)
})

const megabit = 1_000_000

const interfaceState = (found: typeof Interface.Type): InterfaceState => {
  const isUp = found.lineProtocolStatus === "up"
  return {
    is_up: isUp,
    is_enabled: isUp || found.interfaceStatus !== "disabled",
    description: found.description ?? "",
    last_flapped: found.lastStatusChangeTimestamp ?? -1,
    mtu: found.mtu ?? 0,
    speed: (found.bandwidth ?? 0) / megabit,
    mac_address: (found.physicalAddress ?? "").toUpperCase()
  }
}

/** Interfaces in natural order, subinterfaces left out. */
export const interfacesOf = (answer: ShowInterfaces): Readonly<Record<string, InterfaceState>> =>
  Object.fromEntries(
    Object.entries(answer.interfaces)
      .filter(([name]) => !isSubinterface(name))
      .toSorted(([a], [b]) => compareNames(a, b))
      .map(([name, found]) => [name, interfaceState(found)])
  )

/** Neighbours by long local port name, in natural order; a port may hear several. */
export const neighboursOf = (answer: ShowLldp): Readonly<Record<string, ReadonlyArray<LldpNeighbour>>> => {
  const ports = new Map<string, Array<LldpNeighbour>>()
  for (const { port, neighborDevice, neighborPort } of answer.lldpNeighbors) {
    const local = longName("eos", port)
    const heard = ports.get(local) ?? []
    heard.push({ hostname: neighborDevice, port: longName("eos", neighborPort.replaceAll('"', "")) })
    ports.set(local, heard)
  }
  return Object.fromEntries([...ports].toSorted(([a], [b]) => compareNames(a, b)))
}

/** The session whose commit timer runs, if any. Up to 4.31 its state says so, later the top level. */
const timerOf = (answer: ShowSessions): string | undefined =>
  answer.commitTimerSessionName ??
  Object.entries(answer.sessions).find(([, { state }]) => state === "pendingCommitTimer")?.[0]

const sessionOf = (name: string, state: string, user: string, timed: boolean): ConfigSession => ({
  name,
  state: timed ? "timed" : state === "pending" ? "open" : "done",
  user
})

/** Both output shapes of `show configuration sessions detail`. */
export const sessionsOf = (answer: ShowSessions): ConfigSessions => {
  const timed = timerOf(answer)
  return {
    sessions: Object.entries(answer.sessions).map(([name, { state, commitUser }]) =>
      sessionOf(name, state, commitUser ?? "", name === timed)
    ),
    pending: Option.map(Option.fromUndefinedOr(timed), (name) => ({ name }))
  }
}
