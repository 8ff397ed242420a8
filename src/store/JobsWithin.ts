/** The jobs that a caller who may work on some devices only may see (docs/roles.md#callers-of-some-devices). */
import type { SqlClient } from "effect/sql"
import type { Within } from "./Listing.ts"

/** Jobs that the caller has started, and those that have worked on no other devices than these; a condition on `job`. */
export const jobsWithin = (sql: SqlClient.SqlClient, { caller, hostnames }: Within) => sql`(job.scheduled_by = ${caller}
  or (exists (select from job_device d where d.job_id = job.id)
    and not exists (select from job_device d where d.job_id = job.id and d.hostname <> all(${hostnames}::text[]))))`
