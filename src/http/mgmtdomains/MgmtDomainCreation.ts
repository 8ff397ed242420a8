/** POST /mgmtdomains (docs/api.md#management-domains). */
import { Effect } from "effect"
import { enveloped } from "../../api/Answers.ts"
import { sentencesOf } from "../../domain/fields/Body.ts"
import type { MgmtDomainBody } from "../../domain/MgmtDomain.ts"
import { MgmtDomainStore } from "../../store/MgmtDomainStore.ts"
import { refuse } from "../core/Refused.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices, makeNamedEnds } from "../linknets/LinknetEnds.ts"

const MISSING =
  "Not all required inputs were found: device_a, device_b, vlan, ipv4_gw OR device_a, device_b, vlan, ipv6_gw"

/** Creates a domain from a request body; both devices become unsynchronized. */
export const makeMgmtDomainCreation = Effect.gen(function* () {
  const domains = yield* MgmtDomainStore
  const lock = yield* lockDevices
  const namedEnds = yield* makeNamedEnds
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const create = Effect.fn("MgmtDomainCreation.create")(function* (
    sent: typeof MgmtDomainBody.checked.Type,
    by: string
  ) {
    const { a, b, judged } = yield* namedEnds(sent, (_key, hostname) => `Device with hostname ${hostname} not found`)
    const { description = null, ipv4_gw = null, ipv6_gw = null, vlan = null } = judged.fields
    const wrong = sentencesOf(judged.refusals)
    const complete = vlan !== null && (ipv4_gw !== null || ipv6_gw !== null)
    if (a === undefined || b === undefined || !complete || wrong.length > 0) return yield* refuse(...wrong, MISSING)
    if (a.id === b.id) return yield* refuse("device_a and device_b must be different devices")
    const ids = [a.id, b.id]
    yield* lock(ids)
    const added_mgmtdomain = yield* domains.insert({
      device_a_id: a.id,
      device_b_id: b.id,
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

  return (sent: typeof MgmtDomainBody.checked.Type, by: string) =>
    inTransaction(create(sent, by)).pipe(
      Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("A device was deleted meanwhile", MISSING)))
    )
})
