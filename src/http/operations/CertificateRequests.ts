/** Starts the renewal of device certificates, and shows or creates the authority (contract api-devices.md §7.3). */
import { Effect, Option } from "effect"
import { enveloped, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest, Conflict, InternalError, NotFound } from "../../api/Failures.ts"
import { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, lengthOf, own, parseHostname, shown, textAt } from "../../domain/fields/Values.ts"
import { makeSelect } from "../provisioning/Synchronization.ts"

const refuse = (message: string) => new BadRequest({ message })
const DEFAULT_NAME = "Switchyard device CA"
/** What a common name may hold (X.520). */
const MAX_NAME = 64

/** POST device_cert. */
export const makeRenewal = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const select = yield* makeSelect

  const byHostname = Effect.fnUntraced(function* (value: unknown) {
    const hostname = yield* Effect.mapError(Effect.fromResult(parseHostname(value)), refuse)
    const count = yield* devices.countManaged({ hostnames: [hostname] })
    if (count === 0) return yield* refuse(`Hostname '${hostname}' not found or is not a managed device`)
    return { args: { hostname }, count }
  })

  const target = Effect.fnUntraced(function* (body: JsonObject) {
    if (has(body, "hostname")) return yield* byHostname(body["hostname"])
    if (!has(body, "group")) return yield* refuse("No devices were specified")
    const group = shown(body["group"])
    const { selection } = yield* select({ _tag: "Group", group }, false)
    return { args: { group }, count: yield* devices.countManaged(selection) }
  })

  return Effect.fn("Renewal.start")(function* (body: JsonObject, user: string) {
    const action = textAt(body, "action")
    if (action === null) return yield* refuse("Required field 'action' was not specified")
    const { args, count } = yield* target(body)
    if (action.toUpperCase() !== "RENEW") return yield* refuse(`Unknown action specified: ${action.toUpperCase()}`)
    const job = yield* engine.start({
      function: "renew_cert",
      args,
      user,
      comment: textAt(body, "comment"),
      ticketRef: textAt(body, "ticket_ref")
    })
    return jobStartedOnDevices("Scheduled job to renew certificates", job, count)
  })
})

/** GET and POST certificate_authority. */
export const makeAuthority = Effect.gen(function* () {
  const authority = yield* CertificateAuthority

  const broken = ({ message }: { readonly message: string }) => Effect.fail(new InternalError({ message }))

  const show = Effect.gen(function* () {
    const found = yield* Effect.catchTags(authority.show, { AuthorityUnavailable: broken, CertificateFailed: broken })
    if (Option.isNone(found)) return yield* new NotFound({ message: "This server has no certificate authority" })
    return enveloped({ certificate_authority: found.value })
  })

  const create = Effect.fn("Authority.create")(function* (body: JsonObject, user: string) {
    const name = own(body, "common_name") ?? DEFAULT_NAME
    if (typeof name !== "string" || name.trim() === "" || lengthOf(name) > MAX_NAME) {
      return yield* refuse(`common_name must be a text of 1 to ${MAX_NAME} characters`)
    }
    yield* Effect.catchTags(authority.create(name), {
      AuthorityExists: ({ message }) => Effect.fail(new Conflict({ message })),
      AuthorityUnavailable: broken,
      CertificateFailed: broken
    })
    yield* Effect.logInfo("A certificate authority was created", { name, by: user })
    return yield* show
  })

  return { show, create }
})
