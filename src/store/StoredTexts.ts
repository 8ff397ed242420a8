/**
 * Texts that are stored once (docs/operations.md#stored-once): a row refers to a configuration by its keyed hash, and the statement that
 * writes the reference stores the text, compressed and sealed, unless it is there. Texts of earlier releases, which stand in the rows
 * themselves, are moved here a day after their job.
 *
 * A text is removed if nothing refers to it and it was not stored for a day. A statement that refers to an older text stores it
 * again, which locks its row: so either the removal waits and finds it young, or the text is inserted anew.
 */
import { Effect, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { locks } from "./DatabaseClient.ts"
import { REFERENCE, SecretTexts } from "./SecretStore.ts"
import { UNFINISHED } from "./StatusConditions.ts"

/** A text that was stored less than this long ago is not stored again; far shorter than `AGE`. */
const FRESH = "1 hour"

/** Texts without a reference are removed at this age, and texts of earlier releases are moved. */
const AGE = "1 day"

/** A shorter text is not longer than its reference. */
const SHORTEST = 200

/** The texts of one statement. */
export interface TextsOfStatement {
  /** Yields the reference to a text; the statement must contain `stored`. */
  readonly refer: (text: string) => string
  /** The same, but a short text is sealed as it is. */
  readonly referLong: (text: string) => string
  /** The beginning of a `with` clause that stores the texts; empty if there are none. A part of the clause must follow. */
  readonly stored: () => Statement.Fragment
}

/** Collects the texts of one statement, which stores them. */
export const textsOfStatement = (sql: SqlClient.SqlClient, secrets: SecretTexts["Service"]): TextsOfStatement => {
  const found = new Map<string, Uint8Array>()
  const refer = (text: string) => {
    const hash = secrets.hashOf(text)
    if (!found.has(hash)) found.set(hash, secrets.sealPacked(text))
    return `${REFERENCE}${hash}`
  }
  return {
    refer,
    referLong: (text) => (text.length < SHORTEST ? secrets.seal(text) : refer(text)),
    stored: () =>
      found.size === 0
        ? sql``
        : sql`stored as (insert into stored_text (hash, packed)
            select hash, packed from unnest(${[...found.keys()]}::text[], ${[...found.values()]}::bytea[]) as given (hash, packed)
            where not exists (select from stored_text s
              where s.hash = given.hash and s.stored_at > now() - interval '${sql.literal(FRESH)}')
            order by hash on conflict (hash) do update set stored_at = now()), `
  }
}

// Moves texts of earlier releases, in small batches, and removes texts without a reference. One replica at a time.

/** Texts of configurations are long. */
const BATCH = 50

interface Packable {
  readonly key: string
  readonly column: string
  readonly text: string
}

/** Moves texts to the table where each is stored once. */
export const makeTextPacking = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretTexts

  const locked = Effect.map(
    sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.textPacking}) as taken`,
    ([lock]) => lock?.taken === true
  )

  /** Stores the texts and yields their references; a text that cannot be opened stays unchanged. */
  const store = Effect.fnUntraced(function* (found: ReadonlyArray<Packable>) {
    const texts = textsOfStatement(sql, secrets)
    const moved = found.flatMap(({ column, key, text }) =>
      Option.toArray(
        Option.map(secrets.open(text), (clear) => ({ key, column, before: text, after: texts.refer(clear) }))
      )
    )
    yield* sql`with ${texts.stored()}done as (select 1) select from done`
    return moved
  })

  const packChanges = Effect.fnUntraced(function* (after: number) {
    if (!(yield* locked)) return null
    const rows = yield* sql<{
      id: number
      candidate: string
      old_config: string | null
      diff: string | null
    }>`select id, candidate, old_config, diff from config_change
      where not starts_with(candidate, ${sql.literal(`'${REFERENCE}'`)}) and updated_at < now() - ${sql.literal(`interval '${AGE}'`)}
        and not (${sql.literal(UNFINISHED)}) and id > ${after} order by id limit ${BATCH}`
    const texts = rows.flatMap(({ id, ...columns }) =>
      Object.entries(columns).flatMap(([column, text]) =>
        text === null || (column !== "candidate" && text.length < SHORTEST) ? [] : [{ key: String(id), column, text }]
      )
    )
    const moved = yield* store(texts)
    yield* sql`with given as (select * from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb)
        as given (key integer, "column" text, before text, after text)),
      wide as (select key, max(after) filter (where "column" = 'candidate') as candidate,
        max(before) filter (where "column" = 'candidate') as before, max(after) filter (where "column" = 'old_config') as old_config,
        max(after) filter (where "column" = 'diff') as diff from given group by key)
      update config_change c set candidate = coalesce(wide.candidate, c.candidate),
        old_config = coalesce(wide.old_config, c.old_config), diff = coalesce(wide.diff, c.diff)
      from wide where c.id = wide.key and (wide.before is null or c.candidate = wide.before)`
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  }, sql.withTransaction)

  const packDevices = Effect.fnUntraced(function* (after: { readonly id: number; readonly hostname: string }) {
    if (!(yield* locked)) return null
    const rows = yield* sql<{ id: number; hostname: string; sealed: string }>`
      select job_id as id, hostname, sealed_tasks as sealed from job_device
      where sealed_tasks is not null and not starts_with(sealed_tasks, ${sql.literal(`'${REFERENCE}'`)}) and not waiting
        and finished_at < now() - ${sql.literal(`interval '${AGE}'`)}
        and (job_id, hostname) > (${after.id}, ${after.hostname}) order by job_id, hostname limit ${BATCH}`
    const moved = yield* store(
      rows.map(({ hostname, id, sealed }) => ({
        key: JSON.stringify([id, hostname]),
        column: "sealed_tasks",
        text: sealed
      }))
    )
    // a moved row must not be reported again as a result of a device
    yield* sql`select set_config('switchyard.retention', 'on', true)`
    yield* sql`update job_device d set sealed_tasks = given.after
      from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb) as given (key text, before text, after text)
      where d.job_id = (given.key::jsonb ->> 0)::integer and d.hostname = given.key::jsonb ->> 1 and d.sealed_tasks = given.before`
    return rows.length < BATCH ? null : (rows.at(-1) ?? null)
  }, sql.withTransaction)

  const removeUnused = sql.withTransaction(
    Effect.gen(function* () {
      if (!(yield* locked)) return
      yield* sql`delete from stored_text s where s.stored_at < now() - ${sql.literal(`interval '${AGE}'`)} and not exists (select from (
          select candidate as reference from config_change union all select old_config from config_change
          union all select diff from config_change union all select config from proved_config
          union all select sealed_tasks from job_device union all select config from job_device) used
        where used.reference = ${REFERENCE} || s.hash)`
    })
  )

  /** Moves old texts and removes unused ones. */
  const pack: Effect.Effect<void, SqlError.SqlError> = Effect.gen(function* () {
    for (let after: number | null = 0; after !== null;) after = yield* packChanges(after)
    let row: { readonly id: number; readonly hostname: string } | null = { id: 0, hostname: "" }
    while (row !== null) row = yield* packDevices(row)
    yield* removeUnused
  }).pipe(Effect.withSpan("TextPacking.pack"))

  return { pack }
})
