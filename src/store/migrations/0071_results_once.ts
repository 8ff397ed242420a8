/**
 * The result of a job on a device refers to its configuration (docs/operations.md#stored-once): the text had been there twice, once without
 * its secrets and once sealed. Rows of earlier releases keep their texts, and are read as before.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job_device add column config text, add column config_hidden jsonb`
  yield* sql`comment on column job_device.config is 'reference to the configuration whose place in job_tasks has the prefix of references; null if job_tasks holds it itself, or there is none'`
  yield* sql`comment on column job_device.config_hidden is 'its lines that are shown otherwise, because they hold secrets: the first one from 0, how many, what is shown; null when there are none'`
})
