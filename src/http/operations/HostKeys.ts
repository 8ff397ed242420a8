/**
 * The SSH key that a device is pinned to, and the one that was refused since (promise 7): an operator looks at both, and
 * pins the new one or lets the device be learned again.
 */
import { Effect, Option } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { Conflict } from "../../api/Failures.ts"
import type { HostKeyRequest } from "../../domain/requests/OperationRequests.ts"
import { HostKeyStore } from "../../store/HostKeyStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

/** The two handlers. */
export const makeHostKeys = Effect.gen(function* () {
  const hostKeys = yield* HostKeyStore
  const devices = yield* DeviceStore
  const { byHostname } = yield* makeDeviceLookup
  const inTransaction = yield* transaction

  const show = Effect.fnUntraced(function* (hostname: string, deviceId: number) {
    const found = Option.getOrUndefined(yield* hostKeys.find(deviceId))
    return enveloped({
      host_key: {
        hostname,
        fingerprint: found?.fingerprint ?? null,
        refused_fingerprint: found?.refused_fingerprint ?? null
      }
    })
  })

  /** Only the key that was refused can be pinned: what an operator has compared is what is trusted. */
  const pin = Effect.fnUntraced(function* (id: number, hostname: string, fingerprint: string) {
    yield* devices.lock(id)
    const found = yield* hostKeys.find(id)
    const refused = Option.getOrNull(Option.map(found, (key) => key.refused_fingerprint))
    if (refused !== fingerprint) {
      const seen = refused === null ? "no other key was refused" : `the key that was refused is ${refused}`
      return yield* new Conflict({ message: `Cannot pin ${fingerprint} for ${hostname}: ${seen}` })
    }
    yield* hostKeys.pin(id, fingerprint)
  })

  const change = Effect.fnUntraced(function* (id: number, hostname: string, fingerprint: string | undefined) {
    // in a transaction, so that the audit knows who it was
    if (fingerprint === undefined) return yield* inTransaction(hostKeys.forget(id))
    return yield* Effect.catchTag(inTransaction(pin(id, hostname, fingerprint)), "DeviceNotFound", () =>
      Effect.asVoid(byHostname(hostname))
    )
  })

  return {
    get: Effect.fn("HostKeys.get")(function* (hostname: string) {
      const { id } = yield* byHostname(hostname)
      return yield* show(hostname, id)
    }),
    put: Effect.fn("HostKeys.put")(function* (hostname: string, { action, fingerprint }: HostKeyRequest, user: string) {
      const { id } = yield* byHostname(hostname)
      yield* change(id, hostname, fingerprint)
      yield* Effect.logWarning("SECURITY: an operator changed the pinned host key of a device", {
        device: hostname,
        action,
        by: user
      })
      return yield* show(hostname, id)
    })
  }
})
