/**
 * Calls of plugins: the calls to be made (`device_action`), and their result for each plugin (`plugin_run`). A plugin receives the
 * events of a device in order: a later event waits until the earlier one was delivered or has failed for good.
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
  /** The recorded call. */
  readonly payload: unknown
  readonly hook: string
  readonly hostname: string
  /** The number of attempts. */
  readonly attempts: number
}

/** A plugin and its hooks. */
interface PluginHooks {
  readonly key: string
  readonly hooks: ReadonlyArray<string>
}

/** The end of an attempt; `retryInSeconds` is null if no further attempt follows. */
export type CallEnd =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly error: string; readonly retryInSeconds: number | null }

/** The state of the calls of one plugin. */
export interface CallCounts {
  readonly plugin: string
  /** Calls that failed for good. */
  readonly failed: number
  /** Failed calls that are tried again. */
  readonly retrying: number
  readonly lastError: string | null
  /** RFC 3339. */
  readonly lastErrorAt: string | null
}

/** Hooks before 0.3; servers of that time fail on other hooks. */
const FIRST_HOOKS: ReadonlySet<string> = new Set(["new_managed_device", "allocated_ipv4"])

/** A call to be recorded: a hook, and the data of its event. */
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

  const next = Effect.fn("PluginCallStore.next")(function* ({ hooks, key }: PluginHooks) {
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

  const settle = Effect.fn("PluginCallStore.settle")((plugins: ReadonlyArray<PluginHooks>) =>
    Effect.asVoid(sql`
      update device_action a set done_at = now() where a.done_at is null and a.kind in ('runPlugins', 'callPlugins')
        and not exists (
          select 1 from jsonb_to_recordset(${JSON.stringify(plugins)}::jsonb) as hearer (key text, hooks jsonb)
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
    /** Adds a call, in the transaction of its event. */
    readonly record: (
      call: RecordedCall,
      about: { readonly deviceId: number | null; readonly jobId: number | null }
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The oldest due call of the plugin. */
    readonly next: (plugin: PluginHooks) => Effect.Effect<Option.Option<DueCall>, SqlError.SqlError>
    /** Records the begin of an attempt, before the call. */
    readonly begin: (id: number, plugin: string) => Effect.Effect<void, SqlError.SqlError>
    /** Records the end of an attempt, with its event. */
    readonly end: (call: DueCall, plugin: string, ended: CallEnd) => Effect.Effect<void, SqlError.SqlError>
    /** Closes calls that no plugin still has to receive. */
    readonly settle: (plugins: ReadonlyArray<PluginHooks>) => Effect.Effect<void, SqlError.SqlError>
    /** Removes calls that were closed this number of days ago. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** Seconds until the next attempt of a failed call; null if there is none. */
    readonly untilNext: Effect.Effect<number | null, SqlError.SqlError>
    /** Plugins with failed calls. */
    readonly counts: Effect.Effect<ReadonlyArray<CallCounts>, SqlError.SqlError>
  }
>()("switchyard/store/PluginCallStore") {
  static readonly layer = Layer.effect(PluginCallStore, make).pipe(Layer.provide(EventStore.layer))
}
