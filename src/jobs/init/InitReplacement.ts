/**
 * A new switch in the place of a broken one (docs/provisioning.md#replacement): the row of the old one goes on with its id, its
 * ports and its links as far as the new unit has them, and takes over the new unit's identity. Runs in the transaction of step
 * 1, which also remembers both rows, so that a failure brings them back.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { Interface } from "../../domain/Interface.ts"
import { cableOf, endOf, type Linknet, type NewLinknet, touches } from "../../domain/Linknet.ts"
import { cabledPorts, physicalInterfaces } from "../../provisioning/InterfaceDatabase.ts"
import { checkReplacement, lostInterfaces, planReplacement } from "../../provisioning/Replacement.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { LinknetStore } from "../../store/NetworkStore.ts"
import type { Member, PortPlan } from "./AccessPlace.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import type { LinkSurveyed } from "./InitSurvey.ts"
import type { RunningJob } from "../engine/JobHandler.ts"

/** What becomes of the old switch's rows. */
export interface ReplacementRows {
  readonly add: ReadonlyArray<NewLinknet>
  readonly remove: ReadonlyArray<Linknet>
  readonly ports: PortPlan
  /** Ports with rows, and links, that the new unit has not. */
  readonly lost: { readonly interfaces: ReadonlyArray<string>; readonly links: ReadonlyArray<string> }
}

const withId = (link: NewLinknet, from: number, to: number): NewLinknet => ({
  ...link,
  device_a_id: link.device_a_id === from ? to : link.device_a_id,
  device_b_id: link.device_b_id === from ? to : link.device_b_id
})

/** Rows of the ports that the new unit has keep their configuration; which ports lead up is what the cables say now. */
const portRows = (
  old: Pick<Device, "id">,
  names: ReadonlyArray<string>,
  stored: ReadonlyArray<Interface>,
  uplinks: ReadonlyMap<string, string>
): PortPlan => {
  const known = new Map(stored.map((row) => [row.name, row]))
  const rowOf = (name: string): Interface => {
    const row = known.get(name)
    const neighbor = uplinks.get(name)
    if (neighbor !== undefined) return { device_id: old.id, name, configtype: "ACCESS_UPLINK", data: { neighbor } }
    if (row === undefined) return { device_id: old.id, name, configtype: "ACCESS_AUTO", data: null }
    return row.configtype === "ACCESS_UPLINK" ? { ...row, configtype: "ACCESS_AUTO", data: {} } : row
  }
  return { deviceId: old.id, write: names.map(rowOf), remove: lostInterfaces(stored, names) }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const linknets = yield* LinknetStore
  const states = yield* DeviceStates

  /** The switch that is to be replaced. Fails with DeviceStateError when it may not be. */
  const find = Effect.fn("InitReplacement.find")(function* (hostname: string) {
    const [old] = yield* devices.byHostnames([hostname])
    const [members] = yield* sql<{ count: number }>`
      select count(*)::int as count from stackmember where device_id = ${old?.id ?? 0}`
    yield* Effect.fromResult(
      checkReplacement({
        hostname,
        old: old ?? null,
        interfaces: old === undefined ? [] : yield* interfaces.ofDevice(old.id),
        stackMembers: members?.count ?? 0
      })
    )
    return yield* devices.getByHostname(hostname)
  })

  /** What becomes of links and ports when the unit takes the place of the old switch. Reads only. */
  const rows = Effect.fn("InitReplacement.rows")(function* (
    old: Device,
    member: Member,
    { links, neighbours, plan }: LinkSurveyed
  ) {
    const { device: unit } = member
    const names = yield* Effect.fromResult(physicalInterfaces(unit.platform ?? "", unit.hostname, member.ports))
    const stored = yield* interfaces.ofDevice(old.id)
    const moved = plan.add.map((link) => withId(link, unit.id, old.id))
    const wanted = new Set(moved.map(cableOf))
    const oldLinks = yield* linknets.ofDevice(old.id)
    const isUplink = (port: string) =>
      stored.some(({ configtype, name }) => name === port && configtype === "ACCESS_UPLINK")
    const gone = oldLinks.filter((link) => {
      const port = endOf(link, old.id)?.port ?? ""
      return (
        !wanted.has(cableOf(link)) &&
        (!names.includes(port) || isUplink(port) || moved.some((one) => touches(one, old.id, port)))
      )
    })
    const kept = new Set(oldLinks.map(cableOf))
    const ends = yield* devices.byIds(gone.flatMap((link) => [link.device_a_id, link.device_b_id]))
    const hostnames = new Map(ends.map(({ hostname, id }) => [id, hostname]))
    const far = new Map([...neighbours.values()].map((row) => [row.id, row]))
    const { uplinks } = cabledPorts(unit.id, links, far, null)
    const remove = [...plan.remove.filter((link) => !wanted.has(cableOf(link))), ...gone]
    const result: ReplacementRows = {
      add: moved.filter((link) => !kept.has(cableOf(link))),
      remove: [...new Map(remove.map((link) => [link.id, link])).values()],
      ports: portRows(old, names, stored, uplinks),
      lost: {
        interfaces: lostInterfaces(stored, names),
        links: gone.map((link) => {
          const [a, b] = [hostnames.get(link.device_a_id), hostnames.get(link.device_b_id)]
          return `${a}:${link.device_a_port} - ${b}:${link.device_b_port}`
        })
      }
    }
    return result
  })

  /** Deletes the unit's own row and gives its identity to the old one, which is DISCOVERED then. Yields it. */
  const swap = Effect.fn("InitReplacement.swap")(function* (job: RunningJob, old: Device, unit: Device) {
    const { deleteId, event } = planReplacement(old, unit)
    yield* devices.remove(deleteId)
    return (yield* states.apply(old.id, event, { by: job.user, jobId: job.id })).device
  })

  return { find, rows, swap }
})

/** Replacements of broken switches. */
export class InitReplacement extends Context.Service<InitReplacement>()("switchyard/jobs/InitReplacement", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
