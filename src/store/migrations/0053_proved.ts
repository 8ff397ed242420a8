/**
 * One truth about what a device was proved to run: `proved_config`. The hash in the device's record follows it, whoever proves it: a
 * synchronization, an initialisation, a restore or a configuration that was given. Earlier releases forgot it after a restore, so that the
 * next synchronization took what Switchyard itself had put on the device for a change from outside; their records are mended here. It
 * only adds: servers of the release before write the same hash beside it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function expect_proved() returns trigger language plpgsql as $$
      begin
        update device set confhash = new.hash where id = new.device_id and confhash is distinct from new.hash;
        return null;
      end
    $$`
  yield* sql`create trigger expect_proved after insert or update on proved_config for each row execute function expect_proved()`
  yield* sql`comment on column device.confhash is 'hash of what the device was proved to run; null when nothing is expected of it, as after an upgrade'`
  yield* sql`update device set confhash = p.hash from proved_config p
    where p.device_id = device.id and device.confhash <> p.hash`
})
