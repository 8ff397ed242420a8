/**
 * Whether a discovered switch could be initialised where it is cabled (contract engine.md §5.17): the survey and the checks of
 * step 1, without writing anything. Findings are collected, so that the answer tells all that speaks against it at once.
 */
import { Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import { type Device, isFabricType } from "../domain/Device.ts"
import { InitCheck, InitCheckImpossible } from "../http/ports/InitCheck.ts"
import { type AccessPlacement, placeAccessSwitch } from "../provisioning/AccessPlacement.ts"
import type { InitArguments } from "../provisioning/InitArguments.ts"
import { initCheck } from "../provisioning/InitCheck.ts"
import type { ReportedLink } from "../provisioning/Links.ts"
import { allocateManagement } from "../provisioning/ManagementAddress.ts"
import { checkFabricNeighbours, checkNeighbourStates, type NeighbourSurvey } from "../provisioning/NeighbourChecks.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { ReservationStore } from "../store/ReservationStore.ts"
import * as AccessPlace from "./AccessPlace.ts"
import * as InitReplacement from "./InitReplacement.ts"
import { InitSurvey, type LinkSurveyed } from "./InitSurvey.ts"

const impossible = (status: 400 | 500, message: string) => new InitCheckImpossible({ status, message })

/** The stages of the check by the names that its errors carry. */
const STAGES = { checks: "pre_init_checks", links: "update_linknets" } as const

interface Tagged {
  readonly _tag: string
  readonly message: string
}

/** An error of a stage that stops the check, as the answer's text. */
const stopped = (stage: keyof typeof STAGES) => (error: Tagged | SqlError.SqlError) =>
  SqlError.isSqlError(error) ? error : impossible(500, `Exception in ${STAGES[stage]}: ${error.message}`)

/** Problems of cables, settings and pools are findings of the check; it stops for everything else. */
const FINDINGS: ReadonlyArray<string> = ["InterfaceError", "NoFreeAddress", "InvalidNetwork"]

type Found = Pick<LinkSurveyed, "links" | "neighbours" | "plan">
type Members = readonly [AccessPlace.Member, ...ReadonlyArray<AccessPlace.Member>]

const statesOf = (verified: ReadonlyArray<string>, neighbours: ReadonlyMap<string, Device>, args: InitArguments) =>
  checkNeighbourStates(verified, neighbours, isFabricType(args.device_type) ? args.device_type : "ACCESS")

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const reservations = yield* ReservationStore
  const survey = yield* InitSurvey
  const place = yield* AccessPlace.make
  const replacement = yield* InitReplacement.make

  const find = Effect.fnUntraced(function* (id: number) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(impossible(400, `ValueError in pre_init_checks: No device with id ${id} found`))
    )
    if (device.state === "DISCOVERED") return device
    const message = "Device must be in state DISCOVERED to begin init"
    return yield* impossible(500, `Exception in pre_init_checks: ${message}`)
  })

  const ask = Effect.fnUntraced(function* (device: Device, newHostname: string) {
    const { interface_list: ports } = yield* Effect.mapError(survey.facts(device), ({ message, reason }) =>
      impossible(500, `Exception in ${STAGES.checks}: ${message}: ${reason}`)
    )
    const heard = yield* Effect.mapError(survey.heard(device), stopped("links"))
    const member: AccessPlace.Member = { device, newHostname, ports, heard }
    return member
  })

  /** Links that cannot be worked out because of the configuration are a finding; everything else stops the check. */
  const linksOf = Effect.fnUntraced(function* (members: Members, args: InitArguments) {
    const [{ device, heard }] = members
    const target = { hostname: args.new_hostname, device_type: args.device_type, mlagPeerId: null }
    const found = yield* Effect.result(
      isFabricType(args.device_type) ? survey.plan(device, target, heard) : Effect.map(place.links(members), asFound)
    )
    if (Result.isSuccess(found) || FINDINGS.includes(found.failure._tag)) return found
    return yield* stopped("links")(found.failure)
  })

  /** The switch that is to be replaced; refusals that clients know by their text have no prefix. */
  const replacedBy = Effect.fnUntraced(function* (hostname: string) {
    return yield* Effect.mapError(replacement.find(hostname), (error) =>
      error._tag === "DeviceStateError" && error.message.startsWith("Replacing")
        ? impossible(400, error.message)
        : stopped("checks")(error)
    )
  })

  const hostnameError = Effect.fnUntraced(function* (wanted: ReadonlyArray<readonly [string, number]>) {
    for (const [hostname, id] of wanted) {
      const [taken] = yield* devices.byHostnames([hostname])
      if (taken !== undefined && taken.id !== id) return `There is already a device with hostname ${hostname}`
    }
    return null
  })

  /** All that step 1 asks of the neighbours, their management domain and its addresses. */
  const verifier = Effect.fnUntraced(function* (
    args: InitArguments,
    members: Members,
    found: Result.Result<Found, Tagged>
  ) {
    const choice = yield* place.choice
    const taken = yield* reservations.takenAddresses
    const neighbours = Result.isSuccess(found) ? found.success.neighbours : new Map<string, Device>()
    const [{ device }, peer] = members
    const addressesOf = ({ domain }: AccessPlacement) =>
      domain === null || args.replace_hostname === true
        ? Result.succeed(null)
        : allocateManagement({
            domain,
            reservedCount: config.MGMTDOMAIN_RESERVED_COUNT,
            primaryVersion: config.MGMTDOMAIN_PRIMARY_IP_VERSION === 6 ? 6 : 4,
            taken
          })
    return (links: ReadonlyArray<ReportedLink>) =>
      Result.gen(function* () {
        const asked: NeighbourSurvey = { device, links, devices: neighbours, neighbors: args.neighbors }
        if (isFabricType(args.device_type)) {
          const verified = yield* checkFabricNeighbours(asked, args.device_type)
          yield* statesOf(verified.neighbors, neighbours, args)
          return verified
        }
        const placed = yield* placeAccessSwitch({ ...asked, mlagPeer: peer?.device ?? null }, choice)
        const above = placed.uplinks.map(({ hostname }) => hostname)
        yield* statesOf(above, neighbours, args)
        yield* addressesOf(placed)
        return placed
      })
  })

  const lostOf = Effect.fnUntraced(function* (old: Device, members: Members, found: Result.Result<Found, Tagged>) {
    if (Result.isFailure(found)) return null
    return (yield* Effect.mapError(replacement.rows(old, members[0], found.success), stopped("links"))).lost
  })

  const check = Effect.fn("InitCheck.check")(function* (args: InitArguments) {
    const device = yield* find(args.device_id)
    const peer = args.mlag_peer_id === undefined ? null : yield* find(args.mlag_peer_id)
    const old = args.replace_hostname === true ? yield* replacedBy(args.new_hostname) : null
    const peerName = args.mlag_peer_new_hostname ?? ""
    const members: Members = [
      yield* ask(device, args.new_hostname),
      ...(peer === null ? [] : [yield* ask(peer, peerName)])
    ]
    const wanted: ReadonlyArray<readonly [string, number]> = [
      [args.new_hostname, old?.id ?? device.id],
      ...(peer === null ? [] : [[peerName, peer.id] as const])
    ]
    const found = yield* linksOf(members, args)
    return initCheck({
      args,
      links: Result.map(found, ({ links }) => links),
      verifyNeighbours: yield* verifier(args, members, found),
      mlagPeerHostname: peer?.hostname ?? null,
      hostnameError: yield* hostnameError(wanted),
      lost: old === null ? null : yield* lostOf(old, members, found)
    })
  })

  return InitCheck.of({ check })
})

const asFound = ({
  links,
  neighbours,
  plan
}: {
  readonly links: ReadonlyArray<ReportedLink>
  readonly neighbours: ReadonlyMap<string, Device>
  readonly plan: Pick<LinkSurveyed["plan"], "add" | "remove">
}): Found => ({ links, neighbours, plan: { ...plan, links } })

export const layer = Layer.effect(InitCheck, make)
