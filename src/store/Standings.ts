/** How devices and jobs stand beside their own records, as SQL over a row: what lists are filtered by, and what is counted. */
import type { Listable } from "./Listing.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

const ONLY_MANAGED = "device.state = 'MANAGED' and not device.synchronized"

/** Fields of the list of devices. `unsynchronized_by` is the newest cause, null for a device that is synchronized or not managed. */
export const STANDINGS = {
  unsynchronized_by: {
    sql: `(case when ${ONLY_MANAGED} then coalesce((select e.cause from sync_event e where e.hostname = device.hostname
      order by e.id desc limit 1), 'unknown') end)`,
    kind: "text"
  },
  drifted: {
    sql: `(exists (select from sync_event e where e.hostname = device.hostname and e.cause = 'drift'))`,
    kind: "boolean"
  },
  unreachable: {
    sql: "(exists (select from device_unreachable u where u.device_id = device.id))",
    kind: "boolean"
  },
  in_change: {
    sql: `(exists (select from config_change c where c.device_id = device.id and c.${UNFINISHED}))`,
    kind: "boolean"
  }
} as const satisfies Listable["columns"]

/** Jobs that have ended within a day without success. */
export const FAILED_TODAY =
  "(coalesce(job.outcome in ('failed', 'partial'), false) and job.finish_time > now() - interval '1 day')"
