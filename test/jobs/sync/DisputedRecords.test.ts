/** Which records get nothing pushed although a job wants it: what others have too, and what was changed under a change that began. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { shareAddress } from "../../devices/IdentityScene.ts"
import * as Lab from "./SyncLab.ts"

it.live("pushes nothing to records that share an address, and continues with all others", () =>
  Lab.withServers(3, (lab, serve) =>
    serve(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [first, second, third] = lab.names
        const [{ id: one = 0 } = {}, { id: two = 0 } = {}] = lab.devices
        yield* shareAddress(one, two)
        yield* Lab.want(lab, "two")
        const told = Lab.outcomes(yield* Lab.sync())
        assert.match(
          told[first ?? ""] ?? "",
          new RegExp(`DisputedRecord: management_ip \\S+ of ${first} is also the management_ip of ${second}`)
        )
        assert.match(told[second ?? ""] ?? "", new RegExp(`is also the management_ip of ${first}`))
        assert.strictEqual(told[third ?? ""], "ok")
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one", "wanted two"])
        // corrected by the first, the second continues
        yield* sql`update device set state = 'UNMANAGED', management_ip = null where id = ${two}`
        const mended = Lab.outcomes(yield* Lab.sync())
        assert.deepStrictEqual(mended, { [first ?? ""]: "ok" })
        assert.strictEqual(Lab.described(Lab.switchAt(lab, 0)), "wanted two")
        yield* Lab.nothingLeft(lab)
      })
    )
  )
)

const meanwhile = [
  ["moved", "update device set management_ip = '10.196.16.99' where id ="],
  ["taken out of service", "update device set state = 'UNMANAGED' where id ="],
  ["deleted", "delete from device where id ="]
] as const

for (const [what, statement] of meanwhile) {
  it.live(`sends nothing to a device that was ${what} while its configuration was rendered`, () =>
    Lab.withServers(2, (lab, serve) =>
      serve(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [first = "", second = ""] = lab.names
          const [{ id = 0 } = {}] = lab.devices
          yield* Lab.want(lab, "two")
          // a transaction sees what others do as it was when it looked first
          const waits = Effect.andThen(
            sql`select pg_stat_clear_snapshot()`,
            sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          )
          const isLocked = yield* Deferred.make<void>()
          const editing = yield* Effect.gen(function* () {
            yield* sql`select from device where id = ${id} for update`
            yield* Deferred.succeed(isLocked, undefined)
            while ((yield* waits).length === 0) yield* Effect.sleep("5 millis")
            yield* sql.unsafe(`${statement} ${id}`)
          }).pipe(sql.withTransaction, Effect.forkScoped)
          yield* Deferred.await(isLocked)
          const told = Lab.outcomes(yield* Lab.sync())
          yield* Fiber.join(editing)
          assert.match(
            told[first] ?? "",
            /RecordChanged: The record of \S+ was changed while its configuration was rendered/
          )
          assert.strictEqual(told[second], "ok")
          assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted two"])
        })
      )
    )
  )
}
