/**
 * Calls of plugins: what is to be told (`device_action`), and what has become of it with each plugin (`plugin_run`). A plugin hears the
 * events of a device in their order: a later one waits until the earlier one has been told, or given up.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { EventStore } from "./EventStore.ts"

/** A call that is due. */
export interface DueCall {
  readonly id: number
  readonly deviceId: number | null
  readonly jobId: number | null
  /** The call as it was recorded. */
  readonly payload: unknown
  readonly hook: string
  readonly hostname: string
  /** How often it was begun. */
  readonly attempts: number
}

/** A plugin and the hooks that it has. */
interface Hearer {
  readonly key: string
  readonly hooks: ReadonlyArray<string>
}

/** How an attempt ended; `retryInSeconds` null when there is no other. */
export type CallEnd =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly error: string; readonly retryInSeconds: number | null }

/** What is known of the calls of one plugin. */
export interface CallCounts {
  readonly plugin: string
  /** That failed for good. */
  readonly failed: number
  /** That failed and are tried again. */
  readonly retrying: number
  readonly lastError: string | null
  /** RFC 3339. */
  readonly lastErrorAt: string | null
}

/** Hooks of before 0.3; servers of then stumble over others. */
const FIRST_HOOKS: ReadonlySet<string> = new Set(["new_managed_device", "allocated_ipv4"])

/** What can be recorded: a hook, and what its event has. */
interface RecordedCall {
  readonly hook: string
  readonly hostname: string
  readonly [field: string]: unknown
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const events = yield* EventStore

  const record = Effect.fn("PluginCallStore.record")(
    (call: RecordedCall, about: { readonly deviceId: number | null; readonly jobId: number | null }) =>
      Effect.asVoid(
        sql`insert into device_action ${sql.insert({
          device_id: about.deviceId,
          job_id: about.jobId,
          kind: FIRST_HOOKS.has(call.hook) ? "runPlugins" : "callPlugins",
          payload: sql.json(call)
        })}`
      )
  )

  const next = Effect.fn("PluginCallStore.next")(function* ({ hooks, key }: Hearer) {
    const [row] = yield* sql<DueCall>`
      with open as (
        select a.*, a.payload ->> 'hook' as hook, a.payload ->> 'hostname' as hostname, r.attempts, r.next_at
        from device_action a left join plugin_run r on r.action_id = a.id and r.plugin = ${key}
        where a.done_at is null and a.kind in ('runPlugins', 'callPlugins') and r.done_at is null
          and ${JSON.stringify(hooks)}::jsonb ? (a.payload ->> 'hook'))
      select id, device_id as "deviceId", job_id as "jobId", payload, hook, hostname, coalesce(attempts, 0) as attempts
      from open where (next_at is null or next_at <= now())
        and not exists (select 1 from open earlier where earlier.id < open.id and earlier.hostname = open.hostname)
      order by id limit 1`
    return Option.fromUndefinedOr(row)
  })

  const begin = Effect.fn("PluginCallStore.begin")((id: number, plugin: string) =>
    Effect.asVoid(sql`insert into plugin_run (action_id, plugin) values (${id}, ${plugin})
      on conflict (action_id, plugin) do update set attempts = plugin_run.attempts + 1, next_at = null`)
  )

  const end = Effect.fn("PluginCallStore.end")(function* (call: DueCall, plugin: string, ended: CallEnd) {
    const failed = ended._tag === "Failed" ? ended : null
    const wait = failed?.retryInSeconds ?? null
    yield* sql`update plugin_run set error = ${failed?.error ?? null},
      done_at = case when ${wait}::double precision is null then now() end, next_at = now() + make_interval(secs => ${wait})
      where action_id = ${call.id} and plugin = ${plugin}`
    const [run] = yield* sql<{ attempts: number }>`
      select attempts from plugin_run where action_id = ${call.id} and plugin = ${plugin}`
    yield* events.append({
      kind: "plugin",
      action: failed === null ? "called" : "failed",
      isAudit: false,
      ...(call.deviceId === null ? {} : { deviceId: call.deviceId }),
      ...(call.jobId === null ? {} : { jobId: call.jobId }),
      hostname: call.hostname,
      data: {
        plugin,
        hook: call.hook,
        attempt: run?.attempts ?? call.attempts,
        ...(failed === null ? {} : { error: failed.error, retry_in_seconds: wait })
      }
    })
  }, sql.withTransaction)

  const settle = Effect.fn("PluginCallStore.settle")((hearers: ReadonlyArray<Hearer>) =>
    Effect.asVoid(sql`
      update device_action a set done_at = now() where a.done_at is null and a.kind in ('runPlugins', 'callPlugins')
        and not exists (
          select 1 from jsonb_to_recordset(${JSON.stringify(hearers)}::jsonb) as hearer (key text, hooks jsonb)
          where hearer.hooks ? (a.payload ->> 'hook') and not exists (
            select 1 from plugin_run r where r.action_id = a.id and r.plugin = hearer.key and r.done_at is not null))`)
  )

  const untilNext = Effect.fn("PluginCallStore.untilNext")(function* () {
    const [row] = yield* sql<{ seconds: number | null }>`
      select extract(epoch from min(r.next_at) - now())::double precision as seconds
      from plugin_run r join device_action a on a.id = r.action_id
      where a.done_at is null and r.done_at is null and r.next_at > now()`
    return row?.seconds ?? null
  })

  const counts = Effect.fn("PluginCallStore.counts")(
    () => sql<CallCounts>`
      select plugin, (count(*) filter (where done_at is not null))::integer as failed,
        (count(*) filter (where done_at is null))::integer as retrying,
        (array_agg(error order by started_at desc))[1] as "lastError",
        to_char((max(started_at)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastErrorAt"
      from plugin_run where error is not null group by plugin`
  )

  const forget = Effect.fn("PluginCallStore.forget")((days: number) =>
    Effect.asVoid(sql`delete from device_action where done_at < now() - make_interval(days => ${days})`)
  )

  return PluginCallStore.of({ record, next, begin, end, settle, forget, untilNext: untilNext(), counts: counts() })
})

/** Recorded calls of plugins. */
export class PluginCallStore extends Context.Service<
  PluginCallStore,
  {
    /** Adds a call, in the transaction of what it tells. */
    readonly record: (
      call: RecordedCall,
      about: { readonly deviceId: number | null; readonly jobId: number | null }
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The oldest call that is due for the plugin. */
    readonly next: (hearer: Hearer) => Effect.Effect<Option.Option<DueCall>, SqlError.SqlError>
    /** An attempt begins; noted before it is made. */
    readonly begin: (id: number, plugin: string) => Effect.Effect<void, SqlError.SqlError>
    /** An attempt has ended, with its event. */
    readonly end: (call: DueCall, plugin: string, ended: CallEnd) => Effect.Effect<void, SqlError.SqlError>
    /** Closes the calls that no plugin has yet to hear. */
    readonly settle: (hearers: ReadonlyArray<Hearer>) => Effect.Effect<void, SqlError.SqlError>
    /** Removes what was closed so many days ago. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** Seconds until the next attempt of a call that failed; null when there is none. */
    readonly untilNext: Effect.Effect<number | null, SqlError.SqlError>
    /** Plugins with calls that failed. */
    readonly counts: Effect.Effect<ReadonlyArray<CallCounts>, SqlError.SqlError>
  }
>()("switchyard/store/PluginCallStore") {
  static readonly layer = Layer.effect(PluginCallStore, make).pipe(Layer.provide(EventStore.layer))
}
