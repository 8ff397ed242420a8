/**
 * Whether a discovered switch could be initialised where it is cabled (contract engine.md §5.17): the survey and the checks of
 * step 1, without writing anything.
 */
import { Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { InitCheck, InitCheckImpossible } from "../http/ports/InitCheck.ts"
import { placeAccessSwitch } from "../provisioning/AccessPlacement.ts"
import type { InitArguments } from "../provisioning/InitArguments.ts"
import { initCheck } from "../provisioning/InitCheck.ts"
import { checkFabricNeighbours, type NeighbourSurvey } from "../provisioning/NeighbourChecks.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { MgmtDomainStore } from "../store/MgmtDomainStore.ts"
import { InitSurvey, type LinkSurveyed } from "./InitSurvey.ts"

const impossible = (status: 400 | 500, message: string) => new InitCheckImpossible({ status, message })

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const domains = yield* MgmtDomainStore
  const survey = yield* InitSurvey

  const find = Effect.fnUntraced(function* (id: number) {
    return yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(impossible(400, `ValueError in pre_init_checks: No device with id ${id} found`))
    )
  })

  const reachable = Effect.fnUntraced(function* (device: Device) {
    if (device.state !== "DISCOVERED") {
      const message = "Device must be in state DISCOVERED to begin init"
      return yield* impossible(500, `Exception in pre_init_checks: ${message}`)
    }
    yield* survey
      .facts(device)
      .pipe(
        Effect.mapError(({ message, reason }) => impossible(500, `Exception in pre_init_checks: ${message}: ${reason}`))
      )
  })

  /** Links that cannot be worked out because of the configuration are a finding; everything else stops the check. */
  const linksOf = Effect.fnUntraced(function* (device: Device, args: InitArguments) {
    const { device_type, mlag_peer_id, new_hostname } = args
    const target = { hostname: new_hostname, device_type, mlagPeerId: mlag_peer_id ?? null }
    const found = yield* Effect.result(survey.links(device, target))
    if (Result.isSuccess(found)) return found
    const error = found.failure
    if (SqlError.isSqlError(error)) return yield* error
    if (["InterfaceError", "NoFreeAddress", "InvalidNetwork"].includes(error._tag)) return found
    return yield* impossible(500, `Exception in update_linknets: ${error.message}`)
  })

  const check = Effect.fn("InitCheck.check")(function* (args: InitArguments) {
    const device = yield* find(args.device_id)
    const peer = args.mlag_peer_id === undefined ? null : yield* find(args.mlag_peer_id)
    yield* reachable(device)
    if (peer !== null) yield* reachable(peer)
    const surveyed = yield* linksOf(device, args)
    const cores = (yield* devices.all).filter((row) => row.device_type === "CORE").map((row) => row.id)
    const choice = { domains: yield* domains.all, coreDevices: new Set(cores) }
    const neighbours = Result.isSuccess(surveyed) ? surveyed.success.neighbours : new Map<string, Device>()
    return initCheck({
      args,
      links: Result.map(surveyed, ({ links }: LinkSurveyed) => links),
      verifyNeighbours: (links) => {
        const asked: NeighbourSurvey = { device, links, devices: neighbours, neighbors: args.neighbors }
        return args.device_type === "CORE" || args.device_type === "DIST"
          ? checkFabricNeighbours(asked, args.device_type)
          : placeAccessSwitch({ ...asked, mlagPeer: peer }, choice)
      },
      mlagPeerHostname: peer?.hostname ?? null
    })
  })

  return InitCheck.of({ check })
})

export const layer = Layer.effect(InitCheck, make)
