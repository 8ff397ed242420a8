/** Which events somebody has asked for (docs/events.md#pages). Pure. */

/** What is asked for; null for all. */
export interface EventFilter {
  readonly kinds: ReadonlySet<string> | null
  /** Ids of devices. */
  readonly devices: ReadonlySet<number> | null
  readonly job: number | null
}

/** An event, as far as filters ask. */
export interface FilteredEvent {
  readonly kind: string
  readonly device_id: number | null
  readonly job_id: number | null
}

/** Whether an event is among those that were asked for. */
export const matchesFilter = ({ devices, job, kinds }: EventFilter, event: FilteredEvent): boolean =>
  (kinds === null || kinds.has(event.kind)) &&
  (devices === null || (event.device_id !== null && devices.has(event.device_id))) &&
  (job === null || event.job_id === job)
