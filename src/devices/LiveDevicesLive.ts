/** Asks devices through their actors, for requests that wait for the answer. */
import { Effect, Fiber, Layer } from "effect"
import { DeviceEntity } from "./DeviceCalls.ts"
import { patiently } from "./PatientCall.ts"
import type { Device } from "../domain/Device.ts"
import { can } from "../domain/platforms/Platforms.ts"
import { requireManageable } from "../domain/platforms/Unmanageable.ts"
import { ActiveTemplates } from "../templates/ActiveTemplates.ts"
import { DeviceUnread, LiveDevices } from "./LiveDevices.ts"

/** How long a request waits, also for a device that is busy with a change. */
const PATIENCE = "60 seconds"

const SILENT: ReadonlySet<string> = new Set(["ConnectionException", "ConnectAuthError", "CommandTimeout", "Busy"])

interface Failed {
  readonly _tag: string
  readonly message: string
  readonly type?: string
}

const unread = (error: Failed): DeviceUnread => {
  const type = error.type ?? error._tag
  return new DeviceUnread({ type, silent: SILENT.has(type), message: error.message })
}

const busy = ({ hostname }: Device) =>
  new DeviceUnread({ type: "Busy", silent: true, message: `Device ${hostname} did not answer within ${PATIENCE}` })

const make = Effect.gen(function* () {
  const templates = yield* ActiveTemplates
  const actorOf = yield* DeviceEntity.client

  const read = <A, E extends Failed>(device: Device, call: Effect.Effect<A, E>) =>
    Effect.andThen(requireManageable(device), patiently(call)).pipe(
      Effect.mapError(unread),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(busy(device)) })
    )

  /** One half of a bounce. An empty one would leave the ports as the other half has put them. */
  const half = Effect.fnUntraced(function* (
    { platform }: Device,
    interfaces: ReadonlyArray<string>,
    file: "bounce-down.j2" | "bounce-up.j2"
  ) {
    const { text } = yield* Effect.mapError(templates.renderNamed(platform ?? "", file, { interfaces }), (error) =>
      error._tag === "SqlError" ? error : unread(error)
    )
    if (text.trim() !== "") return text
    const ports = interfaces.join(", ")
    const message = `Template ${file} for platform ${platform} renders an empty config, so bouncing ${ports} would leave the interface in the state the other half put it in`
    return yield* new DeviceUnread({ type: "TemplateError", silent: false, message })
  })

  const bounce = Effect.fn("LiveDevices.bounce")(function* (device: Device, ports: ReadonlyArray<string>) {
    yield* Effect.mapError(requireManageable(device), unread)
    if (!can(device, "bounce")) {
      const message = `Ports cannot be bounced on platform ${device.platform}`
      return yield* new DeviceUnread({ type: "NotOffered", silent: false, message })
    }
    const down = yield* half(device, ports, "bounce-down.j2")
    const up = yield* half(device, ports, "bounce-up.j2")
    const call = Effect.mapError(actorOf(String(device.id)).BouncePorts({ ports, down, up }), unread)
    const running = yield* Effect.forkDetach(call)
    return yield* Fiber.join(running)
  })

  return LiveDevices.of({
    runningConfig: (device) =>
      Effect.map(read(device, actorOf(String(device.id)).ReadRunningConfig({ login: {} })), ({ config }) => config),
    neighbours: (device) => read(device, actorOf(String(device.id)).ReadNeighbours({ login: {} })),
    neighbourDetails: (device) => read(device, actorOf(String(device.id)).ReadNeighbourDetails()),
    interfaces: (device) => read(device, actorOf(String(device.id)).ReadInterfaces()),
    bounce
  })
})

export const layer = Layer.effect(LiveDevices, make)
