/**
 * The SSH key that a device is pinned to, and the one that was refused since or waits for approval (promise 7): an operator
 * looks at both, and approves or pins the new one, or lets the device be learned again. The database notes each of these in the audit.
 */
import { Effect, Option } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { Conflict } from "../../api/Failures.ts"
import type { HostKeyRequest } from "../../domain/requests/OperationRequests.ts"
import { HostKeyStore } from "../../store/HostKeyStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

/** How an operator comes to trust a key, as the sentence of a refusal has it. */
const verbs = { pinned: "pin", approved: "approve" } as const

/** The three handlers. */
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

  /** Only the key that was refused can be trusted: what an operator has compared is what counts. */
  const trust = Effect.fnUntraced(function* (
    id: number,
    hostname: string,
    fingerprint: string,
    action: keyof typeof verbs
  ) {
    yield* devices.lock(id)
    const known = Option.getOrNull(yield* hostKeys.find(id))
    const refused = known?.refused_fingerprint ?? null
    if (refused !== fingerprint) {
      const seen = refused === null ? "no other key was refused" : `the key that was refused is ${refused}`
      return yield* new Conflict({ message: `Cannot ${verbs[action]} ${fingerprint} for ${hostname}: ${seen}` })
    }
    yield* hostKeys.pin(id, fingerprint)
  })

  const forget = (id: number) => Effect.andThen(devices.lock(id), hostKeys.forget(id))

  /** Does it for the device of this name, in a transaction, and yields its keys. */
  const changed = Effect.fnUntraced(function* <E, R>(
    hostname: string,
    action: string,
    by: string,
    change: (id: number) => Effect.Effect<void, E, R>
  ) {
    const { id } = yield* byHostname(hostname)
    yield* inTransaction(change(id))
    yield* Effect.logWarning("SECURITY: an operator changed the pinned host key of a device", {
      device: hostname,
      action,
      by
    })
    return yield* show(hostname, id)
  })

  return {
    get: Effect.fn("HostKeys.get")(function* (hostname: string) {
      const { id } = yield* byHostname(hostname)
      return yield* show(hostname, id)
    }),
    put: Effect.fn("HostKeys.put")((hostname: string, { action, fingerprint }: HostKeyRequest, user: string) =>
      changed(hostname, action, user, (id) =>
        fingerprint === undefined ? forget(id) : trust(id, hostname, fingerprint, "pinned")
      )
    ),
    approve: Effect.fn("HostKeys.approve")((hostname: string, fingerprint: string, user: string) =>
      changed(hostname, "APPROVE", user, (id) => trust(id, hostname, fingerprint, "approved"))
    )
  }
})
