/** Two managed access switches and a server with a record of each, for tests of identities. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import type { JobReply } from "../support/ApiClient.ts"
import * as Campus from "../support/Campus.ts"
import { serve } from "../support/ServedCampus.ts"

export const [ONE, TWO] = Managed.accessNames(2) as [string, string]
export const ADDRESS = Managed.addressOf(0)
/** Leads to the first switch, too. */
export const OTHER_ADDRESS = "10.196.16.200"
export const MODEL = "CCS-720XP-24ZY4-F"

/** A second record for a switch that has one. */
export const clone = { hostname: "clone1", state: "MANAGED", device_type: "ACCESS", platform: "eos" }

/** A site from before the rule: `second` has the address of `first`, and was not refused. */
export const shareAddress = Effect.fnUntraced(function* (first: number, second: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table device disable trigger claim_changed_identities`
  yield* sql`update device set management_ip = (select management_ip from device where id = ${first}) where id = ${second}`
  yield* sql`alter table device enable trigger claim_changed_identities`
  yield* sql`delete from identity_claim where owner = 'device' and owner_id = ${second} and kind = 'address'`
  yield* sql`insert into identity_claim (kind, value, owner, owner_id, excused)
    select 'address', address_value(management_ip), 'device', id, true from device where id = ${second}`
})

/** A server with two managed access switches that were never synchronized, and what tests ask of it. */
export const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const network = yield* Managed.makeManagedLab([ONE, TWO])
  const { api, running } = yield* serve({
    ...Campus.environment(network, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    SSH_ADDRESS_MAP: `${OTHER_ADDRESS}/32=127.${ADDRESS.slice(3)}/32,10.0.0.0/8=127.0.0.0/8`
  })
  const database = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.provideContext(effect, running)
  yield* Effect.provideContext(Managed.seedManaged([ONE, TWO]), running)
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status !== 200) {
    yield* Effect.sleep("50 millis")
  }
  const [first, second] = yield* Managed.switchesOf(network, [ONE, TWO])
  assert(first !== undefined && second !== undefined)
  const device = (hostname: string) =>
    Effect.map(api.devices(`filter[hostname]=${hostname}`), ([found]) => {
      assert(found !== undefined, hostname)
      return found
    })
  const put = (hostname: string, change: object) =>
    Effect.flatMap(device(hostname), ({ id }) => api.send("PUT", `/device/${String(id)}`, change))
  const sync = (hostname: string, more: object = {}) =>
    api.run("/device_syncto", { hostname, dry_run: false, resync: true, ...more })
  /** The job's error for its only device; an empty text on success. */
  const failureOf = ({ exception, result }: JobReply) =>
    exception === null && Object.values(result?.devices ?? {}).every(({ failed }) => !failed)
      ? ""
      : JSON.stringify({ exception, result })
  const causes = (hostname: string) =>
    Effect.map(api.send("GET", `/device_synchistory?hostname=${hostname}`), ({ body }) =>
      JSON.stringify(body.data["hostnames"])
    )
  const trust = (hostname: string, body: object = { comment: "it was replaced" }) =>
    api.send("POST", `/device/${hostname}/trust`, body)
  return { api, causes, database, device, failureOf, first, put, second, sync, trust }
})
type Scene = Effect.Success<typeof makeScene>

/** Does something with the switch, which must not be changed by it. */
export const unchanged = <A, E, R>(target: LabSwitch, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = [Managed.stripped(target.running()), Managed.stripped(target.startup()), target.commits().length]
    const began = target.commands().length
    const done = yield* work
    const after = [Managed.stripped(target.running()), Managed.stripped(target.startup()), target.commits().length]
    assert.deepEqual(after, before)
    const typed = target
      .commands()
      .slice(began)
      .map(({ command }) => command)
    const reading = /^(?:enable|terminal |no terminal monitor|show )/
    assert.deepEqual(
      typed.filter((command) => !reading.test(command)),
      []
    )
    assert.deepEqual(Managed.debrisOn(target), [])
    return done
  })

export const wrong = (scene: Scene, job: JobReply, sentence: string) =>
  assert.include(scene.failureOf(job), `WrongDevice: ${sentence}`)
