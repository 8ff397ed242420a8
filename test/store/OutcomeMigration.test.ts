/** The outcomes of jobs of earlier releases after their database is migrated. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import outcomes from "../../src/store/migrations/0015_outcomes.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Status, function, stored result, whether each device failed (null: never started), and what is expected. */
const rows = [
  ["FINISHED", "sync_devices", null, [false, false], "success", []],
  ["FINISHED", "sync_devices", { rollout: {} }, [true, false], "partial", ["d1"]],
  ["FINISHED", "device_drift", null, [true, true], "failed", ["d1", "d2"]],
  ["FINISHED", "sync_devices (dry_run)", { devices: {} }, [], "success", []],
  ["EXCEPTION", "sync_devices", null, [], "failed", []],
  ["EXCEPTION", "sync_devices", null, [false, true], "partial", ["d2"]],
  ["EXCEPTION", "refresh_repo", { error: "no" }, [], "failed", []],
  ["ABORTED", "sync_devices", { message: "no" }, null, "aborted", null],
  ["ABORTED", "sync_devices", null, [false], "aborted", []],
  ["FINISHED", "get_firmware", "File downloaded from: http://x/a.swi", [], "success", []],
  ["FINISHED", "get_firmware", "Checksum mismatch, file corrupt", [], "failed", []],
  ["FINISHED", "get_firmware_chksum", "da39a3ee5e6b4b0d3255bfef95601890afd80709", [], "success", []],
  ["FINISHED", "get_firmware_chksum", "Could not find file x.swi", [], "failed", []],
  ["FINISHED", "remove_file", "File x.swi removed", [], "success", []],
  ["FINISHED", "remove_file", "Failed to remove file x.swi", [], "failed", []],
  ["RUNNING", "sync_devices", null, [true], null, ["d1"]],
  ["SCHEDULED", "sync_devices", null, null, null, null]
] as const

it.effect("gives every job of an earlier release the outcome that its rows show", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // releases before this migration had no audit
    yield* sql`alter table job disable trigger user`
    yield* sql`alter table job drop column outcome, drop column failed_devices, drop column counts`
    for (const [index, [status, name, result, devices]] of rows.entries()) {
      const id = index + 1
      yield* sql`insert into job (id, status, function_name, result, start_time)
        values (${id}, ${status}, ${name}, ${result === null ? null : JSON.stringify(result)}::jsonb,
          ${devices === null ? null : new Date(0)})`
      for (const [place, failed] of (devices ?? []).entries()) {
        yield* sql`insert into job_device (job_id, hostname, failed, job_tasks, reached_end, changed)
          values (${id}, ${`d${place + 1}`}, ${failed}, '[]', true, true)`
      }
    }
    yield* outcomes
    const found = yield* sql<{ outcome: string | null; failed_devices: ReadonlyArray<string> | null }>`
      select outcome, failed_devices from job order by id`
    for (const [index, [status, name, , , outcome, failed]] of rows.entries()) {
      assert.deepEqual(found[index], { outcome, failed_devices: failed }, `${index}: ${status} ${name}`)
    }
    const [counted] = yield* sql<{ counts: unknown }>`select counts from job where id = 2`
    assert.deepEqual(counted?.counts, { devices: 2, succeeded: 1, failed: 1, changed: 1 })
    const plan = yield* sql<{ line: string }>`select indexdef as line from pg_indexes where indexname = 'job_outcome'`
    assert.lengthOf(plan, 1)
  }).pipe(Effect.provide(TestDatabase))
)
