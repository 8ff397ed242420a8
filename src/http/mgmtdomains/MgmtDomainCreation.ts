/** POST /mgmtdomains (contract api-devices.md §12.3). */
import { Effect } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import type { Device } from "../../domain/Device.ts"
import { isHostname } from "../../domain/Hostname.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { MgmtDomainStore } from "../../store/MgmtDomainStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { transaction } from "../core/Unavailable.ts"
import { has, shown } from "../../domain/fields/Values.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices } from "../linknets/LinknetEnds.ts"
import { COMMON_RULES, parseDomainFields } from "./MgmtDomainRules.ts"

const MISSING =
  "Not all required inputs were found: device_a, device_b, vlan, ipv4_gw OR device_a, device_b, vlan, ipv6_gw"
const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })

interface Found {
  readonly device?: Device
  readonly error?: string
}

/** Creates a domain from a request body; both devices become unsynchronized. */
export const makeMgmtDomainCreation = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const domains = yield* MgmtDomainStore
  const lock = yield* lockDevices
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const deviceOf = Effect.fnUntraced(function* (body: JsonObject, key: "device_a" | "device_b") {
    if (!has(body, key)) return {} satisfies Found
    const hostname = shown(body[key])
    if (!isHostname(hostname)) return { error: `Invalid hostname for ${key}: ${hostname}` } satisfies Found
    const [device] = yield* devices.byHostnames([hostname])
    return (device === undefined ? { error: `Device with hostname ${hostname} not found` } : { device }) satisfies Found
  })

  const create = Effect.fn("MgmtDomainCreation.create")(function* (body: JsonObject, by: string) {
    const a: Found = yield* deviceOf(body, "device_a")
    const b: Found = yield* deviceOf(body, "device_b")
    const { errors, fields } = parseDomainFields(body, COMMON_RULES)
    const { description = null, ipv4_gw = null, ipv6_gw = null, vlan = null } = fields
    const wrong = [a, b].flatMap(({ error }) => (error === undefined ? [] : [error])).concat(errors)
    const complete = vlan !== null && (ipv4_gw !== null || ipv6_gw !== null)
    if (a.device === undefined || b.device === undefined || !complete || wrong.length > 0) {
      return yield* refuse(...wrong, MISSING)
    }
    const ids = [a.device.id, b.device.id] as const
    if (ids[0] === ids[1]) return yield* refuse("device_a and device_b must be different devices")
    yield* lock(ids)
    const added_mgmtdomain = yield* domains.insert({
      device_a_id: ids[0],
      device_b_id: ids[1],
      ipv4_gw,
      ipv6_gw,
      vlan,
      description,
      device_a_ip: null,
      device_b_ip: null,
      site_id: null,
      esi_mac: null
    })
    yield* unsynchronize(ids, "mgmtdomain_created", by)
    return enveloped({ added_mgmtdomain })
  })

  return (body: JsonObject, by: string) =>
    inTransaction(create(body, by)).pipe(
      Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("A device was deleted meanwhile", MISSING)))
    )
})
