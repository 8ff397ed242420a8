/**
 * What device_initcheck finds about a switch (or both of a pair) that has been asked: links, ports, neighbours, management
 * domain, addresses and names, each with everything that speaks against it (docs/provisioning.md). Reads only; the rules are
 * those of step 1.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import { type Device, type DeviceType, isFabricType } from "../../domain/Device.ts"
import { isSameHostname } from "../../domain/Network.ts"
import { findAccessPlace } from "../../provisioning/AccessPlacement.ts"
import type { InitArguments } from "../../provisioning/InitArguments.ts"
import type { ReplacementLost } from "../../provisioning/InitCheck.ts"
import { fabricNeighbours, neighbourStates } from "../../provisioning/NeighbourChecks.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { AccessPlace, type Member } from "./AccessPlace.ts"
import { InitCheckAddresses, targetOf } from "./InitCheckAddresses.ts"
import { InitReplacement } from "./InitReplacement.ts"
import { InitSurvey, type LinkFindingsSurveyed } from "./InitSurvey.ts"
import { NeighbourSync } from "./NeighbourSync.ts"

/** The switch, and the other one of a pair. */
export type Members = readonly [Member, ...ReadonlyArray<Member>]

interface Reason {
  readonly message: string
}

/** Links and ports. */
export interface LinksFound extends Omit<LinkFindingsSurveyed, "problems"> {
  readonly problems: ReadonlyArray<Reason>
  /** Problems of ports that have to do with the other switch of a pair. */
  readonly pairProblems: ReadonlyArray<Reason>
  readonly lost: ReplacementLost | null
}

type FabricType = Extract<DeviceType, "CORE" | "DIST">

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const survey = yield* InitSurvey
  const addresses = yield* InitCheckAddresses
  const neighbourSync = yield* NeighbourSync
  const place = yield* AccessPlace
  const replacement = yield* InitReplacement

  /** The ports of an access switch: what step 1 would write, without writing it. */
  const portsOf = Effect.fnUntraced(function* (members: Members, found: LinkFindingsSurveyed, old: Device | null) {
    if (old !== null) {
      const { lost } = yield* replacement.rows(old, members[0], found)
      return lost
    }
    for (const member of members) yield* place.ports(members, member, found)
    return null
  })

  const links = Effect.fnUntraced(function* (args: InitArguments, members: Members, old: Device | null) {
    const [{ device, heard }] = members
    if (isFabricType(args.device_type)) {
      const found = yield* survey.find(device, targetOf(args), heard)
      const result: LinksFound = { ...found, pairProblems: [], lost: null }
      return result
    }
    const found = yield* place.find(members)
    const ports = yield* Effect.result(portsOf(members, found, old))
    const error = Result.isFailure(ports) ? ports.failure : null
    if (error !== null && SqlError.isSqlError(error)) return yield* error
    const isOfPair = error?._tag === "InconsistentMlagPeer"
    const result: LinksFound = {
      ...found,
      problems: [...found.problems, ...(error === null || isOfPair ? [] : [error])],
      pairProblems: isOfPair ? [error] : [],
      lost: Result.getOrElse(ports, () => null)
    }
    return result
  })

  /** Neighbours that step 1 relies upon, in their rows and in what they run. */
  const statesOf = Effect.fnUntraced(function* (
    hostnames: ReadonlyArray<string>,
    { neighbours }: LinksFound,
    type: "ACCESS" | FabricType
  ) {
    const { problems, toHashCheck } = neighbourStates(hostnames, neighbours, type)
    return [...problems, ...(yield* neighbourSync.findAltered(toHashCheck))]
  })

  const neighbours = Effect.fnUntraced(function* (args: InitArguments, members: Members, found: LinksFound) {
    const [{ device }, other] = members
    const { links: all, neighbours: known, pairProblems, refused } = found
    if (args.neighbors?.length === 0 || all.length + refused.length === 0) return { neighbors: [], problems: [] }
    const asked = { device, links: all, refused, devices: known, neighbors: args.neighbors }
    if (isFabricType(args.device_type)) {
      const { neighbors, problems } = fabricNeighbours(asked, args.device_type)
      const states = yield* statesOf(neighbors, found, args.device_type)
      return { neighbors, problems: [...problems, ...states, ...(yield* addresses.ofFabric(args, device))] }
    }
    const placed = findAccessPlace({ ...asked, mlagPeer: other?.device ?? null }, yield* place.choice)
    const above = placed.uplinks.map(({ hostname }) => hostname)
    const states = yield* statesOf(above, found, "ACCESS")
    const refusals = yield* addresses.ofAccess(placed, args.replace_hostname === true)
    return { neighbors: placed.neighbors, problems: [...placed.problems, ...pairProblems, ...states, ...refusals] }
  })

  /** New hostnames that another device has already; each with the id of the device that may have it. */
  const hostnames = Effect.fnUntraced(function* (wanted: ReadonlyArray<readonly [hostname: string, id: number]>) {
    const taken = yield* devices.bearing(wanted.map(([hostname]) => hostname))
    return wanted.flatMap(([hostname, id]) =>
      taken
        .filter((row) => isSameHostname(row.hostname, hostname) && row.id !== id)
        .map((row) => ({ message: `There is already a device with hostname ${row.hostname}` }))
    )
  })

  return { links, neighbours, hostnames }
})

/** What speaks for and against an initialisation. */
export class InitCheckFindings extends Context.Service<InitCheckFindings>()("switchyard/jobs/InitCheckFindings", {
  make
}) {
  static readonly layer = Layer.effect(this, this.make)
}
