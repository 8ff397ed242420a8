/**
 * What a discovered switch and the database say about its place in the network: its neighbours by LLDP, the links that
 * follow, and the devices at their far ends. The same survey serves device_initcheck and step 1 of the initialisation
 * (contract engine.md §5.6–5.9, §5.17).
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceEntity, type Facts } from "../devices/DeviceCalls.ts"
import { longName } from "../devices/InterfaceNames.ts"
import type { Device, DeviceType } from "../domain/Device.ts"
import { type ConfiguredPorts, configuredPorts, type PeerPortOwner } from "../provisioning/ConfiguredPorts.ts"
import {
  joinLinks,
  type LinkPlan,
  planLinks,
  type ReportedLink,
  seenPeers,
  storedLinks,
  storedNames
} from "../provisioning/Links.ts"
import type { InterfaceError, InvalidNetwork, NoFreeAddress } from "../provisioning/ProvisioningErrors.ts"
import { ActiveSettings, type SettingsError } from "../settings/ActiveSettings.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { LinknetStore } from "../store/LinknetStore.ts"

/** The switch cannot be asked or its neighbours cannot be read; `reason` says what failed, for people. */
export class SurveyImpossible extends Schema.TaggedError<SurveyImpossible>()("SurveyImpossible", {
  message: Schema.String,
  reason: Schema.String
}) {}

/** What the links of a switch are or will be. */
export interface LinkSurveyed {
  readonly plan: LinkPlan
  /** Links that are plugged in now and links that were stored before, without repeats. */
  readonly links: ReadonlyArray<ReportedLink>
  /** Devices at the far ends, by hostname. */
  readonly neighbours: ReadonlyMap<string, Device>
}

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
  const settings = yield* ActiveSettings
  const actorOf = yield* DeviceEntity.client

  const asDiscovered = { login: { state: "DISCOVERED" } } as const

  const facts = Effect.fn("InitSurvey.facts")((device: Device) =>
    actorOf(String(device.id))
      .ReadFacts(asDiscovered)
      .pipe(
        Effect.mapError(
          (error) =>
            new SurveyImpossible({ message: `Failed to connect to device_id ${device.id}`, reason: reasonOf(error) })
        )
      )
  )

  const neighboursOf = Effect.fnUntraced(function* (device: Device) {
    return yield* actorOf(String(device.id))
      .ReadNeighbours(asDiscovered)
      .pipe(
        Effect.mapError(
          (error) =>
            new SurveyImpossible({
              message: `Could not get LLDP neighbors for ${device.hostname}`,
              reason: reasonOf(error)
            })
        )
      )
  })

  const portsOf = Effect.fnUntraced(function* (device: Device) {
    const { settings: effective } = yield* settings.ofDevice(device)
    const ports: ConfiguredPorts = configuredPorts(effective.interfaces)
    return { ports, infraLinkNet: effective.underlay?.infra_link_net ?? null }
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

  const links = Effect.fn("InitSurvey.links")(function* (device: Device, target: Target) {
    const lldp = yield* neighboursOf(device)
    const names = Object.values(lldp).flatMap(([first]) => (first === undefined ? [] : storedNames(first.hostname)))
    const heard = yield* devices.byHostnames(names)
    const byName = new Map(heard.map((row) => [row.hostname, row]))
    const seen = seenPeers(lldp, byName, target.mlagPeerId, longName)
    const own = yield* portsOf({ ...device, hostname: target.hostname, device_type: target.device_type })
    const stored = yield* linknets.all
    const { device_type } = target
    const plan = yield* Effect.fromResult(
      planLinks({
        device: { id: device.id, hostname: device.hostname, device_type, ports: own.ports },
        seen,
        peers: yield* peersOf(seen.map(({ peer }) => peer.id)),
        stored,
        infraLinkNet: own.infraLinkNet
      })
    )
    const mine = stored.filter(
      (link) => [link.device_a_id, link.device_b_id].includes(device.id) && !plan.remove.includes(link)
    )
    const far = yield* devices.byIds([...mine, ...plan.add].flatMap((link) => [link.device_a_id, link.device_b_id]))
    const hostnames = new Map(far.map((row) => [row.id, row.hostname]))
    return {
      plan,
      links: joinLinks(plan.links, storedLinks(mine, hostnames)),
      neighbours: new Map([...heard, ...far].map((row) => [row.hostname, row]))
    }
  })

  return InitSurvey.of({ facts, links })
})

const reasonOf = (error: { readonly _tag: string; readonly message: string }): string =>
  `${error._tag}: ${error.message}`

type LinkError = SurveyImpossible | SettingsError | InterfaceError | NoFreeAddress | InvalidNetwork | SqlError.SqlError

/** Surveys switches that are about to be initialised. Reads only. */
export class InitSurvey extends Context.Service<
  InitSurvey,
  {
    /** Logs in with the credentials of DISCOVERED and reads what the switch is. */
    readonly facts: (device: Device) => Effect.Effect<Facts, SurveyImpossible>
    /** The links that the switch has and would get as the target. */
    readonly links: (device: Device, target: Target) => Effect.Effect<LinkSurveyed, LinkError>
  }
>()("switchyard/jobs/InitSurvey") {
  static readonly layer = Layer.effect(InitSurvey, make)
}
