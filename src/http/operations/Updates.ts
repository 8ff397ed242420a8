/** Starts jobs that read facts or the ports of a device into the database (contract api-devices.md §7.1 and §7.2). */
import { Effect } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, own, parseHostname } from "../../domain/fields/Values.ts"

const refuse = (message: string) => new BadRequest({ message })

/** The two handlers. */
export const makeUpdates = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const engine = yield* JobEngine

  /** The device under this name, MANAGED or UNMANAGED. */
  const find = Effect.fnUntraced(function* (value: unknown) {
    const hostname = yield* Effect.mapError(Effect.fromResult(parseHostname(value)), refuse)
    const invalid = refuse(`Hostname '${hostname}' not found or is in invalid state`)
    const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () => Effect.fail(invalid))
    return device.state === "MANAGED" || device.state === "UNMANAGED" ? device : yield* invalid
  })

  const target = (body: JsonObject) =>
    has(body, "hostname") ? find(body["hostname"]) : Effect.fail(refuse("No target to be updated was specified"))

  const access = Effect.fnUntraced(function* (device: Effect.Success<ReturnType<typeof find>>) {
    if (device.device_type === "ACCESS") return device
    return yield* refuse("Only devices of type ACCESS has interface database to update")
  })

  return {
    facts: Effect.fn("Updates.facts")(function* (body: JsonObject, user: string) {
      const { hostname } = yield* target(body)
      const job = yield* engine.start({ function: "update_facts", args: { hostname }, user })
      return jobStartedOnDevices(`Scheduled job to update facts for ${hostname}`, job, 1)
    }),
    interfaces: Effect.fn("Updates.interfaces")(function* (body: JsonObject, user: string) {
      const { hostname } = yield* Effect.flatMap(target(body), access)
      const asked = own(body, "mlag_peer_hostname") ?? null
      const mlag_peer_hostname = asked === null ? null : (yield* Effect.flatMap(find(asked), access)).hostname
      const replace = own(body, "replace") === true
      const delete_all = own(body, "delete_all") === true
      const args = { replace, delete_all, mlag_peer_hostname, hostname }
      const job = yield* engine.start({ function: "update_interfacedb", args, user })
      return jobStartedOnDevices(`Scheduled job to update interfaces for ${hostname}`, job, 1)
    })
  }
})
