/** All migrations in order. They run at the start, under a lock, in one transaction; none is ever changed once released. */
import * as Migrator from "effect/sql/Migrator"
import devices from "./migrations/0001_devices.ts"
import links from "./migrations/0002_links.ts"
import jobs from "./migrations/0003_jobs.ts"
import changes from "./migrations/0004_changes.ts"
import events from "./migrations/0005_events.ts"
import repositories from "./migrations/0006_repositories.ts"
import undo from "./migrations/0007_undo.ts"
import firmware from "./migrations/0008_firmware.ts"
import operations from "./migrations/0009_operations.ts"
import diff from "./migrations/0010_diff.ts"
import briefTasks from "./migrations/0011_brief_tasks.ts"
import unknownDevices from "./migrations/0016_unknown_devices.ts"

/** Applies what the database does not have yet. Yields id and name of each that was applied. */
export const run = Migrator.make({})({
  table: "switchyard_migrations",
  loader: Migrator.fromRecord({
    "0001_devices": devices,
    "0002_links": links,
    "0003_jobs": jobs,
    "0004_changes": changes,
    "0005_events": events,
    "0006_repositories": repositories,
    "0007_undo": undo,
    "0008_firmware": firmware,
    "0009_operations": operations,
    "0010_diff": diff,
    "0011_brief_tasks": briefTasks,
    "0016_unknown_devices": unknownDevices
  })
})
