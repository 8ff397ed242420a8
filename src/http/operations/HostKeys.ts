/**
 * The pinned SSH host key of a device, and the key that was refused or waits for approval (promise 7). An operator approves or pins the new
 * key, or lets the server learn the key again; the database notes each of these in the audit. An operator can also accept all that a device
 * shows, with serial number and model (docs/security.md#identity-of-devices).
 */
import { Effect, Option } from "effect"
import { SqlError } from "effect/sql"
import { LiveDevices } from "../../devices/LiveDevices.ts"
import type { Device } from "../../domain/Device.ts"
import type { HostKeyRequest, OfferedKey, TrustRequest } from "../../domain/requests/OperationRequests.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { IdentityStore } from "../../store/IdentityStore.ts"
import { transaction, withStatus } from "../core/HandlerErrors.ts"
import { TrialRun } from "../core/RequestApproval.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { BadRequest, Conflict, enveloped, InternalError } from "../../api/Answers.ts"

/** The verb for a refusal. */
const verbs = { pinned: "pin", approved: "approve" } as const

/** States in which a device is pinned. */
const PINNED: ReadonlySet<Device["state"]> = new Set(["MANAGED", "MANAGED_NOIF", "UNMANAGED"])

export const makeHostKeys = Effect.gen(function* () {
  const identities = yield* IdentityStore
  const { hostKeys } = identities
  const devices = yield* DeviceStore
  const changes = yield* ChangeStore
  const events = yield* EventStore
  const live = yield* LiveDevices
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

  /** Only the refused key can be trusted: the operator has compared that one. */
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
    const owner = yield* identities.ownerOfKey(id, fingerprint)
    if (Option.isSome(owner)) {
      const message = `Cannot ${verbs[action]} ${fingerprint} for ${hostname}: it is the host key of ${owner.value.hostname}`
      return yield* new Conflict({ message })
    }
    yield* hostKeys.pin(id, fingerprint)
  })

  type Shown = Effect.Success<ReturnType<typeof live.identity>>

  /** The record takes what the device shows, unless another device has it. */
  const adopt = Effect.fnUntraced(function* (
    { hostname, id }: Device,
    { hostKey, model, serial, hostname: name }: Shown,
    { comment }: TrustRequest
  ) {
    const refuse = (why: string) => new Conflict({ message: `Cannot trust what ${hostname} shows: ${why}` })
    yield* devices.lock(id)
    const [job] = yield* changes.unfinishedJobsOf(id)
    if (job !== undefined) return yield* refuse(`job ${job} is changing it`)
    const keyOwner = yield* identities.ownerOfKey(id, hostKey)
    if (Option.isSome(keyOwner)) {
      return yield* refuse(`it shows the host key ${hostKey}, which is ${keyOwner.value.hostname}`)
    }
    const serialOwner = serial === null ? Option.none() : yield* identities.ownerOfSerial(id, serial)
    if (Option.isSome(serialOwner)) {
      return yield* refuse(`it shows serial ${serial}, which is ${serialOwner.value.hostname}`)
    }
    yield* hostKeys.trust(id, hostKey)
    const row = yield* devices.update(id, { ...(serial !== null && { serial }), ...(model !== null && { model }) })
    const trusted = {
      hostname,
      fingerprint: hostKey,
      serial: row.serial,
      model: row.model,
      shown_hostname: name
    }
    const data = { ...trusted, comment }
    yield* events.append({ kind: "host_key", action: "trusted", isAudit: true, deviceId: id, hostname, data })
    return trusted
  })

  const forget = (id: number) => Effect.andThen(devices.lock(id), hostKeys.forget(id))

  /** Changes the key of this device in a transaction, and yields its keys. */
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

  /** Approves one key of a list. A changed key of a pinned device is approved separately. */
  const approveNew = Effect.fnUntraced(
    function* ({ fingerprint, hostname }: OfferedKey, user: string) {
      const approving = changed(
        hostname,
        "APPROVE",
        user,
        Effect.fnUntraced(function* (id) {
          const known = Option.getOrNull(yield* hostKeys.find(id))
          if (known !== null && known.fingerprint !== null && known.fingerprint !== fingerprint) {
            const message = `${hostname} is pinned to ${known.fingerprint}: a key that has changed is approved for this device alone`
            return yield* new Conflict({ message })
          }
          yield* trust(id, hostname, fingerprint, "approved")
        })
      )
      yield* withStatus(approving)
      return null
    },
    Effect.catchIf(
      (error) => !SqlError.isSqlError(error),
      ({ message }) => Effect.succeed(String(message))
    )
  )

  return {
    waiting: Effect.map(hostKeys.waiting, (host_keys) => enveloped({ host_keys })),
    approveAll: Effect.fn("HostKeys.approveAll")(function* (keys: ReadonlyArray<OfferedKey>, user: string) {
      const host_keys = yield* Effect.forEach(keys, (key) =>
        Effect.map(approveNew(key, user), (message) => ({
          hostname: key.hostname,
          approved: message === null,
          message
        }))
      )
      const approved = host_keys.filter((one) => one.approved).length
      return enveloped({ approved, refused: host_keys.length - approved, host_keys })
    }),
    get: Effect.fn("HostKeys.get")(function* (hostname: string) {
      const { id } = yield* byHostname(hostname)
      return yield* show(hostname, id)
    }),
    put: Effect.fn("HostKeys.put")((hostname: string, { action, fingerprint }: HostKeyRequest, user: string) =>
      changed(hostname, action, user, (id) =>
        fingerprint === undefined ? forget(id) : trust(id, hostname, fingerprint, "pinned")
      )
    ),
    accept: Effect.fn("HostKeys.accept")(function* (hostname: string, request: TrustRequest, user: string) {
      const device = yield* byHostname(hostname)
      if (!PINNED.has(device.state)) {
        const message = `${hostname} is ${device.state}: what a device shows is accepted when it is MANAGED, MANAGED_NOIF or UNMANAGED`
        return yield* new BadRequest({ message })
      }
      const [job] = yield* changes.unfinishedJobsOf(device.id)
      if (job !== undefined) {
        return yield* new Conflict({ message: `Cannot trust what ${hostname} shows: job ${job} is changing it` })
      }
      if (yield* TrialRun) {
        // the login would go to an unapproved switch, so its answer is unknown
        const { model, serial } = device
        return enveloped({ trusted: { hostname, fingerprint: "", serial, model, shown_hostname: null } })
      }
      const shown = yield* Effect.mapError(live.identity(device), ({ message, type }) =>
        type === "WrongDevice"
          ? new Conflict({ message: `Cannot trust what ${hostname} shows: ${message}` })
          : new InternalError({ message: `Exception: ${type}: ${message}` })
      )
      const trusted = yield* inTransaction(adopt(device, shown, request))
      yield* Effect.logWarning("SECURITY: an operator accepted what a device shows", { device: hostname, by: user })
      return enveloped({ trusted })
    }),
    approve: Effect.fn("HostKeys.approve")((hostname: string, fingerprint: string, user: string) =>
      changed(hostname, "APPROVE", user, (id) => trust(id, hostname, fingerprint, "approved"))
    )
  }
})
