/** The jobs that a caller who may work on some devices only may see (docs/roles.md#callers-of-some-devices). */
import type { SqlClient } from "effect/sql"
import type { Within } from "./Listing.ts"

/**
 * Jobs that the caller has started, and those that are about no other devices than these: they have worked on one of them and on no
 * other, name no other in arguments such as `hostname` and `hostnames`, and either name their devices or have ended. A condition on `job`.
 */
export const jobsWithin = (
  sql: SqlClient.SqlClient,
  { caller, hostnames, isProgram }: Within
) => sql`((job.scheduled_by = ${caller}
    and (coalesce(job.scheduled_way, '') = 'token') = ${isProgram})
  or (exists (select from job_device d where d.job_id = job.id)
    and not exists (select from job_device d where d.job_id = job.id and d.hostname <> all(${hostnames}::text[]))
    and (job.finish_time is not null or coalesce(job.start_arguments ?| array['hostname', 'hostnames'], false))
    and not exists (select from jsonb_path_query(job.start_arguments, 'lax $.keyvalue() ? (@.key like_regex "hostname").value[*]') n
      where jsonb_typeof(n) = 'string' and n #>> '{}' <> all(${hostnames}::text[]))))`
