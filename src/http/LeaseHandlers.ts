/** Handlers of leases: what a lease means for its switch, and the leases that were refused or wait (docs/provisioning.md#dhcp-hook). */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import {
  BadRequest,
  Conflict,
  enveloped,
  type FailureMessage,
  Forbidden,
  NotFound,
  TooManyRequests
} from "../api/Answers.ts"
import { type LeaseOutcome, makeLeaseReports } from "../dhcp/LeaseReports.ts"
import type { Device } from "../domain/Device.ts"
import { DeviceChange, NewDevice } from "../domain/DeviceFields.ts"
import type { Lease, LeaseReport } from "../domain/requests/LeaseRequests.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { answered, asCaller, withStatus } from "./core/HandlerErrors.ts"
import { makeDeviceChange, makeDeviceCreation } from "./devices/DeviceRecords.ts"
import { makeDiscovery } from "./provisioning/Initialisation.ts"

const sentenceOf = (message: FailureMessage): string => {
  if (typeof message === "string") return message
  return "errors" in message ? message.errors.join("; ") : message.join("; ")
}

type Refusal = BadRequest | Forbidden | NotFound | Conflict | TooManyRequests

const isRefusal = <E>(error: E): error is Extract<E, Refusal> =>
  [BadRequest, Forbidden, NotFound, Conflict, TooManyRequests].some((refusal) => error instanceof refusal)

/** A refusal by the server's rules is an outcome; a server that cannot work now fails, and is asked again. */
const outcomeOf = <E, R>(step: Lease["step"], work: Effect.Effect<string, E, R>) =>
  withStatus(work).pipe(
    Effect.map((message): LeaseOutcome => ({ outcome: "taken", step, message })),
    Effect.catchIf(isRefusal, (refusal: Refusal) =>
      Effect.succeed<LeaseOutcome>({
        outcome: refusal instanceof TooManyRequests ? "waits" : "refused",
        step,
        message: sentenceOf(refusal.message)
      })
    )
  )

const makeReporting = Effect.gen(function* () {
  const reports = yield* makeLeaseReports
  const devices = yield* DeviceStore
  const create = yield* makeDeviceCreation
  const change = yield* makeDeviceChange
  const discover = yield* makeDiscovery

  const register = ({ dhcp_ip, platform, ztp_mac }: LeaseReport) =>
    Effect.map(
      create(
        NewDevice.check({
          ztp_mac,
          dhcp_ip,
          hostname: `mac-${ztp_mac}`,
          platform,
          state: "DHCP_BOOT",
          device_type: "UNKNOWN"
        })
      ),
      ({ device }) => `New device ${device.hostname} with id ${device.id} at ${dhcp_ip}`
    )

  const discovery = ({ dhcp_ip, ztp_mac }: LeaseReport, user: string) =>
    Effect.map(
      discover({ ztp_mac, dhcp_ip }, user),
      ({ job_id }) => `Discovery of ${ztp_mac} at ${dhcp_ip} is job ${job_id}`
    )

  const known = (device: Device, lease: LeaseReport, user: string) => {
    const { dhcp_ip, ztp_mac } = lease
    if (device.state === "DHCP_BOOT") return outcomeOf("discovery", discovery(lease, user))
    if (device.state !== "DISCOVERED" || device.dhcp_ip === dhcp_ip) {
      const message =
        device.state === "DISCOVERED"
          ? `${ztp_mac} keeps its address ${dhcp_ip}`
          : `${ztp_mac} is in state ${device.state}: nothing to do`
      return Effect.succeed<LeaseOutcome>({ outcome: "taken", step: "none", message })
    }
    return outcomeOf(
      "address",
      Effect.as(change(device.id, DeviceChange.check({ dhcp_ip }), user), `${ztp_mac} has the new address ${dhcp_ip}`)
    )
  }

  const handle = Effect.fn("Leases.handle")(function* (lease: LeaseReport, user: string) {
    const find = devices.findByMac(lease.ztp_mac)
    const device = yield* find
    if (Option.isSome(device)) return yield* known(device.value, lease, user)
    const created = yield* outcomeOf("create", register(lease))
    if (created.outcome === "waits" || (created.outcome === "taken" && !lease.again)) return created
    // it asked before, or another report has made the device at the same moment
    const found = yield* find
    return Option.isSome(found) ? yield* known(found.value, lease, user) : created
  })

  return Effect.fn("Leases.report")(function* (lease: LeaseReport, user: string) {
    const before = yield* reports.repeated(lease)
    if (Option.isSome(before)) return enveloped({ lease: before.value })
    return enveloped({ lease: yield* reports.record(lease, yield* handle(lease, user)) })
  })
})

/** Handlers of `LeasesGroup`. */
export const LeasesLive = HttpApiBuilder.group(Api, "leases", (handlers) =>
  Effect.gen(function* () {
    const report = yield* makeReporting
    const { queues, untaken } = yield* makeLeaseReports
    const list = Effect.map(Effect.all({ leases: untaken, queues }), enveloped)
    return handlers
      .handle("reportLease", ({ payload }) => asCaller((user) => report(payload, user)))
      .handle("leases", () => answered(list))
  })
)
