/** What the database says of itself and of the servers that share the work. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ServerConfig } from "../ServerConfig.ts"

export interface DatabaseFigure {
  readonly version: string
  readonly size_bytes: number
  readonly schema_version: number
}

export interface ReplicaFigure {
  readonly address: string
  readonly is_healthy: boolean
  readonly heard_seconds: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { CLUSTER_HOST } = yield* ServerConfig
  const database = Effect.map(
    sql<DatabaseFigure>`select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database())::float8 as size_bytes,
      (select max(migration_id)::integer from switchyard_migrations) as schema_version`,
    ([row]) => row ?? null
  )
  // the table is there as soon as a server has worked together with others
  const replicas = sql<ReplicaFigure>`select address, healthy as is_healthy,
      greatest(extract(epoch from now()::timestamp - last_heartbeat), 0)::float8 as heard_seconds
    from cluster_runners order by address`
  return ServerFigures.of({
    database,
    replicas: Option.isSome(CLUSTER_HOST) ? replicas : Effect.succeed([])
  })
})

/** Figures about database and replicas. */
export class ServerFigures extends Context.Service<
  ServerFigures,
  {
    readonly database: Effect.Effect<DatabaseFigure | null, SqlError.SqlError>
    /** None where a server works alone. */
    readonly replicas: Effect.Effect<ReadonlyArray<ReplicaFigure>, SqlError.SqlError>
  }
>()("switchyard/store/ServerFigures") {
  static readonly layer = Layer.effect(ServerFigures, make)
}
