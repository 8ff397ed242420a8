/** Members of switch stacks (docs/api.md#stack-members). */
import { Array, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { StackMember } from "../domain/DeviceFields.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return StackMemberStore.of({
    ofDevice: Effect.fn("StackMemberStore.ofDevice")(
      (deviceId: number) =>
        sql<StackMember>`select member_no, hardware_id, priority from stackmember where device_id = ${deviceId}
          order by member_no nulls last, id`
    ),
    replace: Effect.fn("StackMemberStore.replace")(function* (deviceId: number, members: ReadonlyArray<StackMember>) {
      yield* sql`delete from stackmember where device_id = ${deviceId}`
      if (!Array.isReadonlyArrayNonEmpty(members)) return
      const rows = Array.map(members, (member) => ({ device_id: deviceId, ...member }))
      yield* sql`insert into stackmember ${sql.insert(rows)}`
    }, sql.withTransaction)
  })
})

/** Stack members by device. */
export class StackMemberStore extends Context.Service<
  StackMemberStore,
  {
    /** Members by number, those without one last. */
    readonly ofDevice: (deviceId: number) => Effect.Effect<ReadonlyArray<StackMember>, SqlError.SqlError>
    /** Replaces all members in one transaction. */
    readonly replace: (deviceId: number, members: ReadonlyArray<StackMember>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/StackMemberStore") {
  static readonly layer = Layer.effect(StackMemberStore, make)
}
