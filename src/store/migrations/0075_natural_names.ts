/**
 * Names sort as people count: `acc2` before `acc10`. A PostgreSQL that was built without ICU keeps the order of bytes, so that the
 * server starts there too. A restore removes tables and leaves the collation. The index serves the first pages of a hundred thousand devices by name.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`do $$ begin
    create collation if not exists natural_sort (provider = icu, locale = 'en-u-kn-true');
  exception when feature_not_supported then
    create collation if not exists natural_sort from "C";
  end $$`
  yield* sql`create index device_natural_name on device (hostname collate natural_sort)`
})
