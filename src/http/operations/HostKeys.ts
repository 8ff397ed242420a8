/**
 * The SSH key that a device is pinned to, and the one that was refused since (promise 7): an operator looks at both, and
 * pins the new one or lets the device be learned again.
 */
import { Effect, Option } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, Conflict } from "../../api/Failures.ts"
import { HostKeyStore } from "../../store/HostKeyStore.ts"
import { checkHostname } from "../changes/PreviousConfig.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { transaction } from "../core/Unavailable.ts"
import { own } from "../../domain/fields/Values.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=?$/

/** The two handlers. */
export const makeHostKeys = Effect.gen(function* () {
  const hostKeys = yield* HostKeyStore
  const devices = yield* DeviceStore
  const { byHostname } = yield* makeDeviceLookup
  const inTransaction = yield* transaction

  const named = Effect.fnUntraced(function* (hostname: string) {
    yield* checkHostname(hostname)
    return yield* byHostname(hostname)
  })

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

  return {
    get: Effect.fn("HostKeys.get")(function* (hostname: string) {
      const { id } = yield* named(hostname)
      return yield* show(hostname, id)
    }),
    put: Effect.fn("HostKeys.put")(function* (hostname: string, body: JsonObject, user: string) {
      const { id } = yield* named(hostname)
      const action = own(body, "action")
      const fingerprint = own(body, "fingerprint")
      if (action === "FORGET") yield* hostKeys.forget(id)
      else if (action !== "PIN") {
        return yield* new BadRequest({ message: "action must be PIN or FORGET" })
      } else if (typeof fingerprint !== "string" || !FINGERPRINT.test(fingerprint)) {
        return yield* new BadRequest({ message: "fingerprint must be the refused fingerprint (SHA256:...)" })
      } else {
        yield* Effect.catchTag(inTransaction(pin(id, hostname, fingerprint)), "DeviceNotFound", () =>
          Effect.asVoid(byHostname(hostname))
        )
      }
      yield* Effect.logWarning("SECURITY: an operator changed the pinned host key of a device", {
        device: hostname,
        action,
        by: user
      })
      return yield* show(hostname, id)
    })
  }
})
