/** Blank switches of a world that are discovered and initialised by the API while it is struck, again and again until they are managed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { finalStatuses } from "../../../src/domain/Job.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import { calmly } from "./JobEndings.ts"
import type { World } from "./World.ts"
import type { Newcomer } from "./WorldSite.ts"

/** Who has not become managed by so many jobs will not. A request that a replica could not take is none. */
const ATTEMPTS = 12
const AT_ONCE = 2
const AGAIN = "200 millis"

const isStarted = ({ status }: { readonly status: number }) => (status === 200 ? null : `status ${status}`)

/** Boots them all; the DHCP server's hook would report them, which is done by `initialise`. */
export const boot = (newcomers: ReadonlyArray<Newcomer>) =>
  Effect.forEach(newcomers, ({ device, hostname }) =>
    Effect.map(booted(device), ({ discovery, row }) => ({ device, hostname, id: row.id, discovery }))
  )
export type Booted = Effect.Success<ReturnType<typeof boot>>[number]

const stateOf = (id: number) =>
  calmly(
    Effect.map(
      Effect.flatMap(DeviceStore, (devices) => devices.get(id)),
      ({ state }) => state
    )
  )

/** Nothing is at work on any of them. */
const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const open = sql`select 1 from job where status not in ${sql.in(finalStatuses)}
    and (function_name like 'init%' or function_name = 'discover_device')`
  while ((yield* calmly(open)).length > 0) yield* Effect.sleep("100 millis")
})

/** How the last job for it has ended. */
const lastEnd = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [job] = yield* calmly(sql`select id, function_name, status, exception, result from job
    where function_name like 'init%' and (start_arguments->>'device_id')::int = ${id} order by id desc limit 1`)
  return job === undefined ? "no job" : JSON.stringify(job).slice(0, 1_500)
})

const initialiseOne = Effect.fnUntraced(function* ({ ask }: World, { discovery, hostname, id }: Booted) {
  const { dhcp_ip, ztp_mac } = discovery
  let attempts = 0
  while (attempts < ATTEMPTS) {
    const state = yield* stateOf(id)
    if (state === "MANAGED") return null
    const call =
      state === "DHCP_BOOT"
        ? { path: "/device_discover", body: { dhcp_ip, ztp_mac } }
        : { path: `/device_init/${id}`, body: { hostname, device_type: "ACCESS" } }
    const answer = yield* Effect.option(ask({ method: "POST", ...call, wrong: isStarted, once: true }))
    if (answer._tag === "Some") attempts += 1
    else yield* Effect.sleep(AGAIN)
    yield* settled
  }
  return `${hostname} is ${yield* stateOf(id)} after ${ATTEMPTS} jobs: ${yield* lastEnd(id)}`
})

/** All of them, a few at once. Yields who could not be. */
export const initialise = (world: World, newcomers: ReadonlyArray<Booted>) =>
  Effect.forEach(newcomers, (one) => initialiseOne(world, one), { concurrency: AT_ONCE }).pipe(
    Effect.map((ends) => ends.filter((end) => end !== null)),
    Effect.provide(world.stores)
  )
