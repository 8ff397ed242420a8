/** Starts upgrades and shows their order (docs/api.md#upgrades and docs/jobs.md#order-of-a-staggered-upgrade). */
import { Effect, Option, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { enveloped, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { hostnameOrGroup, targetOf } from "../../domain/requests/DeviceSelector.ts"
import type { UpgradeRequest } from "../../domain/requests/FirmwareRequests.ts"
import { defaultUrl } from "../../firmware/Firmware.ts"
import { ONLY_ACCESS, UpgradeOrders } from "../../firmware/UpgradeOrders.ts"
import { DeviceUpgrade } from "../../domain/jobs/DeviceUpgrade.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { hostsForCallers, switchGuard } from "../../runtime/OutboundHosts.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { DeviceTargets } from "../provisioning/DeviceTargets.ts"
import { delayUntil } from "../provisioning/StartTime.ts"

const refuse = (message: string) => new BadRequest({ message })

const BESIDE = ["hostname", "group", "start_at", "pre-flight", "comment", "ticket_ref"] as const

/** Why switches may not be sent to this URL; an installation from before OUTBOUND_HOSTS sends them wherever its clients say. */
const switchRefusal = (config: ServerSettings, url: string): Effect.Effect<string | undefined> =>
  Option.isNone(hostsForCallers(config)) || !URL.canParse(url)
    ? Effect.undefined
    : switchGuard(config).refusalForOthers(new URL(url).hostname)

/** Starts the job of a request for this user, and answers with the number of selected devices. */
export const makeUpgrade = Effect.gen(function* () {
  const config = yield* ServerConfig
  const targets = yield* DeviceTargets
  const requests = yield* JobRequests
  return Effect.fn("Upgrades.start")(function* (request: UpgradeRequest, user: string) {
    const { comment, start_at, ticket_ref, url = defaultUrl(config) } = request
    const refusal = request.url === undefined ? undefined : yield* switchRefusal(config, request.url)
    if (refusal !== undefined) return yield* refuse(`url: ${refusal}`)
    const { count } = yield* targets.select(targetOf(request))
    const job = yield* requests.start(
      DeviceUpgrade,
      { ...Struct.omit(request, BESIDE), url, ...hostnameOrGroup(request) },
      {
        user,
        comment,
        ticketRef: ticket_ref,
        ...(yield* delayUntil(start_at))
      }
    )
    return jobStartedOnDevices("Scheduled job to upgrade devices", job, count)
  })
})

/** Answers with the steps of a staggered upgrade of a group. */
export const makeUpgradeCheck = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const orders = yield* UpgradeOrders
  const settings = yield* SettingsView
  return Effect.fn("Upgrades.check")(function* (group: string) {
    const { hostnames } = yield* settings.group(group)
    const selected = yield* devices.selectManaged({ hostnames })
    if (selected.length === 0) {
      return yield* refuse("Could not determine upgrade order for the specified device group")
    }
    const groups = yield* Effect.catchTag(orders.order(selected), "UpgradeOrderUnknown", ({ message }) =>
      // 400 for both: clients show the reason of no other status
      Effect.fail(refuse(message === ONLY_ACCESS ? message : `Could not determine upgrade order: ${message}`))
    )
    return HttpApiSchema.withHeaders({
      body: enveloped({ upgrade_groups: groups, device_count: selected.length, steps: groups.length }),
      headers: { "x-total-count": String(selected.length) }
    })
  })
})
