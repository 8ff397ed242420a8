/**
 * Where an access switch, or both switches of an MLAG pair, are plugged in: what they hear, the links and ports that follow,
 * and the management domain above them (docs/provisioning.md). Asks the switches and reads the database; writes nothing.
 * device_initcheck and step 1 of the initialisation use the same survey.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { Interface } from "../../domain/Interface.ts"
import { type AccessPlacement, placeAccessSwitch } from "../../provisioning/AccessPlacement.ts"
import { cabledPorts, checkMlagRows, physicalInterfaces, planInterfaces } from "../../provisioning/InterfaceDatabase.ts"
import { joinLinks, linkError, type LldpTable } from "../../provisioning/Links.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { MgmtDomainStore } from "../../store/NetworkStore.ts"
import { InitSurvey, type LinkFindingsSurveyed, type LinkSurveyed } from "./InitSurvey.ts"

/** A switch of the pair (or the only one), the name it is to get, and what it told about itself. */
export interface Member {
  readonly device: Device
  readonly newHostname: string
  readonly ports: ReadonlyArray<string>
  readonly heard: LldpTable
}

/** What is to be done with the ports of one device. */
export interface PortPlan {
  readonly deviceId: number
  readonly write: ReadonlyArray<Interface>
  readonly remove: ReadonlyArray<string>
}

const peerOf = (members: ReadonlyArray<Member>, member: Member) =>
  members.find(({ device }) => device.id !== member.device.id)?.device ?? null

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const interfaces = yield* InterfaceStore
  const domains = yield* MgmtDomainStore
  const survey = yield* InitSurvey

  /** Logs in to the switch and reads its ports and neighbours. */
  const ask = Effect.fn("AccessPlace.ask")(function* (device: Device, newHostname: string) {
    const ports = yield* survey.ports(device)
    const member: Member = { device, newHostname, ports, heard: yield* survey.heard(device) }
    return member
  })

  /** What there is to choose a management domain from. */
  const choice = Effect.gen(function* () {
    const cores = yield* sql<{ id: number }>`select id from device where device_type = 'CORE'`
    return { domains: yield* domains.all, coreDevices: new Set(cores.map(({ id }) => id)) }
  })

  /** The links of one member. */
  const linksOf = (members: ReadonlyArray<Member>, member: Member) =>
    survey.find(
      member.device,
      {
        hostname: member.newHostname,
        device_type: "ACCESS",
        mlagPeerId: peerOf(members, member)?.id ?? null
      },
      member.heard
    )

  /** The links of all members together, and everything that speaks against links. */
  const find = Effect.fn("AccessPlace.find")(function* (members: ReadonlyArray<Member>) {
    const each = yield* Effect.forEach(members, (member) => linksOf(members, member))
    const links = joinLinks(...each.map((one) => one.links))
    const found: LinkFindingsSurveyed = {
      plan: { links, add: each.flatMap(({ plan }) => plan.add), remove: each.flatMap(({ plan }) => plan.remove) },
      links,
      neighbours: new Map(each.flatMap(({ neighbours }) => [...neighbours])),
      refused: joinLinks(...each.map((one) => one.refused)),
      problems: each.flatMap(({ problems }) => problems)
    }
    return found
  })

  /** `find`, but what speaks against links is an error. */
  const links = Effect.fn("AccessPlace.links")(function* (members: ReadonlyArray<Member>) {
    const { problems, ...found } = yield* find(members)
    return yield* Effect.fromResult(linkError(found, problems))
  })

  /** The neighbours are as they must be, and the management domain above them. */
  const place = Effect.fn("AccessPlace.place")(function* (
    members: readonly [Member, ...ReadonlyArray<Member>],
    found: Pick<LinkSurveyed, "links" | "neighbours">
  ) {
    const [{ device }, other] = members
    const placed: Result.Result<AccessPlacement, { readonly _tag: string; readonly message: string }> =
      placeAccessSwitch(
        { device, links: found.links, devices: found.neighbours, neighbors: null, mlagPeer: other?.device ?? null },
        yield* choice
      )
    return yield* Effect.fromResult(placed)
  })

  /** What the cables make of the ports of one member. `stored` are its rows now. */
  const ports = Effect.fn("AccessPlace.ports")(function* (
    members: ReadonlyArray<Member>,
    member: Member,
    found: Pick<LinkSurveyed, "links" | "neighbours">
  ) {
    const { device } = member
    const names = yield* Effect.fromResult(physicalInterfaces(device.platform ?? "", device.hostname, member.ports))
    const stored = yield* interfaces.ofDevice(device.id)
    const far = new Map([...found.neighbours.values()].map((row) => [row.id, row]))
    const peer = peerOf(members, member)
    const cabled = cabledPorts(device.id, found.links, far, peer?.id ?? null)
    const plan = planInterfaces({ deviceId: device.id, ports: names, stored, cabled, replace: true })
    if (peer !== null) {
      const kept = stored.filter(({ name }) => plan.missing.includes(name))
      yield* Effect.fromResult(checkMlagRows(device.hostname, [...plan.write, ...kept], peer.id))
    }
    const done: PortPlan = { deviceId: device.id, write: plan.write, remove: plan.remove }
    return done
  })

  return { ask, choice, find, links, place, ports }
})

/** Places of access switches, and what follows for their links and ports. */
export class AccessPlace extends Context.Service<AccessPlace>()("switchyard/jobs/AccessPlace", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
