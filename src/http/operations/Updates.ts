/**
 * Starts jobs that read facts or the ports of a device into the database (docs/jobs.md#update_facts and
 * docs/jobs.md#update_interfacedb).
 */
import { Effect } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { UpdateFacts } from "../../domain/jobs/UpdateFacts.ts"
import { UpdateInterfaces } from "../../domain/jobs/UpdateInterfaces.ts"
import type { UpdateInterfacesRequest } from "../../domain/requests/OperationRequests.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

const refuse = (message: string) => new BadRequest({ message })

/** The two handlers. */
export const makeUpdates = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const requests = yield* JobRequests

  /** The device under this name, MANAGED or UNMANAGED. */
  const find = Effect.fnUntraced(function* (hostname: string) {
    const invalid = refuse(`Hostname '${hostname}' not found or is in invalid state`)
    const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () => Effect.fail(invalid))
    return device.state === "MANAGED" || device.state === "UNMANAGED" ? device : yield* invalid
  })

  const findAccess = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* find(hostname)
    if (device.device_type === "ACCESS") return device
    return yield* refuse("Only devices of type ACCESS has interface database to update")
  })

  return {
    facts: Effect.fn("Updates.facts")(function* (hostname: string, user: string) {
      yield* find(hostname)
      const job = yield* requests.start(UpdateFacts, { hostname }, { user })
      return jobStartedOnDevices(`Scheduled job to update facts for ${hostname}`, job, 1)
    }),
    interfaces: Effect.fn("Updates.interfaces")(function* (request: UpdateInterfacesRequest, user: string) {
      const { delete_all, hostname, mlag_peer_hostname = null, replace } = request
      yield* findAccess(hostname)
      if (mlag_peer_hostname !== null) yield* findAccess(mlag_peer_hostname)
      const args = { replace, delete_all, mlag_peer_hostname, hostname }
      const job = yield* requests.start(UpdateInterfaces, args, { user })
      return jobStartedOnDevices(`Scheduled job to update interfaces for ${hostname}`, job, 1)
    })
  }
})
