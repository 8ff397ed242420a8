/** The known secrets of a device's proved configuration as keyed digests: the values are never stored. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table proved_config add column secrets jsonb`
  yield* sql`comment on column proved_config.secrets is 'by line without its secret: digests (HMAC-SHA-256) of values that mean the secret that the device was proved to have; null when the device salts none'`
})
