/** The next holder of the lock `devices`: the class of a job decides, then its number, and no job is passed for ever. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestDatabase } from "../support/TestDatabase.ts"
import { JobScheduleStore } from "../../src/store/JobScheduling.ts"

/** A job that has waited for the lock for so many minutes; a class of null is that of an earlier release. */
const waits = Effect.fnUntraced(function* (serviceClass: string | null, minutes: number, person: string | null = null) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    id: number
  }>`insert into job (status, function_name, scheduled_time, alive_at, service_class, scheduled_person, lock_turn, waiting_for)
    values ('SCHEDULED', 'sync_devices', now(), now(), ${serviceClass}, ${person}, ${person === null ? 0 : null}, jsonb_build_object('reason', 'lock', 'lock', 'devices',
      'waits_since', to_char(now() at time zone 'UTC' - make_interval(mins => ${minutes}), 'YYYY-MM-DD"T"HH24:MI:SS')))
    returning id`
  return row?.id ?? 0
})

/** The jobs in the order in which they get the lock when all of them ask again and again. */
const order = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const { locks } = yield* JobScheduleStore
  const got: Array<number> = []
  for (const _ of ids) {
    for (const id of ids.filter((one) => !got.includes(one))) {
      const isTaken = yield* Effect.isSuccess(locks.acquire("devices", id))
      if (!isTaken) continue
      got.push(id)
      yield* sql`update job set status = 'FINISHED', finish_time = now() where id = ${id}`
      yield* locks.release(id)
      break
    }
  }
  return got
})

layer(TestDatabase)("The lock of jobs that configure devices", (it) => {
  it.effect("goes to people before schedules before upkeep, and to the lower number of one class", () =>
    Effect.gen(function* () {
      const upkeep = yield* waits("upkeep", 0)
      const later = yield* waits("schedule", 0)
      const first = yield* waits("person", 0)
      const older = yield* waits(null, 0)
      const second = yield* waits("person", 0)
      const ids = [upkeep, later, first, older, second]
      assert.deepStrictEqual(yield* order(ids), [first, older, second, later, upkeep])
    }).pipe(Effect.provide(JobScheduleStore.layer))
  )

  it.effect("is not withheld from a job for more than five minutes by later ones", () =>
    Effect.gen(function* () {
      const upkeep = yield* waits("upkeep", 6)
      const later = yield* waits("schedule", 4)
      const person = yield* waits("person", 0)
      assert.deepStrictEqual(yield* order([person, later, upkeep]), [upkeep, person, later])
    }).pipe(Effect.provide(JobScheduleStore.layer))
  )

  it.effect("alternates between persons, so that the jobs of one do not delay another, however long they wait", () =>
    Effect.gen(function* () {
      const { locks } = yield* JobScheduleStore
      const joins = Effect.fnUntraced(function* (person: string, minutes: number) {
        const id = yield* waits("person", minutes, person)
        return [id, yield* Effect.isSuccess(locks.acquire("devices", id))] as const
      })
      const many = yield* Effect.forEach([9, 9, 9, 0], (minutes) => joins("local:ann", minutes))
      assert.deepStrictEqual(
        many.map(([, isTaken]) => isTaken),
        [true, false, false, false]
      )
      const others = yield* Effect.forEach(["local:otto", "local:eve", "local:otto"], (person) => joins(person, 0))
      const [a1 = 0, a2 = 0, a3 = 0, a4 = 0] = many.map(([id]) => id)
      const [o1 = 0, e1 = 0, o2 = 0] = others.map(([id]) => id)
      assert.deepStrictEqual(yield* order([a1, a2, a3, a4, o1, e1, o2]), [a1, o1, e1, a2, o2, a3, a4])
    }).pipe(Effect.provide(JobScheduleStore.layer))
  )
})
