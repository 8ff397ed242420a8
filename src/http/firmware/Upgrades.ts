/** Starts upgrades and shows their order (contract api-rest.md §4.7 and §4.9). */
import { Clock, Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { enveloped, jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { defaultUrl } from "../../firmware/Firmware.ts"
import { ONLY_ACCESS, UpgradeOrders } from "../../firmware/UpgradeOrders.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, shown } from "../../domain/fields/Values.ts"
import { makeGroupLookup } from "../settings/GroupLookup.ts"
import { parseTarget, parseUpgrade, type UpgradeTarget } from "./UpgradeRequest.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Starts the job of a request body for this user, and answers with the number of selected devices. */
export const makeUpgrade = Effect.gen(function* () {
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const groupNamed = yield* makeGroupLookup

  const select = Effect.fnUntraced(function* (target: UpgradeTarget) {
    if (target._tag === "Group") {
      const { hostnames } = yield* groupNamed(target.group)
      return { args: { group: target.group }, count: yield* devices.countManaged({ hostnames }) }
    }
    const { hostname } = target
    const count = yield* devices.countManaged({ hostnames: [hostname] })
    if (count === 0) return yield* refuse(`Hostname '${hostname}' not found or is not a managed device`)
    return { args: { hostname }, count }
  })

  return Effect.fn("Upgrades.start")(function* (body: JsonObject, user: string) {
    const target = yield* Effect.mapError(Effect.fromResult(parseTarget(body)), refuse)
    const { args, count } = yield* select(target)
    const now = yield* Clock.currentTimeMillis
    const request = yield* Effect.mapError(Effect.fromResult(parseUpgrade(body, defaultUrl(config), now)), refuse)
    const job = yield* engine.start({
      function: "device_upgrade",
      args: { ...request.args, ...args },
      user,
      comment: request.comment,
      ticketRef: request.ticketRef,
      ...(request.delaySeconds === undefined ? {} : { delaySeconds: request.delaySeconds })
    })
    return jobStartedOnDevices("Scheduled job to upgrade devices", job, count)
  })
})

/** Answers with the groups of a staggered upgrade. */
export const makeUpgradeCheck = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const orders = yield* UpgradeOrders
  const groupNamed = yield* makeGroupLookup
  return Effect.fn("Upgrades.check")(function* (body: JsonObject) {
    if (!has(body, "group")) return yield* refuse("No devices to upgrade were specified")
    const { hostnames } = yield* groupNamed(shown(body["group"]))
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
