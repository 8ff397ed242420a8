/**
 * What a discovered switch and the database say about its place in the network: its neighbours by LLDP, the links that follow,
 * and the devices at their far ends. The same survey serves device_initcheck and step 1 of the initialisation
 * (docs/provisioning.md).
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { type Facts, portsIn } from "../../domain/DeviceReadings.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device, DeviceType } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { type ConfiguredPorts, configuredPorts, type PeerPortOwner } from "../../provisioning/ConfiguredPorts.ts"
import {
  findLinks,
  joinLinks,
  linkError,
  type LinkFindings,
  type LinkPlan,
  type LinkProblem,
  type LldpTable,
  portlessPeers,
  type ReportedLink,
  seenPeers,
  storedLinks,
  storedNames
} from "../../provisioning/Links.ts"
import { ActiveSettings, type SettingsError } from "../../settings/ActiveSettings.ts"
import type { Settings } from "../../settings/SettingsModel.ts"
import { DeviceStore, HeardStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { longName } from "../../domain/platforms/Platforms.ts"
import { LinknetStore } from "../../store/NetworkStore.ts"

/** The switch cannot be asked or its neighbours cannot be read; `reason` says what failed, for people. */
export class SurveyImpossible extends Schema.TaggedError<SurveyImpossible>()("SurveyImpossible", {
  message: Schema.String,
  reason: Schema.String
}) {}

/** That a switch cannot be asked, as the end of a job. */
export const surveyFailure = (error: SurveyImpossible): JobFailure =>
  new JobFailure({ type: "ConnectionCheckError", message: error.message })

/** What the links of a switch are or will be. */
export interface LinkSurveyed {
  readonly plan: LinkPlan
  /** Links that are plugged in now and links that were stored before, without repeats. */
  readonly links: ReadonlyArray<ReportedLink>
  /** Devices at the far ends, by hostname. */
  readonly neighbours: ReadonlyMap<string, Device>
}

/** The same, with everything that speaks against links; `plan` and `links` are then without those that it speaks against. */
export interface LinkFindingsSurveyed extends LinkSurveyed, Pick<LinkFindings, "problems" | "refused"> {}

/** What the switch is to become. */
export interface Target {
  readonly hostname: string
  readonly device_type: DeviceType
  readonly mlagPeerId: number | null
}

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const linknets = yield* LinknetStore
  const heard = yield* HeardStore
  const settings = yield* ActiveSettings
  const actorOf = yield* DeviceEntity.client

  const asDiscovered = { login: { state: "DISCOVERED" } } as const

  const facts = Effect.fn("InitSurvey.facts")((device: Device) =>
    patiently(actorOf(String(device.id)).ReadFacts(asDiscovered)).pipe(
      Effect.mapError(
        (error) =>
          new SurveyImpossible({ message: `Failed to connect to device_id ${device.id}`, reason: reasonOf(error) })
      )
    )
  )

  const ports = Effect.fn("InitSurvey.ports")(function* (device: Device) {
    const message = `Could not get the interfaces of device_id ${device.id}`
    return yield* Result.match(portsIn(yield* facts(device)), {
      onFailure: (missing) =>
        Effect.fail(new SurveyImpossible({ message: `${message}: ${missing}`, reason: "its facts are incomplete" })),
      onSuccess: Effect.succeed
    })
  })

  const neighboursOf = Effect.fnUntraced(function* (device: Device) {
    const ports = yield* patiently(actorOf(String(device.id)).ReadNeighbours(asDiscovered)).pipe(
      Effect.mapError(
        (error) =>
          new SurveyImpossible({
            message: `Could not get LLDP neighbors for ${device.hostname}`,
            reason: reasonOf(error)
          })
      )
    )
    yield* heard.keep(device.id, ports)
    return ports
  })

  const portsOf = Effect.fnUntraced(function* (device: Device) {
    const { settings: effective } = yield* settings.ofDevice(device)
    const ports: ConfiguredPorts = configuredPorts(effective.interfaces)
    return { ports, underlay: effective.underlay ?? null }
  })

  const peersOf = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
    const rows = yield* devices.byIds(ids)
    const stored = yield* interfaces.ofDevices(ids)
    const peers = new Map<number, PeerPortOwner>()
    for (const peer of rows) {
      const { ports } = peer.device_type === "UNKNOWN" ? { ports: new Map() } : yield* portsOf(peer)
      const { device_type, hostname, id } = peer
      peers.set(id, { hostname, device_type, ports, interfaces: stored.filter((row) => row.device_id === id) })
    }
    return peers
  })

  const underlay = Effect.fn("InitSurvey.underlay")(function* (device: Device, target: Target) {
    return (yield* portsOf({ ...device, hostname: target.hostname, device_type: target.device_type })).underlay
  })

  const find = Effect.fn("InitSurvey.find")(function* (device: Device, target: Target, lldp: LldpTable) {
    const names = Object.values(lldp).flatMap(([first]) => (first === undefined ? [] : storedNames(first.hostname)))
    const known = yield* devices.byHostnames(names)
    const byName = new Map(known.map((row) => [row.hostname, row]))
    const every = seenPeers(lldp, byName, target.mlagPeerId, longName)
    const peers = yield* peersOf(every.map(({ peer }) => peer.id))
    const seen = every.filter(({ peer, peerPort }) => !isBelow(peers.get(peer.id), peerPort, target.hostname))
    const own = yield* portsOf({ ...device, hostname: target.hostname, device_type: target.device_type })
    const stored = yield* linknets.all
    const { device_type } = target
    const {
      plan: planned,
      problems,
      refused
    } = findLinks({
      device: { id: device.id, hostname: device.hostname, device_type, ports: own.ports },
      seen,
      peers,
      stored,
      occupied: yield* linknets.occupied,
      infraLinkNet: own.underlay?.infra_link_net ?? null
    })
    const mine = stored.filter(
      (link) =>
        [link.device_a_id, link.device_b_id].includes(device.id) &&
        !planned.remove.includes(link) &&
        !refused.some(({ id }) => id === link.id)
    )
    const far = yield* devices.byIds([...mine, ...planned.add].flatMap((link) => [link.device_a_id, link.device_b_id]))
    const hostnames = new Map(far.map((row) => [row.id, row.hostname]))
    const found: LinkFindingsSurveyed = {
      plan: planned,
      problems: [...portlessPeers(lldp, byName, target.mlagPeerId), ...problems],
      refused,
      links: joinLinks(planned.links, storedLinks(mine, hostnames)),
      neighbours: new Map([...known, ...far].map((row) => [row.hostname, row]))
    }
    return found
  })

  const plan = Effect.fn("InitSurvey.plan")(function* (device: Device, target: Target, lldp: LldpTable) {
    const { problems, refused: _refused, ...found } = yield* find(device, target, lldp)
    const surveyed: LinkSurveyed = found
    return yield* Effect.fromResult(linkError(surveyed, problems))
  })

  return InitSurvey.of({ facts, ports, heard: neighboursOf, find, plan, underlay })
})

/** A port that leads down to a switch which was initialised below the one that is to be replaced. */
const isBelow = (peer: PeerPortOwner | undefined, port: string, hostname: string): boolean =>
  peer?.device_type === "ACCESS" &&
  peer.interfaces.some(
    ({ configtype, data, name }) => name === port && configtype === "ACCESS_UPLINK" && data?.["neighbor"] === hostname
  )

const reasonOf = (error: { readonly _tag: string; readonly message: string }): string =>
  `${error._tag}: ${error.message}`

type FindError = SettingsError | SqlError.SqlError

/** Surveys switches that are about to be initialised. Reads only. */
export class InitSurvey extends Context.Service<
  InitSurvey,
  {
    /** Logs in with the credentials of DISCOVERED and reads what the switch is. */
    readonly facts: (device: Device) => Effect.Effect<Facts, SurveyImpossible>
    /** The same for its interfaces: one that does not say which it has has no place. */
    readonly ports: (device: Device) => Effect.Effect<ReadonlyArray<string>, SurveyImpossible>
    /** What the switch hears on its ports. */
    readonly heard: (device: Device) => Effect.Effect<LldpTable, SurveyImpossible>
    /** The links that follow from what was heard, with what speaks against them; asks the database only. */
    readonly find: (device: Device, target: Target, heard: LldpTable) => Effect.Effect<LinkFindingsSurveyed, FindError>
    /** `find`, but what speaks against links is an error. */
    readonly plan: (
      device: Device,
      target: Target,
      heard: LldpTable
    ) => Effect.Effect<LinkSurveyed, FindError | LinkProblem>
    /** Settings `underlay` of the switch as the target; null when there are none. */
    readonly underlay: (device: Device, target: Target) => Effect.Effect<Settings["underlay"] | null, SettingsError>
  }
>()("switchyard/jobs/InitSurvey") {
  static readonly layer = Layer.effect(InitSurvey, make)
}
