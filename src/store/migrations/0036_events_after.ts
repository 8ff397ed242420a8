/**
 * New events with the number up to which the log is complete, in one statement: followers of the log read many times a second, and on a
 * busy server each statement waits for its turn.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // each statement of a volatile function sees the commits before its begin, so the rows are read after the number is known
  yield* sql`
    create function events_after(after bigint, most integer) returns table (complete bigint, told event) language plpgsql volatile as $$
      begin
        complete := events_complete();
        for told in select * from event where event.id > after and event.id <= complete order by event.id limit most loop
          return next;
        end loop;
        if not found then return next; end if;
      end
    $$`
})
