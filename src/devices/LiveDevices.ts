/**
 * Calls to a device while a request waits (docs/api.md#live-reads and docs/api.md#bouncing-ports): the device's entity answers them
 * one at a time.
 */
import { Context, Effect, Fiber, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { ShownIdentity } from "../domain/DeviceIdentity.ts"
import { can, platformOf, requireManageable } from "../domain/platforms/Platforms.ts"
import * as FairPlaces from "../runtime/FairPlaces.ts"
import { OwnFault, type OwnKind } from "../runtime/SystemErrors.ts"
import { blocked } from "../store/AnswerTime.ts"
import { untilHindered } from "../store/ForeignLocks.ts"
import { ActiveTemplates } from "../templates/ActiveTemplates.ts"
import type { Question, StateAnswer } from "../domain/checks/Readings.ts"
import { type Bounced, DeviceEntity, patiently } from "./DeviceCalls.ts"
import type { InterfaceStates, NeighbourDetails, Optics } from "../drivers/Driver.ts"
import { passGate } from "../drivers/LoadChecks.ts"
import { DeviceStore } from "../store/DeviceStore.ts"

/** The device could not be reached, or its answer not read. `type` is the name that operators know; `silent`: it did not answer. */
export class DeviceUnread extends Schema.TaggedError<DeviceUnread>()("DeviceUnread", {
  type: Schema.String,
  silent: Schema.Boolean,
  message: Schema.String
}) {}

/** Neighbours by local port. */
export type Neighbours = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

/** How long a request waits, also for a device that is busy with a change. */
const PATIENCE = "60 seconds"

const SILENT: ReadonlySet<string> = new Set(["ConnectionException", "ConnectAuthError", "CommandTimeout", "Busy"])

/** The resources of this machine that a connection to a device needs. */
const CONNECTING: ReadonlySet<OwnKind> = new Set(["descriptors", "memory", "ports", "network", "rights", "names"])

interface CallError {
  readonly _tag: string
  readonly message: string
  readonly type?: string
}

const unread = (error: CallError): DeviceUnread => {
  const type = error.type ?? error._tag
  return new DeviceUnread({ type, silent: SILENT.has(type), message: error.message })
}

const busy = ({ hostname }: Device) =>
  new DeviceUnread({ type: "Busy", silent: true, message: `Device ${hostname} did not answer within ${PATIENCE}` })

/** Milliseconds that a read may take while another session holds an unrelated lock. */
const BLOCKED_FOR = 8_000

/** Dies with the own fault for which the work of a device waits, once it is known: no request waits a minute for a device without a fault. */
const untilOursIsKnown: Effect.Effect<never> = Effect.flatMap(
  untilHindered({ lackingMillis: 1_000, kinds: CONNECTING, blockedMillis: BLOCKED_FOR }),
  (why) => Effect.die(why instanceof OwnFault ? why : blocked(why))
)

/** Requests that may ask devices at once, and of one person: each can take as long as `PATIENCE`. */
const AT_ONCE = 128
const OF_ONE = 32
const WAITING = 1000
/** A device answers one at a time; so many may wait for it. */
const WAITING_FOR_ONE = 100

const isFull = Schema.is(FairPlaces.PlacesFull)

/** Persons take turns, for each device and in total. */
const makeTurns = () => {
  const all = FairPlaces.make({ what: "reads of devices", places: AT_ONCE, waiting: WAITING, ofOne: OF_ONE })
  const ofDevice = FairPlaces.makeKeyed({ what: "reads of this device", places: 1, waiting: WAITING_FOR_ONE })
  return <A, E>({ id }: Device, call: Effect.Effect<A, E>) =>
    Effect.catchIf(ofDevice.within(String(id), all.within(call)), isFull, ({ message }) =>
      Effect.fail(new DeviceUnread({ type: "Busy", silent: true, message }))
    )
}

type Turns = ReturnType<typeof makeTurns>

const makeRead =
  (inTurn: Turns) =>
  <A, E extends CallError>(device: Device, call: Effect.Effect<A, E>) =>
    inTurn(device, Effect.mapError(Effect.andThen(requireManageable(device), patiently(call)), unread)).pipe(
      Effect.raceFirst(untilOursIsKnown),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(busy(device)) })
    )

const notOffered = ({ platform }: Device) =>
  new DeviceUnread({ type: "NotOffered", silent: false, message: `Ports cannot be bounced on platform ${platform}` })

type BounceTemplate = "bounce-down.j2" | "bounce-up.j2"

/** An empty half would leave the ports in the state of the other half. */
const emptyHalf = (file: BounceTemplate, { platform }: Device, ports: ReadonlyArray<string>) =>
  new DeviceUnread({
    type: "TemplateError",
    silent: false,
    message: `Template ${file} for platform ${platform} renders an empty config, so bouncing ${ports.join(", ")} would leave the interface in the state the other half put it in`
  })

const makeBounce = Effect.fnUntraced(function* (inTurn: Turns) {
  const templates = yield* ActiveTemplates
  const entityOf = yield* DeviceEntity.client

  const half = Effect.fnUntraced(function* (device: Device, interfaces: ReadonlyArray<string>, file: BounceTemplate) {
    const { text } = yield* Effect.mapError(
      templates.renderNamed(device.platform ?? "", file, { interfaces }),
      (error) => (error._tag === "SqlError" ? error : unread(error))
    )
    if (text.trim() === "") return yield* emptyHalf(file, device, interfaces)
    const platform = platformOf(device.platform)
    if (platform === undefined) return text
    const { hostname } = device
    const refused = (error: CallError) => unread({ ...error, message: `Template ${file}: ${error.message}` })
    return yield* Effect.mapError(Effect.as(passGate({ hostname, platform, text, mode: "merge" }), text), refused)
  })

  return Effect.fn("LiveDevices.bounce")(function* (device: Device, ports: ReadonlyArray<string>) {
    yield* Effect.mapError(requireManageable(device), unread)
    if (!can(device, "bounce")) return yield* notOffered(device)
    const down = yield* half(device, ports, "bounce-down.j2")
    const up = yield* half(device, ports, "bounce-up.j2")
    const call = Effect.mapError(entityOf(String(device.id)).BouncePorts({ ports, down, up }), unread)
    return yield* inTurn(device, Effect.flatMap(Effect.forkDetach(call), Fiber.join))
  })
})

const make = Effect.gen(function* () {
  const inTurn = makeTurns()
  const read = makeRead(inTurn)
  const bounce = yield* makeBounce(inTurn)
  const entityOf = yield* DeviceEntity.client
  const { neighbours } = yield* DeviceStore
  return LiveDevices.of({
    runningConfig: (device) =>
      Effect.map(read(device, entityOf(String(device.id)).ReadRunningConfig({ login: {} })), ({ config }) => config),
    identity: (device) => read(device, entityOf(String(device.id)).ReadIdentity()),
    neighbours: (device) =>
      Effect.tap(read(device, entityOf(String(device.id)).ReadNeighbours({ login: {} })), (ports) =>
        neighbours.keep(device.id, ports)
      ),
    neighbourDetails: (device) => read(device, entityOf(String(device.id)).ReadNeighbourDetails()),
    optics: (device) => read(device, entityOf(String(device.id)).ReadOptics()),
    interfaces: (device) => read(device, entityOf(String(device.id)).ReadInterfaces()),
    state: (device, questions) => read(device, entityOf(String(device.id)).ReadState({ questions })),
    bounce
  })
})

type Read<A> = (device: Device) => Effect.Effect<A, DeviceUnread>

/** Reads devices and bounces their ports, one call at a time per device. */
export class LiveDevices extends Context.Service<
  LiveDevices,
  {
    readonly runningConfig: Read<string>
    /** The identity of the device. */
    readonly identity: Read<ShownIdentity & { readonly hostKey: string }>
    readonly neighbours: Read<Neighbours>
    readonly neighbourDetails: Read<NeighbourDetails>
    readonly optics: Read<Optics>
    readonly interfaces: Read<InterfaceStates>
    /** The answers to questions that the platform of the device offers, in their order. */
    readonly state: (
      device: Device,
      questions: ReadonlyArray<Question>
    ) => Effect.Effect<ReadonlyArray<StateAnswer>, DeviceUnread>
    /** Continues to its end when the request is given up, so that no port stays down. */
    readonly bounce: (
      device: Device,
      ports: ReadonlyArray<string>
    ) => Effect.Effect<Bounced, DeviceUnread | SqlError.SqlError>
  }
>()("switchyard/devices/LiveDevices") {
  static readonly layer = Layer.effect(LiveDevices, make)
}
