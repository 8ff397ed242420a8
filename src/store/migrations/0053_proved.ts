/**
 * One place for the proved configuration of a device: `proved_config`. The hash in the device's record follows it after every proof: by a
 * synchronization, an initialisation, a restore or a given configuration. Earlier releases lost it after a restore, so the
 * next synchronization treated Switchyard's own configuration as a change from outside; their records are corrected here. It
 * only adds objects: servers of the previous release write the same hash.
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
