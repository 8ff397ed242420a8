/** Devices after a restore of the database: nothing is pushed to one before it was read. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Lab from "../sync/SyncLab.ts"

const BACKUP_OF = "2026-11-01T04:30:00Z"

/** The state of the database after `switchyard restore`. */
const restored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into restore (backup_of, release) values (${BACKUP_OF}::timestamptz, '0.2.0')`
  yield* sql`insert into sync_event (hostname, cause, happened_at, by)
    select hostname, 'restored', extract(epoch from now()), 'restore' from device where synchronized`
  yield* sql`update device set unseen_since = now(), synchronized = false where state = 'MANAGED'`
})

const unseen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ hostname: string }>`select hostname from device where unseen_since is not null order by id`
  return rows.map(({ hostname }) => hostname)
})

it.live("refuses to push to a device before it was read, names commits after the backup, and accepts a new proof", () =>
  Lab.withLab(3, (lab) =>
    Effect.gen(function* () {
      const [same = "", changed = "", silent = ""] = lab.names
      // this was an explicit check: the server checks automatically only minutes later
      yield* Lab.run("device_drift", {})
      yield* restored
      lab.switches[1]?.configure("vlan 999\n   name BY-HAND\n")
      lab.switches[2]?.setFault({ kind: "cut", step: "connect" })
      const refused = yield* Lab.sync({ hostnames: [same], force: true, confirm_older: true })
      assert.match(
        Lab.outcomes(refused)[same] ?? "",
        /UnseenDevice: Device \S+ was not read since the database was restored from the backup of 2026-11-01T04:30:00/
      )
      const shown = yield* Lab.run("sync_devices", { hostnames: [same], resync: true, dry_run: true })
      assert.strictEqual(Lab.outcomes(shown)[same], "ok", "to look is allowed")

      const look = yield* Lab.run("device_drift", {})
      assert.match(JSON.stringify(look.result), /changed after the backup of 2026-11-01T04:30:00/)
      assert.deepStrictEqual(yield* unseen, [silent], "who has not answered is looked at again")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [same])
      assert.deepStrictEqual(yield* Lab.causes(same), [])
      assert.deepStrictEqual(yield* Lab.causes(changed), ["restored", "drift"])

      yield* Lab.want(lab, "two")
      const live = yield* Lab.sync()
      assert.strictEqual(Lab.outcomes(live)[same], "ok")
      assert.notStrictEqual(Lab.outcomes(live)[changed], "ok", "what was changed is not overwritten without force")
      assert.match(Lab.outcomes(live)[silent] ?? "", /UnseenDevice/)
      assert.include(lab.switches[1]?.running() ?? "", "BY-HAND")

      lab.switches[2]?.clearFaults()
      yield* Lab.run("device_drift", { hostnames: [silent] })
      assert.deepStrictEqual(yield* unseen, [])
      const rest = yield* Lab.sync({ hostnames: [silent] })
      assert.strictEqual(Lab.outcomes(rest)[silent], "ok")
      yield* Lab.nothingLeft(lab)
    })
  )
)
