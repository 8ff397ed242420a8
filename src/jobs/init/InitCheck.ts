/**
 * Whether a discovered switch could be initialised where it is cabled (docs/provisioning.md#check-before): the survey and the
 * checks of step 1, without writing anything. Findings are collected, so that the answer tells all that speaks against it at
 * once.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { isSameHostname } from "../../domain/Network.ts"
import type { InitArguments } from "../../provisioning/InitArguments.ts"
import { type InitCheck as InitFindings, initCheck } from "../../provisioning/InitCheck.ts"
import { collect, told } from "../../provisioning/Problems.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { Member } from "./AccessPlace.ts"
import { InitCheckFindings, type Members } from "./InitCheckFindings.ts"
import { InitReplacement } from "./InitReplacement.ts"
import { InitSurvey } from "./InitSurvey.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"

/** The check cannot be made. `status` is that of the answer, `message` the whole text. */
export class InitCheckImpossible extends Schema.TaggedError<InitCheckImpossible>()("InitCheckImpossible", {
  status: Schema.Literals([400, 500]),
  message: Schema.String
}) {}

const impossible = (status: 400 | 500, message: string) => new InitCheckImpossible({ status, message })

/** The stages of the check by the names that its errors carry. */
const STAGES = { checks: "pre_init_checks", links: "update_linknets" } as const

interface NamedError {
  readonly _tag: string
  readonly message: string
}

/** An error of a stage that stops the check, as the answer's text. */
const stopped = (stage: keyof typeof STAGES) => (error: NamedError | SqlError.SqlError) =>
  SqlError.isSqlError(error) ? error : impossible(500, `Exception in ${STAGES[stage]}: ${error.message}`)

type StopReason = InitCheckImpossible | SqlError.SqlError

/** Fails with everything that stops the check, in one text; what a request can mend (400) is the status then. */
const unlessStopped = Effect.fnUntraced(function* (asked: ReadonlyArray<Result.Result<unknown, StopReason>>) {
  const stops: Array<InitCheckImpossible> = []
  for (const stop of collect(asked).problems) {
    if (SqlError.isSqlError(stop)) return yield* stop
    stops.push(stop)
  }
  const [first] = stops
  if (first === undefined) return
  const status = stops.some((stop) => stop.status === 400) ? 400 : 500
  return yield* stops.length === 1 ? first : impossible(status, told(stops))
})

/** Two different switches with two names; one that is replaced has no peer. */
const pairRules = (args: InitArguments) => {
  if (args.mlag_peer_id === undefined) return Effect.void
  if (args.mlag_peer_id === args.device_id || isSameHostname(args.new_hostname, args.mlag_peer_new_hostname)) {
    const message = "The switches of an MLAG pair must be two devices with two hostnames"
    return impossible(400, `ValueError in ${STAGES.checks}: ${message}`)
  }
  return args.replace_hostname === true ? impossible(400, "Replacing a MLAG switch is not supported") : Effect.void
}

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const survey = yield* InitSurvey
  const replacement = yield* InitReplacement
  const findings = yield* InitCheckFindings

  const find = Effect.fnUntraced(function* (id: number) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(impossible(400, `ValueError in ${STAGES.checks}: No device with id ${id} found`))
    )
    if (device.state !== "DISCOVERED") {
      const message = "Device must be in state DISCOVERED to begin init"
      return yield* impossible(500, `Exception in ${STAGES.checks}: ${message}`)
    }
    yield* Effect.mapError(requireManageable(device), ({ _tag, message }) =>
      impossible(400, `${_tag} in ${STAGES.checks}: ${message}`)
    )
    return device
  })

  const ask = Effect.fnUntraced(function* (device: Device, newHostname: string) {
    const ports = yield* Effect.mapError(survey.ports(device), ({ message, reason }) =>
      impossible(500, `Exception in ${STAGES.checks}: ${message}: ${reason}`)
    )
    const heard = yield* Effect.mapError(survey.heard(device), stopped("links"))
    const member: Member = { device, newHostname, ports, heard }
    return member
  })

  /** The switch that is to be replaced; refusals that clients know by their text have no prefix. */
  const replacedBy = Effect.fnUntraced(function* (hostname: string) {
    return yield* Effect.mapError(replacement.find(hostname), (error) =>
      error._tag === "DeviceStateError" && error.message.startsWith("Replacing")
        ? impossible(400, error.message)
        : stopped("checks")(error)
    )
  })

  /** The switch, its peer and the switch that it replaces, as far as they are asked for. */
  const subjects = Effect.fnUntraced(function* (args: InitArguments) {
    const { device_id, mlag_peer_id, new_hostname, replace_hostname } = args
    const asked = {
      device: yield* Effect.result(find(device_id)),
      peer: yield* Effect.result(mlag_peer_id === undefined ? Effect.succeed(null) : find(mlag_peer_id)),
      old: yield* Effect.result(replace_hostname === true ? replacedBy(new_hostname) : Effect.succeed(null))
    }
    yield* unlessStopped(Object.values(asked))
    return yield* Effect.fromResult(Result.all(asked))
  })

  const askAll = Effect.fnUntraced(function* (args: InitArguments, device: Device, peer: Device | null) {
    const peerName = args.mlag_peer_new_hostname ?? ""
    const asked = {
      member: yield* Effect.result(ask(device, args.new_hostname)),
      other: yield* Effect.result(peer === null ? Effect.succeed(null) : ask(peer, peerName))
    }
    yield* unlessStopped(Object.values(asked))
    const { member, other } = yield* Effect.fromResult(Result.all(asked))
    const members: Members = other === null ? [member] : [member, other]
    return members
  })

  const check = Effect.fn("InitCheck.check")(function* (args: InitArguments) {
    yield* pairRules(args)
    const { device, old, peer } = yield* subjects(args)
    const members = yield* askAll(args, device, peer)
    const found = yield* Effect.mapError(findings.links(args, members, old), stopped("links"))
    return initCheck({
      args,
      links: found,
      neighbours: yield* Effect.mapError(findings.neighbours(args, members, found), stopped("checks")),
      mlagPeerHostname: peer?.hostname ?? null,
      hostnames: yield* findings.hostnames([
        [args.new_hostname, old?.id ?? device.id],
        ...(peer === null ? [] : [[args.mlag_peer_new_hostname ?? "", peer.id] as const])
      ]),
      lost: found.lost
    })
  })

  return InitCheck.of({ check })
})

/** Checks devices before their initialisation. */
export class InitCheck extends Context.Service<
  InitCheck,
  { readonly check: (args: InitArguments) => Effect.Effect<InitFindings, InitCheckImpossible | SqlError.SqlError> }
>()("switchyard/jobs/InitCheck") {
  static readonly layer = Layer.effect(InitCheck, make)
}
