/**
 * Works out what an access switch gets where it is plugged in: links, ports and the management domain (docs/provisioning.md).
 * Reads only; `AccessInitPlan` writes it.
 */
import { Context, Effect, Layer } from "effect"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import type { MgmtDomain } from "../../domain/MgmtDomain.ts"
import { findMgmtDomain } from "../../provisioning/MgmtDomainChoice.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { AccessPlace, type Member, type PortPlan } from "./AccessPlace.ts"
import { InitReplacement, type ReplacementRows } from "./InitReplacement.ts"
import { distinctLinks } from "./InitRows.ts"

/** Everything that is to be written, worked out from the rows as they are now. */
export interface AccessPlan {
  readonly domain: MgmtDomain
  readonly uplinks: ReadonlyArray<string>
  readonly neighbours: ReadonlyArray<string>
  readonly add: ReplacementRows["add"]
  readonly remove: ReplacementRows["remove"]
  readonly ports: ReadonlyArray<PortPlan>
  readonly lost: InitDecision["lost"]
}

const NOTHING_LOST = { interfaces: [], links: [] }

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const place = yield* AccessPlace
  const replacement = yield* InitReplacement

  const cabled = Effect.fn("AccessPlanner.cabled")(function* (
    members: readonly [Member, ...ReadonlyArray<Member>],
    old: Device | null
  ) {
    const found = yield* place.links(members)
    const { domain, neighbors, uplinks } = yield* place.place(members, found)
    const [{ device }] = members
    if (domain === null) {
      const message = `No uplink neighbors found for device id: ${device.id} (${device.hostname})`
      return yield* new JobFailure({ type: "InitVerificationError", message })
    }
    const base = { domain, neighbours: neighbors, uplinks: uplinks.map(({ hostname }) => hostname) }
    if (old !== null) {
      const { ports, ...changed } = yield* replacement.rows(old, members[0], found)
      const whole: AccessPlan = { ...base, ...changed, ports: [ports] }
      return whole
    }
    const ports = yield* Effect.forEach(members, (member) => place.ports(members, member, found))
    const { add, remove } = found.plan
    const whole: AccessPlan = { ...base, add: distinctLinks(add), remove, ports, lost: NOTHING_LOST }
    return whole
  })

  const second = Effect.fn("AccessPlanner.second")(function* (hostnames: ReadonlyArray<string>) {
    const known = new Map((yield* devices.byHostnames(hostnames)).map((row) => [row.hostname, row]))
    const above = hostnames.flatMap((name) => known.get(name) ?? [])
    const domain = yield* Effect.fromResult(findMgmtDomain(above, yield* place.choice))
    const nothing = { add: [], remove: [], ports: [], lost: NOTHING_LOST, neighbours: [] }
    const whole: AccessPlan = { ...nothing, domain, uplinks: hostnames }
    return whole
  })

  return {
    /** The plan of a switch (or both of a pair) that is plugged in and asked; `old` is the switch that it replaces. */
    cabled,
    /** The plan of the second switch of a pair: everything but its addresses is there. */
    second
  }
})

/** Plans of access switches. */
export class AccessPlanner extends Context.Service<AccessPlanner>()("switchyard/jobs/AccessPlanner", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
