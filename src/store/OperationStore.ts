/**
 * Rows of operations on switches. As with changes, a phase is claimed with a conditional write: it finds no row if another
 * process has taken the operation over, and then this process must send nothing more to the switch (promise 1).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"
import { OperationKind, OperationPhase } from "../domain/DeviceActivity.ts"

const Operation = Schema.Struct({
  id: Schema.Int,
  device_id: Schema.Int,
  job_id: Schema.NullOr(Schema.Int),
  kind: OperationKind,
  phase: OperationPhase,
  /** Raised by every process that takes the operation over. */
  epoch: Schema.Int,
  /** Data to continue the operation, by kind. */
  detail: Schema.Unknown
})
export type Operation = typeof Operation.Type

/** An operation to begin; one per job, device and kind. */
interface NewOperation {
  readonly device_id: number
  readonly job_id: number | null
  readonly kind: OperationKind
  readonly phase: OperationPhase
  readonly detail: object
}

const COLUMNS = "id, device_id, job_id, kind, phase, epoch, detail"
const decode = Schema.decodeUnknownEffect(Schema.Array(Operation))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const columns = sql.literal(COLUMNS)

  const decoded = (rows: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>) =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
  const first = (rows: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>) =>
    Effect.map(decoded(rows), (found) => Option.fromUndefinedOr(found[0]))

  const findBounce = makeGroupedFind(
    grouped,
    (ids) => sql<{ device_id: number }>`select device_id from device_operation
      where device_id = any(${ids}::integer[]) and kind = 'bounce' and phase <> 'done'`,
    ({ device_id }) => device_id
  )

  return OperationStore.of({
    begin: Effect.fn("OperationStore.begin")(function* ({ detail, ...operation }: NewOperation) {
      const row = { ...operation, detail: sql.json(detail) }
      const begun = yield* first(sql`insert into device_operation ${sql.insert(row)}
        on conflict on constraint device_operation_once
        do update set epoch = device_operation.epoch + 1, updated_at = now() returning ${columns}`)
      return yield* Effect.orDie(Effect.fromOption(begun))
    }),
    owesBounce: Effect.fn("OperationStore.owesBounce")((deviceId: number) =>
      Effect.map(findBounce(deviceId), Option.isSome)
    ),
    takeOver: Effect.fn("OperationStore.takeOver")((deviceId: number, kind: OperationKind) =>
      first(sql`update device_operation set epoch = epoch + 1, updated_at = now()
        where device_id = ${deviceId} and kind = ${kind} and phase <> 'done' returning ${columns}`)
    ),
    claim: Effect.fn("OperationStore.claim")(function* ({ epoch, id }: Operation, phase: OperationPhase) {
      // the owner of the epoch may end the operation twice: the first answer may have been lost
      const rows = yield* sql`update device_operation set phase = ${phase}, updated_at = now()
        where id = ${id} and epoch = ${epoch} and (phase <> 'done' or ${phase}::text = 'done') returning id`
      return rows.length === 1
    }),
    ofJob: Effect.fn("OperationStore.ofJob")((jobId: number, deviceId: number, kind: OperationKind) =>
      first(sql`select ${columns} from device_operation
        where job_id = ${jobId} and device_id = ${deviceId} and kind = ${kind}`)
    ),
    unfinished: Effect.fn("OperationStore.unfinished")((kind: OperationKind) =>
      decoded(sql`select ${columns} from device_operation where kind = ${kind} and phase <> 'done' order by id`)
    )
  })
})

type Find = Effect.Effect<Option.Option<Operation>, SqlError.SqlError>

/** Operations by device and job. */
export class OperationStore extends Context.Service<
  OperationStore,
  {
    /** Stores an operation before its first command. An operation that the job has already begun is taken over unchanged. */
    readonly begin: (operation: NewOperation) => Effect.Effect<Operation, SqlError.SqlError>
    /** Whether a bounce of the device's ports is unfinished. */
    readonly owesBounce: (deviceId: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Takes over an unfinished operation of another process on the device; a device has at most one of a kind at a time. */
    readonly takeOver: (deviceId: number, kind: OperationKind) => Find
    /** Moves the operation to the next phase; false if another process has taken it over or it is done. */
    readonly claim: (operation: Operation, phase: OperationPhase) => Effect.Effect<boolean, SqlError.SqlError>
    readonly ofJob: (jobId: number, deviceId: number, kind: OperationKind) => Find
    /** All unfinished operations of a kind. */
    readonly unfinished: (kind: OperationKind) => Effect.Effect<ReadonlyArray<Operation>, SqlError.SqlError>
  }
>()("switchyard/store/OperationStore") {
  static readonly layer = Layer.effect(OperationStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
