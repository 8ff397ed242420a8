/** PUT interface_status: takes ports down and up again inside the request (docs/api.md#bouncing-ports). */
import { Effect } from "effect"
import { NotPermitted, permitted, wantsApproval } from "../../access/Permit.ts"
import { BadRequest, enveloped, InternalError } from "../../api/Answers.ts"
import { LiveDevices } from "../../devices/LiveDevices.ts"
import { requireManageable } from "../../domain/platforms/Unmanageable.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Bounces ports of a device. Every condition is checked before anything is sent. */
export const makeBouncing = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const live = yield* LiveDevices
  const events = yield* EventStore

  const accessSwitch = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
      Effect.fail(refuse(`Hostname ${hostname} not found in database`))
    )
    if (device.device_type === "ACCESS" && device.state === "MANAGED") return device
    return yield* refuse(`Hostname ${hostname} is not of type ACCESS or not in state MANAGED`)
  })

  return Effect.fn("Bouncing.bounce")(function* (hostname: string, ports: ReadonlyArray<string>) {
    const device = yield* accessSwitch(hostname)
    yield* requireManageable(device)
    const allowed = yield* permitted({ live: true, ports: ports.map((port) => ({ hostname, port })) })
    if (allowed !== null && wantsApproval(allowed)) {
      const rule = `role ${allowed.role}, approval: true, and a bounce is done at once`
      return yield* new NotPermitted({ rule, roles: [] })
    }
    const rows = yield* interfaces.ofDevice(device.id)
    const uplink = rows.find(({ configtype, name }) => configtype === "ACCESS_UPLINK" && ports.includes(name))
    if (uplink !== undefined) return yield* refuse(`Can't bounce UPLINK port ${uplink.name} for device ${hostname}`)
    const list = ports.join(", ")
    const nothing = enveloped(`No error, but no interfaces changed state: ${list}`)
    if (ports.length === 0) return nothing
    const about = { deviceId: device.id, hostname, data: { ports } }
    yield* events.append({ kind: "interface", action: "bounced", isAudit: true, ...about })
    const bounced = yield* Effect.catchTag(live.bounce(device, ports), "DeviceUnread", ({ message, type }) =>
      Effect.fail(
        new InternalError({
          message:
            type === "BounceIncomplete"
              ? message
              : `Could not bounce ports of device ${hostname}: ${type === "WrongDevice" ? "WrongDevice: " : ""}${message}`
        })
      )
    )
    if (bounced.refused !== null) return yield* refuse(bounced.refused)
    return bounced.changed ? enveloped(`Bounced interfaces: ${list}`) : nothing
  })
})
